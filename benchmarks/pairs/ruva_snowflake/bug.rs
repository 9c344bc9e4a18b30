// Source: Migorithm/ruva PR #190 (thread safety in SnowFlake ID generation): the sequence number and the timestamp are two atomics, each
// loaded and stored, and read again for the id: two threads get the same id.
use std::sync::atomic::{AtomicI16, AtomicI64, Ordering};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MAX_SEQUENCE: i16 = 4096;

/// Unique ids: 42 bits of time in milliseconds, 5 bits of data center, 5 bits of machine, 12 bits of sequence.
#[derive(Debug)]
pub struct NumericalUniqueIdGenerator {
    epoch: SystemTime,
    datacenter_id: i32,
    machine_id: i32,
    timestamp: AtomicI64,
    sequence_num: AtomicI16,
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
            timestamp: AtomicI64::new(current_time_in_milli(epoch)),
            sequence_num: AtomicI16::new(0),
        }
    }

    fn get_snowflake(&self) -> i64 {
        self.timestamp.load(Ordering::SeqCst) << 22 //~
            | ((self.datacenter_id << 17) as i64)
            | ((self.machine_id << 12) as i64)
            | (self.sequence_num.load(Ordering::SeqCst) as i64) //~
    }

    pub fn generate(&self) -> i64 {
        let sequence_num = (self.sequence_num.load(Ordering::SeqCst) + 1) % MAX_SEQUENCE; //~
        self.sequence_num.store(sequence_num, Ordering::SeqCst); //~

        let timestamp = self.timestamp.load(Ordering::SeqCst); //~
        let now_millis = current_time_in_milli(self.epoch).max(timestamp);
        if timestamp == now_millis {
            // 4096 in a millisecond have been given out: wait for the next one.
            if sequence_num == 0 {
                self.timestamp.store(race_next_milli(timestamp, self.epoch), Ordering::SeqCst); //~
            }
        } else {
            self.timestamp.store(now_millis, Ordering::SeqCst); //~
            self.sequence_num.store(0, Ordering::SeqCst); //~
        }

        self.get_snowflake()
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
