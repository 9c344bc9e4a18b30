// emmett-framework/granian, #903 / PR #904: `serve` tells the connections to stop with `notify_waiters`, which a `handle_connection` that is not waiting just then (not yet run, or busy with a request) misses, so the worker hangs.
use std::future::Future;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{watch, Notify};
use tokio_util::task::TaskTracker;

pub struct Worker {
    listener: TcpListener,
    shutdown: watch::Receiver<bool>,
    tasks: TaskTracker,
}

impl Worker {
    pub async fn bind(addr: &str, shutdown: watch::Receiver<bool>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(addr).await?;
        Ok(Self { listener, shutdown, tasks: TaskTracker::new() })
    }

    /// Serves until the shutdown signal, then waits for the connections to finish.
    pub async fn serve<H, Fut>(mut self, handler: H)
    where
        H: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = String> + Send + 'static,
    {
        let handler = Arc::new(handler);
        let conn_stop = Arc::new(Notify::new());
        loop {
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        tracing::debug!("connection from {peer}");
                        self.tasks.spawn(handle_connection(stream, handler.clone(), conn_stop.clone()));
                    }
                    Err(err) => tracing::warn!("accept failed: {err}"),
                },
                _ = stopped(&mut self.shutdown) => {
                    conn_stop.notify_waiters(); //~
                    break;
                }
            }
        }
        drop(self.listener);
        self.tasks.close();
        self.tasks.wait().await;
    }
}

async fn stopped(shutdown: &mut watch::Receiver<bool>) {
    let _ = shutdown.wait_for(|stop| *stop).await;
}

/// A keep-alive connection: one line per request and per response.
async fn handle_connection<H, Fut>(mut stream: TcpStream, handler: Arc<H>, stop: Arc<Notify>)
where
    H: Fn(String) -> Fut,
    Fut: Future<Output = String>,
{
    let (read, mut write) = stream.split();
    let mut requests = BufReader::new(read).lines();
    loop {
        tokio::select! {
            request = requests.next_line() => {
                let Ok(Some(request)) = request else { break };
                let response = handler(request).await;
                if write.write_all(format!("{response}\n").as_bytes()).await.is_err() {
                    break;
                }
            }
            _ = stop.notified() => break, //~
        }
    }
    let _ = write.shutdown().await;
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let (stop, shutdown) = watch::channel(false);
    let worker = Worker::bind("127.0.0.1:8000", shutdown).await?;
    let serving = tokio::spawn(worker.serve(|request| async move { request.to_uppercase() }));
    tokio::signal::ctrl_c().await?;
    stop.send_replace(true);
    serving.await.map_err(std::io::Error::other)
}
