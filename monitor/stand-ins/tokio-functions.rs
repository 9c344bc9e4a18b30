//! Stands for tokio where its types must stay: tasks are watched, their handles are not. `real` is tokio.

pub use real::*;
pub use task::spawn;

/// As in tokio.
pub mod task {
    pub use real::task::*;

    use std::future::Future;
    use std::panic::Location;

    use robust_monitor::{run_blocking, run_future};

    /// As in tokio.
    #[track_caller]
    pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (future, mut handle) = run_future(Location::caller(), future);
        handle.settle();
        real::task::spawn(future)
    }

    /// As in tokio.
    #[track_caller]
    pub fn spawn_local<F>(future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        let (future, mut handle) = run_future(Location::caller(), future);
        handle.settle();
        real::task::spawn_local(future)
    }

    /// As in tokio.
    #[track_caller]
    pub fn spawn_blocking<F, T>(run: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let (run, mut handle) = run_blocking(Location::caller(), run);
        handle.settle();
        real::task::spawn_blocking(run)
    }
}
