// niklabh/velocidb PR 4 (review): Pick of the victim, `remove` and the counter apart; counter changed whatever `remove` and `insert` did: the same victim counted off twice, the count drifts or wraps.
//! Page cache of the async pager: a concurrent map of pages with a counter of how many there are.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{anyhow, ensure, Result};
use dashmap::DashMap;
use tokio::sync::{Mutex, RwLock};

pub const PAGE_SIZE: usize = 4096;
pub type PageId = u64;

#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    pub id: PageId,
    pub data: Vec<u8>,
}

/// The file below the cache.
#[derive(Default)]
pub struct PageFile {
    pages: RwLock<HashMap<PageId, Vec<u8>>>,
}

impl PageFile {
    async fn read(&self, page_id: PageId) -> Result<Page> {
        let data = self.pages.read().await.get(&page_id).cloned();
        tokio::time::sleep(Duration::from_micros(100)).await;
        let data = data.ok_or_else(|| anyhow!("page {page_id} is past the end of the file"))?;
        Ok(Page { id: page_id, data })
    }

    async fn write(&self, page: &Page) -> Result<()> {
        self.pages.write().await.insert(page.id, page.data.clone());
        Ok(())
    }
}

pub struct PageCache {
    cache: DashMap<PageId, Arc<Page>>,
    size: AtomicUsize,
    capacity: usize,
}

impl PageCache {
    pub fn new(capacity: usize) -> Self {
        Self { cache: DashMap::new(), size: AtomicUsize::new(0), capacity }
    }

    pub fn get(&self, page_id: PageId) -> Option<Arc<Page>> {
        self.cache.get(&page_id).map(|page| page.value().clone())
    }

    /// Evicts until there is room for one more, and takes the page in.
    fn put(&self, page: Arc<Page>) {
        while self.size.load(Ordering::Relaxed) >= self.capacity { //~
            let victim = self.cache.iter().next().map(|entry| *entry.key());
            if let Some(key) = victim {
                self.cache.remove(&key); //~
                self.size.fetch_sub(1, Ordering::Relaxed); //~
            } else {
                break;
            }
        }
        self.cache.insert(page.id, page); //~
        self.size.fetch_add(1, Ordering::Relaxed); //~
    }

    pub fn len(&self) -> usize {
        self.size.load(Ordering::Relaxed)
    }
}

pub struct AsyncPager {
    file: PageFile,
    cache: PageCache,
    /// One of them per stripe of pages: reads of a page and writes to it exclude each other.
    page_locks: Vec<Mutex<()>>,
}

impl AsyncPager {
    pub fn new(capacity: usize) -> Self {
        Self {
            file: PageFile::default(),
            cache: PageCache::new(capacity),
            page_locks: (0..64).map(|_| Mutex::new(())).collect(),
        }
    }

    fn page_lock(&self, page_id: PageId) -> &Mutex<()> {
        &self.page_locks[page_id as usize % self.page_locks.len()]
    }

    pub async fn read_page(&self, page_id: PageId) -> Result<Arc<Page>> {
        if let Some(page) = self.cache.get(page_id) {
            return Ok(page);
        }
        let _page = self.page_lock(page_id).lock().await;
        if let Some(page) = self.cache.get(page_id) {
            return Ok(page);
        }
        let page = Arc::new(self.file.read(page_id).await?);
        self.cache.put(page.clone());
        Ok(page)
    }

    pub async fn write_page(&self, page: Page) -> Result<()> {
        ensure!(page.data.len() == PAGE_SIZE, "page {} has {} bytes", page.id, page.data.len());
        let _page = self.page_lock(page.id).lock().await;
        self.file.write(&page).await?;
        self.cache.put(Arc::new(page));
        Ok(())
    }

    pub fn cached_pages(&self) -> usize {
        self.cache.len()
    }
}
