// Source: metrics-rs/metrics issue #126, pull request #130 (AtomicBucket: concurrent writers can expose uninitialized memory)
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::slice;
use std::sync::atomic::{AtomicUsize, Ordering};

const BLOCK_SIZE: usize = 64;

/// Discrete chunk of values with atomic read/write access.
pub struct Block<T: Copy> {
    // Write index.
    write: AtomicUsize,

    // Read bitmap.
    read: AtomicUsize,

    // The individual slots.
    slots: [UnsafeCell<MaybeUninit<T>>; BLOCK_SIZE],
}

unsafe impl<T: Copy + Send> Send for Block<T> {}
unsafe impl<T: Copy + Send + Sync> Sync for Block<T> {}

impl<T: Copy> Default for Block<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Copy> Block<T> {
    /// Creates a new [`Block`].
    pub fn new() -> Self {
        Block {
            write: AtomicUsize::new(0),
            read: AtomicUsize::new(0),
            slots: [const { UnsafeCell::new(MaybeUninit::uninit()) }; BLOCK_SIZE],
        }
    }

    /// Gets the current length of this block.
    pub fn len(&self) -> usize {
        self.read.load(Ordering::Acquire).trailing_ones() as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether no further value can be pushed.
    pub fn is_full(&self) -> bool {
        self.write.load(Ordering::Acquire) >= BLOCK_SIZE
    }

    /// Gets a slice of the data written to this block.
    pub fn data(&self) -> &[T] {
        let len = self.len();
        let head = self.slots[0].get();
        unsafe { slice::from_raw_parts(head as *const T, len) }
    }

    /// Pushes a value into this block.
    pub fn push(&self, value: T) -> Result<(), T> {
        // Try to increment the index.  If we've reached the end of the block, let the bucket know
        // so it can attach another block.
        let index = self.write.fetch_add(1, Ordering::AcqRel);
        if index >= BLOCK_SIZE {
            return Err(value);
        }

        // Update the slot.
        unsafe {
            (*self.slots[index].get()).write(value);
        }

        // Scoot our read index forward.
        self.read.fetch_or(1 << index, Ordering::AcqRel);

        Ok(())
    }
}

/// The samples of one interval of a histogram.
#[derive(Default)]
pub struct Samples {
    block: Block<f64>,
    dropped: AtomicUsize,
}

impl Samples {
    pub fn record(&self, value: f64) {
        if self.block.push(value).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The mean of the values that have been recorded so far.
    pub fn mean(&self) -> Option<f64> {
        let values = self.block.data();
        if values.is_empty() {
            return None;
        }
        Some(values.iter().sum::<f64>() / values.len() as f64)
    }

    pub fn values(&self) -> Vec<f64> {
        self.block.data().to_vec()
    }

    pub fn dropped(&self) -> usize {
        self.dropped.load(Ordering::Relaxed)
    }
}
