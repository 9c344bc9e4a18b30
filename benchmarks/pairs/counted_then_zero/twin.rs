// What was counted since the last report is reported, and counted anew.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::io::Write;

#[derive(Default)]
pub struct Traffic { bytes: AtomicU64, packets: AtomicU64 }

#[derive(Clone)]
pub struct Monitor { traffic: Arc<Traffic> }

impl Monitor {
    pub fn new() -> Self { Monitor { traffic: Arc::default() } }
    pub fn packet(&self, len: usize) {
        self.traffic.bytes.fetch_add(len as u64, Ordering::Relaxed);
        self.traffic.packets.fetch_add(1, Ordering::Relaxed);
    }
    pub fn report(&self, to: &mut dyn Write) -> std::io::Result<()> {
        let bytes = self.traffic.bytes.swap(0, Ordering::Relaxed);
        let packets = self.traffic.packets.swap(0, Ordering::Relaxed);
        writeln!(to, "{bytes} bytes in {packets} packets")
    }
}
