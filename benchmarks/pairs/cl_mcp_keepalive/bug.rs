// rust-mcp-sdk 0.5 (fixed by pull request 83, Aug 2025), src/mcp_runtimes/server_runtime.rs: a stream starts a task that keeps it alive and
// aborts it where the loop ends; when an error (`?`) or a cancelled call leaves the function before, the task pings for ever.
use std::time::Duration;
use tokio::sync::mpsc;

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
        let alive = self.keep_alive();
        loop {
            match incoming.recv().await {
                Some(message) => {
                    let n: u32 = message.parse().map_err(|_| "not a number".to_string())?;
                    self.out.send(format!("{n}")).await.map_err(|e| e.to_string())?;
                }
                None => {
                    alive.abort();
                    return Ok(());
                }
            }
        }
    }
}
