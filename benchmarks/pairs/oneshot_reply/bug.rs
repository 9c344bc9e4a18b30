//! The actor answers first and notes the charge later; whoever asked sees the old balance.
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;
#[derive(Debug, Default, Clone)]
pub struct Balance { pub cents: i64 }
pub async fn pay(cents: i64) -> Balance {
    let balance = Arc::new(Mutex::new(Balance::default()));
    let (reply, answer) = oneshot::channel::<bool>();
    let its = balance.clone();
    tokio::spawn(async move {
        let fine = cents > 0;
        let _ = reply.send(fine);
        if fine {
            its.lock().unwrap().cents += cents; //~
        }
    });
    if !answer.await.unwrap_or(false) {
        return Balance::default();
    }
    let now = balance.lock().unwrap().clone(); //~
    now
}
