//! What is behind an `Rc` stays on its thread: who is done with it before anybody else comes there needs no lock, and who is suspended in between
//! does.

use std::cell::RefCell;
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

thread_local! {
    static SPANS: Rc<RefCell<Vec<u64>>> = Rc::new(RefCell::new(Vec::new()));
    static NAMES: RefCell<HashMap<&'static str, HashMap<String, String>>> = RefCell::new(HashMap::new());
}

/// A span of its thread.
pub struct Span {
    spans: Rc<RefCell<Vec<u64>>>,
}

impl Span {
    pub fn enter(number: u64) -> Span {
        let spans = SPANS.with(|spans| spans.clone());
        if spans.borrow().len() < 9 {
            spans.borrow_mut().push(number);
        }
        Span { spans }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if !self.spans.borrow().is_empty() {
            self.spans.borrow_mut().pop();
        }
    }
}

/// A poll returns before anybody else comes.
pub struct InSpan<T> {
    inner: Pin<Box<T>>,
}

impl<T: Future> Future for InSpan<T> {
    type Output = T::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T::Output> {
        let _span = Span::enter(1);
        self.inner.as_mut().poll(cx)
    }
}

/// Borrowed text is the key under which the map of a thread has maps.
pub fn named(kind: &'static str, path: &str) -> String {
    let known = NAMES.with(|names| names.borrow().get(kind).and_then(|kind| kind.get(path).cloned()));
    known.unwrap_or_else(|| {
        let name = path.to_uppercase();
        NAMES.with(|names| names.borrow_mut().entry(kind).or_default().insert(path.to_owned(), name.clone()));
        name
    })
}

/// The tasks of one thread come in between where one of them waits.
#[derive(Clone, Default)]
pub struct Tab {
    visits: Rc<RefCell<u64>>,
}

impl Tab {
    pub async fn visit(&self) {
        let visits = *self.visits.borrow(); //~
        tokio::task::yield_now().await;
        *self.visits.borrow_mut() = visits + 1; //~
    }
}

/// An `Arc` goes to other threads.
#[derive(Clone, Default)]
pub struct Page {
    visits: Arc<Mutex<Vec<u64>>>,
}

impl Page {
    pub fn visit(&self, number: u64) {
        let first = self.visits.lock().unwrap().is_empty(); //~
        if first {
            self.visits.lock().unwrap().push(number); //~
        }
    }
}
