// starcoinorg/starcoin PR 4737 (review), repaired: `get_or_insert_with` under one write lock.
//! State of a chain's accounts: each account has a tree of its resources and, once a module was
//! published under it, a tree of its code.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use anyhow::{anyhow, Result};
use parking_lot::{Mutex, RwLock};

pub type HashValue = u64;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DataPath {
    Code(String),
    Resource(String),
}

#[derive(Default)]
pub struct StateNodeStore {
    nodes: RwLock<HashMap<HashValue, BTreeMap<String, Vec<u8>>>>,
}

/// Updates in memory over the nodes of the last commit.
pub struct StateTree {
    store: Arc<StateNodeStore>,
    root: Option<HashValue>,
    updates: BTreeMap<String, Option<Vec<u8>>>,
}

impl StateTree {
    fn new(store: Arc<StateNodeStore>) -> Self {
        Self { store, root: None, updates: BTreeMap::new() }
    }

    fn put(&mut self, key: String, value: Vec<u8>) {
        self.updates.insert(key, Some(value));
    }

    fn remove(&mut self, key: &str) {
        self.updates.insert(key.to_string(), None);
    }

    fn get(&self, key: &str) -> Option<Vec<u8>> {
        match self.updates.get(key) {
            Some(update) => update.clone(),
            None => self.store.nodes.read().get(&self.root?)?.get(key).cloned(),
        }
    }

    fn commit(&mut self) -> HashValue {
        let mut nodes = self.store.nodes.write();
        let mut state = self.root.and_then(|root| nodes.get(&root).cloned()).unwrap_or_default();
        for (key, update) in std::mem::take(&mut self.updates) {
            match update {
                Some(value) => state.insert(key, value),
                None => state.remove(&key),
            };
        }
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        let root = hasher.finish();
        nodes.insert(root, state);
        self.root = Some(root);
        root
    }
}

pub struct AccountStateObject {
    code_tree: RwLock<Option<StateTree>>,
    resource_tree: RwLock<StateTree>,
    store: Arc<StateNodeStore>,
}

impl AccountStateObject {
    pub fn empty_account(store: Arc<StateNodeStore>) -> Self {
        Self {
            code_tree: RwLock::new(None),
            resource_tree: RwLock::new(StateTree::new(store.clone())),
            store,
        }
    }

    pub fn get(&self, data_path: &DataPath) -> Option<Vec<u8>> {
        match data_path {
            DataPath::Code(module_name) => self.code_tree.read().as_ref()?.get(module_name),
            DataPath::Resource(tag) => self.resource_tree.read().get(tag),
        }
    }

    pub fn set(&self, data_path: DataPath, value: Vec<u8>) {
        match data_path {
            DataPath::Code(module_name) => {
                self.code_tree
                    .write()
                    .get_or_insert_with(|| StateTree::new(self.store.clone()))
                    .put(module_name, value);
            }
            DataPath::Resource(tag) => self.resource_tree.write().put(tag, value),
        }
    }

    pub fn remove(&self, data_path: &DataPath) -> Result<()> {
        match data_path {
            DataPath::Code(module_name) => {
                let mut code_tree = self.code_tree.write();
                let tree = code_tree.as_mut().ok_or_else(|| anyhow!("no code to remove"))?;
                tree.remove(module_name);
            }
            DataPath::Resource(tag) => self.resource_tree.write().remove(tag),
        }
        Ok(())
    }

    /// The roots of code and resources.
    pub fn commit(&self) -> (Option<HashValue>, HashValue) {
        let mut code_tree = self.code_tree.write();
        let mut resource_tree = self.resource_tree.write();
        (code_tree.as_mut().map(StateTree::commit), resource_tree.commit())
    }
}

#[derive(Default)]
pub struct ChainStateDB {
    store: Arc<StateNodeStore>,
    cache: Mutex<HashMap<String, Arc<AccountStateObject>>>,
}

impl ChainStateDB {
    pub fn account(&self, address: &str) -> Arc<AccountStateObject> {
        let mut cache = self.cache.lock();
        let account = cache.entry(address.to_string());
        account.or_insert_with(|| Arc::new(AccountStateObject::empty_account(self.store.clone()))).clone()
    }

    pub fn set(&self, address: &str, data_path: DataPath, value: Vec<u8>) {
        self.account(address).set(data_path, value);
    }
}
