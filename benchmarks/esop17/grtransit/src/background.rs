//! Tasks in the background with a continuation on the UI thread.

use tokio::task::{spawn_blocking, spawn_local};

/// Runs `work` on a thread of its own, then `after` on the UI thread.
pub fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static, after: impl FnOnce(T) + 'static) {
    spawn_local(async move {
        if let Ok(result) = spawn_blocking(work).await {
            after(result);
        }
    });
}
