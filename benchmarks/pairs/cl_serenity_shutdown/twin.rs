// serenity 0.12.0: sent under the lock the answer is received under.
use std::sync::Arc;
use tokio::sync::{mpsc, Mutex};

#[derive(Clone)]
pub struct ShardManager {
    queuer: mpsc::UnboundedSender<u32>,
    answers: Arc<Mutex<mpsc::UnboundedReceiver<u32>>>,
}

impl ShardManager {
    pub fn new() -> ShardManager {
        let (queuer, mut orders) = mpsc::unbounded_channel::<u32>();
        let (done, answers) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(id) = orders.recv().await {
                let _ = done.send(id);
            }
        });
        ShardManager { queuer, answers: Arc::new(Mutex::new(answers)) }
    }

    pub async fn shutdown(&self, id: u32) -> Result<(), u32> {
        let mut answers = self.answers.lock().await;
        let _ = self.queuer.send(id);
        match answers.recv().await {
            Some(answer) if answer == id => Ok(()),
            Some(other) => Err(other),
            None => Ok(()),
        }
    }
}
