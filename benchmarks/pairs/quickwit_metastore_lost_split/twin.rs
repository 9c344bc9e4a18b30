// quickwit-oss/quickwit PR #560: repaired as there.
use anyhow::{bail, Context, Result};
use async_trait::async_trait;
use serde_json::{json, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Mutex;

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

struct InnerSingleFileMetastore {
    storage: Arc<dyn Storage>,
    cache: HashMap<String, MetadataSet>,
}

impl InnerSingleFileMetastore {
    async fn get_index(&mut self, index_id: &str) -> Result<MetadataSet> {
        if let Some(metadata_set) = self.cache.get(index_id) {
            return Ok(metadata_set.clone());
        }
        let content = self.storage.get_all(&meta_path(index_id)).await?;
        let metadata_set = MetadataSet::from_json(&content)?;
        self.cache.insert(index_id.to_string(), metadata_set.clone());
        Ok(metadata_set)
    }

    async fn put_index(&mut self, metadata_set: MetadataSet) -> Result<()> {
        let content = metadata_set.to_json()?;
        let index_id = metadata_set.index_id.clone();
        self.storage.put(&meta_path(&index_id), content).await?;
        self.cache.insert(index_id, metadata_set);
        Ok(())
    }

    async fn stage_split(&mut self, index_id: &str, split_id: &str) -> Result<()> {
        let mut metadata_set = self.get_index(index_id).await?;
        if metadata_set.splits.contains_key(split_id) {
            bail!("split `{split_id}` already exists");
        }
        metadata_set.splits.insert(split_id.to_string(), SplitState::Staged);
        self.put_index(metadata_set).await
    }

    async fn publish_splits(&mut self, index_id: &str, split_ids: &[&str]) -> Result<()> {
        let mut metadata_set = self.get_index(index_id).await?;
        for split_id in split_ids {
            let state = metadata_set.splits.get_mut(*split_id).context("split does not exist")?;
            *state = SplitState::Published;
        }
        self.put_index(metadata_set).await
    }
}

pub struct SingleFileMetastore {
    inner: Mutex<InnerSingleFileMetastore>,
}

impl SingleFileMetastore {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        let inner = InnerSingleFileMetastore { storage, cache: HashMap::new() };
        SingleFileMetastore { inner: Mutex::new(inner) }
    }

    pub async fn stage_split(&self, index_id: &str, split_id: &str) -> Result<()> {
        self.inner.lock().await.stage_split(index_id, split_id).await
    }

    pub async fn publish_splits(&self, index_id: &str, split_ids: &[&str]) -> Result<()> {
        self.inner.lock().await.publish_splits(index_id, split_ids).await
    }
}
