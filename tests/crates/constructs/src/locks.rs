//! Locks of other libraries.
use async_trait::async_trait;

#[derive(Default)]
pub struct ParkingLot {
    value: parking_lot::Mutex<u64>,
    fine: parking_lot::Mutex<u64>,
    table: parking_lot::RwLock<Vec<u64>>,
    upgraded: parking_lot::RwLock<Vec<u64>>,
}

impl ParkingLot {
    pub fn double(&self) {
        let seen = *self.value.lock(); //~
        *self.value.lock() = seen * 2; //~
    }

    pub fn double_well(&self) {
        let mut value = self.fine.lock();
        let seen = *value;
        *value = seen * 2;
    }

    pub fn insert(&self, value: u64) {
        if !self.table.read().contains(&value) { //~
            self.table.write().insert(0, value); //~
        }
    }

    /// An upgradable guard stays where it is while it becomes a writer's.
    pub fn insert_well(&self, value: u64) {
        let table = self.upgraded.upgradable_read();
        if !table.contains(&value) {
            let mut table = parking_lot::RwLockUpgradableReadGuard::upgrade(table);
            table.insert(0, value);
        }
    }
}

#[derive(Default)]
pub struct AsyncLock {
    value: async_lock::Mutex<u64>,
    fine: async_lock::Mutex<u64>,
    table: async_lock::RwLock<Vec<u64>>,
    upgraded: async_lock::RwLock<Vec<u64>>,
}

impl AsyncLock {
    pub async fn double(&self) {
        let seen = *self.value.lock().await; //~
        *self.value.lock().await = seen * 2; //~
    }

    pub async fn double_well(&self) {
        let mut value = self.fine.lock().await;
        let seen = *value;
        tokio::task::yield_now().await;
        *value = seen * 2;
    }

    pub async fn insert(&self, value: u64) {
        if !self.table.read().await.contains(&value) { //~
            self.table.write().await.insert(0, value); //~
        }
    }

    /// Nobody else gets in while the guard becomes a writer's.
    pub async fn insert_well(&self, value: u64) {
        let table = self.upgraded.upgradable_read().await;
        if !table.contains(&value) {
            let mut table = async_lock::RwLockUpgradableReadGuard::upgrade(table).await;
            table.insert(0, value);
        }
    }
}

#[async_trait]
pub trait Store {
    async fn load(&self) -> u64;
    async fn store(&self, value: u64);
}

#[derive(Default)]
pub struct Memory {
    value: tokio::sync::Mutex<u64>,
}

#[async_trait]
impl Store for Memory {
    async fn load(&self) -> u64 {
        *self.value.lock().await //~
    }

    async fn store(&self, value: u64) {
        *self.value.lock().await = value; //~
    }
}

/// Through an `async_trait` object.
pub struct Service {
    store: Box<dyn Store + Send + Sync>,
}

impl Service {
    pub fn new() -> Self {
        Service { store: Box::new(Memory::default()) }
    }

    pub async fn double(&self) {
        let seen = self.store.load().await;
        self.store.store(seen * 2).await;
    }
}
