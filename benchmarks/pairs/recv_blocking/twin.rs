//! Awaited.
use async_channel::{Receiver, Sender, bounded};
pub trait Handler { type Message; fn handle(&mut self, message: Self::Message) -> bool; }
pub struct Actor<H: Handler> { handler: H, inbox: Receiver<H::Message> }
impl<H: Handler> Actor<H> {
    pub fn new(handler: H) -> (Sender<H::Message>, Self) {
        let (send, inbox) = bounded(8);
        (send, Actor { handler, inbox })
    }
    pub async fn run(mut self) {
        while let Ok(message) = self.inbox.recv().await {
            if !self.handler.handle(message) { break }
        }
    }
}
pub struct Sum(pub u64);
impl Handler for Sum { type Message = u64; fn handle(&mut self, n: u64) -> bool { self.0 += n; self.0 < 1000 } }
pub fn sum() -> Sender<u64> { let (s, a) = Actor::new(Sum(0)); tokio::spawn(a.run()); s }
