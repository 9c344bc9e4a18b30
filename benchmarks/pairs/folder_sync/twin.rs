// Repaired: the field is a `DropGuard`.
//! Mirrors folders to a backup disk; folders are added and removed at the prompt.
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Result;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::time::interval;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Mirrors one folder for as long as it is kept.
struct FolderSync {
    copied: Arc<AtomicU64>,
    _stop: DropGuard,
}

impl FolderSync {
    fn start(folder: PathBuf, target: PathBuf) -> FolderSync {
        let copied = Arc::new(AtomicU64::new(0));
        let stop = CancellationToken::new();
        tokio::spawn(mirror(folder, target, copied.clone(), stop.clone()));
        FolderSync { copied, _stop: stop.drop_guard() }
    }
}

async fn mirror(folder: PathBuf, target: PathBuf, copied: Arc<AtomicU64>, stop: CancellationToken) {
    let mut round = interval(Duration::from_secs(10));
    loop {
        tokio::select! {
            _ = stop.cancelled() => break,
            _ = round.tick() => {}
        }
        match copy_new(&folder, &target).await {
            Ok(files) => drop(copied.fetch_add(files, Ordering::Relaxed)),
            Err(error) => tracing::warn!("{}: {error}", folder.display()),
        }
    }
    tracing::info!("{} is left alone from now on", folder.display());
}

async fn copy_new(folder: &Path, target: &Path) -> std::io::Result<u64> {
    let mut copied = 0;
    let mut files = tokio::fs::read_dir(folder).await?;
    while let Some(file) = files.next_entry().await? {
        let copy = target.join(file.file_name());
        if file.file_type().await?.is_file() && !tokio::fs::try_exists(&copy).await? {
            tokio::fs::copy(file.path(), copy).await?;
            copied += 1;
        }
    }
    Ok(copied)
}

#[derive(Default)]
struct Syncs {
    running: HashMap<PathBuf, FolderSync>,
}

impl Syncs {
    fn obey(&mut self, command: &str) -> String {
        let words: Vec<&str> = command.split_whitespace().collect();
        match words[..] {
            ["add", folder, target] => {
                let sync = FolderSync::start(folder.into(), target.into());
                self.running.insert(folder.into(), sync);
                format!("mirroring {folder}")
            }
            ["remove", folder] => match self.running.remove(Path::new(folder)) {
                Some(sync) => format!("{} files had been copied", sync.copied.load(Ordering::Relaxed)),
                None => format!("{folder} is not mirrored"),
            },
            _ => "add FOLDER TARGET | remove FOLDER".into(),
        }
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut syncs = Syncs::default();
    let mut commands = BufReader::new(tokio::io::stdin()).lines();
    while let Some(command) = commands.next_line().await? {
        println!("{}", syncs.obey(&command));
    }
    Ok(())
}
