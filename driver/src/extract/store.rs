//! Where the passes leave what rustc printed.
//!
//! The store is `mir/vN` in a target directory of our own (`target/robust` unless chosen), and cargo builds into that same
//! directory. A directory of our own costs one more check of the dependencies on the first run. For that,
//! the user's artifacts and fingerprints stay as they are; rust-analyzer and `cargo check` do not wait for our lock, nor we for
//! theirs; `cargo clean` takes outputs and fingerprints away together; and a crate that cargo holds for fresh though its
//! output is gone can be made stale by deleting an artifact that nobody else uses.
//!
//! Outputs are named after the crate and its `-C extra-filename`, a hash in which cargo puts compiler, features, profile and
//! target. So several configurations live side by side, and a fresh crate is found without running anything.

use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::compiled::Compiled;
use crate::inputs::hex;

/// Raised whenever the passes print something else, so that outputs of older versions are not taken for ours.
const FORMAT: &str = "v6";

/// The folder with the outputs.
#[derive(Clone, Debug)]
pub(super) struct Store {
    folder: PathBuf,
}

/// What the wrapper did for one crate. Written last: where it is, the outputs are complete.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The crate's name.
    pub name: String,
    /// `rustc -vV` in one line is not known to the wrapper; cargo's hash stands for it. This is the source's root file.
    pub root_file: String,
    /// The compiler, as cargo called it.
    pub rustc: PathBuf,
    /// Whether the compiler had nothing to say.
    pub quiet: bool,
    /// The keys of the crates it uses itself, those of others among them.
    pub uses: Vec<String>,
    /// The arguments that say which other crates there are, and for which target.
    pub linked: Vec<String>,
    /// How the crate was compiled.
    pub way: Way,
    /// Whether each coroutine had its own dump: then a compilation can go on from the last one.
    pub whole: bool,
    /// Whether the names could be told once the macros were expanded.
    pub expanded: bool,
    /// Milliseconds of the plain call, or of the only one.
    pub plain_ms: u64,
    /// Pass B: bodies, types, places.
    pub bodies: PassResult,
    /// Pass C, or reading the source instead: names.
    pub names: PassResult,
    /// Digest of all that was printed; none when a pass failed.
    pub digest: Option<String>,
}

/// How a crate was compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Way {
    /// Once.
    Single,
    /// Once for cargo and the bodies, once for the names.
    SingleAndNames,
    /// Once for cargo, once for the bodies, once for the names.
    Passes,
}

/// How a pass ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PassResult {
    /// How long it took.
    pub ms: u64,
    /// The end of what rustc said, when it failed.
    pub error: Option<String>,
}

/// The files of one crate.
#[derive(Clone, Debug)]
pub(super) struct Files {
    pub manifest: PathBuf,
    /// What it was compiled from.
    pub compiled: PathBuf,
    pub bodies: PathBuf,
    pub names: PathBuf,
    pub coroutines: PathBuf,
    /// What names of items were found to mean.
    pub identities: PathBuf,
    /// The folder in which rustc keeps what the next compilation can go on from.
    pub incremental: PathBuf,
}

/// A folder that vanishes when dropped.
pub(super) struct Work(PathBuf);

impl Work {
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Store {
    /// The store in a target directory; creates the folder.
    pub fn create(target_dir: &Path) -> io::Result<Store> {
        let folder = target_dir.join("mir").join(FORMAT);
        fs::create_dir_all(&folder)?;
        Ok(Store { folder })
    }

    /// The store at a folder that exists.
    pub fn open(folder: PathBuf) -> Store {
        Store { folder }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The files of the crate with this name and hash, `mini_redis-0123456789abcdef`.
    pub fn files(&self, key: &str) -> Files {
        Files {
            manifest: self.folder.join(format!("{key}.json")),
            compiled: self.folder.join(format!("{key}.inputs")),
            bodies: self.folder.join(format!("{key}.mir")),
            names: self.folder.join(format!("{key}.names")),
            coroutines: self.folder.join(format!("{key}.coroutines")),
            identities: self.folder.join(format!("{key}.identities")),
            incremental: self.folder.join(format!("{key}.incremental")),
        }
    }

    /// A folder that vanishes when dropped, on the same file system, for outputs under way.
    pub fn scratch(&self) -> io::Result<tempfile::TempDir> {
        tempfile::Builder::new().prefix("partial-").tempdir_in(&self.folder)
    }

    /// The folder for outputs of a crate under way. It always has the same name, since for rustc the name of an output is a reason to
    /// do everything again; cargo sees to it that a crate is compiled by one process at a time.
    pub fn work(&self, key: &str) -> io::Result<Work> {
        let folder = self.folder.join(format!("partial-{key}"));
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => fs::create_dir(&folder)?,
        }
        Ok(Work(folder))
    }

    /// True while some crate is compiled, or one was when somebody pulled the plug.
    pub fn is_busy(&self) -> bool {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with("partial-"))
    }

    /// True when there is no room to go on. What ran out of it has removed its own half-written files by now, so a few free
    /// megabytes mean nothing.
    pub fn is_full(&self) -> bool {
        let try_it = || fs::write(self.scratch()?.path().join("probe"), vec![0; 8 << 20]);
        try_it().is_err_and(|error| {
            matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
        })
    }

    /// Removes what earlier runs left behind when they were killed. Anything young may belong to a run next to this one.
    pub fn sweep(&self, at_least: Duration) {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        for entry in entries.flatten() {
            let partial = entry.file_name().to_string_lossy().starts_with("partial-");
            let age = entry
                .metadata()
                .and_then(|data| data.modified())
                .ok()
                .and_then(|time| SystemTime::now().duration_since(time).ok());
            if partial && age.is_some_and(|age| age >= at_least) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}

/// The key of the crate with these metadata, `…/libserde-0123456789abcdef.rmeta`.
pub(super) fn key_of(metadata: &Path) -> Option<String> {
    let stem = metadata.file_stem()?.to_str()?;
    Some(stem.strip_prefix("lib").unwrap_or(stem).to_owned())
}

impl Files {
    /// Digest of the outputs.
    pub fn digest(&self) -> io::Result<String> {
        let mut hash = Sha256::new();
        for path in [&self.bodies, &self.names, &self.coroutines] {
            let printed = fs::File::open(path)?;
            let length = usize::try_from(printed.metadata()?.len()).unwrap_or(usize::MAX);
            hash.update(length.to_le_bytes());
            // A piece at a time: they are large, and memory that was not used before is slow.
            let mut printed = io::BufReader::with_capacity(1 << 16, printed);
            loop {
                let piece = printed.fill_buf()?;
                if piece.is_empty() {
                    break;
                }
                hash.update(piece);
                let length = piece.len();
                printed.consume(length);
            }
        }
        Ok(hex(hash))
    }

    /// What the crate was compiled from, if that was noted.
    pub fn read_compiled(&self) -> Option<Compiled> {
        serde_json::from_slice(&fs::read(&self.compiled).ok()?).ok()
    }

    /// The manifest, if the outputs are there and complete.
    pub fn read_manifest(&self) -> Option<Manifest> {
        let manifest: Manifest = serde_json::from_slice(&fs::read(&self.manifest).ok()?).ok()?;
        let there = |result: &PassResult, path: &Path| result.error.is_some() || path.is_file();
        let complete = there(&manifest.bodies, &self.bodies)
            && there(&manifest.names, &self.names)
            && there(&manifest.bodies, &self.coroutines);
        complete.then_some(manifest)
    }
}
