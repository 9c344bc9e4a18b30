// Source: Migorithm/ruva PR #190, repaired as there: time and sequence are one atomic word, replaced by compare-and-exchange; the id is
// made of what was put in.
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const SEQUENCE_BITS: i64 = 12;
const MAX_SEQUENCE: i64 = (1 << SEQUENCE_BITS) - 1;

/// Unique ids: 42 bits of time in milliseconds, 5 bits of data center, 5 bits of machine, 12 bits of sequence.
#[derive(Debug)]
pub struct NumericalUniqueIdGenerator {
    epoch: SystemTime,
    datacenter_id: i32,
    machine_id: i32,
    /// Timestamp and sequence number of the last id.
    last: AtomicI64,
}

/// Ids in stock for one user of a generator.
pub struct NumericalUniqueIdBucket {
    generator: Arc<NumericalUniqueIdGenerator>,
    bucket: Vec<i64>,
}

impl NumericalUniqueIdGenerator {
    pub fn new(datacenter_id: i32, machine_id: i32) -> Self {
        Self::with_epoch(datacenter_id, machine_id, UNIX_EPOCH)
    }

    pub fn with_epoch(datacenter_id: i32, machine_id: i32, epoch: SystemTime) -> Self {
        NumericalUniqueIdGenerator {
            epoch,
            datacenter_id,
            machine_id,
            last: AtomicI64::new(current_time_in_milli(epoch) << SEQUENCE_BITS),
        }
    }

    fn to_snowflake(&self, timestamp: i64, sequence_num: i64) -> i64 {
        timestamp << 22 | ((self.datacenter_id << 17) as i64) | ((self.machine_id << 12) as i64) | sequence_num
    }

    pub fn generate(&self) -> i64 {
        loop {
            let last = self.last.load(Ordering::SeqCst);
            let (last_ts, last_seq) = (last >> SEQUENCE_BITS, last & MAX_SEQUENCE);

            let now_millis = current_time_in_milli(self.epoch).max(last_ts);
            let (new_ts, new_seq) = if last_ts == now_millis {
                let next_seq = (last_seq + 1) & MAX_SEQUENCE;
                // 4096 in a millisecond have been given out: wait for the next one.
                if next_seq == 0 {
                    (race_next_milli(last_ts, self.epoch), 0)
                } else {
                    (now_millis, next_seq)
                }
            } else {
                (now_millis, 0)
            };

            let new = new_ts << SEQUENCE_BITS | new_seq;
            if self.last.compare_exchange(last, new, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                return self.to_snowflake(new_ts, new_seq);
            }
        }
    }
}

impl NumericalUniqueIdBucket {
    pub fn new(generator: Arc<NumericalUniqueIdGenerator>) -> Self {
        NumericalUniqueIdBucket { generator, bucket: Vec::new() }
    }

    pub fn get_id(&mut self) -> i64 {
        if self.bucket.is_empty() {
            self.fill_bucket();
        }
        self.bucket.pop().unwrap()
    }

    fn fill_bucket(&mut self) {
        for _ in 0..64 {
            self.bucket.push(self.generator.generate());
        }
    }
}

fn current_time_in_milli(epoch: SystemTime) -> i64 {
    SystemTime::now().duration_since(epoch).unwrap_or(Duration::ZERO).as_millis() as i64
}

fn race_next_milli(timestamp: i64, epoch: SystemTime) -> i64 {
    loop {
        let now = current_time_in_milli(epoch);
        if now > timestamp {
            return now;
        }
        std::hint::spin_loop();
    }
}
