//! A cancelled search has no answer.
use tokio::task::JoinHandle;
async fn search(words: String) -> Vec<String> { tokio::task::yield_now().await; words.split(' ').map(str::to_owned).collect() }
#[derive(Default)]
pub struct Box_ { running: Option<JoinHandle<Vec<String>>> }
impl Box_ {
    pub fn typed(&mut self, words: &str) { self.running = Some(tokio::spawn(search(words.to_owned()))); }
    pub async fn leave(&mut self) -> usize {
        let Some(running) = self.running.take() else { return 0 };
        running.abort();
        match running.await {
            Ok(found) => found.len(),
            Err(error) if error.is_cancelled() => 0,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}
