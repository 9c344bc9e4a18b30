// tokio-rs/tracing (tracing-appender), issue #678 / PR #701: the worker looks at the shutdown flag and then blocks in recv(); a WorkerGuard dropped between the two sets the flag too late, recv() never returns and drop() hangs in join().
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

struct Worker<W> {
    writer: W,
    receiver: Receiver<Vec<u8>>,
    shutdown_signal: Arc<AtomicBool>,
}

impl<W: Write + Send + 'static> Worker<W> {
    /// Blocks for one line and then takes whatever else is there already.
    fn work(&mut self) -> io::Result<bool> {
        let line = match self.receiver.recv() { //~
            Ok(line) => line,
            Err(_) => return Ok(false),
        };
        self.writer.write_all(&line)?;
        loop {
            match self.receiver.try_recv() {
                Ok(line) => self.writer.write_all(&line)?,
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return Ok(false),
            }
        }
        self.writer.flush()?;
        Ok(true)
    }

    fn worker_thread(mut self) -> JoinHandle<()> {
        thread::spawn(move || {
            while !self.shutdown_signal.load(Ordering::Acquire) { //~
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
    channel: Sender<Vec<u8>>,
}

/// Stops the worker thread when dropped, usually at the end of `main`.
pub struct WorkerGuard {
    handle: Option<JoinHandle<()>>,
    shutdown_signal: Arc<AtomicBool>,
}

impl NonBlocking {
    pub fn new<W: Write + Send + 'static>(writer: W) -> (NonBlocking, WorkerGuard) {
        let (channel, receiver) = mpsc::channel();
        let shutdown_signal = Arc::new(AtomicBool::new(false));
        let worker = Worker { writer, receiver, shutdown_signal: shutdown_signal.clone() };
        let handle = Some(worker.worker_thread());
        (NonBlocking { channel }, WorkerGuard { handle, shutdown_signal })
    }
}

impl Write for NonBlocking {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let sent = self.channel.send(buf.to_vec());
        sent.map(|()| buf.len()).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for WorkerGuard {
    fn drop(&mut self) {
        self.shutdown_signal.store(true, Ordering::Release); //~
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}
