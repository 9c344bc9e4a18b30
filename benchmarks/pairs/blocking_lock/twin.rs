//! The task awaits it.
use std::sync::Arc;
use tokio::sync::Mutex;
#[derive(Default)]
struct Stats { hits: u64 }
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<Stats>>);
impl Shared {
    pub fn hits(&self) -> u64 { self.0.blocking_lock().hits }
    pub async fn hits_async(&self) -> u64 { self.0.lock().await.hits }
    pub async fn hit(&self) { self.0.lock().await.hits += 1; }
}
pub fn reporter(shared: Shared, mut stop: tokio::sync::oneshot::Receiver<()>) {
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = &mut stop => break,
                _ = tokio::time::sleep(std::time::Duration::from_secs(10)) => {
                    println!("{} hits", shared.hits_async().await);
                }
            }
        }
    });
}
