// Source: sxyazi/yazi PR #3494, commit 81c66a6 (race condition generating unique filenames for concurrent file operations): a name is taken
// for free because nothing exists under it, and written to afterwards; two pastes of files of the same name choose the same one, and one of
// them is overwritten.
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crossbeam_channel::{unbounded, Receiver, Sender};
use parking_lot::RwLock;

pub trait Provider: Send + Sync + 'static {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Replaces what is there.
    fn write(&self, path: &Path, data: Vec<u8>) -> io::Result<()>;
    /// Fails with `AlreadyExists` if something is there.
    fn create_new(&self, path: &Path, data: &[u8]) -> io::Result<()>;
    fn exists(&self, path: &Path) -> bool;
}

#[derive(Default)]
pub struct MemFs {
    files: RwLock<BTreeMap<PathBuf, Vec<u8>>>,
}

impl Provider for MemFs {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.read().get(path).cloned().ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn write(&self, path: &Path, data: Vec<u8>) -> io::Result<()> {
        self.files.write().insert(path.to_owned(), data); //~
        Ok(())
    }

    fn create_new(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let mut files = self.files.write();
        if files.contains_key(path) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        files.insert(path.to_owned(), data.to_owned());
        Ok(())
    }

    fn exists(&self, path: &Path) -> bool {
        self.files.read().contains_key(path) //~
    }
}

fn numbered(path: &Path, i: u64) -> io::Result<PathBuf> {
    let stem = path.file_stem().ok_or(ErrorKind::InvalidInput)?.to_string_lossy();
    Ok(path.with_file_name(match path.extension() {
        Some(ext) => format!("{stem}_{i}.{}", ext.to_string_lossy()),
        None => format!("{stem}_{i}"),
    }))
}

fn unique_name<P: Provider>(provider: &P, path: &Path) -> io::Result<PathBuf> {
    let (mut candidate, mut i) = (path.to_owned(), 0);
    while provider.exists(&candidate) { //~
        i += 1;
        candidate = numbered(path, i)?;
    }
    Ok(candidate)
}

pub struct FileInCopy {
    pub from: PathBuf,
    pub to: PathBuf,
}

pub struct Worker<P> {
    provider: Arc<P>,
}

impl<P: Provider> Worker<P> {
    pub fn new(provider: Arc<P>) -> Self {
        Worker { provider }
    }

    /// Copies a file, under a name that nothing has yet. Tells the name.
    pub fn copy(&self, task: FileInCopy) -> io::Result<PathBuf> {
        let data = self.provider.read(&task.from)?;
        let to = unique_name(&*self.provider, &task.to)?;
        self.provider.write(&to, data)?; //~
        Ok(to)
    }
}

/// A few threads that take tasks from one queue.
pub struct Scheduler<P: Provider> {
    tasks: Sender<(FileInCopy, Sender<io::Result<PathBuf>>)>,
    workers: Vec<JoinHandle<()>>,
    provider: Arc<P>,
}

impl<P: Provider> Scheduler<P> {
    pub fn serve(provider: Arc<P>, workers: usize) -> Self {
        let (tasks, queue): (_, Receiver<(FileInCopy, Sender<io::Result<PathBuf>>)>) = unbounded();
        let workers = (0..workers)
            .map(|_| {
                let (queue, worker) = (queue.clone(), Worker::new(provider.clone()));
                thread::spawn(move || {
                    for (task, done) in queue {
                        let _ = done.send(worker.copy(task));
                    }
                })
            })
            .collect();
        Scheduler { tasks, workers, provider }
    }

    pub fn file_copy(&self, from: impl Into<PathBuf>, to: impl Into<PathBuf>) -> Receiver<io::Result<PathBuf>> {
        let (done, result) = unbounded();
        let _ = self.tasks.send((FileInCopy { from: from.into(), to: to.into() }, done));
        result
    }

    pub fn shutdown(self) -> Arc<P> {
        drop(self.tasks);
        for worker in self.workers {
            let _ = worker.join();
        }
        self.provider
    }
}
