//! Stands for tokio: the same, and tells what happens to tasks. `real` is tokio.

pub use real::*;
pub use task::spawn;

/// As in tokio.
pub mod task {
    pub use real::task::*;

    use std::fmt;
    use std::future::Future;
    use std::panic::Location;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use robust_monitor::{Handle, run_blocking, run_future};

    /// As in tokio.
    #[track_caller]
    pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (future, handle) = run_future(Location::caller(), future);
        JoinHandle { inner: real::task::spawn(future), handle }
    }

    /// As in tokio.
    #[track_caller]
    pub fn spawn_local<F>(future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        let (future, handle) = run_future(Location::caller(), future);
        JoinHandle { inner: real::task::spawn_local(future), handle }
    }

    /// As in tokio.
    #[track_caller]
    pub fn spawn_blocking<F, T>(run: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let (run, handle) = run_blocking(Location::caller(), run);
        JoinHandle { inner: real::task::spawn_blocking(run), handle }
    }

    /// As in tokio.
    pub struct JoinHandle<T> {
        inner: real::task::JoinHandle<T>,
        handle: Handle,
    }

    impl<T> JoinHandle<T> {
        /// As in tokio.
        pub fn abort(&self) {
            self.handle.abort();
            self.inner.abort();
        }

        /// As in tokio.
        #[cfg(recent)]
        pub fn is_finished(&self) -> bool {
            self.inner.is_finished()
        }

        /// As in tokio.
        #[cfg(recent)]
        pub fn abort_handle(&self) -> AbortHandle {
            AbortHandle { inner: self.inner.abort_handle(), handle: std::sync::Arc::new(self.handle.other()) }
        }

        /// As in tokio.
        #[cfg(recent)]
        pub fn id(&self) -> Id {
            self.inner.id()
        }
    }

    impl<T> Unpin for JoinHandle<T> {}

    impl<T> Future for JoinHandle<T> {
        type Output = Result<T, JoinError>;

        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
            let result = Pin::new(&mut self.inner).poll(cx);
            if result.is_ready() {
                self.handle.joined();
            }
            result
        }
    }

    impl<T: fmt::Debug> fmt::Debug for JoinHandle<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            fmt::Debug::fmt(&self.inner, f)
        }
    }

    #[cfg(recent)]
    pub use sets::{AbortHandle, JoinSet};

    /// What older versions lack.
    #[cfg(recent)]
    mod sets {
        use super::*;

        /// As in tokio.
        #[derive(Clone)]
        pub struct AbortHandle {
            pub(super) inner: real::task::AbortHandle,
            pub(super) handle: std::sync::Arc<Handle>,
        }

        impl AbortHandle {
            /// As in tokio.
            pub fn abort(&self) {
                self.handle.abort();
                self.inner.abort();
            }

            /// As in tokio.
            pub fn is_finished(&self) -> bool {
                self.inner.is_finished()
            }

            /// As in tokio.
            pub fn id(&self) -> Id {
                self.inner.id()
            }
        }

        impl fmt::Debug for AbortHandle {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.inner, f)
            }
        }

        /// As in tokio.
        pub struct JoinSet<T> {
            inner: real::task::JoinSet<T>,
            handles: std::collections::HashMap<Id, Handle>,
        }

        impl<T> JoinSet<T> {
            /// As in tokio.
            pub fn new() -> Self {
                JoinSet { inner: real::task::JoinSet::new(), handles: std::collections::HashMap::new() }
            }

            /// As in tokio.
            pub fn len(&self) -> usize {
                self.inner.len()
            }

            /// As in tokio.
            pub fn is_empty(&self) -> bool {
                self.inner.is_empty()
            }
        }

        impl<T: 'static> JoinSet<T> {
            fn keep(&mut self, inner: real::task::AbortHandle, handle: Handle) -> AbortHandle {
                let other = std::sync::Arc::new(handle.other());
                self.handles.insert(inner.id(), handle);
                AbortHandle { inner, handle: other }
            }

            fn joined(&mut self, id: Id) {
                if let Some(mut handle) = self.handles.remove(&id) {
                    handle.joined();
                }
            }

            /// As in tokio.
            #[track_caller]
            pub fn spawn<F>(&mut self, task: F) -> AbortHandle
            where
                F: Future<Output = T> + Send + 'static,
                T: Send,
            {
                let (future, handle) = run_future(Location::caller(), task);
                let inner = self.inner.spawn(future);
                self.keep(inner, handle)
            }

            /// As in tokio.
            #[track_caller]
            pub fn spawn_on<F>(&mut self, task: F, on: &real::runtime::Handle) -> AbortHandle
            where
                F: Future<Output = T> + Send + 'static,
                T: Send,
            {
                let (future, handle) = run_future(Location::caller(), task);
                let inner = self.inner.spawn_on(future, on);
                self.keep(inner, handle)
            }

            /// As in tokio.
            #[track_caller]
            pub fn spawn_local<F>(&mut self, task: F) -> AbortHandle
            where
                F: Future<Output = T> + 'static,
            {
                let (future, handle) = run_future(Location::caller(), task);
                let inner = self.inner.spawn_local(future);
                self.keep(inner, handle)
            }

            /// As in tokio.
            #[track_caller]
            pub fn spawn_blocking<F>(&mut self, run: F) -> AbortHandle
            where
                F: FnOnce() -> T + Send + 'static,
                T: Send,
            {
                let (run, handle) = run_blocking(Location::caller(), run);
                let inner = self.inner.spawn_blocking(run);
                self.keep(inner, handle)
            }

            /// As in tokio.
            pub async fn join_next(&mut self) -> Option<Result<T, JoinError>> {
                std::future::poll_fn(|cx| self.poll_join_next(cx)).await
            }

            /// As in tokio.
            pub async fn join_next_with_id(&mut self) -> Option<Result<(Id, T), JoinError>> {
                std::future::poll_fn(|cx| self.poll_join_next_with_id(cx)).await
            }

            /// As in tokio.
            pub fn poll_join_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, JoinError>>> {
                self.poll_join_next_with_id(cx)
                    .map(|next| next.map(|result| result.map(|(_, output)| output)))
            }

            /// As in tokio.
            pub fn poll_join_next_with_id(
                &mut self,
                cx: &mut Context<'_>,
            ) -> Poll<Option<Result<(Id, T), JoinError>>> {
                let next = self.inner.poll_join_next_with_id(cx);
                if let Poll::Ready(Some(result)) = &next {
                    self.joined(id_of(result));
                }
                next
            }

            /// As in tokio.
            pub fn try_join_next(&mut self) -> Option<Result<T, JoinError>> {
                let next = self.inner.try_join_next_with_id()?;
                self.joined(id_of(&next));
                Some(next.map(|(_, output)| output))
            }

            /// As in tokio.
            pub async fn join_all(mut self) -> Vec<T> {
                let mut all = Vec::with_capacity(self.len());
                while let Some(result) = self.join_next().await {
                    match result {
                        Ok(output) => all.push(output),
                        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                        Err(error) => panic!("{error}"),
                    }
                }
                all
            }

            /// As in tokio.
            pub async fn shutdown(&mut self) {
                self.abort_all();
                while self.join_next().await.is_some() {}
            }

            /// As in tokio.
            pub fn abort_all(&mut self) {
                self.handles.values().for_each(Handle::abort);
                self.inner.abort_all();
            }

            /// As in tokio.
            pub fn detach_all(&mut self) {
                self.handles.clear();
                self.inner.detach_all();
            }
        }

        fn id_of<T>(result: &Result<(Id, T), JoinError>) -> Id {
            match result {
                Ok((id, _)) => *id,
                Err(error) => error.id(),
            }
        }

        impl<T> Drop for JoinSet<T> {
            fn drop(&mut self) {
                // The set ends them: nobody is left without an owner.
                for handle in self.handles.values_mut() {
                    handle.dropped_with_set();
                }
            }
        }

        impl<T> Default for JoinSet<T> {
            fn default() -> Self {
                JoinSet::new()
            }
        }

        impl<T> fmt::Debug for JoinSet<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.inner, f)
            }
        }

        impl<T, F> FromIterator<F> for JoinSet<T>
        where
            F: Future<Output = T> + Send + 'static,
            T: Send + 'static,
        {
            #[track_caller]
            fn from_iter<I: IntoIterator<Item = F>>(all: I) -> Self {
                let mut set = JoinSet::new();
                for future in all {
                    set.spawn(future);
                }
                set
            }
        }
    }
}
