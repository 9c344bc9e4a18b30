// Header and body of a message are appended to one log; whoever replays it expects them side by side.
use std::sync::{Arc, Mutex};

#[derive(Clone, Debug)]
pub enum Record { Begin { sender: u32, len: usize }, Data(Vec<u8>) }

#[derive(Clone, Default)]
pub struct Log { records: Arc<Mutex<Vec<Record>>> }

impl Log {
    pub fn send(&self, sender: u32, data: Vec<u8>) {
        self.records.lock().unwrap().push(Record::Begin { sender, len: data.len() }); //~
        self.records.lock().unwrap().push(Record::Data(data)); //~
    }
    pub fn replay(&self) -> Vec<(u32, Vec<u8>)> {
        let records = self.records.lock().unwrap();
        let mut out = Vec::new();
        let mut sender = 0;
        for record in records.iter() {
            match record {
                Record::Begin { sender: s, .. } => sender = *s,
                Record::Data(data) => out.push((sender, data.clone())),
            }
        }
        out
    }
}
