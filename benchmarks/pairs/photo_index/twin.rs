// Repaired: the loop and the inner iterator ask the token; `main` cancels and joins.
//! Keeps an index of the photos in some folders up to date until it is interrupted.
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::Result;
use tokio_util::sync::CancellationToken;

#[derive(Clone, PartialEq)]
struct Photo {
    taken: SystemTime,
    checksum: u64,
}

#[derive(Default)]
struct Index {
    photos: Mutex<BTreeMap<PathBuf, Photo>>,
}

impl Index {
    fn is_new(&self, path: &Path, taken: SystemTime) -> bool {
        self.photos.lock().unwrap().get(path).is_none_or(|photo| photo.taken != taken)
    }

    fn add(&self, path: PathBuf) -> std::io::Result<()> {
        let taken = fs::metadata(&path)?.modified()?;
        if self.is_new(&path, taken) {
            let checksum = checksum(&fs::read(&path)?);
            self.photos.lock().unwrap().insert(path, Photo { taken, checksum });
        }
        Ok(())
    }
}

fn checksum(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ *byte as u64).wrapping_mul(0x100_0000_01b3))
}

fn photos(folders: &[PathBuf]) -> impl Iterator<Item = PathBuf> + '_ {
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|kind| kind == "jpg"))
}

fn keep_up_to_date(folders: &[PathBuf], index: &Index, stop: &CancellationToken) {
    tracing::debug!("{} folders", folders.len());
    while !stop.is_cancelled() {
        for photo in photos(folders).take_while(|_| !stop.is_cancelled()) {
            if let Err(error) = index.add(photo) {
                tracing::warn!("a photo was left out: {error}");
            }
        }
        thread::sleep(Duration::from_secs(1));
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let folders: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let index = Arc::new(Index::default());
    let stop = CancellationToken::new();
    let (worker_index, stopped) = (index.clone(), stop.clone());
    let worker = tokio::task::spawn_blocking(move || keep_up_to_date(&folders, &worker_index, &stopped));

    tokio::signal::ctrl_c().await?;
    stop.cancel();
    worker.await?;
    println!("{} photos are known", index.photos.lock().unwrap().len());
    Ok(())
}
