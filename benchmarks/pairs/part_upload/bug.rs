// `lost-error`: `if let Ok(..) = part?` leaves failed parts out, the upload is completed without them.
//! Uploads a file in parts, four at a time, and then has the store join them.
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

const PART: usize = 1024 * 1024;

#[async_trait]
trait Store: Send + Sync {
    async fn put_part(&self, number: usize, data: Bytes) -> Result<String>;
    async fn complete(&self, name: &str, parts: Vec<String>) -> Result<()>;
}

/// A store on a mounted disk.
struct DiskStore {
    folder: PathBuf,
}

#[async_trait]
impl Store for DiskStore {
    async fn put_part(&self, number: usize, data: Bytes) -> Result<String> {
        let tag = format!("part-{number:05}");
        tokio::fs::write(self.folder.join(&tag), &data).await.with_context(|| tag.clone())?;
        Ok(tag)
    }

    async fn complete(&self, name: &str, parts: Vec<String>) -> Result<()> {
        let mut whole = Vec::new();
        for tag in &parts {
            whole.extend(tokio::fs::read(self.folder.join(tag)).await?);
        }
        tokio::fs::write(self.folder.join(name), whole).await?;
        Ok(())
    }
}

async fn send_part(
    store: Arc<dyn Store>,
    slots: Arc<Semaphore>,
    number: usize,
    data: Bytes,
) -> Result<(usize, String)> {
    let _slot = slots.acquire().await?;
    let tag = store.put_part(number, data).await?;
    Ok((number, tag))
}

async fn upload(store: Arc<dyn Store>, name: &str, content: Bytes) -> Result<usize> {
    let slots = Arc::new(Semaphore::new(4));
    let mut parts = JoinSet::new();
    for (number, start) in (0..content.len()).step_by(PART).enumerate() {
        let data = content.slice(start..content.len().min(start + PART));
        parts.spawn(send_part(store.clone(), slots.clone(), number, data));
    }
    let mut tags = BTreeMap::new();
    while let Some(part) = parts.join_next().await {
        if let Ok((number, tag)) = part? { //~
            tags.insert(number, tag);
        }
    }
    let count = tags.len();
    store.complete(name, tags.into_values().collect()).await?;
    Ok(count)
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let file = args.next().context("which file?")?;
    let folder = PathBuf::from(args.next().context("to which folder?")?);
    let content = Bytes::from(tokio::fs::read(&file).await?);
    let name = file.rsplit('/').next().unwrap_or("upload");
    let parts = upload(Arc::new(DiskStore { folder }), name, content).await?;
    println!("{name} is complete, {parts} parts");
    Ok(())
}
