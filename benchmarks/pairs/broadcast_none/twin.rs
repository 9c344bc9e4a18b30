//! What the send says is used.
use tokio::sync::broadcast;
#[derive(Clone, Debug)]
pub enum Event { Opened(u32), Closed }
pub struct Bus { events: broadcast::Sender<Event> }
impl Bus {
    pub fn new() -> Self { Bus { events: broadcast::channel(16).0 } }
    pub fn listen(&self) -> broadcast::Receiver<Event> { self.events.subscribe() }
    pub fn publish(&self, event: Event) -> Option<usize> {
        self.events.send(event).ok()
    }
}
