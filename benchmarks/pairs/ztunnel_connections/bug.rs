// istio/ztunnel PR #991
use std::collections::hash_map::Entry;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, RwLock};
use tokio::sync::watch;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Connection {
    pub src: SocketAddr,
    pub dst: SocketAddr,
    pub src_identity: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Error {
    RbacDenied,
    PolicyChanged,
}

struct ConnectionDrain {
    tx: watch::Sender<()>,
    count: usize,
}

#[derive(Clone, Default)]
pub struct ConnectionManager {
    drains: Arc<RwLock<HashMap<Connection, ConnectionDrain>>>,
}

pub struct ConnectionGuard {
    manager: ConnectionManager,
    conn: Connection,
    watch: watch::Receiver<()>,
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.manager.release(&self.conn);
    }
}

impl ConnectionManager {
    fn register(&self, conn: &Connection) {
        let mut drains = self.drains.write().unwrap();
        drains.entry(conn.clone()).or_insert_with(|| ConnectionDrain {
            tx: watch::channel(()).0,
            count: 0,
        });
    }

    fn track(&self, conn: &Connection) -> Option<ConnectionGuard> {
        let mut drains = self.drains.write().unwrap();
        let drain = drains.get_mut(conn)?;
        drain.count += 1;
        Some(ConnectionGuard {
            manager: self.clone(),
            conn: conn.clone(),
            watch: drain.tx.subscribe(),
        })
    }

    fn release(&self, conn: &Connection) {
        let mut drains = self.drains.write().unwrap();
        if let Entry::Occupied(mut entry) = drains.entry(conn.clone()) {
            entry.get_mut().count = entry.get().count.saturating_sub(1);
            if entry.get().count == 0 {
                entry.remove();
            }
        }
    }

    pub fn close_where(&self, denied: impl Fn(&Connection) -> bool) {
        let drains = self.drains.read().unwrap();
        for (_, drain) in drains.iter().filter(|(conn, _)| denied(conn)) {
            drain.tx.send_replace(());
        }
    }
}

#[derive(Clone, Default)]
pub struct Rbac {
    denied: Arc<RwLock<Vec<String>>>,
}

impl Rbac {
    pub fn set_denied(&self, identities: Vec<String>) {
        *self.denied.write().unwrap() = identities;
    }

    pub fn allows(&self, conn: &Connection) -> bool {
        let denied = self.denied.read().unwrap();
        !conn.src_identity.as_ref().is_some_and(|id| denied.contains(id))
    }
}

pub async fn serve<F>(cm: &ConnectionManager, rbac: &Rbac, conn: Connection, copy: F) -> Result<u64, Error>
where
    F: std::future::Future<Output = u64>,
{
    cm.register(&conn);
    if !rbac.allows(&conn) {
        cm.release(&conn);
        return Err(Error::RbacDenied);
    }
    let mut guard = cm.track(&conn).ok_or(Error::PolicyChanged)?;
    tokio::select! {
        bytes = copy => Ok(bytes),
        _ = guard.watch.changed() => Err(Error::PolicyChanged),
    }
}

pub fn enforce(cm: &ConnectionManager, rbac: &Rbac) {
    cm.close_where(|conn| !rbac.allows(conn));
}
