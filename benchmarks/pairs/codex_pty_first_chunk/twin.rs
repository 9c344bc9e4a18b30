// openai/codex (PR #7921), repaired: the session is handed out together with a receiver that was made before the reader started.
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

const CHANNEL_CAPACITY: usize = 256;

/// What a terminal library gives us for a started program.
pub trait PtyPair: Send {
    fn reader(&mut self) -> io::Result<Box<dyn Read + Send>>;
    fn writer(&mut self) -> io::Result<Box<dyn Write + Send>>;
    fn killer(&mut self) -> Box<dyn ChildKiller>;
}

pub trait ChildKiller: Send + Sync {
    fn kill(&mut self) -> io::Result<()>;
}

pub struct ExecCommandSession {
    writer_tx: mpsc::Sender<Vec<u8>>,
    output_tx: broadcast::Sender<Vec<u8>>,
    reader: JoinHandle<()>,
    writer: JoinHandle<()>,
    killer: Box<dyn ChildKiller>,
}

fn read_loop(mut reader: Box<dyn Read + Send>, output_tx: broadcast::Sender<Vec<u8>>) {
    let mut buf = [0u8; 8192];
    loop {
        match reader.read(&mut buf) {
            Ok(0) | Err(_) => break,
            Ok(n) => {
                let _ = output_tx.send(buf[..n].to_vec());
            }
        }
    }
}

fn write_loop(mut writer: Box<dyn Write + Send>, mut writer_rx: mpsc::Receiver<Vec<u8>>) {
    while let Some(bytes) = writer_rx.blocking_recv() {
        if writer.write_all(&bytes).and_then(|()| writer.flush()).is_err() {
            break;
        }
    }
}

impl ExecCommandSession {
    pub fn spawn(mut pty: impl PtyPair) -> io::Result<(Self, broadcast::Receiver<Vec<u8>>)> {
        let (writer_tx, writer_rx) = mpsc::channel(CHANNEL_CAPACITY);
        let (output_tx, initial_output_rx) = broadcast::channel(CHANNEL_CAPACITY);
        let reader = pty.reader()?;
        let writer = pty.writer()?;
        let killer = pty.killer();
        let reader = tokio::task::spawn_blocking({
            let output_tx = output_tx.clone();
            move || read_loop(reader, output_tx)
        });
        let writer = tokio::task::spawn_blocking(move || write_loop(writer, writer_rx));
        Ok((Self { writer_tx, output_tx, reader, writer, killer }, initial_output_rx))
    }

    pub fn writer_sender(&self) -> mpsc::Sender<Vec<u8>> {
        self.writer_tx.clone()
    }

    pub fn output_receiver(&self) -> broadcast::Receiver<Vec<u8>> {
        self.output_tx.subscribe()
    }

    pub fn has_exited(&self) -> bool {
        self.reader.is_finished()
    }
}

impl Drop for ExecCommandSession {
    fn drop(&mut self) {
        let _ = self.killer.kill();
        self.reader.abort();
        self.writer.abort();
    }
}

#[derive(Default)]
pub struct SessionManager {
    sessions: Mutex<HashMap<u32, Arc<ExecCommandSession>>>,
}

async fn collect_output(rx: &mut broadcast::Receiver<Vec<u8>>, until: Instant) -> Vec<u8> {
    let mut collected = Vec::new();
    loop {
        match tokio::time::timeout_at(until, rx.recv()).await {
            Ok(Ok(chunk)) => collected.extend_from_slice(&chunk),
            Ok(Err(RecvError::Lagged(_))) => continue,
            Ok(Err(RecvError::Closed)) | Err(_) => return collected,
        }
    }
}

impl SessionManager {
    /// Starts a program and answers with its number and what it prints within `yield_time`.
    pub async fn exec_command(&self, id: u32, pty: impl PtyPair, yield_time: Duration) -> io::Result<Vec<u8>> {
        let (session, mut output_rx) = ExecCommandSession::spawn(pty)?;
        self.sessions.lock().unwrap().insert(id, Arc::new(session));
        Ok(collect_output(&mut output_rx, Instant::now() + yield_time).await)
    }

    pub async fn write_stdin(&self, id: u32, bytes: &[u8], yield_time: Duration) -> Option<Vec<u8>> {
        let session = self.sessions.lock().unwrap().get(&id).cloned()?;
        let mut output_rx = session.output_receiver();
        session.writer_sender().send(bytes.to_vec()).await.ok()?;
        Some(collect_output(&mut output_rx, Instant::now() + yield_time).await)
    }

    pub fn close(&self, id: u32) -> bool {
        self.sessions.lock().unwrap().remove(&id).is_some()
    }
}
