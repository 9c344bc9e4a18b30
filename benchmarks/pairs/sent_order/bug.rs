//! The number is taken under the lock, and sent outside of it: numbers arrive out of order.
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
pub struct Entry { pub index: u64, pub data: Vec<u8> }
pub struct Wal { next: Mutex<u64>, writer: Sender<Entry> }
impl Wal {
    pub fn new() -> (Wal, Receiver<Entry>) {
        let (writer, entries) = channel();
        (Wal { next: Mutex::new(0), writer }, entries)
    }
    pub fn append(&self, data: Vec<u8>) -> u64 {
        let mut next = self.next.lock().unwrap();
        let index = *next;
        *next += 1; //~
        drop(next);
        let _ = self.writer.send(Entry { index, data }); //~
        index
    }
}
pub fn spawn_writer(entries: Receiver<Entry>) {
    std::thread::spawn(move || {
        let mut expected = 0;
        for entry in entries {
            assert_eq!(entry.index, expected);
            expected += 1;
            println!("{} bytes", entry.data.len());
        }
    });
}
