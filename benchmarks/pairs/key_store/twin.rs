// Repaired: task logs the error.
//! A scratch store of keys and values: writes go to segments, which are compacted behind the scenes.
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;

struct KeyStore {
    folder: PathBuf,
    segments: Mutex<Vec<PathBuf>>,
    created: AtomicUsize,
}

impl KeyStore {
    fn new_segment(&self) -> PathBuf {
        self.folder.join(format!("{:06}.seg", self.created.fetch_add(1, Ordering::Relaxed)))
    }

    async fn put(self: &Arc<Self>, key: &str, value: &str) -> io::Result<()> {
        let mut segments = self.segments.lock().await;
        let segment = self.new_segment();
        tokio::fs::write(&segment, format!("{key}={value}\n")).await?;
        segments.push(segment);
        if segments.len() >= 16 {
            start_compaction(self.clone());
        }
        Ok(())
    }

    async fn get(&self, key: &str) -> io::Result<Option<String>> {
        let segments = self.segments.lock().await;
        Ok(read_all(&segments).await?.remove(key))
    }
}

async fn read_all(segments: &[PathBuf]) -> io::Result<BTreeMap<String, String>> {
    let mut entries = BTreeMap::new();
    for segment in segments {
        let text = tokio::fs::read_to_string(segment).await?;
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        entries.extend(pairs.map(|(key, value)| (key.to_string(), value.to_string())));
    }
    Ok(entries)
}

async fn compact(store: Arc<KeyStore>) -> io::Result<()> {
    let mut segments = store.segments.lock().await;
    let entries = read_all(&segments).await?;
    let merged = store.new_segment();
    let text: String = entries.iter().map(|(key, value)| format!("{key}={value}\n")).collect();
    tokio::fs::write(&merged, text).await?;
    for old in std::mem::replace(&mut *segments, vec![merged]) {
        tokio::fs::remove_file(old).await?;
    }
    Ok(())
}

fn start_compaction(store: Arc<KeyStore>) {
    tokio::spawn(async move {
        if let Err(error) = compact(store).await {
            tracing::error!("compaction: {error}");
        }
    });
}

async fn talk(store: Arc<KeyStore>, stream: TcpStream) -> io::Result<()> {
    let (input, mut output) = stream.into_split();
    let mut lines = BufReader::new(input).lines();
    while let Some(line) = lines.next_line().await? {
        let answer = match line.split_once('=') {
            Some((key, value)) => store.put(key, value).await.map(|()| "ok".to_string())?,
            None => store.get(&line).await?.unwrap_or_default(),
        };
        output.write_all(format!("{answer}\n").as_bytes()).await?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    let folder = PathBuf::from("/tmp/key-store");
    tokio::fs::create_dir_all(&folder).await?;
    let store = Arc::new(KeyStore { folder, segments: Mutex::default(), created: AtomicUsize::new(0) });
    let listener = TcpListener::bind("127.0.0.1:6380").await?;
    loop {
        let (stream, peer) = listener.accept().await?;
        let store = store.clone();
        tokio::spawn(async move {
            if let Err(error) = talk(store, stream).await {
                tracing::warn!("{peer}: {error}");
            }
        });
    }
}
