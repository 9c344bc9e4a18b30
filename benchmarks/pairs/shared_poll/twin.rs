//! Pops under one.
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
#[derive(Default)]
struct Inbox { mails: VecDeque<String>, wakers: Vec<Waker>, closed: bool }
#[derive(Clone, Default)]
pub struct Mails { inbox: Arc<Mutex<Inbox>> }
impl Mails {
    pub fn deliver(&self, mail: String) {
        let mut inbox = self.inbox.lock().unwrap();
        inbox.mails.push_back(mail);
        inbox.wakers.drain(..).for_each(Waker::wake);
    }
    pub fn close(&self) { self.inbox.lock().unwrap().closed = true; }
}
impl futures::Stream for Mails {
    type Item = String;
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<String>> {
        let mut inbox = self.inbox.lock().unwrap();
        if let Some(mail) = inbox.mails.pop_front() {
            return Poll::Ready(Some(mail));
        }
        if inbox.closed { return Poll::Ready(None); }
        inbox.wakers.push(cx.waker().clone());
        Poll::Pending
    }
}
