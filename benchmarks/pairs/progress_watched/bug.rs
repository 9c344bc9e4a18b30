// A watch channel as a shared value: borrowed, changed, sent.
use tokio::sync::watch;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress { done: u64, total: u64 }

pub struct Download { progress: watch::Sender<Progress> }

impl Download {
    pub fn new(total: u64) -> Self { Download { progress: watch::channel(Progress { done: 0, total }).0 } }
    pub fn received(&self, bytes: u64) {
        let mut progress = self.progress.borrow().clone(); //~
        progress.done = (progress.done + bytes).min(progress.total);
        self.progress.send_replace(progress); //~
    }
    pub fn watch(&self) -> watch::Receiver<Progress> { self.progress.subscribe() }
    pub fn done(&self) -> u64 { self.progress.borrow().done }
}
