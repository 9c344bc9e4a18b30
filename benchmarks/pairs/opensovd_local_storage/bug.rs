// eclipse-opensovd/classic-diagnostic-adapter issue 476: `get_or_create_collection` checks under a read lock (and the transaction flag under none) and inserts under a write lock: the second caller replaces a collection that was written to.
//! Storage of a diagnostic adapter: named collections, which are made either on first use or by a
//! transaction. One transaction at a time.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use tokio::sync::RwLock;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StorageError {
    CollectionNotFound(String),
    TransactionBusy,
    TransactionConflict(String),
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CollectionNotFound(name) => write!(f, "collection not found: {name}"),
            Self::TransactionBusy => write!(f, "another transaction is active"),
            Self::TransactionConflict(reason) => write!(f, "transaction conflict: {reason}"),
        }
    }
}

impl std::error::Error for StorageError {}

#[derive(Default)]
pub struct LocalCollection {
    files: RwLock<HashMap<String, Vec<u8>>>,
}

impl LocalCollection {
    pub async fn write(&self, key: &str, data: Vec<u8>) {
        self.files.write().await.insert(key.to_string(), data);
    }

    pub async fn read(&self, key: &str) -> Option<Vec<u8>> {
        self.files.read().await.get(key).cloned()
    }
}

type Collections = Arc<RwLock<HashMap<String, Arc<LocalCollection>>>>;

#[derive(Debug, Clone)]
enum Operation {
    CreateCollection { name: String },
    DeleteCollection { name: String },
}

#[derive(Default)]
pub struct LocalStorage {
    /// Read-write lock: reads take shared, commit takes exclusive.
    collections: Collections,
    /// Flag to enforce single-transaction-at-a-time.
    tx_active: Arc<AtomicBool>,
}

impl LocalStorage {
    pub async fn get_collection(&self, name: &str) -> Result<Arc<LocalCollection>, StorageError> {
        let collections = self.collections.read().await;
        collections.get(name).cloned().ok_or_else(|| StorageError::CollectionNotFound(name.into()))
    }

    pub async fn get_or_create_collection(
        &self,
        name: &str,
    ) -> Result<Arc<LocalCollection>, StorageError> {
        let collections = self.collections.read().await;
        if let Some(collection) = collections.get(name) { //~
            return Ok(collection.clone());
        }
        drop(collections); //~

        // Collection does not exist -- reject if a transaction is active.
        if self.tx_active.load(Ordering::Acquire) { //~
            return Err(StorageError::TransactionBusy);
        }
        let mut collections = self.collections.write().await; //~
        let collection = Arc::new(LocalCollection::default());
        collections.insert(name.to_string(), collection.clone()); //~
        tracing::debug!(collection = %name, "created collection");
        Ok(collection)
    }

    pub async fn begin_transaction(&self) -> Result<Transaction, StorageError> {
        let _collections = self.collections.write().await;
        if self.tx_active.swap(true, Ordering::AcqRel) { //~
            return Err(StorageError::TransactionBusy);
        }
        Ok(Transaction {
            collections: self.collections.clone(),
            tx_active: self.tx_active.clone(),
            operations: Vec::new(),
        })
    }
}

/// Operations that are applied together; dropped, it is rolled back.
pub struct Transaction {
    collections: Collections,
    tx_active: Arc<AtomicBool>,
    operations: Vec<Operation>,
}

impl Transaction {
    pub async fn create_collection(&mut self, name: &str) -> Result<(), StorageError> {
        if self.collections.read().await.contains_key(name) {
            return Err(StorageError::TransactionConflict(format!("{name} already exists")));
        }
        self.operations.push(Operation::CreateCollection { name: name.to_string() });
        Ok(())
    }

    pub async fn delete_collection(&mut self, name: &str) -> Result<(), StorageError> {
        if !self.collections.read().await.contains_key(name) {
            return Err(StorageError::CollectionNotFound(name.to_string()));
        }
        self.operations.push(Operation::DeleteCollection { name: name.to_string() });
        Ok(())
    }

    pub async fn commit(mut self) {
        let mut collections = self.collections.write().await;
        for operation in std::mem::take(&mut self.operations) {
            match operation {
                Operation::CreateCollection { name } => {
                    collections.entry(name).or_default();
                }
                Operation::DeleteCollection { name } => {
                    collections.remove(&name);
                }
            }
        }
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        self.tx_active.store(false, Ordering::Release);
    }
}
