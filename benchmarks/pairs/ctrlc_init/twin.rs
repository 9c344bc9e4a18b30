// Source: Detegr/rust-ctrlc PR #102 (fix: use double-checked locking)
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::Mutex;
use std::thread;

#[derive(Debug)]
pub enum Error {
    MultipleHandlers,
    System(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::MultipleHandlers => f.write_str("Ctrl-C signal handler already registered"),
            Error::System(err) => write!(f, "Unexpected system error: {err}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(err: io::Error) -> Self {
        Error::System(err)
    }
}

static INIT: AtomicBool = AtomicBool::new(false);
static INIT_LOCK: Mutex<()> = Mutex::new(());
static PIPE: Mutex<Option<Sender<()>>> = Mutex::new(None);

pub trait OsHandler {
    fn register(&self) -> io::Result<()>;
}

pub struct NoopOs;

impl OsHandler for NoopOs {
    fn register(&self) -> io::Result<()> {
        Ok(())
    }
}

fn pipe_slot() -> std::sync::MutexGuard<'static, Option<Sender<()>>> {
    PIPE.lock().unwrap_or_else(|e| e.into_inner())
}

pub fn set_handler<F>(os: &dyn OsHandler, user_handler: F) -> Result<(), Error>
where
    F: FnMut() + Send + 'static,
{
    if !INIT.load(Ordering::Acquire) {
        let _guard = INIT_LOCK.lock().unwrap_or_else(|e| e.into_inner());
        if !INIT.load(Ordering::Relaxed) {
            set_handler_inner(os, user_handler)?;
            INIT.store(true, Ordering::Release);
            return Ok(());
        }
    }
    Err(Error::MultipleHandlers)
}

fn set_handler_inner<F>(os: &dyn OsHandler, user_handler: F) -> Result<(), Error>
where
    F: FnMut() + Send + 'static,
{
    os.register()?;
    let (tx, rx) = channel();
    thread::Builder::new().name("ctrl-c".into()).spawn(move || handle_signals(rx, user_handler))?;
    *pipe_slot() = Some(tx);
    Ok(())
}

fn handle_signals<F: FnMut()>(signals: Receiver<()>, mut user_handler: F) {
    while signals.recv().is_ok() {
        user_handler();
    }
}

pub fn raise() -> bool {
    match &*pipe_slot() {
        Some(tx) => tx.send(()).is_ok(),
        None => false,
    }
}

fn main() -> Result<(), Error> {
    let (done_tx, done_rx) = channel();
    set_handler(&NoopOs, move || {
        let _ = done_tx.send(());
    })?;
    match set_handler(&NoopOs, || println!("unused")) {
        Err(Error::MultipleHandlers) => println!("handler already installed"),
        other => other?,
    }
    raise();
    let _ = done_rx.recv();
    Ok(())
}
