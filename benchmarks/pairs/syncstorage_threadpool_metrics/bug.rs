// Source: mozilla-services/syncstorage-rs issue #1627, pull request #1692 (BlockingThreadPool active counts can underflow)
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Types that implement this trait can represent internal errors.
pub trait InternalError {
    /// Constructs an internal error with the given error message.
    fn internal_error(message: String) -> Self;
}

/// Runs the function when it goes out of scope.
struct Defer<F: FnMut()>(F);

impl<F: FnMut()> Drop for Defer<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// A threadpool on which callers can spawn non-CPU-bound tasks that block their thread (this is
/// mostly useful for running I/O tasks). `BlockingThreadpool` intentionally does not implement
/// `Clone`: `Arc`s are not used internally, so a `BlockingThreadpool` should be instantiated once
/// and shared by passing around `Arc<BlockingThreadpool>`s.
#[derive(Debug)]
pub struct BlockingThreadpool {
    spawned_tasks: AtomicU64,
    active_threads: Arc<AtomicU64>,
    max_thread_count: usize,
}

impl BlockingThreadpool {
    pub fn new(max_thread_count: usize) -> Self {
        Self {
            spawned_tasks: Default::default(),
            active_threads: Default::default(),
            max_thread_count,
        }
    }

    /// Runs a function as a task on the blocking threadpool.
    ///
    /// WARNING: Spawning a blocking task through means other than calling this method will
    /// result in inaccurate threadpool metrics being reported. If you want to spawn a task on
    /// the blocking threadpool, you **must** use this function.
    pub async fn spawn<F, T, E>(&self, f: F) -> Result<T, E>
    where
        F: FnOnce() -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: fmt::Debug + Send + InternalError + 'static,
    {
        self.spawned_tasks.fetch_add(1, Ordering::Relaxed);
        // Ensure the counter's always decremented (whether the task completed,
        // was cancelled or panicked)
        let _spawned = Defer(|| {
            self.spawned_tasks.fetch_sub(1, Ordering::Relaxed);
        });

        let active_threads = Arc::clone(&self.active_threads);
        let f_with_metrics = move || {
            active_threads.fetch_add(1, Ordering::Relaxed);
            let _active = Defer(|| {
                active_threads.fetch_sub(1, Ordering::Relaxed);
            });
            f()
        };
        tokio::task::spawn_blocking(f_with_metrics).await.unwrap_or_else(|_| {
            Err(E::internal_error(
                "Blocking threadpool operation canceled".to_owned(),
            ))
        })
    }

    pub fn max_thread_count(&self) -> usize {
        self.max_thread_count
    }

    pub fn is_idle(&self) -> bool {
        self.active_threads.load(Ordering::Relaxed) == 0
    }

    /// Return the pool's current metrics
    pub fn metrics(&self) -> BlockingThreadpoolMetrics {
        let spawned_tasks = self.spawned_tasks.load(Ordering::Relaxed);
        let active_threads = self.active_threads.load(Ordering::Relaxed); //~
        BlockingThreadpoolMetrics {
            queued_tasks: spawned_tasks - active_threads, //~
            active_threads,
            max_idle_threads: (self.max_thread_count as u64).saturating_sub(active_threads),
        }
    }
}

/// The thread pool's current metrics
#[derive(Debug)]
pub struct BlockingThreadpoolMetrics {
    /// The number of tasks pending
    pub queued_tasks: u64,
    /// The active number of threads running blocking tasks
    pub active_threads: u64,
    /// The max number of idle threads: the actual number of idle threads may
    /// be smaller as idle threads may exit when left idle for too long
    pub max_idle_threads: u64,
}
