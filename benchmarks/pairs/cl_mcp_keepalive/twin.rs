// rust-mcp-sdk after pull request 83: the task is aborted by a guard, whichever way the function is left.
use std::time::Duration;
use tokio::sync::mpsc;

struct AbortOnDrop(tokio::task::AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

pub struct Runtime {
    out: mpsc::Sender<String>,
}

impl Runtime {
    pub fn new(out: mpsc::Sender<String>) -> Runtime {
        Runtime { out }
    }

    fn keep_alive(&self) -> tokio::task::AbortHandle {
        let out = self.out.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(Duration::from_secs(12)).await;
                let _ = out.send("ping".to_string()).await;
            }
        })
        .abort_handle()
    }

    pub async fn start_stream(&self, mut incoming: mpsc::Receiver<String>) -> Result<(), String> {
        let _alive = AbortOnDrop(self.keep_alive());
        loop {
            match incoming.recv().await {
                Some(message) => {
                    let n: u32 = message.parse().map_err(|_| "not a number".to_string())?;
                    self.out.send(format!("{n}")).await.map_err(|e| e.to_string())?;
                }
                None => return Ok(()),
            }
        }
    }
}
