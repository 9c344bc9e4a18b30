//! Locks of other libraries.

use super::Inner;

pub struct Pl {
    v: parking_lot::Mutex<u64>,
}

impl Pl {
    pub fn new() -> Self {
        Self { v: parking_lot::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = *self.v.lock(); //~
        *self.v.lock() = n + 1; //~
        n
    }
}

pub struct PlAtOnce {
    v: parking_lot::Mutex<u64>,
}

impl PlAtOnce {
    pub fn new() -> Self {
        Self { v: parking_lot::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let mut g = self.v.lock(); let n = *g; *g = n + 1;
        n
    }
}

pub struct PlTryFor {
    v: parking_lot::Mutex<u64>,
}

impl PlTryFor {
    pub fn new() -> Self {
        Self { v: parking_lot::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.try_lock_for(std::time::Duration::from_secs(1)).map(|g| *g).unwrap_or(0); //~
        if let Some(mut g) = self.v.try_lock_for(std::time::Duration::from_secs(1)) { *g = n + 1; } //~
        n
    }
}

pub struct PlTryForAtOnce {
    v: parking_lot::Mutex<u64>,
}

impl PlTryForAtOnce {
    pub fn new() -> Self {
        Self { v: parking_lot::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let Some(mut g) = self.v.try_lock_for(std::time::Duration::from_secs(1)) else { return 0 }; let n = *g; *g = n + 1;
        n
    }
}

pub struct PlMap {
    v: parking_lot::Mutex<Inner>,
}

impl PlMap {
    pub fn new() -> Self {
        Self { v: parking_lot::Mutex::new(Inner::default()) }
    }

    pub fn bump(&self) -> u64 {
        let n = *parking_lot::MutexGuard::map(self.v.lock(), |i| &mut i.n); //~
        *parking_lot::MutexGuard::map(self.v.lock(), |i| &mut i.n) = n + 1; //~
        n
    }
}

pub struct PlMapAtOnce {
    v: parking_lot::Mutex<Inner>,
}

impl PlMapAtOnce {
    pub fn new() -> Self {
        Self { v: parking_lot::Mutex::new(Inner::default()) }
    }

    pub fn bump(&self) -> u64 {
        let mut g = parking_lot::MutexGuard::map(self.v.lock(), |i| &mut i.n); let n = *g; *g = n + 1;
        n
    }
}

pub struct PlArc {
    v: std::sync::Arc<parking_lot::Mutex<u64>>,
}

impl PlArc {
    pub fn new() -> Self {
        Self { v: std::sync::Arc::new(parking_lot::Mutex::new(0)) }
    }

    pub fn bump(&self) -> u64 {
        let n = *self.v.lock_arc(); //~
        *self.v.lock_arc() = n + 1; //~
        n
    }
}

pub struct PlArcAtOnce {
    v: std::sync::Arc<parking_lot::Mutex<u64>>,
}

impl PlArcAtOnce {
    pub fn new() -> Self {
        Self { v: std::sync::Arc::new(parking_lot::Mutex::new(0)) }
    }

    pub fn bump(&self) -> u64 {
        let mut g = self.v.lock_arc(); let n = *g; *g = n + 1;
        n
    }
}

pub struct PlUnlocked {
    v: parking_lot::Mutex<u64>,
}

impl PlUnlocked {
    pub fn new() -> Self {
        Self { v: parking_lot::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let mut g = self.v.lock(); let n = *g; //~
        parking_lot::MutexGuard::unlocked(&mut g, || std::thread::yield_now()); *g = n + 1; //~
        n
    }
}

pub struct PlUnlockedAtOnce {
    v: parking_lot::Mutex<u64>,
}

impl PlUnlockedAtOnce {
    pub fn new() -> Self {
        Self { v: parking_lot::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let mut g = self.v.lock(); parking_lot::MutexGuard::unlocked(&mut g, || std::thread::yield_now()); let n = *g; *g = n + 1;
        n
    }
}

pub struct PlUnlockFair {
    v: parking_lot::Mutex<u64>,
}

impl PlUnlockFair {
    pub fn new() -> Self {
        Self { v: parking_lot::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let g = self.v.lock(); let n = *g; parking_lot::MutexGuard::unlock_fair(g); //~
        *self.v.lock() = n + 1; //~
        n
    }
}

pub struct PlCv {
    v: parking_lot::Mutex<u64>,
    c: parking_lot::Condvar,
}

impl PlCv {
    pub fn new() -> Self {
        Self { v: parking_lot::Mutex::new(0), c: parking_lot::Condvar::new() }
    }

    pub fn bump(&self) -> u64 {
        let mut g = self.v.lock(); let n = *g; //~
        self.c.wait_for(&mut g, std::time::Duration::from_secs(1)); *g = n + 1; //~
        n
    }
}

pub struct PlCvAtOnce {
    v: parking_lot::Mutex<u64>,
    c: parking_lot::Condvar,
}

impl PlCvAtOnce {
    pub fn new() -> Self {
        Self { v: parking_lot::Mutex::new(0), c: parking_lot::Condvar::new() }
    }

    pub fn bump(&self) -> u64 {
        let mut g = self.v.lock(); self.c.wait_for(&mut g, std::time::Duration::from_secs(1)); let n = *g; *g = n + 1;
        n
    }
}

pub struct PlRwUp {
    v: parking_lot::RwLock<u64>,
}

impl PlRwUp {
    pub fn new() -> Self {
        Self { v: parking_lot::RwLock::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = *self.v.upgradable_read(); //~
        *parking_lot::RwLockUpgradableReadGuard::upgrade(self.v.upgradable_read()) = n + 1; //~
        n
    }
}

pub struct PlRwUpAtOnce {
    v: parking_lot::RwLock<u64>,
}

impl PlRwUpAtOnce {
    pub fn new() -> Self {
        Self { v: parking_lot::RwLock::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let g = self.v.upgradable_read(); let n = *g; *parking_lot::RwLockUpgradableReadGuard::upgrade(g) = n + 1;
        n
    }
}

pub struct OnceCell {
    v: once_cell::sync::OnceCell<std::sync::Mutex<u64>>,
}

impl OnceCell {
    pub fn new() -> Self {
        Self { v: once_cell::sync::OnceCell::new() }
    }

    pub fn bump(&self) -> u64 {
        let n = *self.v.get_or_init(Default::default).lock().unwrap(); //~
        *self.v.get_or_init(Default::default).lock().unwrap() = n + 1; //~
        n
    }
}

pub struct Arcswap {
    v: arc_swap::ArcSwap<u64>,
}

impl Arcswap {
    pub fn new() -> Self {
        Self { v: arc_swap::ArcSwap::from_pointee(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = **self.v.load(); //~
        self.v.store(std::sync::Arc::new(n + 1)); //~
        n
    }
}

pub struct ArcswapAtOnce {
    v: arc_swap::ArcSwap<u64>,
}

impl ArcswapAtOnce {
    pub fn new() -> Self {
        Self { v: arc_swap::ArcSwap::from_pointee(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = *self.v.rcu(|v| **v + 1);
        n
    }
}

pub struct Dash {
    v: dashmap::DashMap<u64, u64>,
}

impl Dash {
    pub fn new() -> Self {
        Self { v: dashmap::DashMap::new() }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.get(&1).map(|r| *r).unwrap_or(0); //~
        self.v.insert(1, n + 1); //~
        n
    }
}

pub struct DashAtOnce {
    v: dashmap::DashMap<u64, u64>,
}

impl DashAtOnce {
    pub fn new() -> Self {
        Self { v: dashmap::DashMap::new() }
    }

    pub fn bump(&self) -> u64 {
        let mut r = self.v.entry(1).or_insert(0); let n = *r; *r = n + 1;
        n
    }
}

pub struct DashEntry {
    v: dashmap::DashMap<u64, u64>,
}

impl DashEntry {
    pub fn new() -> Self {
        Self { v: dashmap::DashMap::new() }
    }

    pub fn bump(&self) -> u64 {
        let n = *self.v.entry(1).or_insert(0); //~
        *self.v.entry(1).or_default() = n + 1; //~
        n
    }
}

pub struct DashMut {
    v: dashmap::DashMap<u64, u64>,
}

impl DashMut {
    pub fn new() -> Self {
        Self { v: dashmap::DashMap::new() }
    }

    pub fn bump(&self) -> u64 {
        let n = self.v.get(&1).map(|r| *r.value()).unwrap_or(0); //~
        if let Some(mut r) = self.v.get_mut(&1) { *r.value_mut() = n + 1; } //~
        n
    }
}

pub struct DashMutAtOnce {
    v: dashmap::DashMap<u64, u64>,
}

impl DashMutAtOnce {
    pub fn new() -> Self {
        Self { v: dashmap::DashMap::new() }
    }

    pub fn bump(&self) -> u64 {
        let Some(mut r) = self.v.get_mut(&1) else { return 0 }; let n = *r; *r = n + 1;
        n
    }
}

pub struct FutLock {
    v: futures::lock::Mutex<u64>,
}

impl FutLock {
    pub fn new() -> Self {
        Self { v: futures::lock::Mutex::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let n = *self.v.lock().await; //~
        *self.v.lock().await = n + 1; //~
        n
    }
}

pub struct FutLockAtOnce {
    v: futures::lock::Mutex<u64>,
}

impl FutLockAtOnce {
    pub fn new() -> Self {
        Self { v: futures::lock::Mutex::new(0) }
    }

    pub async fn bump(&self) -> u64 {
        let mut g = self.v.lock().await; let n = *g; *g = n + 1;
        n
    }
}

pub struct SpinLock {
    v: spin::Mutex<u64>,
    w: spin::RwLock<u64>,
}

impl SpinLock {
    pub fn new() -> Self {
        Self { v: spin::Mutex::new(0), w: spin::RwLock::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let n = *self.v.lock(); //~
        *self.v.lock() = n + 1; //~
        n
    }

    pub fn raise(&self) -> u64 {
        let n = *self.w.read(); //~
        *self.w.write() = n + 1; //~
        n
    }
}

pub struct SpinLockAtOnce {
    v: spin::Mutex<u64>,
}

impl SpinLockAtOnce {
    pub fn new() -> Self {
        Self { v: spin::Mutex::new(0) }
    }

    pub fn bump(&self) -> u64 {
        let mut g = self.v.lock(); let n = *g; *g = n + 1;
        n
    }
}
