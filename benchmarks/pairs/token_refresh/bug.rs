//! The token is looked at, the lock let go over the request, and the generation counted up by each.
use tokio::sync::Mutex;
use std::sync::Arc;
#[derive(Clone, Default)]
pub struct Token { value: String, serial: u64, expired: bool }
#[derive(Clone, Default)]
pub struct Auth { token: Arc<Mutex<Token>> }
async fn request(serial: u64) -> String { tokio::task::yield_now().await; format!("t{serial}") }
impl Auth {
    pub async fn header(&self) -> String {
        let now = self.token.lock().await.clone(); //~
        if !now.expired {
            return format!("Bearer {}", now.value);
        }
        let value = request(now.serial + 1).await;
        let fresh = Token { value, serial: now.serial + 1, expired: false };
        *self.token.lock().await = fresh.clone(); //~
        format!("Bearer {}", fresh.value)
    }
    pub async fn expire(&self) { self.token.lock().await.expired = true; }
}
