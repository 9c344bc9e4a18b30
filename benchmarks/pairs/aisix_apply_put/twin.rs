// Repaired as proposed in issue #112: ArcSwap::rcu clones and changes the snapshot again whenever another one was stored meanwhile; the change (a Fn without effects of its own) is thus always made to the snapshot it replaces.
use arc_swap::ArcSwap;
use crossbeam_channel::{Receiver, RecvTimeoutError};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

#[derive(Clone, Debug, PartialEq)]
pub struct RawEntry {
    pub key: String,
    pub value: String,
    pub mod_revision: u64,
}

/// Everything the request path needs; swapped as a whole.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub default_upstream: Option<String>,
    pub routes: BTreeMap<String, RawEntry>,
}

#[derive(Debug, Default)]
pub struct Stats {
    accepted: AtomicU64,
    rejected: AtomicU64,
}

pub struct Supervisor {
    prefix: String,
    handle: ArcSwap<Snapshot>,
    stats: Stats,
}

impl Supervisor {
    pub fn new(prefix: &str) -> Arc<Self> {
        let handle = ArcSwap::from_pointee(Snapshot::default());
        Arc::new(Supervisor { prefix: prefix.to_string(), handle, stats: Stats::default() })
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.handle.load_full()
    }

    fn update(&self, change: impl Fn(&mut Snapshot)) {
        self.handle.rcu(|current| {
            let mut new = Snapshot::clone(current);
            change(&mut new);
            new
        });
    }

    /// Takes one entry in, unless it is not ours or an older revision of what is there.
    pub fn apply_put(&self, entry: &RawEntry) -> bool {
        let Some(route) = entry.key.strip_prefix(&self.prefix) else {
            self.stats.rejected.fetch_add(1, Ordering::Relaxed);
            return false;
        };
        self.update(|snapshot| {
            let known = snapshot.routes.get(route).map_or(0, |e| e.mod_revision);
            if entry.mod_revision > known {
                snapshot.routes.insert(route.to_string(), entry.clone());
            }
        });
        self.stats.accepted.fetch_add(1, Ordering::Relaxed);
        true
    }

    pub fn set_default_upstream(&self, upstream: &str) {
        self.update(|snapshot| snapshot.default_upstream = Some(upstream.to_string()));
    }

    /// Follows the watch stream on a thread of its own.
    pub fn spawn_watch(self: &Arc<Self>, events: Receiver<RawEntry>, stop: Arc<AtomicBool>) -> JoinHandle<()> {
        let supervisor = Arc::clone(self);
        thread::spawn(move || {
            while !stop.load(Ordering::Acquire) {
                match events.recv_timeout(Duration::from_millis(100)) {
                    Ok(entry) => {
                        supervisor.apply_put(&entry);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        })
    }
}
