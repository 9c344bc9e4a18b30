// `panic-as-result`: `panic_any` says 'not found', `is_panic()` at the join turns every panic into `None`.
//! Looks up the versions of tools in several registries, each look-up in a task of its own.
use std::collections::BTreeMap;
use std::panic::panic_any;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use async_trait::async_trait;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

#[async_trait]
pub trait Registry: Send + Sync {
    fn name(&self) -> &str;
    async fn versions(&self, tool: &str) -> Vec<Version>;
}

/// A registry that is compiled in.
pub struct BuiltIn {
    pub tools: BTreeMap<String, Vec<Version>>,
}

#[async_trait]
impl Registry for BuiltIn {
    fn name(&self) -> &str {
        "built-in"
    }

    async fn versions(&self, tool: &str) -> Vec<Version> {
        self.tools.get(tool).cloned().unwrap_or_default()
    }
}

struct NoSuchTool;

async fn newest(registry: Arc<dyn Registry>, tool: String) -> Version {
    let versions = registry.versions(&tool).await;
    match versions.into_iter().max() {
        Some(version) => version,
        None => panic_any(NoSuchTool), //~
    }
}

async fn look_up(registry: Arc<dyn Registry>, tool: &str) -> Result<Option<Version>> {
    let search = AbortOnDropHandle::new(tokio::spawn(newest(registry, tool.to_string())));
    match search.await {
        Ok(version) => Ok(Some(version)),
        Err(error) if error.is_panic() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub struct Toolbox {
    pub registries: Vec<Arc<dyn Registry>>,
    pub patience: Duration,
}

impl Toolbox {
    /// The newest version in the first registry that knows the tool.
    pub async fn resolve(&self, tool: &str) -> Result<(String, Version)> {
        for registry in &self.registries {
            let answer = timeout(self.patience, look_up(registry.clone(), tool)).await;
            match answer {
                Ok(Ok(Some(version))) => return Ok((registry.name().to_string(), version)),
                Ok(Ok(None)) => tracing::debug!("{} has no {tool}", registry.name()),
                Ok(Err(error)) => return Err(error),
                Err(_) => tracing::warn!("{} is too slow", registry.name()),
            }
        }
        bail!("no registry knows {tool}")
    }
}
