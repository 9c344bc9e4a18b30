//! Whether anything has changed since a run. If not, cargo need not be asked: that alone takes longer than all the rest.
//!
//! A run notes everything that it depended on: which files there are in the workspace, and what is in those that were compiled, that build
//! scripts say they depend on, and that cargo, rustup and this tool take settings from, wherever they are. It counts what
//! is in them, not when it was written. Cargo is asked all the same where that is too much to look at, and when a compiler had something
//! to say, which cargo says again.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cargo_metadata::Metadata;
use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

use super::parts::Kept;
use crate::extract::CargoOptions;
use crate::extract::config::{CargoConfig, home};
use crate::inputs::{Aspect, Digests, Input, digest};
use crate::memory::Memory;

/// What the memory calls runs.
const RUNS: &str = "runs";
/// Variables that differ from one command to the next and mean nothing to compilers.
const FLEETING: [&str; 4] = ["_", "OLDPWD", "SHLVL", "PWD"];

/// What is asked, and the state of what the answer depends on.
pub(super) struct Asked {
    /// Stands for the question: options, folder, environment.
    question: String,
    /// Folders that are results, not sources.
    results: Vec<PathBuf>,
    /// What cargo looks at before it compiles.
    inputs: Vec<Input>,
}

/// What a run came to.
pub(super) struct Outcome<'a> {
    /// What cargo said of the workspace.
    pub metadata: &'a Metadata,
    /// The compiler's version.
    pub rustc: &'a semver::Version,
    /// Stands for what the user says about the program.
    pub said: String,
    /// What everything was built from; none when that cannot be told.
    pub inputs: Option<Vec<Input>>,
    /// Whether the compilers had nothing to say.
    pub quiet: bool,
    /// The keys of the crates, in order.
    pub crates: Vec<String>,
    /// Under which keys the memory has the programs; none when it has not all of them.
    pub programs: Option<Vec<String>>,
}

/// A run that can be repeated without cargo for as long as everything stays as it was.
#[derive(Serialize, Deserialize)]
pub(super) struct Settled {
    results: Vec<PathBuf>,
    inputs: Vec<Input>,
    quiet: bool,
    /// What cargo said of the workspace.
    pub metadata: Metadata,
    /// The compiler's version.
    pub rustc: String,
    /// Stands for what the user said about the program.
    pub said: String,
    /// The keys of the crates, in order.
    pub crates: Vec<String>,
    /// Under which keys the memory has the programs.
    programs: Vec<String>,
}

impl Asked {
    /// Looks at everything before cargo does. None when this run is to ask cargo anyway.
    pub fn new(options: &CargoOptions, metadata: &Metadata, target_dir: &Path) -> Option<Asked> {
        let question = question(options)?;
        let results = vec![metadata.target_directory.clone().into(), target_dir.to_owned()];
        let inputs = settings(metadata.workspace_root.as_std_path(), &results);
        Some(Asked { question, results, inputs })
    }

    /// Keeps the outcome of a run, if it can be told what it depends on.
    pub fn keep(self, memory: &Memory, outcome: Outcome<'_>) {
        let Asked { question, results, mut inputs } = self;
        let (Some(programs), Some(more)) = (outcome.programs, outcome.inputs) else { return };
        inputs.extend(more);
        inputs.sort_by(|a, b| (&a.path, a.aspect as u8).cmp(&(&b.path, b.aspect as u8)));
        inputs.dedup();
        let settled = Settled {
            results,
            inputs,
            quiet: outcome.quiet,
            metadata: outcome.metadata.clone(),
            rustc: outcome.rustc.to_string(),
            said: outcome.said,
            crates: outcome.crates,
            programs,
        };
        memory.keep(RUNS, &question, &settled);
    }
}

impl Settled {
    /// The last run in which the same was asked, if nothing has changed since.
    pub fn recall(memory: &Memory, options: &CargoOptions) -> Option<Settled> {
        let settled: Settled = memory.recall(RUNS, &question(options)?)?;
        let mut digests = Digests::new(settled.results.clone());
        // Where cargo cannot work, it cannot say again what compilers had to say.
        let asked = settled.quiet || !memory.is_writable();
        (asked && settled.inputs.iter().all(|input| digests.hold(input))).then_some(settled)
    }

    /// Its programs.
    pub fn programs(&self, memory: &Memory) -> Option<Vec<Kept>> {
        self.programs.iter().map(|key| super::recall(memory, key)).collect()
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
    let here = std::env::current_dir().unwrap_or_default();
    if let Some(folder) = CargoConfig::read(&here).target_dir() {
        return vec![folder.join("robust")];
    }
    let start = match &options.manifest.manifest_path {
        Some(manifest) => here.join(manifest),
        None => here,
    };
    start.ancestors().map(|folder| folder.join("target/robust")).collect()
}

/// What cargo and rustup take for settings of a workspace, and which files it has.
fn settings(root: &Path, results: &[PathBuf]) -> Vec<Input> {
    let here = std::env::current_dir().unwrap_or_default();
    let mut files: Vec<PathBuf> = CargoConfig::read(&here).files().map(Path::to_owned).collect();
    for folder in here.ancestors().chain(root.ancestors()) {
        let names = ["rust-toolchain.toml", "rust-toolchain", "Cargo.toml"];
        files.extend(names.map(|name| folder.join(name)));
    }
    files.extend(home("RUSTUP_HOME", ".rustup").map(|rustup| rustup.join("settings.toml")));
    let mut digests = Digests::new(results.to_owned());
    // Before what is there is read: whatever comes after that is noticed by its name.
    let mut inputs = vec![digests.input(root.to_owned(), Aspect::Names)];
    let entries = WalkDir::new(root).follow_links(true).into_iter();
    let entries = entries.filter_entry(|entry| digests.is_input(entry, Aspect::Names)).flatten();
    let manifest = |name: &std::ffi::OsStr| name == "Cargo.toml" || name == "Cargo.lock";
    files.extend(entries.filter(|entry| manifest(entry.file_name())).map(walkdir::DirEntry::into_path));
    files.sort();
    files.dedup();
    inputs.extend(files.into_iter().map(|file| digests.input(file, Aspect::Content)));
    inputs
}
