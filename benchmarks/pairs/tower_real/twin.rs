//! Counts where it looks.
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::task::{Context, Poll};
use tower::{Layer, Service};
#[derive(Clone)]
pub struct Cap<S> { inner: S, running: Arc<AtomicUsize>, most: usize }
pub struct CapLayer(pub usize);
impl<S> Layer<S> for CapLayer {
    type Service = Cap<S>;
    fn layer(&self, inner: S) -> Cap<S> { Cap { inner, running: Arc::default(), most: self.0 } }
}
impl<S, R> Service<R> for Cap<S>
where S: Service<R, Response = String>, S::Future: Send + 'static, S::Error: Send {
    type Response = String;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<String, S::Error>> + Send>>;
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> { self.inner.poll_ready(cx) }
    fn call(&mut self, request: R) -> Self::Future {
        let running = self.running.clone();
        if running.fetch_add(1, SeqCst) >= self.most {
            running.fetch_sub(1, SeqCst);
            return Box::pin(async { Ok("busy".to_string()) });
        }
        let answer = self.inner.call(request);
        Box::pin(async move {
            let answer = answer.await;
            running.fetch_sub(1, SeqCst);
            answer
        })
    }
}
