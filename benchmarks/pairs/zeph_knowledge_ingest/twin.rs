// Repaired as in bug-ops/zeph issue #5080: the enumeration runs under spawn_blocking and files are read with tokio::fs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{bail, Context, Result};
use async_trait::async_trait;
use tokio::sync::Semaphore;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub path: PathBuf,
    pub digest: u64,
    pub bytes: usize,
}

#[derive(Debug, Default)]
pub struct IngestReport {
    pub added: usize,
    pub unchanged: usize,
    pub failed: Vec<(PathBuf, String)>,
}

#[async_trait]
pub trait KnowledgeStore: Send + Sync {
    async fn known_digest(&self, path: &Path) -> Result<Option<u64>>;
    async fn upsert(&self, path: &Path, chunks: Vec<String>) -> Result<()>;
}

fn digest(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}

fn chunks_of(text: &str, size: usize) -> Vec<String> {
    let mut chunks = Vec::new();
    let mut current = String::new();
    for line in text.lines() {
        if current.len() + line.len() > size && !current.is_empty() {
            chunks.push(std::mem::take(&mut current));
        }
        current.push_str(line);
        current.push('\n');
    }
    if !current.is_empty() {
        chunks.push(current);
    }
    chunks
}

fn enumerate_all_sources(root: &Path, extensions: &[String]) -> Result<Vec<Source>> {
    let mut found = Vec::new();
    let mut pending = vec![root.canonicalize().context("the root cannot be resolved")?];
    while let Some(dir) = pending.pop() {
        for entry in std::fs::read_dir(&dir)? {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let wanted = path
                .extension()
                .and_then(|e| e.to_str())
                .is_some_and(|e| extensions.iter().any(|x| x == e));
            if wanted {
                let data = std::fs::read(&path)?;
                found.push(Source { digest: digest(&data), bytes: data.len(), path });
            }
        }
    }
    Ok(found)
}

pub struct Ingestor<S> {
    store: S,
    extensions: Vec<String>,
    chunk_size: usize,
    upserts: Arc<Semaphore>,
}

impl<S: KnowledgeStore> Ingestor<S> {
    pub fn new(store: S, extensions: &[&str], chunk_size: usize) -> Self {
        let extensions = extensions.iter().map(|e| e.to_string()).collect();
        Self { store, extensions, chunk_size, upserts: Arc::new(Semaphore::new(4)) }
    }

    pub async fn handle_ingest(&self, root: &Path) -> Result<IngestReport> {
        let (dir, extensions) = (root.to_owned(), self.extensions.clone());
        let sources = tokio::task::spawn_blocking(move || enumerate_all_sources(&dir, &extensions))
            .await
            .context("the enumeration panicked")??;
        if sources.is_empty() {
            bail!("nothing to ingest below {}", root.display());
        }
        let mut report = IngestReport::default();
        for source in sources {
            if self.store.known_digest(&source.path).await? == Some(source.digest) {
                report.unchanged += 1;
                continue;
            }
            match self.ingest_one(&source).await {
                Ok(()) => report.added += 1,
                Err(e) => report.failed.push((source.path, format!("{e:#}"))),
            }
        }
        Ok(report)
    }

    async fn ingest_one(&self, source: &Source) -> Result<()> {
        let text = tokio::fs::read_to_string(&source.path)
            .await
            .with_context(|| format!("reading {}", source.path.display()))?;
        let _permit = self.upserts.acquire().await?;
        self.store.upsert(&source.path, chunks_of(&text, self.chunk_size)).await
    }
}
