// astral-sh/uv PR #15551 (issue #15513): repaired as there.
use anyhow::{bail, Result};
use async_trait::async_trait;
use std::fs::{self, File, OpenOptions, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use uuid::Uuid;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    Ruff,
}

impl Binary {
    fn name(&self) -> &'static str {
        match self {
            Self::Ruff => "ruff",
        }
    }

    fn download_url(&self, version: &str, platform: &str) -> String {
        let name = self.name();
        format!("https://github.com/astral-sh/{name}/releases/download/{version}/{name}-{platform}.tar.gz")
    }
}

#[async_trait]
pub trait Client: Send + Sync {
    async fn download_and_extract(&self, url: &str, target: &Path) -> Result<()>;
}

struct LockedFile(File);

impl LockedFile {
    async fn acquire(path: PathBuf) -> Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let file = tokio::task::spawn_blocking(move || file.lock().map(|()| file)).await??;
        Ok(Self(file))
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

struct CacheEntry(PathBuf);

impl CacheEntry {
    fn new(dir: PathBuf, file: &str) -> Self {
        Self(dir.join(file))
    }

    fn path(&self) -> &Path {
        &self.0
    }

    fn dir(&self) -> &Path {
        self.0.parent().expect("Cache entry has no parent")
    }

    fn with_file(&self, file: &str) -> Self {
        Self(self.dir().join(file))
    }

    async fn lock(&self) -> Result<LockedFile> {
        fs::create_dir_all(self.dir())?;
        LockedFile::acquire(self.path().to_path_buf()).await
    }

    fn into_path_buf(self) -> PathBuf {
        self.0
    }
}

pub struct BinInstaller {
    cache: PathBuf,
    platform: String,
    client: Arc<dyn Client>,
}

impl BinInstaller {
    pub fn new(cache: PathBuf, platform: String, client: Arc<dyn Client>) -> Self {
        Self { cache, platform, client }
    }

    pub async fn bin_install(&self, binary: Binary, version: &str) -> Result<PathBuf> {
        let bucket = self.cache.join("binaries-v0");
        let cache_entry = CacheEntry::new(
            bucket.join(binary.name()).join(version).join(&self.platform),
            binary.name(),
        );

        let _lock = cache_entry.with_file(".lock").lock().await?;
        if cache_entry.path().exists() {
            return Ok(cache_entry.into_path_buf());
        }

        let download_url = binary.download_url(version, &self.platform);
        fs::create_dir_all(cache_entry.dir())?;
        self.download_and_unpack(binary, &download_url, &cache_entry).await?;

        let permissions = fs::metadata(cache_entry.path())?.permissions();
        if permissions.mode() & 0o111 != 0o111 {
            let executable = Permissions::from_mode(permissions.mode() | 0o111);
            fs::set_permissions(cache_entry.path(), executable)?;
        }
        Ok(cache_entry.into_path_buf())
    }

    async fn download_and_unpack(&self, binary: Binary, url: &str, cache_entry: &CacheEntry) -> Result<()> {
        let temp_dir = self.cache.join(format!(".tmp-{}", Uuid::new_v4()));
        fs::create_dir_all(&temp_dir)?;
        self.client.download_and_extract(url, &temp_dir).await?;

        let extracted_binary = temp_dir
            .join(format!("{}-{}", binary.name(), self.platform))
            .join(binary.name());
        if !extracted_binary.exists() {
            bail!("Binary not found in archive at expected location: {}", extracted_binary.display());
        }
        fs::rename(&extracted_binary, cache_entry.path())?;
        fs::remove_dir_all(&temp_dir)?;
        Ok(())
    }
}
