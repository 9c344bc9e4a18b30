//! Futures that are made of others: what these answered, and what is known of the fields, decides who wakes the task.
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

type Opening = Pin<Box<dyn Future<Output = Source> + Send>>;

/// A line now and then.
trait Lines {
    fn poll_line(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<String>>;
}

struct Source {
    lines: VecDeque<String>,
}

impl Lines for Source {
    fn poll_line(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<String>> {
        Poll::Ready(self.lines.pop_front())
    }
}

fn open() -> Opening {
    Box::pin(async { Source { lines: VecDeque::from(["one".into(), String::new()]) } })
}

/// It is opened when the first line is asked for: who has no source is waiting for it.
struct Opened {
    source: Option<Source>,
    opening: Option<Opening>,
    closed: bool,
    asked: Arc<AtomicU32>,
}

impl Lines for Opened {
    fn poll_line(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<String>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        if self.closed {
            return Poll::Ready(None);
        }
        if self.source.is_none() {
            let mut opening = self.opening.take().unwrap_or_else(open);
            match opening.as_mut().poll(cx) {
                Poll::Ready(source) => self.source = Some(source),
                Poll::Pending => self.opening = Some(opening),
            }
        }
        if let Some(source) = self.source.as_mut() {
            Pin::new(source).poll_line(cx)
        } else {
            Poll::Pending
        }
    }
}

/// Who is not to open yet waits for nothing.
struct Held {
    source: Option<Source>,
    opening: Opening,
    hold: Arc<AtomicBool>,
}

impl Lines for Held {
    fn poll_line(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<String>> {
        if self.source.is_none() && !self.hold.load(Ordering::Relaxed) {
            match self.opening.as_mut().poll(cx) {
                Poll::Ready(source) => self.source = Some(source),
                Poll::Pending => return Poll::Pending,
            }
        }
        if let Some(source) = &mut self.source {
            Pin::new(source).poll_line(cx)
        } else {
            Poll::Pending //~ never-woken warn
        }
    }
}

/// Either it has a source, or one is made.
struct Remade {
    source: Option<Source>,
    making: Option<Opening>,
    asked: Arc<AtomicU32>,
}

impl Remade {
    fn new(source: Source) -> Remade {
        Remade { source: Some(source), making: None, asked: Arc::default() }
    }

    fn anew() -> Remade {
        Remade { source: None, making: Some(open()), asked: Arc::default() }
    }

    fn renew(&mut self) {
        self.making = Some(open());
        self.source = None;
    }
}

impl Lines for Remade {
    fn poll_line(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<String>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        if let Some(source) = self.source.as_mut() {
            return Pin::new(source).poll_line(cx);
        }
        if let Some(making) = self.making.as_mut() {
            match making.as_mut().poll(cx) {
                Poll::Ready(source) => {
                    self.making = None;
                    self.source = Some(source);
                    return self.poll_line(cx);
                }
                Poll::Pending => (),
            }
        }
        Poll::Pending
    }
}

/// The same, but somebody takes both away.
struct Emptied {
    source: Option<Source>,
    making: Option<Opening>,
    empty: Arc<AtomicBool>,
}

impl Emptied {
    fn new() -> Emptied {
        Emptied { source: None, making: Some(open()), empty: Arc::default() }
    }

    fn clear(&mut self) {
        self.source = None;
        self.making = None;
        self.empty.store(true, Ordering::Relaxed);
    }
}

impl Lines for Emptied {
    fn poll_line(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<String>> {
        let over = self.empty.swap(false, Ordering::Relaxed);
        if let Some(source) = self.source.as_mut() {
            return Pin::new(source).poll_line(cx);
        }
        if let Some(making) = self.making.as_mut() {
            match making.as_mut().poll(cx) {
                Poll::Ready(source) => {
                    self.making = None;
                    self.source = Some(source);
                    return self.poll_line(cx);
                }
                Poll::Pending => (),
            }
        }
        if over { Poll::Ready(None) } else { Poll::Pending } //~ never-woken warn
    }
}

/// Empty lines are left out; the source is not asked again.
struct Filled {
    source: Pin<Box<dyn Lines>>,
}

impl Lines for Filled {
    fn poll_line(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<String>> {
        match self.source.as_mut().poll_line(cx) {
            Poll::Ready(Some(line)) if line.is_empty() => Poll::Pending, //~ never-woken warn
            Poll::Ready(line) => Poll::Ready(line),
            Poll::Pending => Poll::Pending,
        }
    }
}

/// An answer that is made of another one is as ready as that.
struct Shouted {
    source: Pin<Box<dyn Lines>>,
}

impl Lines for Shouted {
    fn poll_line(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<String>> {
        match self.source.as_mut().poll_line(cx).map(|line| line.map(|line| line.to_uppercase())) {
            Poll::Ready(Some(line)) if line.is_empty() => Poll::Pending, //~ never-woken warn
            answer => answer,
        }
    }
}

/// Here it is.
struct Refilled {
    source: Pin<Box<dyn Lines>>,
}

impl Lines for Refilled {
    fn poll_line(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<String>> {
        loop {
            match self.source.as_mut().poll_line(cx) {
                Poll::Ready(Some(line)) if line.is_empty() => {}
                Poll::Ready(line) => return Poll::Ready(line),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

/// And here the task wakes itself.
struct Later {
    source: Pin<Box<dyn Lines>>,
}

impl Lines for Later {
    fn poll_line(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<String>> {
        match self.source.as_mut().poll_line(cx) {
            Poll::Ready(Some(line)) if line.is_empty() => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            answer => answer,
        }
    }
}

/// All sources are asked; there may be none at first.
struct Merged {
    sources: Vec<Pin<Box<dyn Lines>>>,
}

impl Lines for Merged {
    fn poll_line(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<String>> {
        if self.sources.is_empty() {
            return Poll::Ready(None);
        }
        for source in self.sources.iter_mut() {
            if let Poll::Ready(Some(line)) = source.as_mut().poll_line(cx) {
                return Poll::Ready(Some(line));
            }
        }
        Poll::Pending
    }
}

/// Whether it is open, for ever shut, or to be asked for.
enum State {
    Open,
    Shut,
    Asked(Opening),
}

struct Door {
    state: State,
}

struct Handles<'a> {
    state: &'a mut State,
}

impl Door {
    fn handles(self: Pin<&mut Self>) -> Handles<'_> {
        let Self { state } = self.get_mut();
        Handles { state }
    }
}

impl Future for Door {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let handles = self.handles();
        match handles.state {
            State::Open => Poll::Ready(()),
            State::Asked(opening) => match opening.as_mut().poll(cx) {
                Poll::Ready(_) => {
                    *handles.state = State::Open;
                    Poll::Ready(())
                }
                Poll::Pending => Poll::Pending,
            },
            State::Shut => Poll::Pending,
        }
    }
}

/// Whoever has it may open it meanwhile.
struct Gate {
    state: Arc<Mutex<bool>>,
}

impl Future for Gate {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if *self.state.lock().unwrap() { Poll::Ready(()) } else { Poll::Pending } //~ never-woken
    }
}

/// Nobody but who waits can put something in.
struct Racks<'a> {
    racks: &'a mut VecDeque<Opening>,
}

impl Future for Racks<'_> {
    type Output = Source;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Source> {
        if self.racks.is_empty() {
            return Poll::Pending;
        }
        for rack in self.racks.iter_mut() {
            if let Poll::Ready(source) = rack.as_mut().poll(cx) {
                return Poll::Ready(source);
            }
        }
        Poll::Pending
    }
}

/// It counts how often it is asked: the next time it may be another answer.
struct Third {
    asked: u32,
}

impl Future for Third {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.asked < 3 {
            self.asked += 1;
            return Poll::Pending; //~ never-woken
        }
        Poll::Ready(())
    }
}

/// What it was is asked, not what it is by now.
struct Twice {
    asked: bool,
    open: Arc<AtomicBool>,
}

impl Future for Twice {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let asked = this.asked;
        this.asked = true;
        if asked || this.open.load(Ordering::Relaxed) { Poll::Ready(()) } else { Poll::Pending } //~ never-woken
    }
}

/// It is in a lock: who takes that opens it, and wakes nobody.
struct Hatch {
    open: bool,
}

impl Future for Hatch {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.open { Poll::Ready(()) } else { Poll::Pending } //~ never-woken
    }
}

async fn lines(mut source: impl Lines + Unpin) {
    while let Some(line) = std::future::poll_fn(|cx| Pin::new(&mut source).poll_line(cx)).await {
        println!("{line}");
    }
}

#[tokio::main]
async fn main() {
    let source = || Source { lines: VecDeque::from(["two".to_owned()]) };
    let asked = Arc::new(AtomicU32::new(0));
    lines(Opened { source: None, opening: None, closed: false, asked: asked.clone() }).await;
    lines(Opened { source: None, opening: Some(open()), closed: true, asked: asked.clone() }).await;
    println!("{}", asked.load(Ordering::Relaxed));
    lines(Held { source: None, opening: open(), hold: Arc::default() }).await;
    let mut remade = Remade::new(source());
    remade.renew();
    lines(remade).await;
    lines(Remade::anew()).await;
    let mut emptied = Emptied::new();
    emptied.clear();
    lines(emptied).await;
    lines(Filled { source: Box::pin(source()) }).await;
    lines(Shouted { source: Box::pin(source()) }).await;
    lines(Refilled { source: Box::pin(source()) }).await;
    lines(Later { source: Box::pin(source()) }).await;
    lines(Merged { sources: vec![Box::pin(source())] }).await;
    tokio::select! {
        () = Door { state: State::Shut } => {}
        () = Door { state: State::Asked(open()) } => {}
    }
    Door { state: State::Open }.await;
    Gate { state: Arc::new(Mutex::new(true)) }.await;
    let source = Racks { racks: &mut VecDeque::from([open()]) }.await;
    println!("{}", source.lines.len());
    tokio::select! {
        () = Third { asked: 0 } => {}
        () = Twice { asked: false, open: Arc::default() } => {}
        () = async {} => {}
    }
    let hatch = Arc::new(Mutex::new(Hatch { open: false }));
    hatch.lock().unwrap().open = true;
    std::future::poll_fn(|cx| Pin::new(&mut *hatch.lock().unwrap()).poll(cx)).await;
}
