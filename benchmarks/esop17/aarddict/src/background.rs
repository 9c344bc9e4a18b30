//! Tasks in the background and on the UI thread.

use std::future::Future;
use tokio::task::{spawn_blocking, spawn_local};

/// Runs `work` on a thread of its own, then `after` on the UI thread.
pub fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static, after: impl FnOnce(T) + 'static) {
    spawn_local(async move {
        if let Ok(result) = spawn_blocking(work).await {
            after(result);
        }
    });
}

/// Runs `work` on the UI thread, later.
pub fn post(work: impl Future<Output = ()> + 'static) {
    spawn_local(work);
}
