//! What earlier runs found out, kept in the target directory.
//!
//! Everything is stored under a digest of all it depends on, so nothing in here can be out of date: it is there or it is
//! not. Entries are complete from the moment they have their name, so runs next to each other do no harm. Each entry begins
//! with a digest of itself; where one does not fit, the lot is thrown away.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use robust_analyzer::db;
use robust_analyzer::question::Answered;
use robust_analyzer::reach;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::inputs::{digest, hex};

/// Raised whenever entries look different.
const FORMAT: &str = "3";
/// More is not kept. What is oldest goes first, until half is left.
const LIMIT: u64 = 256 << 20;
/// Folders of other versions of this tool go when nobody wrote to them for so long.
const ABANDONED: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What earlier runs found out.
#[derive(Debug)]
pub struct Memory {
    /// None: nothing is kept.
    folder: Option<PathBuf>,
    damaged: AtomicBool,
    written: AtomicBool,
}

impl Memory {
    /// The memory in a target directory. One that cannot be written to remembers nothing.
    pub fn open(target_dir: &Path) -> Memory {
        let folder = target_dir.join("cache").join(version());
        let usable = fs::create_dir_all(&folder).is_ok();
        Memory {
            folder: usable.then_some(folder),
            damaged: AtomicBool::new(false),
            written: AtomicBool::new(false),
        }
    }

    /// The memory in a target directory, if there is one.
    pub fn find(target_dir: &Path) -> Option<Memory> {
        target_dir.join("cache").join(version()).is_dir().then(|| Memory::open(target_dir))
    }

    /// Whether something can be added.
    pub fn is_writable(&self) -> bool {
        self.folder.as_ref().is_some_and(|folder| tempfile::tempfile_in(folder).is_ok())
    }

    /// What was kept under a key.
    pub fn recall<T: DeserializeOwned>(&self, kind: &str, key: &str) -> Option<T> {
        let path = self.path(kind, key)?;
        let entry = fs::read(&path).ok()?;
        let value = sealed(&entry).and_then(|text| serde_json::from_slice(text).ok());
        if value.is_none() {
            self.throw_away();
        }
        value
    }

    /// Keeps something under a key. When that fails, it is found out again the next time.
    pub fn keep<T: Serialize>(&self, kind: &str, key: &str, value: &T) {
        let Some(path) = self.path(kind, key) else { return };
        let Ok(text) = serde_json::to_vec(value) else { return };
        let write = || -> io::Result<()> {
            let folder = path.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(folder)?;
            let mut entry = tempfile::NamedTempFile::new_in(folder)?;
            entry.write_all(seal(&text).as_bytes())?;
            entry.write_all(&text)?;
            entry.persist(&path)?;
            Ok(())
        };
        if write().is_ok() {
            self.written.store(true, Ordering::Relaxed);
        }
    }

    /// Whether something was found to be damaged, and everything was thrown away.
    pub fn was_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Removes what is too much, if this run added something.
    pub fn tidy(&self) {
        let Some(folder) = self.folder.as_deref().filter(|_| self.written.load(Ordering::Relaxed)) else {
            return;
        };
        forget_other_versions(folder);
        keep_within(folder, LIMIT);
    }

    fn path(&self, kind: &str, key: &str) -> Option<PathBuf> {
        let folder = self.folder.as_ref().filter(|_| !self.was_damaged())?;
        Some(folder.join(kind).join(key))
    }

    fn throw_away(&self) {
        if let Some(folder) = &self.folder {
            self.damaged.store(true, Ordering::Relaxed);
            let _ = fs::remove_dir_all(folder);
        }
    }
}

impl db::Memory for Memory {
    fn recall(&self, key: &str) -> Option<Answered> {
        Memory::recall(self, "answers", key)
    }

    fn keep(&self, key: &str, answered: &Answered) {
        Memory::keep(self, "answers", key, answered);
    }
}

/// All that decides what this tool finds out, its input apart. While it is being worked on, its version says little, and the time and
/// the size of the executable say no more than those of any other file: so this has a digest of what it is made of (`build.rs`).
fn version() -> String {
    let mut hash = Sha256::new();
    let parts = [FORMAT, env!("CARGO_PKG_VERSION"), env!("SOURCES_DIGEST"), &reach::version()];
    hash.update(parts.join("\0"));
    format!("v{FORMAT}-{}", &hex(hash)[..16])
}

/// The first line of an entry.
fn seal(text: &[u8]) -> String {
    format!("{}\n", digest(text))
}

/// What is behind the first line, if it fits.
fn sealed(entry: &[u8]) -> Option<&[u8]> {
    let (first, text) = entry.split_at_checked(65)?;
    (first == seal(text).as_bytes()).then_some(text)
}

fn forget_other_versions(folder: &Path) {
    let Some(entries) = folder.parent().and_then(|all| fs::read_dir(all).ok()) else { return };
    for entry in entries.flatten().filter(|entry| entry.path() != folder) {
        let age = entry.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age >= ABANDONED) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Removes the oldest files below `folder` if they have more than `limit` bytes together.
fn keep_within(folder: &Path, limit: u64) {
    let kinds = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = kinds.flat_map(|kind| fs::read_dir(kind.path()).into_iter().flatten().flatten());
    let mut files: Vec<(SystemTime, u64, PathBuf)> = files
        .filter_map(|file| {
            let data = file.metadata().ok()?;
            Some((data.modified().ok()?, data.len(), file.path()))
        })
        .collect();
    let mut size: u64 = files.iter().map(|(_, size, _)| size).sum();
    if size <= limit {
        return;
    }
    files.sort();
    for (_, len, path) in files {
        if size <= limit / 2 {
            break;
        }
        if fs::remove_file(path).is_ok() {
            size -= len;
        }
    }
}

#[cfg(test)]
#[path = "../build.rs"]
#[expect(dead_code, reason = "only the digest is wanted")]
mod build;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tool_is_known_by_what_it_is_made_of() {
        let home = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(home.join("../analyzer/src").is_dir() && home.join("../models").is_dir());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("src/a.rs");
        let digest = |text: &str, time: u64| {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(time);
            fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
            super::build::digest(&[folder.path().join("src"), folder.path().join("not there")]).unwrap()
        };
        let one = digest("let a = 1;", 1000);
        assert_eq!(digest("let a = 1;", 2000), one, "times say nothing");
        assert_ne!(digest("let a = 2;", 1000), one, "nor does the length");
        fs::rename(&file, folder.path().join("src/b.rs")).unwrap();
        assert_ne!(digest("let a = 1;", 1000), one, "there is one more");
    }

    #[test]
    fn what_is_kept_is_recalled() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path());
        assert_eq!(memory.recall::<u32>("numbers", "a"), None);
        memory.keep("numbers", "a", &7);
        memory.keep("numbers", "b", &8);
        assert_eq!(Memory::open(folder.path()).recall("numbers", "a"), Some(7));
        assert!(!memory.was_damaged());
    }

    #[test]
    fn a_damaged_entry_costs_everything_and_is_never_believed() {
        for damage in [&b""[..], b"short", b"{}", &[0xff; 200]] {
            let folder = tempfile::tempdir().unwrap();
            let memory = Memory::open(folder.path());
            memory.keep("numbers", "a", &7);
            memory.keep("numbers", "b", &8);
            let path = memory.path("numbers", "a").unwrap();
            let mut entry = fs::read(&path).unwrap();
            entry.truncate(65 - damage.len().min(60));
            entry.extend(damage);
            fs::write(&path, entry).unwrap();
            assert_eq!(memory.recall::<u32>("numbers", "a"), None);
            assert!(memory.was_damaged());
            assert_eq!(Memory::open(folder.path()).recall::<u32>("numbers", "b"), None);
        }
    }

    #[test]
    fn the_oldest_goes_when_it_is_too_much() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path());
        let path = |key: &str| memory.path("texts", key).unwrap();
        for (age, key) in ["a", "b", "c", "d"].into_iter().enumerate() {
            memory.keep("texts", key, &"x".repeat(1000));
            let time = SystemTime::now() - Duration::from_secs(100 - 10 * age as u64);
            fs::File::options().write(true).open(path(key)).unwrap().set_modified(time).unwrap();
        }
        keep_within(memory.folder.as_deref().unwrap(), 5000);
        assert!(path("a").exists());
        keep_within(memory.folder.as_deref().unwrap(), 4200);
        assert!(!path("a").exists() && !path("b").exists() && path("d").exists());
    }
}
