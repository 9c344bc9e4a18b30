//! What tokio offers to synchronise with.
use tokio::sync::{Mutex, OnceCell, RwLock, Semaphore, watch};
use tokio::task::yield_now;

/// A semaphore with one permit is a lock.
static PERMIT: Semaphore = Semaphore::const_new(1);

#[derive(Default)]
pub struct OnePermit {
    value: std::sync::Mutex<u64>,
    other: std::sync::Mutex<u64>,
}

impl OnePermit {
    pub async fn kept(&self) {
        let _permit = PERMIT.acquire().await.unwrap();
        let seen = *self.value.lock().unwrap();
        yield_now().await;
        *self.value.lock().unwrap() = seen * 2;
    }

    pub async fn given_back(&self) {
        let permit = PERMIT.acquire().await.unwrap();
        let seen = *self.other.lock().unwrap(); //~
        drop(permit);
        *self.other.lock().unwrap() = seen * 2; //~
    }
}

/// With more permits it limits, and protects nothing.
pub struct ManyPermits {
    permits: Semaphore,
    value: std::sync::Mutex<u64>,
}

impl Default for ManyPermits {
    fn default() -> Self {
        ManyPermits { permits: Semaphore::new(8), value: 0.into() }
    }
}

impl ManyPermits {
    pub async fn double(&self) {
        let _permit = self.permits.acquire().await.unwrap();
        let seen = *self.value.lock().unwrap(); //~
        yield_now().await;
        *self.value.lock().unwrap() = seen * 2; //~
    }
}

#[derive(Default)]
pub struct Upgraded {
    value: RwLock<u64>,
    fine: RwLock<u64>,
}

impl Upgraded {
    pub async fn double(&self) {
        let seen = *self.value.read().await; //~
        *self.value.write().await = seen * 2; //~
    }

    pub async fn double_well(&self) {
        let mut value = self.fine.write().await;
        let seen = *value;
        yield_now().await;
        *value = seen * 2;
    }
}

#[derive(Default)]
pub struct Tried {
    value: Mutex<u64>,
    fine: Mutex<u64>,
}

impl Tried {
    /// Skips when somebody else is at it.
    pub async fn double_well(&self) {
        if let Ok(mut value) = self.fine.try_lock() {
            let seen = *value;
            yield_now().await;
            *value = seen * 2;
        }
    }

    pub async fn double(&self) {
        let seen = match self.value.try_lock() {
            Ok(value) => *value, //~
            Err(_) => return,
        };
        if let Ok(mut value) = self.value.try_lock() {
            *value = seen * 2; //~
        }
    }
}

pub struct Watched {
    level: watch::Sender<u64>,
    fine: watch::Sender<u64>,
}

impl Watched {
    pub fn raise(&self) {
        let level = *self.level.borrow(); //~
        self.level.send_replace(level * 2); //~
    }

    pub fn raise_well(&self) {
        self.fine.send_modify(|level| *level *= 2);
    }
}

#[derive(Default)]
pub struct Cached {
    cell: OnceCell<u64>,
}

async fn compute() -> u64 {
    yield_now().await;
    7
}

impl Cached {
    pub async fn get(&self) -> u64 {
        *self.cell.get_or_init(compute).await
    }
}
