// web-infra-dev/rspack, PR #14210: the startup scan looks for files that changed since the build began, and the disk watcher is registered after it; a change between the two is too late for the scan and too early for the watcher, and no rebuild follows.
use parking_lot::{Mutex, RwLock};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::mpsc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FsEvent {
    pub path: PathBuf,
    pub mtime: u64,
}

#[derive(Debug)]
pub enum WatchError {
    Closed,
}

struct Watch {
    root: PathBuf,
    events: mpsc::UnboundedSender<FsEvent>,
}

/// The files of the project, as the virtual file system of the dev server has them.
#[derive(Default)]
pub struct VirtualFs {
    mtimes: RwLock<HashMap<PathBuf, u64>>,
    watches: Mutex<Vec<Watch>>,
}

impl VirtualFs {
    /// Called for each write of an editor or a loader.
    pub fn touch(&self, path: &Path, mtime: u64) {
        self.mtimes.write().entry(path.to_owned()).and_modify(|at| *at = mtime.max(*at)).or_insert(mtime); //~
        let mut watches = self.watches.lock(); //~
        watches.retain(|watch| {
            !path.starts_with(&watch.root)
                || watch.events.send(FsEvent { path: path.to_owned(), mtime }).is_ok()
        });
    }

    fn mtime(&self, path: &Path) -> Option<u64> {
        self.mtimes.read().get(path).copied()
    }
}

/// Asks for the live events below a directory.
struct DiskWatcher {
    fs: Arc<VirtualFs>,
    sender: mpsc::UnboundedSender<FsEvent>,
    watched: BTreeSet<PathBuf>,
}

impl DiskWatcher {
    fn watch(&mut self, root: &Path) {
        if self.watched.insert(root.to_owned()) {
            let watch = Watch { root: root.to_owned(), events: self.sender.clone() };
            self.fs.watches.lock().push(watch); //~
        }
    }
}

/// Finds what has changed since the build began.
struct Scanner {
    fs: Arc<VirtualFs>,
    sender: mpsc::UnboundedSender<FsEvent>,
}

impl Scanner {
    fn scan(&self, files: &[PathBuf], start_time: u64) {
        for path in files {
            match self.fs.mtime(path) { //~
                Some(mtime) if mtime > start_time => {
                    let _ = self.sender.send(FsEvent { path: path.clone(), mtime });
                }
                _ => {}
            }
        }
    }
}

pub struct FsWatcher {
    root: PathBuf,
    disk_watcher: DiskWatcher,
    scanner: Scanner,
    events: mpsc::UnboundedReceiver<FsEvent>,
    /// Up to when the changes of a file have been reported.
    reported: HashMap<PathBuf, u64>,
}

impl FsWatcher {
    pub fn new(fs: Arc<VirtualFs>, root: impl Into<PathBuf>) -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        Self {
            root: root.into(),
            disk_watcher: DiskWatcher { fs: fs.clone(), sender: sender.clone(), watched: BTreeSet::new() },
            scanner: Scanner { fs, sender },
            events,
            reported: HashMap::new(),
        }
    }

    /// Waits until one of the files has changed since `start_time`; returns those that have.
    pub async fn wait_for_event(&mut self, files: &[PathBuf], start_time: u64) -> Result<BTreeSet<PathBuf>, WatchError> {
        self.scanner.scan(files, start_time);
        self.disk_watcher.watch(&self.root);
        let mut changed = BTreeSet::new();
        while changed.is_empty() {
            let first = self.events.recv().await.ok_or(WatchError::Closed)?;
            self.note(first, files, start_time, &mut changed);
            while let Ok(event) = self.events.try_recv() {
                self.note(event, files, start_time, &mut changed);
            }
        }
        Ok(changed)
    }

    /// A change that both the scan and the watcher have seen counts once.
    fn note(&mut self, event: FsEvent, files: &[PathBuf], start_time: u64, changed: &mut BTreeSet<PathBuf>) {
        let reported = self.reported.entry(event.path.clone()).or_insert(0);
        if event.mtime > start_time && event.mtime > *reported && files.contains(&event.path) {
            *reported = event.mtime;
            changed.insert(event.path);
        }
    }
}
