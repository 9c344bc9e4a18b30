// Repaired as in pinnacle-comp/pinnacle issue #148: Handle::block_on inside of block_in_place, on a multi-threaded runtime.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use parking_lot::RwLock;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};

#[derive(Debug, Error)]
pub enum ApiError {
    #[error("the compositor is gone")]
    Disconnected,
    #[error("no window {0}")]
    NoWindow(u32),
}

#[derive(Debug, Clone, Default)]
pub struct WindowProps {
    pub title: String,
    pub focused: bool,
    pub tags: Vec<u32>,
}

pub enum Request {
    Props { window: u32, reply: oneshot::Sender<Option<WindowProps>> },
    List { reply: oneshot::Sender<Vec<u32>> },
    Close { window: u32 },
}

#[derive(Debug, Clone, Copy)]
pub enum Signal {
    Closed(u32),
    Focused(u32),
}

/// Waits synchronously; the runtime moves the other tasks of this worker elsewhere meanwhile.
fn block_on_tokio<F: Future>(future: F) -> F::Output {
    tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(future))
}

#[derive(Clone)]
pub struct Client {
    requests: mpsc::Sender<Request>,
}

#[derive(Clone)]
pub struct WindowHandle {
    id: u32,
    client: Client,
}

impl Client {
    /// Starts the task that talks to the compositor.
    pub fn start(windows: Arc<RwLock<HashMap<u32, WindowProps>>>) -> Self {
        let (requests, mut incoming) = mpsc::channel(16);
        tokio::spawn(async move {
            while let Some(request) = incoming.recv().await {
                match request {
                    Request::Props { window, reply } => {
                        let _ = reply.send(windows.read().get(&window).cloned());
                    }
                    Request::List { reply } => {
                        let _ = reply.send(windows.read().keys().copied().collect());
                    }
                    Request::Close { window } => drop(windows.write().remove(&window)),
                }
            }
        });
        Self { requests }
    }

    async fn ask<T>(&self, make: impl FnOnce(oneshot::Sender<T>) -> Request) -> Result<T, ApiError> {
        let (reply, answer) = oneshot::channel();
        self.requests.send(make(reply)).await.map_err(|_| ApiError::Disconnected)?;
        answer.await.map_err(|_| ApiError::Disconnected)
    }

    pub fn windows(&self) -> Result<Vec<WindowHandle>, ApiError> {
        let ids = block_on_tokio(self.ask(|reply| Request::List { reply }))?;
        Ok(ids.into_iter().map(|id| WindowHandle { id, client: self.clone() }).collect())
    }
}

impl WindowHandle {
    pub fn props(&self) -> Result<WindowProps, ApiError> {
        let window = self.id;
        block_on_tokio(self.client.ask(|reply| Request::Props { window, reply }))?
            .ok_or(ApiError::NoWindow(window))
    }

    pub fn close(&self) -> Result<(), ApiError> {
        let request = Request::Close { window: self.id };
        block_on_tokio(self.client.requests.send(request)).map_err(|_| ApiError::Disconnected)
    }
}

pub async fn listen(client: Client, mut signals: mpsc::Receiver<Signal>) {
    while let Some(signal) = signals.recv().await {
        if let Err(e) = on_signal(&client, signal) {
            tracing::warn!(error = %e, "signal handler failed");
        }
    }
}

fn on_signal(client: &Client, signal: Signal) -> Result<(), ApiError> {
    match signal {
        Signal::Focused(id) => tracing::debug!(id, "focused"),
        Signal::Closed(_) => {
            for window in client.windows()? {
                let props = window.props()?;
                if props.tags.is_empty() && !props.focused {
                    window.close()?;
                }
            }
        }
    }
    Ok(())
}

#[tokio::main(flavor = "multi_thread")]
async fn run() {
    let windows = Arc::new(RwLock::new(HashMap::from([(1, WindowProps::default())])));
    let client = Client::start(windows);
    let (tx, rx) = mpsc::channel(8);
    let listener = tokio::spawn(listen(client, rx));
    let _ = tx.send(Signal::Closed(2)).await;
    drop(tx);
    if let Err(e) = listener.await {
        tracing::error!(error = %e, "listener failed");
    }
}

fn main() {
    run();
}
