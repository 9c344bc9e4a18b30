// atusy/kakehashi issue 712, repaired: snapshot taken under the lock.
//! Language server: the shared settings snapshot, which two kinds of events replace.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{bail, Result};
use arc_swap::ArcSwap;
use tokio::sync::{Mutex, MutexGuard};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct RawSettings {
    pub auto_install: bool,
    pub search_paths: Vec<String>,
    pub languages: BTreeMap<String, LanguageSettings>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct LanguageSettings {
    pub parser: Option<String>,
    pub queries: Vec<String>,
}

/// What a client sends with `workspace/didChangeConfiguration`.
#[derive(Debug, Clone, Default)]
pub struct SettingsPatch {
    pub auto_install: Option<bool>,
    pub languages: BTreeMap<String, LanguageSettings>,
}

#[derive(Default)]
pub struct SettingsManager {
    raw: ArcSwap<RawSettings>,
}

impl SettingsManager {
    pub fn load_raw_settings(&self) -> Arc<RawSettings> {
        self.raw.load_full()
    }

    fn publish(&self, settings: RawSettings) {
        self.raw.store(Arc::new(settings));
    }
}

fn merge(base: &RawSettings, patch: SettingsPatch) -> RawSettings {
    let mut merged = base.clone();
    if let Some(auto_install) = patch.auto_install {
        merged.auto_install = auto_install;
    }
    merged.languages.extend(patch.languages);
    merged
}

pub struct Kakehashi {
    settings_manager: SettingsManager,
    /// Serializes reloads: one set of parsers is loaded at a time.
    settings_reload_lock: Mutex<()>,
    loaded: Mutex<Vec<String>>,
}

impl Kakehashi {
    pub fn new(initial: RawSettings) -> Self {
        let settings_manager = SettingsManager::default();
        settings_manager.publish(initial);
        Self {
            settings_manager,
            settings_reload_lock: Mutex::new(()),
            loaded: Mutex::new(Vec::new()),
        }
    }

    pub fn settings(&self) -> Arc<RawSettings> {
        self.settings_manager.load_raw_settings()
    }

    /// `workspace/didChangeConfiguration`
    pub async fn did_change_configuration_impl(&self, patch: SettingsPatch) -> Result<()> {
        let reload = self.settings_reload_lock.lock().await;
        let current = self.settings_manager.load_raw_settings();
        let merged = merge(&current, patch);
        self.apply_raw_settings(merged, reload).await
    }

    /// Called when a parser was installed in the background.
    pub async fn reload_language_after_install(&self, language: &str, data_dir: &str) -> Result<()> {
        let reload = self.settings_reload_lock.lock().await;
        let current = self.settings_manager.load_raw_settings();
        let mut updated = (*current).clone();
        if !updated.search_paths.iter().any(|p| p == data_dir) {
            updated.search_paths.push(data_dir.to_string());
        }
        tracing::info!(language, data_dir, "reload after install");
        self.apply_raw_settings(updated, reload).await
    }

    async fn apply_raw_settings(
        &self,
        settings: RawSettings,
        _reload: MutexGuard<'_, ()>,
    ) -> Result<()> {
        self.load_parsers(&settings).await?;
        self.settings_manager.publish(settings);
        Ok(())
    }

    async fn load_parsers(&self, settings: &RawSettings) -> Result<()> {
        let mut names = Vec::new();
        for (name, language) in &settings.languages {
            if language.parser.is_none() && settings.search_paths.is_empty() {
                bail!("no parser for {name}");
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
            names.push(name.clone());
        }
        *self.loaded.lock().await = names;
        Ok(())
    }
}
