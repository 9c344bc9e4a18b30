// openethereum/parity-ethereum PR #11400 (issue #11237), commit d4da49bff2: processing read, then written after create: the same block queued twice, difficulty and size counted twice.
use parking_lot::{Condvar, Mutex, RwLock};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering as AtomicOrdering};
use std::sync::Arc;
use std::time::Duration;

pub type H256 = [u8; 32];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    AlreadyQueued,
    KnownBad,
    Block(String),
}

pub trait Kind: 'static + Sized + Send + Sync {
    type Input: BlockLike + Send;
    type Unverified: Send;

    fn create(input: Self::Input) -> Result<Self::Unverified, (Self::Input, Error)>;
    fn difficulty(item: &Self::Unverified) -> u64;
    fn heap_size(item: &Self::Unverified) -> usize;
}

pub trait BlockLike {
    fn hash(&self) -> H256;
    fn parent_hash(&self) -> H256;
}

#[derive(Default)]
struct Sizes {
    unverified: AtomicUsize,
}

struct Verification<K: Kind> {
    unverified: Mutex<VecDeque<K::Unverified>>,
    bad: Mutex<HashSet<H256>>,
    sizes: Sizes,
}

pub struct VerificationQueue<K: Kind> {
    verification: Arc<Verification<K>>,
    processing: RwLock<HashMap<H256, u64>>,
    total_difficulty: RwLock<u64>,
    more_to_verify: Condvar,
}

impl<K: Kind> Default for VerificationQueue<K> {
    fn default() -> Self {
        VerificationQueue {
            verification: Arc::new(Verification {
                unverified: Mutex::new(VecDeque::new()),
                bad: Mutex::new(HashSet::new()),
                sizes: Sizes::default(),
            }),
            processing: RwLock::new(HashMap::new()),
            total_difficulty: RwLock::new(0),
            more_to_verify: Condvar::new(),
        }
    }
}

impl<K: Kind> VerificationQueue<K> {
    pub fn import(&self, input: K::Input) -> Result<H256, (Option<K::Input>, Error)> {
        let hash = input.hash();
        {
            if self.processing.read().contains_key(&hash) {
                return Err((Some(input), Error::AlreadyQueued));
            }
            let mut bad = self.verification.bad.lock();
            if bad.contains(&hash) {
                return Err((Some(input), Error::KnownBad));
            }
            if bad.contains(&input.parent_hash()) {
                bad.insert(hash);
                return Err((Some(input), Error::KnownBad));
            }
        }

        match K::create(input) {
            Ok(item) => {
                let size = K::heap_size(&item);
                self.verification.sizes.unverified.fetch_add(size, AtomicOrdering::SeqCst);
                self.processing.write().insert(hash, K::difficulty(&item));
                *self.total_difficulty.write() += K::difficulty(&item);
                self.verification.unverified.lock().push_back(item);
                self.more_to_verify.notify_all();
                Ok(hash)
            }
            Err((input, err)) => {
                self.verification.bad.lock().insert(hash);
                Err((Some(input), err))
            }
        }
    }

    pub fn next_unverified(&self, timeout: Duration) -> Option<K::Unverified> {
        let mut unverified = self.verification.unverified.lock();
        if unverified.is_empty() {
            self.more_to_verify.wait_for(&mut unverified, timeout);
        }
        let item = unverified.pop_front()?;
        self.verification.sizes.unverified.fetch_sub(K::heap_size(&item), AtomicOrdering::SeqCst);
        Some(item)
    }

    pub fn total_difficulty(&self) -> u64 {
        *self.total_difficulty.read()
    }
}
