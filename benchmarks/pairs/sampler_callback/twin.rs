// A callback that is given to another thread, beside the methods that look at the same.
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{mpsc, Arc};
use std::thread;

type Callback = Box<dyn Fn(u64) + Send + 'static>;

pub struct Sampler { samples: mpsc::Sender<u64> }
impl Sampler {
    pub fn start(callback: Callback) -> Sampler {
        let (samples, queue) = mpsc::channel();
        thread::spawn(move || while let Ok(sample) = queue.recv() { callback(sample) });
        Sampler { samples }
    }
    pub fn sample(&self, value: u64) { let _ = self.samples.send(value); }
}

pub struct Smooth { value: Arc<AtomicU64>, sampler: Sampler }
impl Smooth {
    pub fn new() -> Smooth {
        let value = Arc::new(AtomicU64::new(0));
        let smoothed = value.clone();
        let sampler = Sampler::start(Box::new(move |sample| {
            let _ = smoothed.fetch_update(SeqCst, SeqCst, |old| Some((old * 7 + sample) / 8));
        }));
        Smooth { value, sampler }
    }
    pub fn sample(&self, value: u64) { self.sampler.sample(value) }
    pub fn value(&self) -> u64 { self.value.load(SeqCst) }
    pub fn reset(&self) { self.value.store(0, SeqCst) }
}
