// qdrant/qdrant PR #9374, commit 60ea9d0dd8: repaired as there.
use parking_lot::{RwLock, RwLockReadGuard, RwLockUpgradableReadGuard};
use serde_json::{json, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

pub trait ToJson {
    fn to_json(&self) -> Value;
}

struct SaveOnDisk<T> {
    data: RwLock<T>,
    path: PathBuf,
}

impl<T: ToJson + Clone> SaveOnDisk<T> {
    fn new(path: impl Into<PathBuf>, data: T) -> io::Result<Self> {
        let path: PathBuf = path.into();
        Self::save_data_to(&path, &data)?;
        Ok(Self { data: RwLock::new(data), path })
    }

    fn read(&self) -> RwLockReadGuard<'_, T> {
        self.data.read()
    }

    fn write<O>(&self, f: impl FnOnce(&mut T) -> O) -> io::Result<O> {
        let read_data = self.data.upgradable_read();
        let mut data_copy = (*read_data).clone();
        let output = f(&mut data_copy);
        Self::save_data_to(&self.path, &data_copy)?;
        let mut write_data = RwLockUpgradableReadGuard::upgrade(read_data);
        *write_data = data_copy;
        Ok(output)
    }

    fn write_optional(&self, f: impl FnOnce(&T) -> Option<T>) -> io::Result<bool> {
        let read_data = self.data.upgradable_read();
        let Some(output) = f(&read_data) else {
            return Ok(false);
        };
        Self::save_data_to(&self.path, &output)?;
        let mut write_data = RwLockUpgradableReadGuard::upgrade(read_data);
        *write_data = output;
        Ok(true)
    }

    fn save_data_to(path: &Path, data: &T) -> io::Result<()> {
        let tmp_path = path.with_extension("tmp");
        fs::write(&tmp_path, serde_json::to_vec(&data.to_json())?)?;
        fs::rename(&tmp_path, path)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct HnswConfig {
    pub m: usize,
    pub ef_construct: usize,
}

#[derive(Clone, Debug)]
pub struct EdgeConfig {
    hnsw_config: HnswConfig,
    vectors: HashMap<String, Option<HnswConfig>>,
    max_optimization_threads: usize,
}

impl EdgeConfig {
    fn set_vector_hnsw_config(&mut self, vector_name: &str, hnsw_config: HnswConfig) -> Result<(), OperationError> {
        let vector = self.vectors.get_mut(vector_name);
        *vector.ok_or_else(|| OperationError::VectorNameNotExists(vector_name.to_string()))? = Some(hnsw_config);
        Ok(())
    }
}

impl ToJson for EdgeConfig {
    fn to_json(&self) -> Value {
        let hnsw = |c: &HnswConfig| json!({ "m": c.m, "ef_construct": c.ef_construct });
        let vectors: HashMap<_, _> = self.vectors.iter().map(|(k, v)| (k, v.as_ref().map(hnsw))).collect();
        json!({ "hnsw_config": hnsw(&self.hnsw_config), "vectors": vectors, "threads": self.max_optimization_threads })
    }
}

#[derive(Debug)]
pub enum OperationError {
    VectorNameNotExists(String),
    ServiceError(String),
}

pub struct EdgeShard {
    config: SaveOnDisk<EdgeConfig>,
}

impl EdgeShard {
    pub fn new(path: &Path, hnsw_config: HnswConfig, vector_names: &[&str]) -> io::Result<Self> {
        let vectors = vector_names.iter().map(|name| (name.to_string(), None)).collect();
        let config = EdgeConfig { hnsw_config, vectors, max_optimization_threads: 1 };
        Ok(Self { config: SaveOnDisk::new(path.join("edge_config.json"), config)? })
    }

    pub fn vector_hnsw_config(&self, vector_name: &str) -> Option<HnswConfig> {
        let config = self.config.read();
        config.vectors.get(vector_name).map(|hnsw| hnsw.unwrap_or(config.hnsw_config))
    }

    pub fn set_vector_hnsw_config(&self, vector_name: &str, hnsw_config: HnswConfig) -> Result<(), OperationError> {
        let mut mutation = Ok(());
        self.config
            .write_optional(|cfg| {
                let mut updated = cfg.clone();
                match updated.set_vector_hnsw_config(vector_name, hnsw_config) {
                    Ok(()) => Some(updated),
                    Err(e) => {
                        mutation = Err(e);
                        None
                    }
                }
            })
            .map_err(|e| OperationError::ServiceError(e.to_string()))
            .and(mutation)
    }

    pub fn set_optimizers_config(&self, threads: usize) -> Result<(), OperationError> {
        self.config
            .write(|cfg| cfg.max_optimization_threads = threads)
            .map_err(|e| OperationError::ServiceError(e.to_string()))
    }
}
