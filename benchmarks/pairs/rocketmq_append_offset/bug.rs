// mxsm/rocketmq-rust PR 7311 (review): The offset is read before `append`, which locks inside: two messages get one offset.
//! Tiered store: messages are appended to a segment in memory and committed to a provider later;
//! the consume queue refers to them by their absolute offset.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use anyhow::{bail, ensure, Result};
use bytes::{Bytes, BytesMut};
use parking_lot::Mutex;
use tokio::sync::Mutex as AsyncMutex;

/// Where the segments end up: an object store, or memory.
#[derive(Default)]
pub struct MemoryProvider {
    data: AsyncMutex<BytesMut>,
}

impl MemoryProvider {
    async fn write(&self, position: u64, buffer: Bytes) -> Result<usize> {
        let mut data = self.data.lock().await;
        ensure!(position == data.len() as u64, "hole at {position}");
        data.extend_from_slice(&buffer);
        Ok(buffer.len())
    }

    async fn read(&self, position: u64, len: usize) -> Result<Bytes> {
        let data = self.data.lock().await;
        let start = position as usize;
        ensure!(start + len <= data.len(), "read past the end");
        Ok(Bytes::copy_from_slice(&data[start..start + len]))
    }
}

pub struct TieredFileSegment {
    base_offset: u64,
    max_size: u64,
    append_position: AtomicU64,
    commit_position: AtomicU64,
    pending: Mutex<Vec<Bytes>>,
    commit_lock: AsyncMutex<()>,
    provider: Arc<MemoryProvider>,
}

impl TieredFileSegment {
    pub fn new(base_offset: u64, max_size: u64, provider: Arc<MemoryProvider>) -> Self {
        Self {
            base_offset,
            max_size,
            append_position: AtomicU64::new(0),
            commit_position: AtomicU64::new(0),
            pending: Mutex::new(Vec::new()),
            commit_lock: AsyncMutex::new(()),
            provider,
        }
    }

    pub fn base_offset(&self) -> u64 {
        self.base_offset
    }

    pub fn append_position(&self) -> u64 {
        self.append_position.load(Ordering::Acquire) //~
    }

    /// Appends the data to what is pending. Returns its length.
    pub async fn append(&self, data: Bytes) -> Result<u64> {
        let len = data.len() as u64;
        let mut pending = self.pending.lock();
        let position = self.append_position.load(Ordering::Acquire);
        let next = position.saturating_add(len);
        if next > self.max_size {
            bail!("tiered file segment is full");
        }
        pending.push(data);
        self.append_position.store(next, Ordering::Release); //~
        Ok(len)
    }

    pub async fn commit(&self) -> Result<()> {
        let _commit = self.commit_lock.lock().await;
        let buffers = std::mem::take(&mut *self.pending.lock());
        let mut position = self.commit_position.load(Ordering::Acquire);
        for (index, buffer) in buffers.iter().enumerate() {
            match self.provider.write(position, buffer.clone()).await {
                Ok(written) => {
                    position += written as u64;
                    self.commit_position.store(position, Ordering::Release);
                }
                Err(e) => {
                    // What was not written stays in front of what was appended meanwhile.
                    self.pending.lock().splice(0..0, buffers[index..].iter().cloned());
                    return Err(e);
                }
            }
        }
        Ok(())
    }

    pub async fn read(&self, position: u64, len: usize) -> Result<Bytes> {
        ensure!(
            position + len as u64 <= self.commit_position.load(Ordering::Acquire),
            "invalid tiered segment read range"
        );
        self.provider.read(position, len).await
    }
}

/// The files of one queue of a topic.
pub struct TieredFlatFile {
    commit_log: TieredFileSegment,
    /// The length of each message, by its offset
    consume_queue: Mutex<BTreeMap<u64, usize>>,
}

impl TieredFlatFile {
    pub fn new(base_offset: u64, max_size: u64, provider: Arc<MemoryProvider>) -> Self {
        Self {
            commit_log: TieredFileSegment::new(base_offset, max_size, provider),
            consume_queue: Mutex::new(BTreeMap::new()),
        }
    }

    /// Appends a message and returns its absolute offset.
    pub async fn append_commit_log(&self, message: Bytes) -> Result<u64> {
        let segment = &self.commit_log;
        let len = message.len();
        let offset = segment.base_offset().saturating_add(segment.append_position()); //~
        segment.append(message).await?; //~
        self.consume_queue.lock().insert(offset, len);
        Ok(offset)
    }

    pub async fn commit(&self) -> Result<()> {
        self.commit_log.commit().await
    }

    pub async fn message_at(&self, offset: u64) -> Result<Bytes> {
        let Some(len) = self.consume_queue.lock().get(&offset).copied() else {
            bail!("no message at {offset}");
        };
        let position = offset.saturating_sub(self.commit_log.base_offset());
        self.commit_log.read(position, len).await
    }
}
