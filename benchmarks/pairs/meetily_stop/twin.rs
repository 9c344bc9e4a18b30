// `stop_recording` takes the manager out of the slot at once, together with the flag and under the slot's lock, and works on with the one that it holds; `start_recording` looks, opens and stores under the same lock, so slot and flag always agree.
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, Mutex};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

static IS_RECORDING: AtomicBool = AtomicBool::new(false);
static RECORDING_MANAGER: Mutex<Option<RecordingManager>> = Mutex::const_new(None);

struct Transcriber {
    chunks: Mutex<mpsc::UnboundedReceiver<Vec<f32>>>,
}

impl Transcriber {
    /// Transcribes all that is still queued; takes seconds to minutes.
    async fn drain(&self) -> Vec<String> {
        let mut chunks = self.chunks.lock().await;
        let mut segments = Vec::new();
        while let Some(chunk) = chunks.recv().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
            segments.push(format!("{} samples", chunk.len()));
        }
        segments
    }
}

struct RecordingManager {
    folder: PathBuf,
    transcriber: Arc<Transcriber>,
    stop: CancellationToken,
    capture: Option<JoinHandle<()>>,
}

async fn capture(samples: mpsc::UnboundedSender<Vec<f32>>, stop: CancellationToken) {
    while !stop.is_cancelled() {
        tokio::time::sleep(Duration::from_millis(10)).await;
        if samples.send(vec![0.0; 160]).is_err() {
            return;
        }
    }
}

impl RecordingManager {
    async fn open(meeting: &str) -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("{}-{}", meeting, Uuid::new_v4()));
        tokio::fs::create_dir_all(&folder).await.map_err(|e| e.to_string())?;
        let (tx, rx) = mpsc::unbounded_channel();
        let stop = CancellationToken::new();
        let capture = Some(tokio::spawn(capture(tx, stop.clone())));
        Ok(RecordingManager { folder, transcriber: Arc::new(Transcriber { chunks: Mutex::new(rx) }), stop, capture })
    }

    async fn save(mut self, segments: &[String]) -> Result<PathBuf, String> {
        if let Some(capture) = self.capture.take() {
            capture.await.map_err(|e| e.to_string())?;
        }
        let path = self.folder.join("transcript.txt");
        tokio::fs::write(&path, segments.join("\n")).await.map_err(|e| e.to_string())?;
        Ok(path)
    }
}

impl Drop for RecordingManager {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// For the tray icon and the start button.
pub fn is_recording() -> bool {
    IS_RECORDING.load(Ordering::SeqCst)
}

pub async fn start_recording(meeting: &str) -> Result<(), String> {
    let mut slot = RECORDING_MANAGER.lock().await;
    if is_recording() {
        return Err("already recording".to_string());
    }
    *slot = Some(RecordingManager::open(meeting).await?);
    IS_RECORDING.store(true, Ordering::SeqCst);
    Ok(())
}

pub async fn stop_recording() -> Result<PathBuf, String> {
    let manager = {
        let mut slot = RECORDING_MANAGER.lock().await;
        let manager = slot.take().ok_or("not recording")?;
        IS_RECORDING.store(false, Ordering::SeqCst);
        manager
    };
    manager.stop.cancel();
    let segments = manager.transcriber.drain().await;
    manager.save(&segments).await
}
