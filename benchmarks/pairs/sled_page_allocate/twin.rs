// spacejam/sled issue 1073, repaired: mutex over both (option 1 of the issue).
//! Page cache of an embedded database: pages are allocated out of a free list or at the end, and
//! what recovery replays from the log has to give a contiguous table of pages.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::thread;

use anyhow::{ensure, Result};
use parking_lot::Mutex;

pub type PageId = u64;
pub type Lsn = u64;

#[derive(Debug, Clone, PartialEq)]
pub enum LogEntry {
    Allocate(PageId),
    Free(PageId),
    Reuse(PageId),
    Link(PageId, Vec<u8>),
}

/// The log. An entry's position is its log sequence number.
#[derive(Default)]
pub struct Log {
    entries: Mutex<Vec<LogEntry>>,
}

impl Log {
    pub fn reserve(&self, entry: LogEntry) -> Lsn {
        let mut entries = self.entries.lock();
        entries.push(entry);
        entries.len() as Lsn - 1
    }

    pub fn iter(&self) -> std::vec::IntoIter<LogEntry> {
        self.entries.lock().clone().into_iter()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum PageState {
    Uninitialized,
    Free,
    Present(Vec<u8>),
}

pub struct PageCache {
    log: Arc<Log>,
    next_pid_to_allocate: AtomicU64,
    /// Held from the bump to the entry in the log.
    allocate_lock: Mutex<()>,
    free: Mutex<BTreeSet<PageId>>,
}

impl PageCache {
    pub fn start(log: Arc<Log>) -> Result<Self> {
        let pages = Self::recover(&log)?;
        let free = pages.iter().enumerate().filter(|(_, page)| **page == PageState::Free);
        Ok(Self {
            free: Mutex::new(free.map(|(pid, _)| pid as PageId).collect()),
            next_pid_to_allocate: AtomicU64::new(pages.len() as PageId),
            allocate_lock: Mutex::new(()),
            log,
        })
    }

    /// Reuses a free page, or else bumps the number of pages.
    pub fn allocate(&self) -> PageId {
        if let Some(pid) = self.free.lock().pop_last() {
            self.log.reserve(LogEntry::Reuse(pid));
            return pid;
        }
        let _allocate = self.allocate_lock.lock();
        let pid = self.next_pid_to_allocate.fetch_add(1, Ordering::SeqCst);
        self.log.reserve(LogEntry::Allocate(pid));
        pid
    }

    pub fn link(&self, pid: PageId, fragment: Vec<u8>) -> Lsn {
        self.log.reserve(LogEntry::Link(pid, fragment))
    }

    /// The caller is the only one that has the page.
    pub fn free(&self, pid: PageId) {
        self.log.reserve(LogEntry::Free(pid));
        self.free.lock().insert(pid);
    }

    /// Replays the log. Each allocation has to be of the page after the last one.
    pub fn recover(log: &Log) -> Result<Vec<PageState>> {
        let mut pages = Vec::new();
        for (lsn, entry) in log.iter().enumerate() {
            match entry {
                LogEntry::Allocate(pid) => {
                    ensure!(
                        pid == pages.len() as PageId,
                        "page {pid} allocated at lsn {lsn} with {} pages present",
                        pages.len()
                    );
                    pages.push(PageState::Uninitialized);
                }
                LogEntry::Free(pid) => pages[pid as usize] = PageState::Free,
                LogEntry::Reuse(pid) => pages[pid as usize] = PageState::Uninitialized,
                LogEntry::Link(pid, fragment) => match &mut pages[pid as usize] {
                    PageState::Present(data) => data.extend(fragment),
                    page => *page = PageState::Present(fragment),
                },
            }
        }
        Ok(pages)
    }
}

fn main() -> Result<()> {
    let log = Arc::new(Log::default());
    let pagecache = Arc::new(PageCache::start(log.clone())?);
    let threads: Vec<_> = (0..8u8)
        .map(|n| {
            let pagecache = pagecache.clone();
            thread::spawn(move || {
                for round in 0..2_000 {
                    let pid = pagecache.allocate();
                    pagecache.link(pid, vec![n]);
                    if round % 3 == 0 {
                        pagecache.free(pid);
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("thread panicked");
    }

    // As after a restart.
    let pages = PageCache::recover(&log)?;
    println!("recovered {} pages", pages.len());
    Ok(())
}
