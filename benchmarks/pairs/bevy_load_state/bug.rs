// bevyengine/bevy issue 7504 (0.9): `load` queues a task, which sets the state: `get_load_state` right after it says `NotLoaded`, a group load fails (30 of 30).
//! Loads assets on the threads of an I/O pool and says how far they are.

use std::collections::hash_map::Entry;
use std::collections::HashMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{anyhow, bail, Result};
use crossbeam_channel::{unbounded, Sender};
use parking_lot::{Mutex, RwLock};

type Task = Box<dyn FnOnce() + Send>;

/// Threads that run the tasks that are spawned on it.
pub struct IoTaskPool {
    tasks: Sender<Task>,
}

impl IoTaskPool {
    pub fn new(threads: usize) -> Self {
        let (tasks, rx) = unbounded::<Task>();
        for _ in 0..threads {
            let rx = rx.clone();
            thread::spawn(move || rx.iter().for_each(|task| task()));
        }
        Self { tasks }
    }

    fn spawn(&self, task: impl FnOnce() + Send + 'static) {
        let _ = self.tasks.send(Box::new(task));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadState {
    NotLoaded,
    Loading,
    Loaded,
    Failed,
}

#[derive(Debug)]
struct SourceInfo {
    path: String,
    load_state: LoadState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourcePathId(u64);

fn source_path_id(path: &str) -> SourcePathId {
    SourcePathId(path.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ b as u64).wrapping_mul(0x100_0000_01b3)))
}

struct AssetServerInternal {
    asset_sources: RwLock<HashMap<SourcePathId, SourceInfo>>,
    assets: Mutex<HashMap<SourcePathId, Arc<[u8]>>>,
    pool: IoTaskPool,
}

#[derive(Clone)]
pub struct AssetServer {
    server: Arc<AssetServerInternal>,
}

impl AssetServer {
    pub fn new(threads: usize) -> Self {
        Self {
            server: Arc::new(AssetServerInternal {
                asset_sources: RwLock::default(),
                assets: Mutex::default(),
                pool: IoTaskPool::new(threads),
            }),
        }
    }

    pub fn get_load_state(&self, handle: SourcePathId) -> LoadState {
        self.server.asset_sources.read().get(&handle).map_or(LoadState::NotLoaded, |info| info.load_state) //~
    }

    /// `Loaded` only if all of them are.
    pub fn get_group_load_state(&self, handles: &[SourcePathId]) -> LoadState {
        let mut load_state = LoadState::Loaded;
        for handle in handles {
            match self.get_load_state(*handle) {
                LoadState::Loaded => continue,
                LoadState::Loading => load_state = LoadState::Loading,
                other => return other,
            }
        }
        load_state
    }

    /// Queues an asset for loading. The state of its handle says when it is there.
    pub fn load(&self, path: &str) -> SourcePathId {
        let handle = source_path_id(path);
        let (server, path) = (self.clone(), path.to_string());
        self.server.pool.spawn(move || { //~
            if server.begin_load(handle, &path) { //~
                server.load_source(handle);
            }
        });
        handle
    }

    /// Marks the source as loading; false if it is loaded or loading already.
    fn begin_load(&self, handle: SourcePathId, path: &str) -> bool {
        match self.server.asset_sources.write().entry(handle) {
            Entry::Occupied(mut entry) => {
                let failed = entry.get().load_state == LoadState::Failed;
                if failed {
                    entry.get_mut().load_state = LoadState::Loading;
                }
                failed
            }
            Entry::Vacant(entry) => {
                entry.insert(SourceInfo { path: path.to_string(), load_state: LoadState::Loading }); //~
                true
            }
        }
    }

    fn load_source(&self, handle: SourcePathId) {
        let path = self.server.asset_sources.read()[&handle].path.clone();
        let load_state = match std::fs::read(&path) {
            Ok(bytes) => {
                self.server.assets.lock().insert(handle, bytes.into());
                LoadState::Loaded
            }
            Err(_) => LoadState::Failed,
        };
        if let Some(info) = self.server.asset_sources.write().get_mut(&handle) {
            info.load_state = load_state;
        }
    }

    /// Loads all of them and waits: what a loading screen does.
    pub fn load_all(&self, paths: &[&str]) -> Result<Vec<Arc<[u8]>>> {
        let handles: Vec<_> = paths.iter().map(|path| self.load(path)).collect(); //~
        loop {
            match self.get_group_load_state(&handles) { //~
                LoadState::Loading => thread::sleep(Duration::from_millis(1)),
                LoadState::Loaded => break,
                other => bail!("could not load the group: {other:?}"),
            }
        }
        let assets = self.server.assets.lock();
        handles.iter().map(|h| assets.get(h).cloned().ok_or_else(|| anyhow!("missing asset"))).collect()
    }
}

fn main() -> Result<()> {
    let server = AssetServer::new(2);
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let assets = server.load_all(&paths.iter().map(String::as_str).collect::<Vec<_>>())?;
    println!("{} assets, {} bytes", assets.len(), assets.iter().map(|a| a.len()).sum::<usize>());
    Ok(())
}
