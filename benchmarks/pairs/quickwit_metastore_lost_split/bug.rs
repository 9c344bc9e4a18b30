// quickwit-oss/quickwit PR #560: load (cache or storage), change, store without a lock over it: a staged/published split lost.
use anyhow::{bail, Context, Result};
use async_trait::async_trait;
use serde_json::{json, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::RwLock;

#[async_trait]
pub trait Storage: Send + Sync {
    async fn get_all(&self, path: &Path) -> Result<Vec<u8>>;
    async fn put(&self, path: &Path, payload: Vec<u8>) -> Result<()>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitState {
    Staged,
    Published,
}

#[derive(Clone, Debug)]
struct MetadataSet {
    index_id: String,
    splits: HashMap<String, SplitState>,
}

impl MetadataSet {
    fn to_json(&self) -> Result<Vec<u8>> {
        let splits: HashMap<&str, bool> = self
            .splits
            .iter()
            .map(|(id, state)| (id.as_str(), *state == SplitState::Published))
            .collect();
        Ok(serde_json::to_vec_pretty(&json!({ "index_id": self.index_id, "splits": splits }))?)
    }

    fn from_json(content: &[u8]) -> Result<Self> {
        let manifest: Value = serde_json::from_slice(content)?;
        let index_id = manifest["index_id"].as_str().context("missing index_id")?.to_string();
        let splits = manifest["splits"].as_object().context("missing splits")?;
        let splits = splits
            .iter()
            .map(|(id, published)| match published.as_bool() {
                Some(true) => (id.clone(), SplitState::Published),
                _ => (id.clone(), SplitState::Staged),
            })
            .collect();
        Ok(MetadataSet { index_id, splits })
    }
}

fn meta_path(index_id: &str) -> PathBuf {
    Path::new(index_id).join("quickwit.json")
}

pub struct SingleFileMetastore {
    storage: Arc<dyn Storage>,
    cache: Arc<RwLock<HashMap<String, MetadataSet>>>,
}

impl SingleFileMetastore {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        SingleFileMetastore { storage, cache: Arc::new(RwLock::new(HashMap::new())) }
    }

    async fn get_index(&self, index_id: &str) -> Result<MetadataSet> {
        {
            let cache = self.cache.read().await;
            if let Some(metadata_set) = cache.get(index_id) {
                return Ok(metadata_set.clone());
            }
        }
        let content = self.storage.get_all(&meta_path(index_id)).await?;
        let metadata_set = MetadataSet::from_json(&content)?;
        let mut cache = self.cache.write().await;
        cache.insert(index_id.to_string(), metadata_set.clone());
        Ok(metadata_set)
    }

    async fn put_index(&self, metadata_set: MetadataSet) -> Result<()> {
        let content = metadata_set.to_json()?;
        let index_id = metadata_set.index_id.clone();
        self.storage.put(&meta_path(&index_id), content).await?;
        let mut cache = self.cache.write().await;
        cache.insert(index_id, metadata_set);
        Ok(())
    }

    pub async fn stage_split(&self, index_id: &str, split_id: &str) -> Result<()> {
        let mut metadata_set = self.get_index(index_id).await?;
        if metadata_set.splits.contains_key(split_id) {
            bail!("split `{split_id}` already exists");
        }
        metadata_set.splits.insert(split_id.to_string(), SplitState::Staged);
        self.put_index(metadata_set).await
    }

    pub async fn publish_splits(&self, index_id: &str, split_ids: &[&str]) -> Result<()> {
        let mut metadata_set = self.get_index(index_id).await?;
        for split_id in split_ids {
            let state = metadata_set.splits.get_mut(*split_id).context("split does not exist")?;
            *state = SplitState::Published;
        }
        self.put_index(metadata_set).await
    }
}
