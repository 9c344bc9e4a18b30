//! By fetch_add.
use std::future::{Future, Ready, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
pub trait Service<Request> {
    type Response;
    type Error;
    type Future: Future<Output = Result<Self::Response, Self::Error>>;
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>>;
    fn call(&mut self, request: Request) -> Self::Future;
}
#[derive(Clone, Default)]
pub struct Numbered { last: Arc<AtomicU64> }
impl Service<String> for Numbered {
    type Response = String;
    type Error = std::convert::Infallible;
    type Future = Ready<Result<String, Self::Error>>;
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> { Poll::Ready(Ok(())) }
    fn call(&mut self, request: String) -> Self::Future {
        let number = self.last.fetch_add(1, Ordering::AcqRel) + 1;
        ready(Ok(format!("{number}: {request}")))
    }
}
