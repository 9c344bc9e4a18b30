//! Hand-written futures, and who wakes their tasks.
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker, ready};

struct Gate {
    open: Arc<AtomicBool>,
}

impl Future for Gate {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.open.load(Ordering::Acquire) {
            Poll::Ready(())
        } else {
            Poll::Pending //~ never-woken
        }
    }
}

#[derive(Default)]
struct State {
    open: bool,
    waker: Option<Waker>,
}

struct WokenGate {
    state: Arc<Mutex<State>>,
}

impl Future for WokenGate {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.state.lock().unwrap();
        if state.open {
            return Poll::Ready(());
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

/// On one of the two ways nobody is asked to wake it.
struct TwoGates {
    first: Arc<Mutex<State>>,
    second: Arc<AtomicBool>,
}

impl Future for TwoGates {
    type Output = u8;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<u8> {
        let mut first = self.first.lock().unwrap();
        if !first.open {
            first.waker = Some(cx.waker().clone());
            return Poll::Pending;
        }
        if !self.second.load(Ordering::Acquire) {
            return Poll::Pending; //~ never-woken warn
        }
        Poll::Ready(2)
    }
}

/// What it waits for wakes it.
struct Doubled<F> {
    inner: Pin<Box<F>>,
}

impl<F: Future<Output = u32>> Future for Doubled<F> {
    type Output = u32;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<u32> {
        let once = ready!(self.inner.as_mut().poll(cx));
        Poll::Ready(2 * once)
    }
}

/// It waits for either, and says so by a flag.
struct Either<A, B> {
    first: Option<Pin<Box<A>>>,
    second: Option<Pin<Box<B>>>,
}

impl<A: Future<Output = ()>, B: Future<Output = ()>> Future for Either<A, B> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut waits = false;
        if let Some(first) = &mut self.first {
            match first.as_mut().poll(cx) {
                Poll::Ready(()) => self.first = None,
                Poll::Pending => waits = true,
            }
        }
        if let Some(second) = &mut self.second {
            match second.as_mut().poll(cx) {
                Poll::Ready(()) => self.second = None,
                Poll::Pending => waits = true,
            }
        }
        if waits { Poll::Pending } else { Poll::Ready(()) }
    }
}

/// Once more, and then it is ready.
async fn pause() {
    let mut paused = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut paused, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

async fn wait_for(flag: &AtomicBool) {
    poll_fn(|_| match flag.load(Ordering::Acquire) {
        true => Poll::Ready(()),
        false => Poll::Pending, //~ never-woken
    })
    .await
}

/// What there is none of never ends.
fn poll_some<F: Future>(work: Pin<&mut Option<F>>, cx: &mut Context<'_>) -> Poll<F::Output> {
    match work.as_pin_mut() {
        Some(work) => work.poll(cx),
        None => Poll::Pending,
    }
}

/// Whoever has it by `&mut` polls it when something has come: to make less room changes nothing of what is there.
#[derive(Default)]
struct Inbox {
    letters: Vec<u64>,
}

impl Inbox {
    fn poll(&mut self, _: &mut Context<'_>) -> Poll<u64> {
        if let Some(letter) = self.letters.pop() {
            return Poll::Ready(letter);
        }
        self.letters.shrink_to_fit();
        Poll::Pending
    }
}

/// What it has taken out is gone: the next poll would answer otherwise.
#[derive(Default)]
struct Sorter {
    letters: Vec<u64>,
}

impl Sorter {
    fn poll(&mut self, _: &mut Context<'_>) -> Poll<u64> {
        match self.letters.pop() {
            Some(letter) if letter > 3 => Poll::Ready(letter),
            _ => Poll::Pending, //~ never-woken
        }
    }
}

/// It is meant never to end.
struct Never;

impl Future for Never {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

/// What is left there whoever polls takes, and polls again for more.
#[allow(dead_code)]
struct Hatch {
    dishes: Mutex<Vec<u32>>,
}

#[allow(dead_code)]
impl Hatch {
    async fn serve(&self, dish: u32) {
        self.dishes.lock().unwrap().push(dish);
        let mut served = false;
        poll_fn(|_| {
            if served {
                return Poll::Ready(());
            }
            served = true;
            Poll::Pending //~ never-woken warn
        })
        .await;
    }
}

/// Nobody has a reason to poll this again.
#[allow(dead_code)]
async fn step_aside() {
    let mut aside = false;
    poll_fn(|_| {
        if aside {
            return Poll::Ready(());
        }
        aside = true;
        Poll::Pending //~ never-woken
    })
    .await;
}

#[tokio::main]
async fn main() {
    let flag = Arc::new(AtomicBool::new(true));
    Gate { open: flag.clone() }.await;
    let open = || Arc::new(Mutex::new(State { open: true, waker: None }));
    WokenGate { state: open() }.await;
    println!("{}", TwoGates { first: open(), second: flag.clone() }.await);
    println!("{}", Doubled { inner: Box::pin(async { 4 }) }.await);
    Either { first: Some(Box::pin(async {})), second: Some(Box::pin(pause())) }.await;
    wait_for(&flag).await;
    let mut some = Box::pin(Some(pause()));
    poll_fn(|cx| poll_some(some.as_mut(), cx)).await;
    let mut inbox = Inbox { letters: vec![7] };
    println!("{}", poll_fn(|cx| inbox.poll(cx)).await);
    let mut sorter = Sorter { letters: vec![7] };
    println!("{}", poll_fn(|cx| sorter.poll(cx)).await);
    tokio::select! {
        () = Never => {}
        () = pause() => {}
    }
}
