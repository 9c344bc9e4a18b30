//! The joined result's own result is thrown away by `is_ok` of the outer one.
use std::path::PathBuf;
use tokio::task::JoinSet;
#[derive(Debug)]
pub enum BackupError { Io(std::io::Error), Crashed }
async fn copy(from: PathBuf, to: PathBuf) -> Result<u64, BackupError> { tokio::fs::copy(from, to).await.map_err(BackupError::Io) }
pub async fn backup(files: Vec<(PathBuf, PathBuf)>) -> Result<usize, BackupError> {
    let mut copies = JoinSet::new();
    for (from, to) in files { copies.spawn(copy(from, to)); }
    let mut done = 0;
    while let Some(copied) = copies.join_next().await {
        let _ = copied.map_err(|_| BackupError::Crashed)?; //~
        done += 1;
    }
    Ok(done)
}
