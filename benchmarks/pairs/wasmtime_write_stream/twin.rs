// bytecodealliance/wasmtime PR #7144 (wasmtime-wasi `AsyncWriteStream`): `notify_one` keeps one notification for the other end until
// it waits for it, and each end has one waiter, so a change after the look at the state is not missed.
use bytes::Bytes;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;

#[derive(Debug)]
pub enum StreamError {
    Closed,
    Trap(&'static str),
    LastOperationFailed(std::io::Error),
}

struct WorkerState {
    alive: bool,
    items: VecDeque<Bytes>,
    write_budget: usize,
    error: Option<std::io::Error>,
}

struct Worker {
    state: Mutex<WorkerState>,
    new_work: Notify,
    write_ready_changed: Notify,
}

impl Worker {
    fn new(write_budget: usize) -> Self {
        let state = WorkerState { alive: true, items: VecDeque::new(), write_budget, error: None };
        Self { state: Mutex::new(state), new_work: Notify::new(), write_ready_changed: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, WorkerState> {
        self.state.lock().unwrap()
    }

    fn pop(&self) -> Option<Bytes> {
        self.state().items.pop_front()
    }

    fn report_error(&self, e: std::io::Error) {
        {
            let mut state = self.state();
            state.alive = false;
            state.error = Some(e);
        }
        self.write_ready_changed.notify_one();
    }

    async fn ready(&self) {
        loop {
            {
                let state = self.state();
                if state.error.is_some() || !state.alive || state.write_budget > 0 {
                    return;
                }
            }
            self.write_ready_changed.notified().await;
        }
    }

    async fn work<T: AsyncWrite + Send + Unpin>(&self, mut writer: T) {
        loop {
            while let Some(bytes) = self.pop() {
                if let Err(e) = writer.write_all(&bytes).await {
                    return self.report_error(e);
                }
                self.state().write_budget += bytes.len();
                self.write_ready_changed.notify_one();
            }
            self.new_work.notified().await;
        }
    }
}

/// Provides a host output stream from a [`tokio::io::AsyncWrite`] impl, for one guest.
pub struct AsyncWriteStream {
    worker: Arc<Worker>,
    join_handle: tokio::task::JoinHandle<()>,
}

impl AsyncWriteStream {
    pub fn new<T: AsyncWrite + Send + Unpin + 'static>(write_budget: usize, writer: T) -> Self {
        let worker = Arc::new(Worker::new(write_budget));
        let w = worker.clone();
        let join_handle = tokio::spawn(async move { w.work(writer).await });
        Self { worker, join_handle }
    }

    pub fn write(&mut self, bytes: Bytes) -> Result<(), StreamError> {
        let mut state = self.worker.state();
        check_error(&mut state)?;
        if bytes.len() > state.write_budget {
            return Err(StreamError::Trap("write exceeded budget"));
        }
        state.write_budget -= bytes.len();
        state.items.push_back(bytes);
        drop(state);
        self.worker.new_work.notify_one();
        Ok(())
    }

    pub async fn write_ready(&mut self) -> Result<usize, StreamError> {
        self.worker.ready().await;
        let mut state = self.worker.state();
        check_error(&mut state)?;
        Ok(state.write_budget)
    }
}

fn check_error(state: &mut WorkerState) -> Result<(), StreamError> {
    match state.error.take() {
        Some(e) => Err(StreamError::LastOperationFailed(e)),
        None if !state.alive => Err(StreamError::Closed),
        None => Ok(()),
    }
}

impl Drop for AsyncWriteStream {
    fn drop(&mut self) {
        self.join_handle.abort()
    }
}
