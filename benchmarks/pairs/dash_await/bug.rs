//! An entry of a DashMap is locked over an await, and `hang_up` blocks on it.
use dashmap::DashMap;
use tokio::sync::mpsc::{Receiver, Sender, channel};
#[derive(Default)]
pub struct Calls { lines: DashMap<u32, Sender<String>> }
impl Calls {
    pub fn dial(&self, number: u32) -> Receiver<String> {
        let (line, heard) = channel(1);
        self.lines.insert(number, line);
        heard
    }
    pub async fn say(&self, number: u32, text: &str) -> bool {
        match self.lines.get(&number) { //~
            Some(line) => line.send(text.to_string()).await.is_ok(),
            None => false,
        }
    }
    pub fn hang_up(&self, number: u32) { self.lines.remove(&number); }
}
