// Source: tokio-rs/tracing PR #1125 (tracing_appender: fix race condition for logging on shutdown)
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, RwLock};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{unbounded, Receiver, Sender};

enum Msg {
    Line(Vec<u8>),
    Shutdown,
}

struct Worker<T: Write + Send + 'static> {
    writer: T,
    receiver: Receiver<Msg>,
}

impl<T: Write + Send + 'static> Worker<T> {
    fn work(&mut self) -> io::Result<()> {
        while let Ok(msg) = self.receiver.recv() {
            match msg {
                Msg::Line(line) => self.writer.write_all(&line)?,
                Msg::Shutdown => break,
            }
            if self.receiver.is_empty() {
                self.writer.flush()?;
            }
        }
        self.writer.flush()
    }

    fn worker_thread(mut self) -> io::Result<JoinHandle<()>> {
        thread::Builder::new().name("tracing-appender".into()).spawn(move || {
            if let Err(err) = self.work() {
                eprintln!("log worker stopped: {err}");
            }
        })
    }
}

#[derive(Clone)]
pub struct NonBlocking {
    channel: Sender<Msg>,
    closed: Arc<RwLock<bool>>,
}

impl NonBlocking {
    pub fn log(&self, line: &str) -> io::Result<()> {
        let closed = self.closed.read().unwrap_or_else(|e| e.into_inner());
        if *closed {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let mut bytes = line.as_bytes().to_vec();
        bytes.push(b'\n');
        self.channel.send(Msg::Line(bytes)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

#[must_use]
pub struct WorkerGuard {
    sender: Sender<Msg>,
    closed: Arc<RwLock<bool>>,
    handle: Option<JoinHandle<()>>,
}

impl WorkerGuard {
    fn close(&self) {
        *self.closed.write().unwrap_or_else(|e| e.into_inner()) = true;
        let _ = self.sender.send(Msg::Shutdown);
    }
}

impl Drop for WorkerGuard {
    fn drop(&mut self) {
        self.close();
        drop(self.handle.take());
    }
}

pub fn non_blocking<T: Write + Send + 'static>(writer: T) -> io::Result<(NonBlocking, WorkerGuard)> {
    let (sender, receiver) = unbounded();
    let handle = Worker { writer, receiver }.worker_thread()?;
    let closed = Arc::new(RwLock::new(false));
    let writer = NonBlocking { channel: sender.clone(), closed: closed.clone() };
    Ok((writer, WorkerGuard { sender, closed, handle: Some(handle) }))
}

fn main() -> io::Result<()> {
    let path = std::env::args_os().nth(1).unwrap_or_else(|| "app.log".into());
    let (log, _guard) = non_blocking(BufWriter::new(File::create(path)?))?;
    for n in 0..1000 {
        log.log(&format!("request {n} served"))?;
    }
    log.log("bye")
}
