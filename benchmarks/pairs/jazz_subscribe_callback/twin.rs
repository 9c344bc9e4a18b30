// Repaired as in garden-co/jazz PR #210: the sender moves into the callback, and the map of senders is gone.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::Stream;
use parking_lot::{Mutex, RwLock};
use thiserror::Error;
use tokio::sync::mpsc;

pub type SubscriptionId = u64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowDelta {
    Added { row: u64, value: String },
    Removed { row: u64 },
}

#[derive(Debug, Error)]
pub enum ClientError {
    #[error("table {0} does not exist")]
    NoSuchTable(String),
}

type Callback = Arc<dyn Fn(SubscriptionId, Vec<RowDelta>) + Send + Sync>;

struct Query {
    table: String,
    callback: Callback,
}

#[derive(Default)]
pub struct Runtime {
    tables: RwLock<HashMap<String, HashMap<u64, String>>>,
    queries: RwLock<HashMap<SubscriptionId, Query>>,
    next: Mutex<SubscriptionId>,
}

impl Runtime {
    pub fn create_table(&self, name: &str) {
        self.tables.write().entry(name.to_owned()).or_default();
    }

    pub fn subscribe(&self, table: &str, callback: Callback) -> Result<SubscriptionId, ClientError> {
        let tables = self.tables.read();
        let snapshot: Vec<RowDelta> = tables
            .get(table)
            .ok_or_else(|| ClientError::NoSuchTable(table.to_owned()))?
            .iter()
            .map(|(row, value)| RowDelta::Added { row: *row, value: value.clone() })
            .collect();
        let id = {
            let mut next = self.next.lock();
            *next += 1;
            *next
        };
        let query = Query { table: table.to_owned(), callback: callback.clone() };
        self.queries.write().insert(id, query);
        callback(id, snapshot);
        Ok(id)
    }

    pub fn apply(&self, table: &str, delta: RowDelta) {
        let mut tables = self.tables.write();
        let Some(rows) = tables.get_mut(table) else { return };
        match &delta {
            RowDelta::Added { row, value } => drop(rows.insert(*row, value.clone())),
            RowDelta::Removed { row } => drop(rows.remove(row)),
        }
        for (id, query) in self.queries.read().iter().filter(|(_, q)| q.table == table) {
            (query.callback)(*id, vec![delta.clone()]);
        }
    }

    pub fn unsubscribe(&self, id: SubscriptionId) {
        self.queries.write().remove(&id);
    }
}



pub struct SubscriptionStream {
    rx: mpsc::UnboundedReceiver<Vec<RowDelta>>,
    id: SubscriptionId,
    runtime: Arc<Runtime>,
}

impl Stream for SubscriptionStream {
    type Item = Vec<RowDelta>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.rx.poll_recv(cx)
    }
}

impl Drop for SubscriptionStream {
    fn drop(&mut self) {
        self.runtime.unsubscribe(self.id);
    }
}

pub struct JazzClient {
    runtime: Arc<Runtime>,
}

impl JazzClient {
    pub fn new(runtime: Arc<Runtime>) -> Self {
        Self { runtime }
    }

    pub fn subscribe(&self, table: &str) -> Result<SubscriptionStream, ClientError> {
        let (tx, rx) = mpsc::unbounded_channel();
        // The callback owns the sender, so it is there whenever the runtime calls.
        let callback: Callback = Arc::new(move |id, deltas| {
            if tx.send(deltas).is_err() {
                tracing::trace!(id, "subscription stream is gone");
            }
        });
        let id = self.runtime.subscribe(table, callback)?;
        Ok(SubscriptionStream { rx, id, runtime: self.runtime.clone() })
    }
}
