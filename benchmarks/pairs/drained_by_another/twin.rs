// A channel with several receivers: it is not empty, but whoever asked may find it empty.
use std::time::Duration;

#[derive(Debug)]
pub struct Parcel { pub weight: u32 }

#[derive(Clone)]
pub struct Depot { inward: flume::Sender<Parcel>, outward: flume::Receiver<Parcel> }

impl Depot {
    pub fn new() -> Self { let (inward, outward) = flume::unbounded(); Depot { inward, outward } }
    pub fn bring(&self, parcel: Parcel) { let _ = self.inward.send(parcel); }
    pub fn load(&self, most: u32) -> Vec<Parcel> {
        let mut van = Vec::new();
        let mut weight = 0;
        while weight < most {
            let Ok(parcel) = self.outward.try_recv() else { break };
            weight += parcel.weight;
            van.push(parcel);
        }
        std::thread::sleep(Duration::from_millis(1));
        van
    }
}
