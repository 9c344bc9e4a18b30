// Repaired as in neo4j-labs/neo4rs PR #273: one fetch_update does the wrap-around and the step.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use parking_lot::RwLock;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum RoutingError {
    #[error("no server can serve {0:?} requests")]
    NoServer(Role),
    #[error("database {0} has no routing table")]
    UnknownDatabase(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Reader,
    Writer,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoltServer {
    pub address: String,
    pub port: u16,
    pub role: Role,
}

pub trait LoadBalancingStrategy: Send + Sync {
    fn select(&self, servers: &[BoltServer], role: Role) -> Option<BoltServer>;
}

#[derive(Default)]
pub struct RoundRobinStrategy {
    reader_index: AtomicUsize,
    writer_index: AtomicUsize,
}

impl RoundRobinStrategy {
    fn index_for(&self, role: Role) -> &AtomicUsize {
        match role {
            Role::Reader => &self.reader_index,
            Role::Writer => &self.writer_index,
        }
    }

    fn next_server(servers: &[&BoltServer], index: &AtomicUsize) -> Option<BoltServer> {
        if servers.is_empty() {
            return None;
        }
        let previous = index
            .fetch_update(Ordering::SeqCst, Ordering::Relaxed, |i| {
                Some(if i == 0 || i > servers.len() { servers.len() - 1 } else { i - 1 })
            })
            .unwrap_or_else(|i| i);
        servers.get(previous % servers.len()).map(|s| (*s).clone())
    }
}

impl LoadBalancingStrategy for RoundRobinStrategy {
    fn select(&self, servers: &[BoltServer], role: Role) -> Option<BoltServer> {
        let matching: Vec<&BoltServer> = servers.iter().filter(|s| s.role == role).collect();
        Self::next_server(&matching, self.index_for(role))
    }
}

pub struct RoutedConnectionManager<S = RoundRobinStrategy> {
    tables: RwLock<HashMap<String, Arc<Vec<BoltServer>>>>,
    strategy: S,
}

impl<S: LoadBalancingStrategy> RoutedConnectionManager<S> {
    pub fn new(strategy: S) -> Self {
        Self { tables: RwLock::new(HashMap::new()), strategy }
    }

    pub fn refresh(&self, db: &str, servers: Vec<BoltServer>) {
        tracing::debug!(db, count = servers.len(), "routing table refreshed");
        self.tables.write().insert(db.to_owned(), Arc::new(servers));
    }

    pub fn server_for(&self, db: &str, role: Role) -> Result<BoltServer, RoutingError> {
        let table = self
            .tables
            .read()
            .get(db)
            .cloned()
            .ok_or_else(|| RoutingError::UnknownDatabase(db.to_owned()))?;
        self.strategy
            .select(&table, role)
            .ok_or(RoutingError::NoServer(role))
    }
}
