//! A barrier between the phases.
use std::sync::{Barrier, Mutex};
use std::thread;
pub fn normalise(parts: &mut [f64]) -> Vec<f64> {
    let most = Mutex::new(0.0f64);
    let barrier = Barrier::new(parts.len());
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for part in parts.iter() {
            let (most, barrier, done) = (&most, &barrier, &done);
            scope.spawn(move || {
                {
                    let mut most = most.lock().unwrap();
                    *most = most.max(*part);
                }
                barrier.wait();
                let scale = *most.lock().unwrap();
                done.lock().unwrap().push(part / scale);
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by(f64::total_cmp);
    done
}
