//! What is needed is cloned out of the entry first.
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
        match self.lines.get(&number).map(|line| line.clone()) {
            Some(line) => line.send(text.to_string()).await.is_ok(),
            None => false,
        }
    }
    pub fn hang_up(&self, number: u32) { self.lines.remove(&number); }
}
