// Guards that a container owns are dropped with it.
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

pub struct Gauge(Arc<AtomicI64>);
impl Gauge {
    fn enter(of: &Arc<AtomicI64>, by: i64) -> Gauge { of.fetch_add(by, Ordering::SeqCst); Gauge(of.clone()) }
}
impl Drop for Gauge {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[derive(Default)]
pub struct Gallery { shown: Arc<AtomicI64>, pictures: Mutex<Vec<(String, Gauge)>> }

impl Gallery {
    pub fn show(&self, name: &str) {
        let gauge = Gauge::enter(&self.shown, 1);
        self.pictures.lock().unwrap().push((name.to_string(), gauge));
    }
    pub fn clear(&self) {
        let old = std::mem::take(&mut *self.pictures.lock().unwrap());
        drop(old);
    }
    pub fn shown(&self) -> i64 { self.shown.load(Ordering::SeqCst) }
}
