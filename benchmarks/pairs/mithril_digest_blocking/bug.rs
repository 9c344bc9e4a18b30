// Source: IntersectMBO/mithril issue #244, pull request #246 (Fix http server lock while snapshotting in Mithril Aggregator)
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{anyhow, Result};
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use tokio::sync::RwLock;

type SnapshotStore = Arc<RwLock<Vec<String>>>;

pub struct DigesterResult {
    pub digest: String,
    pub last_immutable_file: PathBuf,
}

/// A digester working directly on a Cardano DB immutables files
pub struct ImmutableDigester {
    /// A cardano node DB directory
    db_directory: PathBuf,
}

impl ImmutableDigester {
    pub fn new(db_directory: PathBuf) -> Self {
        Self { db_directory }
    }

    fn list_completed_in_dir(dir: &Path) -> io::Result<Vec<PathBuf>> {
        let mut files = vec![];
        for entry in std::fs::read_dir(dir)? {
            files.push(entry?.path());
        }
        files.sort();
        Ok(files)
    }

    fn compute_hash(entries: &[PathBuf]) -> io::Result<u64> {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut buffer = vec![0; 1 << 16];
        for entry in entries {
            let mut file = File::open(entry)?;
            loop {
                let n = file.read(&mut buffer)?;
                if n == 0 {
                    break;
                }
                for byte in &buffer[..n] {
                    hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
                }
            }
        }
        Ok(hash)
    }

    pub fn compute_digest(&self) -> Result<DigesterResult> {
        let immutables = Self::list_completed_in_dir(&self.db_directory)?;
        let last_immutable = immutables
            .last()
            .ok_or_else(|| anyhow!("At least one immutable file needed"))?;
        let hash = Self::compute_hash(&immutables)?;
        Ok(DigesterResult {
            digest: format!("{hash:016x}"),
            last_immutable_file: last_immutable.clone(),
        })
    }
}

/// AggregatorRuntime
pub struct AggregatorRuntime {
    /// Interval between each snapshot
    interval: Duration,

    /// DB directory to snapshot
    db_directory: PathBuf,

    /// Snapshot store
    snapshot_store: SnapshotStore,
}

impl AggregatorRuntime {
    /// Run snapshotter loop
    pub async fn run(&self) {
        loop {
            if let Err(e) = self.do_work().await {
                eprintln!("{e:?}");
            }
            tokio::time::sleep(self.interval).await;
        }
    }

    async fn do_work(&self) -> Result<()> {
        let digester = ImmutableDigester::new(self.db_directory.clone());

        let digest_result = digester.compute_digest()?; //~

        let mut snapshot_store = self.snapshot_store.write().await;
        if snapshot_store.last() != Some(&digest_result.digest) {
            println!("new digest up to {}", digest_result.last_immutable_file.display());
            snapshot_store.push(digest_result.digest);
        }
        Ok(())
    }
}

async fn snapshots(State(snapshot_store): State<SnapshotStore>) -> Json<Vec<String>> {
    Json(snapshot_store.read().await.clone())
}

async fn latest(State(snapshot_store): State<SnapshotStore>) -> String {
    snapshot_store.read().await.last().cloned().unwrap_or_default()
}

#[tokio::main]
async fn main() -> Result<()> {
    let snapshot_store = SnapshotStore::default();
    let runtime = AggregatorRuntime {
        interval: Duration::from_secs(60),
        db_directory: PathBuf::from("/db/immutable"),
        snapshot_store: snapshot_store.clone(),
    };
    let app = Router::new()
        .route("/snapshots", get(snapshots))
        .route("/snapshot/latest", get(latest))
        .with_state(snapshot_store);
    let listener = tokio::net::TcpListener::bind("0.0.0.0:8080").await?;

    let handle = tokio::spawn(async move { runtime.run().await });
    axum::serve(listener, app).await?;
    handle.abort();
    Ok(())
}
