// Numbers of packets: the number is given out when the packet has been written.
use async_lock::Mutex;

pub trait Wire { fn write(&self, number: u64, data: &[u8]) -> impl std::future::Future<Output = bool> + Send; }

pub struct Sender<W> { wire: W, next: Mutex<u64> }

impl<W: Wire> Sender<W> {
    pub fn new(wire: W) -> Self { Sender { wire, next: Mutex::new(1) } }
    pub async fn send(&self, data: &[u8]) -> Option<u64> {
        let number = *self.next.lock().await; //~
        if !self.wire.write(number, data).await {
            return None;
        }
        *self.next.lock().await = number + 1; //~
        Some(number)
    }
    pub async fn next(&self) -> u64 { *self.next.lock().await }
}
