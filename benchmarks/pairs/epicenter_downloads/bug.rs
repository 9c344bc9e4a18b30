// Epicenter Whispering (desktop dictation), PR #1997: a cancelled model download is still unwinding when the user starts it again under the same id; the new one overwrites the entry in the registry, and the old one's clean-up removes the new one's entry: it runs on, but can neither be seen nor cancelled.
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::fs;
use tokio::io::{AsyncWriteExt, BufWriter};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

#[derive(Debug)]
pub enum DownloadError {
    Cancelled,
    Io(std::io::Error),
}

impl From<std::io::Error> for DownloadError {
    fn from(err: std::io::Error) -> Self {
        DownloadError::Io(err)
    }
}

type Active = Arc<Mutex<HashMap<String, CancellationToken>>>;

/// Takes the download out of the registry however it ends.
struct ActiveGuard {
    active: Active,
    id: String,
}

impl Drop for ActiveGuard {
    fn drop(&mut self) {
        self.active.lock().unwrap().remove(&self.id); //~
    }
}

#[derive(Clone, Default)]
pub struct DownloadRegistry {
    active: Active,
}

impl DownloadRegistry {
    fn register(&self, id: &str) -> (CancellationToken, ActiveGuard) {
        let token = CancellationToken::new();
        self.active.lock().unwrap().insert(id.to_string(), token.clone()); //~
        (token, ActiveGuard { active: Arc::clone(&self.active), id: id.to_string() })
    }

    pub fn cancel_download(&self, id: &str) -> bool {
        match self.active.lock().unwrap().get(id) {
            Some(token) => {
                token.cancel();
                true
            }
            None => false,
        }
    }

    pub fn is_downloading(&self, id: &str) -> bool {
        self.active.lock().unwrap().contains_key(id)
    }

    /// `id` names the model and with it the file in `models`.
    pub async fn download_file(
        &self,
        id: &str,
        models: &Path,
        body: mpsc::Receiver<Vec<u8>>,
    ) -> Result<PathBuf, DownloadError> {
        let (token, _guard) = self.register(id);
        let target = models.join(id);
        let partial = models.join(format!("{id}.{}.partial", Uuid::new_v4()));
        let result = tokio::select! {
            _ = token.cancelled() => Err(DownloadError::Cancelled),
            written = write_body(&partial, body) => written,
        };
        if let Err(err) = result {
            let _ = fs::remove_file(&partial).await;
            return Err(err);
        }
        fs::rename(&partial, &target).await?;
        Ok(target)
    }
}

async fn write_body(partial: &Path, mut body: mpsc::Receiver<Vec<u8>>) -> Result<(), DownloadError> {
    let mut file = BufWriter::new(fs::File::create(partial).await?);
    while let Some(chunk) = body.recv().await {
        file.write_all(&chunk).await?;
    }
    file.flush().await?;
    Ok(())
}
