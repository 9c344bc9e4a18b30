// tikv/rust-prometheus, PR #314: Histogram::observe bumps bucket, overall count and sum one atomic after the other; a collect() (scrape thread) that snapshots in between exports a histogram whose count is not the sum of its buckets.
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Default)]
struct AtomicF64(AtomicU64);

impl AtomicF64 {
    fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    fn inc_by(&self, delta: f64) {
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |bits| {
            Some((f64::from_bits(bits) + delta).to_bits())
        });
    }
}

#[derive(Debug, Default)]
pub struct HistogramProto {
    pub sample_count: u64,
    pub sample_sum: f64,
    pub buckets: Vec<(f64, u64)>,
}

/// A histogram, shared (in an `Arc`) by the threads that observe and the one that scrapes.
pub struct Histogram {
    upper_bounds: Vec<f64>,
    sum: AtomicF64,
    count: AtomicU64,
    counts: Vec<AtomicU64>,
}

impl Histogram {
    pub fn with_buckets(mut upper_bounds: Vec<f64>) -> Self {
        upper_bounds.push(f64::INFINITY);
        let counts = upper_bounds.iter().map(|_| AtomicU64::new(0)).collect();
        Histogram { upper_bounds, sum: AtomicF64::default(), count: AtomicU64::new(0), counts }
    }

    pub fn observe(&self, v: f64) {
        if let Some(i) = self.upper_bounds.iter().position(|b| v <= *b) {
            self.counts[i].fetch_add(1, Ordering::Relaxed); //~
        }
        self.count.fetch_add(1, Ordering::Relaxed); //~
        self.sum.inc_by(v);
    }

    pub fn collect(&self) -> HistogramProto {
        let mut h = HistogramProto {
            sample_count: self.count.load(Ordering::Relaxed), //~
            sample_sum: self.sum.get(),
            buckets: Vec::with_capacity(self.upper_bounds.len()),
        };
        let mut cumulative = 0;
        for (i, bound) in self.upper_bounds.iter().enumerate() {
            cumulative += self.counts[i].load(Ordering::Relaxed); //~
            h.buckets.push((*bound, cumulative));
        }
        h
    }
}
