// loole 0.3.0 (fixed in 0.3.1, commit a2517b7), src/lib.rs: a pending send enters its message at the end of a queue; when the receiver is
// gone it takes back the one at the *front*, which may be another sender's: each gets the message of the other as its error.
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

struct State {
    pending: VecDeque<(usize, String, Waker)>,
    next_id: usize,
    closed: bool,
}

#[derive(Clone)]
pub struct Sender {
    state: Arc<Mutex<State>>,
}

pub struct SendFuture {
    state: Arc<Mutex<State>>,
    message: Option<String>,
}

impl Future for SendFuture {
    type Output = Result<(), String>;
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(message) = self.message.take() else {
            let mut state = self.state.lock().unwrap();
            if state.closed {
                if let Some((_, message, _)) = state.pending.pop_front() {
                    return Poll::Ready(Err(message));
                }
            }
            return Poll::Ready(Ok(()));
        };
        let mut state = self.state.lock().unwrap();
        let id = state.next_id;
        state.next_id += 1;
        state.pending.push_back((id, message, cx.waker().clone()));
        Poll::Pending
    }
}

impl Sender {
    pub fn new() -> Self {
        Sender { state: Arc::new(Mutex::new(State { pending: VecDeque::new(), next_id: 0, closed: false })) }
    }
    pub fn send(&self, message: String) -> SendFuture {
        SendFuture { state: self.state.clone(), message: Some(message) }
    }
    pub fn close(&self) {
        let mut state = self.state.lock().unwrap();
        state.closed = true;
        for (_, _, waker) in &state.pending {
            waker.wake_by_ref();
        }
    }
}
