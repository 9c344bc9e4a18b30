//! On a blocking thread.
use std::thread::JoinHandle;
pub struct Encoder { work: Option<JoinHandle<Vec<u8>>> }
impl Encoder {
    pub fn start(frames: Vec<u8>) -> Self {
        Encoder { work: Some(std::thread::spawn(move || frames.iter().map(|b| b ^ 0x55).collect())) }
    }
    fn result(&mut self) -> Option<Vec<u8>> { self.work.take()?.join().ok() }
}
pub async fn encode(frames: Vec<u8>) -> usize {
    let mut encoder = Encoder::start(frames);
    tokio::task::yield_now().await;
    let bytes = tokio::task::spawn_blocking(move || encoder.result()).await.ok().flatten();
    bytes.map_or(0, |bytes| bytes.len())
}
