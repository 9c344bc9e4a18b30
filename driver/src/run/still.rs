//! Whether anything has changed since a run. If not, cargo need not be asked: that alone takes longer than all the rest.
//!
//! Cargo is asked all the same when a run depended on more than can be looked at quickly: build scripts, procedural macros of one's own,
//! sources outside of the workspace; and when a compiler had something to say, which cargo says again.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cargo_metadata::Metadata;
use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

use super::parts::Kept;
use crate::extract::CargoOptions;
use crate::memory::{Memory, digest};

/// What the memory calls runs.
const RUNS: &str = "runs";
/// In larger workspaces cargo is asked: looking at so many files takes its time, too.
const MAX_FILES: usize = 20_000;
/// Variables that differ from one command to the next and mean nothing to compilers.
const FLEETING: [&str; 4] = ["_", "OLDPWD", "SHLVL", "PWD"];
/// Where file times have seconds only, files that were changed just now may change again without notice.
const COARSE: Duration = Duration::from_secs(2);

/// What is asked, and the state of what the answer depends on.
pub(super) struct Asked {
    /// Stands for the question: options, folder, environment.
    question: String,
    sources: Sources,
}

/// The state of a workspace's files, and of files elsewhere that cargo listens to.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Sources {
    /// The workspace's root.
    root: PathBuf,
    /// Folders that are results, not sources.
    results: Vec<PathBuf>,
    /// Stands for what all files are like.
    digest: String,
}

/// A run after which everything that cargo looks at was as before it.
#[derive(Serialize, Deserialize)]
pub(super) struct Settled {
    sources: Sources,
    /// The compilers, and what stands for their state.
    compilers: (Vec<PathBuf>, String),
    /// What cargo said of the workspace.
    pub metadata: Metadata,
    /// The compiler's version.
    pub rustc: String,
    /// The keys of the crates, in order.
    pub crates: Vec<String>,
    /// Under which keys the memory has the programs.
    pub programs: Vec<String>,
}

impl Asked {
    /// Looks at everything before cargo does. None when it cannot be told whether anything changes.
    pub fn new(options: &CargoOptions, metadata: &Metadata, target_dir: &Path) -> Option<Asked> {
        let question = question(options)?;
        let results = vec![metadata.target_directory.clone().into(), target_dir.to_owned()];
        Some(Asked { question, sources: Sources::look(metadata.workspace_root.as_std_path(), results)? })
    }

    /// Keeps the outcome of a run, if nothing else but compilers matters to it. `programs` are the memory's keys.
    pub fn keep(
        self,
        memory: &Memory,
        metadata: Metadata,
        rustc: &semver::Version,
        compilers: Option<Vec<PathBuf>>,
        crates: Vec<String>,
        programs: Option<Vec<String>>,
    ) {
        let (Some(programs), Some(compilers)) = (programs, compilers) else { return };
        let Some(state) = state_of(&compilers) else { return };
        let compilers = (compilers, state);
        let Asked { question, sources } = self;
        let settled = Settled { sources, compilers, metadata, rustc: rustc.to_string(), crates, programs };
        memory.keep(RUNS, &question, &settled);
    }
}

impl Settled {
    /// The last run in which the same was asked, with its programs, if nothing has changed since.
    pub fn recall(memory: &Memory, options: &CargoOptions) -> Option<(Settled, Vec<Kept>)> {
        let settled: Settled = memory.recall(RUNS, &question(options)?)?;
        let sources = Sources::look(&settled.sources.root, settled.sources.results.clone())?;
        let (compilers, state) = &settled.compilers;
        if sources != settled.sources || state_of(compilers).as_ref() != Some(state) {
            return None;
        }
        let programs = settled.programs.iter().map(|key| super::recall(memory, key));
        let programs = programs.collect::<Option<Vec<Kept>>>()?;
        Some((settled, programs))
    }
}

/// The memory of earlier runs, as far as its place is known without asking cargo.
pub(super) fn find_memory(options: &CargoOptions) -> Option<Arc<Memory>> {
    target_dirs(options).iter().find_map(|folder| Memory::find(folder)).map(Arc::new)
}

/// Stands for what is asked of cargo, and all it hears from its environment. None for runs that have cargo's messages passed on.
fn question(options: &CargoOptions) -> Option<String> {
    if options.messages {
        return None;
    }
    let mut environment: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    environment.retain(|name, _| !FLEETING.iter().any(|fleeting| name == fleeting));
    let folder = std::env::current_dir().ok()?;
    Some(digest(format!("{options:?}\0{}\0{environment:?}", folder.display()).as_bytes()))
}

/// Where the results of earlier runs may be.
fn target_dirs(options: &CargoOptions) -> Vec<PathBuf> {
    if let Some(folder) = &options.target_dir {
        return vec![folder.clone()];
    }
    if let Some(folder) = std::env::var_os("CARGO_TARGET_DIR") {
        return vec![Path::new(&folder).join("robust")];
    }
    let start = match &options.manifest_path {
        Some(manifest) => std::path::absolute(manifest),
        None => std::env::current_dir(),
    };
    let start = start.unwrap_or_default();
    start.ancestors().map(|folder| folder.join("target/robust")).collect()
}

impl Sources {
    /// Looks at all files of a workspace but results. None when there are too many, or links, or times are too coarse.
    fn look(root: &Path, results: Vec<PathBuf>) -> Option<Sources> {
        let mut states = Vec::new();
        for file in elsewhere(root) {
            states.push(FileState::of(file.clone(), fs::metadata(file))?);
        }
        let is_source = |entry: &walkdir::DirEntry| {
            let path = entry.path();
            !(entry.file_name() == ".git"
                || results.iter().any(|results| path.starts_with(results))
                || entry.depth() > 0 && entry.file_type().is_dir() && path.join("CACHEDIR.TAG").exists())
        };
        let entries = WalkDir::new(root).sort_by_file_name().into_iter().filter_entry(is_source);
        for (number, entry) in entries.enumerate() {
            let entry = entry.ok()?;
            // Where links lead to is not looked at.
            if number > MAX_FILES || entry.path_is_symlink() {
                return None;
            }
            if entry.file_type().is_file() {
                let data = entry.metadata().map_err(io::Error::from);
                states.push(FileState::of(entry.into_path(), data)?);
            }
        }
        let newest = states.iter().filter_map(|state| state.time).max()?;
        let is_coarse = newest.duration_since(UNIX_EPOCH).is_ok_and(|since| since.subsec_nanos() == 0);
        if is_coarse && newest.elapsed().is_ok_and(|age| age < COARSE) {
            return None;
        }
        Some(Sources { root: root.to_owned(), results, digest: digest(format!("{states:?}").as_bytes()) })
    }
}

/// Stands for the state of programs.
fn state_of(programs: &[PathBuf]) -> Option<String> {
    let states = programs.iter().map(|file| FileState::of(file.clone(), fs::metadata(file)));
    Some(digest(format!("{:?}", states.collect::<Option<Vec<_>>>()?).as_bytes()))
}

/// What a file is like without looking into it.
#[derive(Debug)]
struct FileState {
    #[allow(dead_code, reason = "it is shown")]
    path: PathBuf,
    /// When it was changed; none when it is not there.
    time: Option<SystemTime>,
    #[allow(dead_code, reason = "it is shown")]
    length: u64,
}

impl FileState {
    fn of(path: PathBuf, data: io::Result<fs::Metadata>) -> Option<FileState> {
        match data {
            Ok(data) => Some(FileState { path, time: Some(data.modified().ok()?), length: data.len() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Some(FileState { path, time: None, length: 0 })
            }
            Err(_) => None,
        }
    }
}

/// Files outside of a workspace that cargo, rustup and rustc read settings from.
fn elsewhere(root: &Path) -> Vec<PathBuf> {
    let here = std::env::current_dir().unwrap_or_default();
    let mut files = Vec::new();
    for folder in here.ancestors().chain(root.ancestors()) {
        let names =
            [".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain", "Cargo.toml"];
        files.extend(names.map(|name| folder.join(name)));
    }
    let home = |variable: &str, default: &str| match std::env::var_os(variable) {
        Some(folder) => Some(PathBuf::from(folder)),
        None => Some(std::env::home_dir()?.join(default)),
    };
    if let Some(cargo) = home("CARGO_HOME", ".cargo") {
        files.extend([cargo.join("config.toml"), cargo.join("config")]);
    }
    files.extend(home("RUSTUP_HOME", ".rustup").map(|rustup| rustup.join("settings.toml")));
    files.sort();
    files.dedup();
    files
}
