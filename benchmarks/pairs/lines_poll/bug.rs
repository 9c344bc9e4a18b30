//! An incomplete line makes the stream pending although its inner stream was ready.
use futures::stream::{Stream, StreamExt};
use std::pin::Pin;
use std::task::{Context, Poll};
pub struct Lines<S> { inner: S, buffer: String }
impl<S> Lines<S> { pub fn new(inner: S) -> Self { Lines { inner, buffer: String::new() } } }
impl<S: Stream<Item = String> + Unpin> Stream for Lines<S> {
    type Item = String;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<String>> {
        match self.inner.poll_next_unpin(cx) {
            Poll::Ready(Some(chunk)) => {
                self.buffer.push_str(&chunk);
                if self.buffer.ends_with('\n') {
                    return Poll::Ready(Some(std::mem::take(&mut self.buffer)));
                }
                Poll::Pending //~
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    }
}

