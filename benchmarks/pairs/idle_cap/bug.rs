//! Room for one more is seen, and two are put in.
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::time::Instant;
pub struct Buffer { bytes: Vec<u8>, since: Instant }
pub struct Buffers { idle: Mutex<VecDeque<Buffer>>, most: usize }
impl Buffers {
    pub fn new(most: usize) -> Self { Buffers { idle: Mutex::new(VecDeque::new()), most } }
    pub fn lend(&self) -> Buffer {
        self.idle.lock().pop_back().unwrap_or_else(|| Buffer { bytes: Vec::with_capacity(4096), since: Instant::now() })
    }
    pub fn give_back(&self, mut buffer: Buffer) {
        buffer.bytes.clear();
        buffer.since = Instant::now();
        if self.idle.lock().len() < self.most { //~
            self.idle.lock().push_back(buffer); //~
        }
    }
    pub fn oldest(&self) -> Option<Instant> { self.idle.lock().front().map(|b| b.since) }
}
