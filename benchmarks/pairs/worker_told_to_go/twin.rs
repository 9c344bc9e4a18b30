// An executable. The worker waits until the settings are there: told by a oneshot, or not at all.
use std::sync::{Arc, RwLock};
use tokio::sync::oneshot;

#[derive(Clone, Debug, Default)]
struct Settings { folder: String }

async fn index(settings: Arc<RwLock<Settings>>, go: oneshot::Receiver<()>) -> usize {
    if go.await.is_err() { return 0; }
    let folder = settings.read().unwrap().folder.clone();
    std::fs::read_dir(folder).map_or(0, |files| files.count())
}

#[tokio::main]
async fn main() {
    let settings = Arc::new(RwLock::new(Settings::default()));
    let (ready, go) = oneshot::channel();
    let indexer = tokio::spawn(index(settings.clone(), go));
    let folder = tokio::fs::read_to_string("settings.txt").await.unwrap_or_default();
    settings.write().unwrap().folder = folder;
    let _ = ready.send(());
    println!("{:?} files", indexer.await.ok());
}
