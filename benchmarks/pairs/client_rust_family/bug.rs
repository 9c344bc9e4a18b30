// Source: prometheus/client_rust PR #102, commit 8494288 (race condition in `Family::get_or_create`): looked for under the read lock,
// put in over whatever is there by then; a gauge that somebody has counted up is replaced, and counting down the new one wraps. And the
// write lock is let go before the metric is read again: removed in between, `expect` panics.
use std::collections::HashMap;
use std::fmt::{self, Display, Write};
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use parking_lot::{MappedRwLockReadGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

pub trait Atomic<N>: Default + Send + Sync {
    fn inc_by(&self, n: N) -> N;
    fn dec_by(&self, n: N) -> N;
    fn get(&self) -> N;
}

impl Atomic<u64> for AtomicU64 {
    fn inc_by(&self, n: u64) -> u64 {
        self.fetch_add(n, Ordering::Relaxed)
    }

    fn dec_by(&self, n: u64) -> u64 {
        self.fetch_sub(n, Ordering::Relaxed)
    }

    fn get(&self) -> u64 {
        self.load(Ordering::Relaxed)
    }
}

#[derive(Debug, Default)]
pub struct Gauge<A = AtomicU64> {
    value: Arc<A>,
}

impl<A: Atomic<u64>> Gauge<A> {
    pub fn inc(&self) -> u64 {
        self.value.inc_by(1)
    }

    pub fn dec(&self) -> u64 {
        self.value.dec_by(1)
    }

    pub fn get(&self) -> u64 {
        self.value.get()
    }
}

pub trait MetricConstructor<M> {
    fn new_metric(&self) -> M;
}

impl<M, F: Fn() -> M> MetricConstructor<M> for F {
    fn new_metric(&self) -> M {
        self()
    }
}

pub struct Family<S, M, C = fn() -> M> {
    metrics: Arc<RwLock<HashMap<S, M>>>,
    constructor: C,
}

impl<S: Clone + Hash + Eq, M: Default> Default for Family<S, M> {
    fn default() -> Self {
        Family { metrics: Arc::default(), constructor: M::default }
    }
}

impl<S: Clone + Hash + Eq, M, C: Clone> Clone for Family<S, M, C> {
    fn clone(&self) -> Self {
        Family { metrics: self.metrics.clone(), constructor: self.constructor.clone() }
    }
}

impl<S: Clone + Hash + Eq, M, C> Family<S, M, C> {
    pub fn new_with_constructor(constructor: C) -> Self {
        Family { metrics: Arc::default(), constructor }
    }

    pub fn remove(&self, label_set: &S) -> bool {
        self.metrics.write().remove(label_set).is_some()
    }

    pub fn clear(&self) {
        self.metrics.write().clear()
    }
}

impl<S: Clone + Hash + Eq, M, C: MetricConstructor<M>> Family<S, M, C> {
    pub fn get_or_create(&self, label_set: &S) -> MappedRwLockReadGuard<'_, M> {
        if let Ok(metric) = RwLockReadGuard::try_map(self.metrics.read(), |metrics| metrics.get(label_set)) { //~
            return metric;
        }

        let mut write_guard: RwLockWriteGuard<'_, HashMap<S, M>> = self.metrics.write();
        write_guard.insert(label_set.clone(), self.constructor.new_metric()); //~

        drop(write_guard);

        RwLockReadGuard::map(self.metrics.read(), |metrics| { //~
            metrics.get(label_set).expect("Metric to exist after creating it.") //~
        })
    }
}

impl<S: Clone + Hash + Eq + Display, A: Atomic<u64>, C> Family<S, Gauge<A>, C> {
    pub fn encode(&self, name: &str, out: &mut String) -> fmt::Result {
        for (label_set, gauge) in self.metrics.read().iter() {
            writeln!(out, "{name}{{{label_set}}} {}", gauge.get())?;
        }
        Ok(())
    }
}
