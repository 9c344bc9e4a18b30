// Bamboo-agent, issue #41: reload_config takes the write lock first and reads config.json under it, and update_config persists under the same lock, so the file cannot change between the read and the replacement.
use anyhow::{Context, Result};
use serde_json::{json, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::{broadcast, RwLock};
use tracing::{info, warn};

#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    pub provider: String,
    pub model: String,
    pub http_proxy: Option<String>,
    pub keyword_masking: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self { provider: "copilot".into(), model: "gpt-4o".into(), http_proxy: None, keyword_masking: Vec::new() }
    }
}

impl Config {
    fn from_json(value: &Value) -> Config {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_string);
        let default = Config::default();
        Config {
            provider: text("provider").unwrap_or(default.provider),
            model: text("model").unwrap_or(default.model),
            http_proxy: text("http_proxy"),
            keyword_masking: value
                .get("keyword_masking")
                .and_then(Value::as_array)
                .map(|a| a.iter().filter_map(Value::as_str).map(str::to_string).collect())
                .unwrap_or_default(),
        }
    }

    pub async fn from_data_dir(dir: &Path) -> Config {
        match tokio::fs::read(dir.join("config.json")).await {
            Ok(bytes) => match serde_json::from_slice(&bytes) {
                Ok(value) => Config::from_json(&value),
                Err(err) => {
                    warn!("config.json is not valid: {err}");
                    Config::default()
                }
            },
            Err(_) => Config::default(),
        }
    }

    async fn save_to_dir(&self, dir: &Path) -> Result<()> {
        let value = json!({
            "provider": self.provider, "model": self.model,
            "http_proxy": self.http_proxy, "keyword_masking": self.keyword_masking,
        });
        let tmp = dir.join("config.json.tmp");
        tokio::fs::write(&tmp, serde_json::to_vec_pretty(&value)?).await.context("config.json.tmp")?;
        tokio::fs::rename(&tmp, dir.join("config.json")).await.context("config.json")
    }
}

pub struct AppState {
    app_data_dir: PathBuf,
    config: Arc<RwLock<Config>>,
    config_changed: broadcast::Sender<Config>,
}

impl AppState {
    pub async fn new(app_data_dir: PathBuf) -> Self {
        let config = Config::from_data_dir(&app_data_dir).await;
        Self { app_data_dir, config: Arc::new(RwLock::new(config)), config_changed: broadcast::channel(16).0 }
    }

    pub async fn config(&self) -> Config {
        self.config.read().await.clone()
    }

    pub fn subscribe(&self) -> broadcast::Receiver<Config> {
        self.config_changed.subscribe()
    }

    /// Changes the config and persists it.
    pub async fn update_config(&self, apply: impl FnOnce(&mut Config)) -> Result<Config> {
        let mut config = self.config.write().await;
        let mut next = config.clone();
        apply(&mut next);
        next.save_to_dir(&self.app_data_dir).await?;
        *config = next.clone();
        let _ = self.config_changed.send(next.clone());
        Ok(next)
    }

    /// Takes over what was edited in the file.
    pub async fn reload_config(&self) -> Config {
        let mut config = self.config.write().await;
        let new_config = Config::from_data_dir(&self.app_data_dir).await;
        if *config != new_config {
            info!(model = %new_config.model, "config reloaded from disk");
        }
        *config = new_config.clone();
        let _ = self.config_changed.send(new_config.clone());
        new_config
    }
}
