// Repaired as in PR #314: a hot and a cold shard picked by the top bit of one packed atomic; collect() (one at a time) flips them, waits until every observe() that was begun on the now cold shard has finished, reads it whole, and adds it to the hot one.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

#[derive(Default)]
struct AtomicF64(AtomicU64);

impl AtomicF64 {
    fn swap(&self, v: f64) -> f64 {
        f64::from_bits(self.0.swap(v.to_bits(), Ordering::AcqRel))
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

#[derive(Default)]
struct Shard {
    sum: AtomicF64,
    count: AtomicU64,
    counts: Vec<AtomicU64>,
}

/// Top bit: which shard is hot. The rest: how many observations were ever begun.
const HOT_BIT: u64 = 1 << 63;

fn split(n: u64) -> (usize, u64) {
    ((n >> 63) as usize, n & !HOT_BIT)
}

/// A histogram, shared (in an `Arc`) by the threads that observe and the one that scrapes.
pub struct Histogram {
    upper_bounds: Vec<f64>,
    collect_lock: Mutex<()>,
    shard_and_count: AtomicU64,
    shards: [Shard; 2],
}

impl Histogram {
    pub fn with_buckets(mut upper_bounds: Vec<f64>) -> Self {
        upper_bounds.push(f64::INFINITY);
        let shard = || Shard { counts: upper_bounds.iter().map(|_| AtomicU64::new(0)).collect(), ..Shard::default() };
        let shards = [shard(), shard()];
        Histogram { upper_bounds, collect_lock: Mutex::new(()), shard_and_count: AtomicU64::new(0), shards }
    }

    pub fn observe(&self, v: f64) {
        let (hot, _) = split(self.shard_and_count.fetch_add(1, Ordering::Acquire));
        let shard = &self.shards[hot];
        if let Some(i) = self.upper_bounds.iter().position(|b| v <= *b) {
            shard.counts[i].fetch_add(1, Ordering::Relaxed);
        }
        shard.sum.inc_by(v);
        // Last: tells collect() that this observation is complete.
        shard.count.fetch_add(1, Ordering::Release);
    }

    pub fn collect(&self) -> HistogramProto {
        let _collecting = self.collect_lock.lock().unwrap();
        let (cold, begun) = split(self.shard_and_count.fetch_add(HOT_BIT, Ordering::AcqRel));
        let (cold, hot) = (&self.shards[cold], &self.shards[1 - cold]);
        while cold.count.load(Ordering::Acquire) != begun {
            std::thread::yield_now();
        }
        cold.count.store(0, Ordering::Relaxed);
        let sum = cold.sum.swap(0.0);
        let mut h = HistogramProto { sample_count: begun, sample_sum: sum, buckets: Vec::new() };
        let mut cumulative = 0;
        for (i, bound) in self.upper_bounds.iter().enumerate() {
            let n = cold.counts[i].swap(0, Ordering::Relaxed);
            hot.counts[i].fetch_add(n, Ordering::Relaxed);
            cumulative += n;
            h.buckets.push((*bound, cumulative));
        }
        hot.sum.inc_by(sum);
        hot.count.fetch_add(begun, Ordering::Release);
        h
    }
}
