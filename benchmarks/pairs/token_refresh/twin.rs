//! The lock is kept over the request.
use tokio::sync::Mutex;
use std::sync::Arc;
#[derive(Clone, Default)]
pub struct Token { value: String, serial: u64, expired: bool }
#[derive(Clone, Default)]
pub struct Auth { token: Arc<Mutex<Token>> }
async fn request(serial: u64) -> String { tokio::task::yield_now().await; format!("t{serial}") }
impl Auth {
    pub async fn header(&self) -> String {
        let mut now = self.token.lock().await;
        if !now.expired {
            return format!("Bearer {}", now.value);
        }
        let value = request(now.serial + 1).await;
        *now = Token { value, serial: now.serial + 1, expired: false };
        format!("Bearer {}", now.value)
    }
    pub async fn expire(&self) { self.token.lock().await.expired = true; }
}
