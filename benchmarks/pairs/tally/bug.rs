//! Two scoped threads read a total and write it back.
use std::sync::Mutex;
use std::thread;
pub struct Sample { pub weight: u64, pub valid: bool }
fn weigh(samples: &[Sample], total: &Mutex<u64>) {
    for sample in samples.iter().filter(|s| s.valid) {
        let so_far = *total.lock().unwrap(); //~
        let next = so_far + sample.weight;
        *total.lock().unwrap() = next; //~
    }
}
pub fn total(samples: &[Sample]) -> u64 {
    let total = Mutex::new(0);
    let (left, right) = samples.split_at(samples.len() / 2);
    thread::scope(|scope| {
        scope.spawn(|| weigh(left, &total));
        scope.spawn(|| weigh(right, &total));
    });
    total.into_inner().unwrap()
}
