// Repaired as in PR #701: the guard sends Msg::Shutdown through the channel the worker blocks on instead of setting a flag beside it, so the worker always wakes for it and has written every line sent before.
use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::thread::{self, JoinHandle};

enum Msg {
    Line(Vec<u8>),
    Shutdown,
}

struct Worker<W> {
    writer: W,
    receiver: Receiver<Msg>,
}

impl<W: Write + Send + 'static> Worker<W> {
    /// Blocks for one line and then takes whatever else is there already.
    fn work(&mut self) -> io::Result<bool> {
        match self.receiver.recv() {
            Ok(Msg::Line(line)) => self.writer.write_all(&line)?,
            Ok(Msg::Shutdown) | Err(_) => return Ok(false),
        }
        loop {
            match self.receiver.try_recv() {
                Ok(Msg::Line(line)) => self.writer.write_all(&line)?,
                Err(TryRecvError::Empty) => break,
                Ok(Msg::Shutdown) | Err(TryRecvError::Disconnected) => return Ok(false),
            }
        }
        self.writer.flush()?;
        Ok(true)
    }

    fn worker_thread(mut self) -> JoinHandle<()> {
        thread::spawn(move || {
            loop {
                match self.work() {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(e) => eprintln!("Failed to write log line. Error: {e:?}"),
                }
            }
            let _ = self.writer.flush();
        })
    }
}

/// The writer handed to subscribers; clones of it live as long as the program.
#[derive(Clone)]
pub struct NonBlocking {
    channel: Sender<Msg>,
}

/// Stops the worker thread when dropped, usually at the end of `main`.
pub struct WorkerGuard {
    handle: Option<JoinHandle<()>>,
    sender: Sender<Msg>,
}

impl NonBlocking {
    pub fn new<W: Write + Send + 'static>(writer: W) -> (NonBlocking, WorkerGuard) {
        let (channel, receiver) = mpsc::channel();
        let handle = Some(Worker { writer, receiver }.worker_thread());
        let sender = channel.clone();
        (NonBlocking { channel }, WorkerGuard { handle, sender })
    }
}

impl Write for NonBlocking {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let sent = self.channel.send(Msg::Line(buf.to_vec()));
        sent.map(|()| buf.len()).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for WorkerGuard {
    fn drop(&mut self) {
        let _ = self.sender.send(Msg::Shutdown);
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}
