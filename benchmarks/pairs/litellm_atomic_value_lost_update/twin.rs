// majiayu000/litellm-rs PR #114 (issue #89): repaired as there.
use arc_swap::ArcSwap;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

pub struct AtomicValue<T> {
    inner: ArcSwap<T>,
}

impl<T: Clone> AtomicValue<T> {
    pub fn new(value: T) -> Self {
        Self { inner: ArcSwap::from_pointee(value) }
    }

    pub fn get(&self) -> T {
        (**self.inner.load()).clone()
    }

    pub fn load(&self) -> Arc<T> {
        self.inner.load_full()
    }

    pub fn update<F>(&self, f: F)
    where
        F: Fn(&T) -> T,
    {
        self.inner.rcu(|current| Arc::new(f(current)));
    }
}

impl<T: Clone + fmt::Debug> fmt::Debug for AtomicValue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AtomicValue").field("value", &self.load()).finish()
    }
}

#[derive(Debug, Clone, Default)]
pub struct Deployment {
    pub provider: String,
    pub total_requests: u64,
    pub failures: u64,
}

#[derive(Debug)]
pub struct DeploymentRegistry {
    deployments: AtomicValue<HashMap<String, Deployment>>,
}

impl DeploymentRegistry {
    pub fn new() -> Self {
        Self { deployments: AtomicValue::new(HashMap::new()) }
    }

    pub fn register(&self, id: &str, provider: &str) {
        self.deployments.update(|current| {
            let mut deployments = current.clone();
            let deployment = deployments.entry(id.to_string()).or_default();
            deployment.provider = provider.to_string();
            deployments
        });
    }

    pub fn record_result(&self, id: &str, success: bool) {
        self.deployments.update(|current| {
            let mut deployments = current.clone();
            if let Some(deployment) = deployments.get_mut(id) {
                deployment.total_requests += 1;
                deployment.failures += u64::from(!success);
            }
            deployments
        });
    }

    pub fn healthy(&self, max_failures: u64) -> Vec<String> {
        let deployments = self.deployments.load();
        deployments
            .iter()
            .filter(|(_, deployment)| deployment.failures <= max_failures)
            .map(|(id, _)| id.clone())
            .collect()
    }
}

impl Default for DeploymentRegistry {
    fn default() -> Self {
        Self::new()
    }
}
