// The offset of an entry is where it has been put, not where it would have been put a moment ago.
use std::collections::VecDeque;
use std::sync::RwLock;

#[derive(Default)]
struct Segment { first: u64, entries: VecDeque<Vec<u8>> }

#[derive(Default)]
pub struct Partition { segment: RwLock<Segment> }

impl Partition {
    fn next_offset(&self) -> u64 { let s = self.segment.read().unwrap(); s.first + s.entries.len() as u64 }
    pub fn append(&self, entry: &[u8]) -> u64 {
        let mut segment = self.segment.write().unwrap();
        let offset = segment.first + segment.entries.len() as u64;
        segment.entries.push_back(entry.to_vec());
        offset
    }
    pub fn read(&self, offset: u64) -> Option<Vec<u8>> {
        let s = self.segment.read().unwrap();
        s.entries.get(offset.checked_sub(s.first)? as usize).cloned()
    }
    pub fn end(&self) -> u64 { self.next_offset() }
    pub fn trim(&self) { let mut s = self.segment.write().unwrap(); if s.entries.pop_front().is_some() { s.first += 1; } }
}
