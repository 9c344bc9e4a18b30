// majiayu000/litellm-rs issue #89
use arc_swap::ArcSwap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

pub struct AtomicValue<T> {
    inner: ArcSwap<T>,
}

impl<T> AtomicValue<T> {
    pub fn new(value: T) -> Self {
        Self {
            inner: ArcSwap::from_pointee(value),
        }
    }

    pub fn load(&self) -> Arc<T> {
        self.inner.load_full()
    }

    pub fn store(&self, value: T) {
        self.inner.store(Arc::new(value));
    }

    pub fn update<F>(&self, f: F)
    where
        F: Fn(&T) -> T,
    {
        let current = self.inner.load();
        let updated = f(&current);
        self.inner.store(Arc::new(updated));
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Deployment {
    pub id: String,
    pub base_url: String,
    pub model: String,
    pub failures: u32,
    pub cooled_down: bool,
}

impl Deployment {
    pub fn new(id: &str, base_url: &str, model: &str) -> Self {
        Self {
            id: id.into(),
            base_url: base_url.into(),
            model: model.into(),
            failures: 0,
            cooled_down: false,
        }
    }
}

pub struct DeploymentPool {
    deployments: AtomicValue<Vec<Deployment>>,
    cursor: AtomicUsize,
    allowed_fails: u32,
}

impl DeploymentPool {
    pub fn new(allowed_fails: u32) -> Self {
        Self {
            deployments: AtomicValue::new(Vec::new()),
            cursor: AtomicUsize::new(0),
            allowed_fails,
        }
    }

    pub fn upsert(&self, deployment: Deployment) {
        self.deployments.update(|current| {
            let mut next: Vec<_> = current
                .iter()
                .filter(|d| d.id != deployment.id)
                .cloned()
                .collect();
            next.push(deployment.clone());
            next
        });
    }

    pub fn remove(&self, id: &str) {
        self.deployments
            .update(|current| current.iter().filter(|d| d.id != id).cloned().collect());
    }

    pub fn record_failure(&self, id: &str) {
        self.edit(id, |d| {
            d.failures += 1;
            d.cooled_down = d.failures >= self.allowed_fails;
        });
    }

    pub fn record_success(&self, id: &str) {
        self.edit(id, |d| {
            d.failures = 0;
            d.cooled_down = false;
        });
    }

    fn edit(&self, id: &str, apply: impl Fn(&mut Deployment)) {
        self.deployments.update(|current| {
            let mut next = current.clone();
            next.iter_mut().filter(|d| d.id == id).for_each(&apply);
            next
        });
    }

    pub fn pick(&self, model: &str) -> Option<Deployment> {
        let deployments = self.deployments.load();
        let usable: Vec<_> = deployments
            .iter()
            .filter(|d| d.model == model && !d.cooled_down)
            .collect();
        let turn = self.cursor.fetch_add(1, Ordering::Relaxed);
        usable.get(turn % usable.len().max(1)).map(|d| (*d).clone())
    }
}
