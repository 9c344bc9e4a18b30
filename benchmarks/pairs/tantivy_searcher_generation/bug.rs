// quickwit-oss/tantivy issue 1461, PR 1464: The segments are read twice, for the generation and for the searcher; a commit in between: they are about different segments.
//! Index reader: publishes a searcher over the segments of the last commit, together with a
//! generation that says which segments, at which delete opstamps, that searcher is about.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use anyhow::{ensure, Result};
use arc_swap::ArcSwap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentId(pub u32);

#[derive(Debug, Clone)]
pub struct SegmentMeta {
    pub id: SegmentId,
    pub delete_opstamp: Option<u64>,
    pub docs: Arc<Vec<String>>,
}

#[derive(Clone, Default)]
pub struct Index {
    metas: Arc<RwLock<Vec<SegmentMeta>>>,
}

impl Index {
    pub fn searchable_segments(&self) -> Vec<SegmentMeta> {
        self.metas.read().unwrap().clone() //~
    }

    /// What a commit or the end of a merge does: replaces the list of segments.
    pub fn save_metas(&self, segments: Vec<SegmentMeta>) {
        *self.metas.write().unwrap() = segments; //~
    }
}

#[derive(Debug, Clone)]
pub struct SegmentReader {
    segment_id: SegmentId,
    delete_opstamp: Option<u64>,
    docs: Arc<Vec<String>>,
}

impl SegmentReader {
    fn open(segment: &SegmentMeta) -> Result<Self> {
        ensure!(!segment.docs.is_empty(), "segment {:?} has no docs", segment.id);
        Ok(Self {
            segment_id: segment.id,
            delete_opstamp: segment.delete_opstamp,
            docs: segment.docs.clone(),
        })
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct SearcherGeneration {
    segments: BTreeMap<SegmentId, Option<u64>>,
    generation_id: u64,
}

impl SearcherGeneration {
    fn from_segment_readers(segment_readers: &[SegmentReader], generation_id: u64) -> Self {
        let segments = segment_readers.iter().map(|r| (r.segment_id, r.delete_opstamp)).collect();
        Self { segments, generation_id }
    }

    pub fn segments(&self) -> &BTreeMap<SegmentId, Option<u64>> {
        &self.segments
    }
}

pub struct Searcher {
    segment_readers: Vec<SegmentReader>,
    generation: Arc<SearcherGeneration>,
}

impl Searcher {
    pub fn generation(&self) -> &SearcherGeneration {
        &self.generation
    }

    pub fn search(&self, term: &str) -> Vec<(SegmentId, u32)> {
        let mut hits = Vec::new();
        for reader in &self.segment_readers {
            for (doc, text) in reader.docs.iter().enumerate() {
                if text.split_whitespace().any(|t| t == term) {
                    hits.push((reader.segment_id, doc as u32));
                }
            }
        }
        hits
    }
}

pub struct IndexReader {
    index: Index,
    searcher: ArcSwap<Searcher>,
    searcher_generation_counter: AtomicU64,
    /// One reload at a time: a searcher is not replaced by an older one.
    reload_lock: Mutex<()>,
}

impl IndexReader {
    pub fn try_new(index: Index) -> Result<Self> {
        let searcher_generation_counter = AtomicU64::new(0);
        let searcher = Self::create_searcher(&index, &searcher_generation_counter)?;
        Ok(Self {
            index,
            searcher: ArcSwap::new(searcher),
            searcher_generation_counter,
            reload_lock: Mutex::new(()),
        })
    }

    /// Opens a reader for each of the searchable segments.
    fn open_segment_readers(index: &Index) -> Result<Vec<SegmentReader>> {
        index.searchable_segments().iter().map(SegmentReader::open).collect()
    }

    fn create_new_searcher_generation(index: &Index, counter: &AtomicU64) -> Result<Arc<SearcherGeneration>> {
        let generation_id = counter.fetch_add(1, Ordering::AcqRel);
        let segment_readers = Self::open_segment_readers(index)?; //~
        Ok(Arc::new(SearcherGeneration::from_segment_readers(&segment_readers, generation_id)))
    }

    fn create_searcher(index: &Index, counter: &AtomicU64) -> Result<Arc<Searcher>> {
        let generation = Self::create_new_searcher_generation(index, counter)?; //~
        let segment_readers = Self::open_segment_readers(index)?; //~
        Ok(Arc::new(Searcher { segment_readers, generation }))
    }

    pub fn reload(&self) -> Result<()> {
        let _reload = self.reload_lock.lock().unwrap();
        let searcher = Self::create_searcher(&self.index, &self.searcher_generation_counter)?;
        self.searcher.store(searcher);
        Ok(())
    }

    pub fn searcher(&self) -> Arc<Searcher> {
        self.searcher.load_full()
    }
}
