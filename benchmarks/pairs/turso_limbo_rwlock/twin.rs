// tursodatabase/turso PR 1676, repaired: count and writer in one word, compare-exchange.
//! Locks of the write-ahead log in shared memory: readers hold a read mark shared, the writer and a
//! checkpoint hold it exclusively.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::Arc;
use std::thread;

pub const READMARK_NOT_USED: u32 = 0xffff_ffff;

const NO_LOCK: u32 = 0;
/// The word is either this or the number of readers.
const WRITE_LOCK: u32 = 1 << 31;

#[derive(Debug)]
pub struct LimboRwLock {
    lock: AtomicU32,
    value: AtomicU32,
}

impl LimboRwLock {
    pub fn new() -> Self {
        Self {
            lock: AtomicU32::new(NO_LOCK),
            value: AtomicU32::new(READMARK_NOT_USED),
        }
    }

    /// Shared lock. Returns true if it was successful, false if it couldn't lock it
    pub fn read(&self) -> bool {
        let mut lock = self.lock.load(Ordering::SeqCst);
        while lock != WRITE_LOCK {
            match self
                .lock
                .compare_exchange_weak(lock, lock + 1, Ordering::SeqCst, Ordering::SeqCst)
            {
                Ok(_) => return true,
                Err(current) => lock = current,
            }
        }
        false
    }

    /// Exclusive lock. Returns true if it was successful, false if it couldn't lock it
    pub fn write(&self) -> bool {
        self.lock
            .compare_exchange(NO_LOCK, WRITE_LOCK, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    /// Unlocks what the caller has locked.
    pub fn unlock(&self) {
        match self.lock.load(Ordering::SeqCst) {
            WRITE_LOCK => self.lock.store(NO_LOCK, Ordering::SeqCst),
            _ => {
                self.lock.fetch_sub(1, Ordering::SeqCst);
            }
        }
    }

    pub fn read_mark(&self) -> u32 {
        self.value.load(Ordering::SeqCst)
    }
}

pub struct WalFileShared {
    read_lock: LimboRwLock,
    max_frame: AtomicU64,
    nbackfills: AtomicU64,
}

impl WalFileShared {
    pub fn new() -> Self {
        Self {
            read_lock: LimboRwLock::new(),
            max_frame: AtomicU64::new(0),
            nbackfills: AtomicU64::new(0),
        }
    }

    /// The last frame that the transaction sees; none if the log is being reset.
    pub fn begin_read_tx(&self) -> Option<u64> {
        self.read_lock.read().then(|| self.max_frame.load(Ordering::SeqCst))
    }

    pub fn end_read_tx(&self) {
        self.read_lock.unlock();
    }

    pub fn append_frame(&self) -> u64 {
        self.max_frame.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Resets the log, which nobody may read meanwhile.
    pub fn restart(&self) -> bool {
        if !self.read_lock.write() {
            return false;
        }
        let frames = self.max_frame.swap(0, Ordering::SeqCst);
        self.nbackfills.fetch_add(frames, Ordering::SeqCst);
        self.read_lock.unlock();
        true
    }
}

fn main() {
    let wal = Arc::new(WalFileShared::new());
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let wal = wal.clone();
            thread::spawn(move || {
                let mut torn = 0u64;
                for _ in 0..200_000 {
                    let Some(max_frame) = wal.begin_read_tx() else { continue };
                    if wal.max_frame.load(Ordering::SeqCst) < max_frame {
                        torn += 1; // the log was reset under a reader
                    }
                    wal.end_read_tx();
                }
                torn
            })
        })
        .collect();
    let mut restarts = 0;
    while readers.iter().any(|reader| !reader.is_finished()) {
        wal.append_frame();
        restarts += wal.restart() as u64;
    }
    let torn: u64 = readers.into_iter().map(|reader| reader.join().expect("reader panicked")).sum();
    println!("{restarts} restarts, {torn} of them under a reader");
}
