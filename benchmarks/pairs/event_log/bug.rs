// `lost-error`: `let _ = self.writer.await?` throws the writer's `io::Error` away: `close` says Ok though data is lost.
//! An append-only log of events; a task writes them in batches.
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use bytes::{BufMut, BytesMut};
use tokio::fs::{File, OpenOptions};
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub struct Record {
    pub kind: u16,
    pub body: Vec<u8>,
}

impl Record {
    fn encode(&self, batch: &mut BytesMut) {
        batch.put_u16(self.kind);
        batch.put_u32(self.body.len() as u32);
        batch.put_slice(&self.body);
    }
}

struct Writer {
    file: File,
    batch: BytesMut,
    written: u64,
}

impl Writer {
    async fn flush(&mut self) -> io::Result<()> {
        if self.batch.is_empty() {
            return Ok(());
        }
        self.file.write_all(&self.batch).await?;
        self.file.sync_data().await?;
        self.written += self.batch.len() as u64;
        self.batch.clear();
        Ok(())
    }

    async fn run(mut self, mut queue: mpsc::Receiver<Record>) -> io::Result<u64> {
        loop {
            match timeout(Duration::from_millis(50), queue.recv()).await {
                Ok(Some(record)) => record.encode(&mut self.batch),
                Ok(None) => break,
                Err(_) => self.flush().await?,
            }
            if self.batch.len() > 64 * 1024 {
                self.flush().await?;
            }
        }
        self.flush().await?;
        Ok(self.written)
    }
}

pub struct EventLog {
    path: PathBuf,
    queue: mpsc::Sender<Record>,
    writer: JoinHandle<io::Result<u64>>,
}

impl EventLog {
    pub async fn open(path: &Path) -> Result<EventLog> {
        let file = OpenOptions::new().create(true).append(true).open(path).await?;
        let (queue, records) = mpsc::channel(256);
        let writer = Writer { file, batch: BytesMut::new(), written: 0 };
        Ok(EventLog { path: path.into(), queue, writer: tokio::spawn(writer.run(records)) })
    }

    pub async fn append(&self, record: Record) -> Result<()> {
        self.queue.send(record).await.ok().context("the log takes no more records")
    }

    /// Returns when all that was appended is on the disk.
    pub async fn close(self) -> Result<()> {
        drop(self.queue);
        let _ = self.writer.await?; //~
        tracing::info!("{} closed", self.path.display());
        Ok(())
    }
}
