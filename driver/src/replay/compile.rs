//! Building what is run: the scheduler, the libraries that the crate uses, and the harness.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use robust_runtime::build::{self, Call, HOSTS, Made, Task};
use robust_runtime::pieces;
use serde::Deserialize;

use super::ReplayError;
use super::harness::{Harness, NotDriven};
use super::shadow::Shadow;
use super::source::CrateSource;
use crate::extract::CargoOptions;
use crate::inputs::digest;

/// So many times the harness is compiled with other texts.
const ROUNDS: usize = 24;
/// The tools, and the folder for all that is built.
pub struct Builder {
    cargo: PathBuf,
    rustc: PathBuf,
    toolchain: Option<String>,
    host: String,
    version: String,
    pub folder: PathBuf,
}

/// The crate with the events: a library, or a program.
#[derive(Clone, Debug)]
pub struct Library {
    pub manifest: PathBuf,
    /// The program's name, as cargo has it, if it is one.
    pub program: Option<String>,
    /// As rustc has it.
    pub name: String,
    pub root_file: PathBuf,
    /// Where the workspace is.
    pub workspace: PathBuf,
}

impl Library {
    /// The folder whose copy is compiled.
    pub fn base(&self) -> &Path {
        let package = self.manifest.parent().unwrap_or(Path::new(""));
        if package.starts_with(&self.workspace) { &self.workspace } else { package }
    }
}

impl Builder {
    /// Finds the tools.
    pub fn new(options: &CargoOptions, target_dir: &Path) -> Result<Builder, ReplayError> {
        let tool = |name: &str, variable: &str| match options.toolchain {
            Some(_) => PathBuf::from(name),
            None => std::env::var_os(variable).map_or_else(|| PathBuf::from(name), PathBuf::from),
        };
        let mut builder = Builder {
            cargo: tool("cargo", "CARGO"),
            rustc: tool("rustc", "RUSTC"),
            toolchain: options.toolchain.clone(),
            host: String::new(),
            version: String::new(),
            folder: target_dir.join("replay"),
        };
        let said = builder
            .rustc()
            .arg("-vV")
            .output()
            .map_err(|error| ReplayError::Tool("rustc".to_owned(), error.to_string()))?;
        builder.version = String::from_utf8_lossy(&said.stdout).into_owned();
        builder.host = builder
            .version
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .unwrap_or_default()
            .to_owned();
        if !HOSTS.contains(&&*builder.host) {
            return Err(ReplayError::Platform(builder.host));
        }
        Ok(builder)
    }

    pub fn cargo(&self) -> Command {
        let mut command = Command::new(&self.cargo);
        if let Some(toolchain) = &self.toolchain {
            command.arg(format!("+{toolchain}"));
        }
        command
    }

    fn rustc(&self) -> Command {
        let mut command = Command::new(&self.rustc);
        if let Some(toolchain) = &self.toolchain {
            command.arg(format!("+{toolchain}"));
        }
        command
    }

    /// The scheduler, compiled when there is none for this compiler yet.
    pub fn scheduler(&self) -> Result<PathBuf, ReplayError> {
        let texts: String = robust_runtime::SCHEDULER.iter().map(|(_, text)| *text).collect();
        let key = digest(format!("{}{texts}", self.version).as_bytes());
        let folder = self.folder.join("scheduler").join(&key[..16]);
        let library = folder.join("librobust_runtime.so");
        if library.is_file() {
            return Ok(library);
        }
        let io = |error: std::io::Error| ReplayError::Files { folder: folder.clone(), source: error };
        fs::create_dir_all(&folder).map_err(io)?;
        for (name, text) in robust_runtime::SCHEDULER {
            fs::write(folder.join(name), text).map_err(io)?;
        }
        // Others may make it at the same time.
        let made = folder.join(format!("made-{}.so", std::process::id()));
        let mut command = self.rustc();
        build::scheduler(&mut command, &folder.join(robust_runtime::SCHEDULER[0].0), &made);
        let output = command.output().map_err(io)?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(ReplayError::Tool("the scheduler".to_owned(), said));
        }
        fs::rename(&made, &library).map_err(io)?;
        Ok(library)
    }

    /// Has cargo build the crate, and all that it uses, so that it can be linked with a harness.
    pub fn build(
        &self,
        options: &CargoOptions,
        library: &Library,
        scheduler: &Path,
    ) -> Result<Call, ReplayError> {
        let note = self
            .folder
            .join("calls")
            .join(format!("{}.txt", digest(library.root_file.to_string_lossy().as_bytes())));
        let io = |error: std::io::Error| ReplayError::Files { folder: self.folder.clone(), source: error };
        fs::create_dir_all(self.folder.join("calls")).map_err(io)?;
        for _ in 0..2 {
            let status = self.cargo_build(options, library, scheduler, &note)?.status().map_err(io)?;
            if !status.success() {
                return Err(ReplayError::Build);
            }
            let noted = fs::read_to_string(&note).ok().and_then(|text| Call::read(&text));
            if let Some(call) = noted {
                return Ok(call);
            }
            // Cargo took it for fresh, and the note is gone: it is ours to have made again.
            let fresh = self.folder.join("build").join(&self.host).join("debug/.fingerprint");
            if fresh.is_dir() {
                fs::remove_dir_all(fresh).map_err(io)?;
            }
        }
        Err(ReplayError::Build)
    }

    fn cargo_build(
        &self,
        options: &CargoOptions,
        library: &Library,
        scheduler: &Path,
        note: &Path,
    ) -> Result<Command, ReplayError> {
        let own = std::env::current_exe()
            .map_err(|error| ReplayError::Tool("cargo-robust".to_owned(), error.to_string()))?;
        let task = Task {
            package: library.manifest.parent().unwrap_or(Path::new("")).to_owned(),
            name: library.name.clone(),
            program: library.program.clone(),
            scheduler: scheduler.to_owned(),
            note: note.to_owned(),
            known: std::env::vars().map(|(name, _)| name).collect(),
        };
        let mut command = self.cargo();
        let wrapper = options.wrapper.clone().unwrap_or(own);
        let folder = self.folder.join("build");
        build::target(&mut command, &library.manifest, &self.host, &folder, &wrapper, &task);
        command.args(selection(options));
        command.stdin(Stdio::null()).stdout(Stdio::null());
        Ok(command)
    }
    /// Compiles the harness; texts that do not compile are replaced.
    pub fn harness(
        &self,
        call: &Call,
        library: &Library,
        source: &CrateSource,
        harness: &mut Harness,
        scheduler: &Path,
    ) -> Result<PathBuf, ReplayError> {
        let key = &digest(library.root_file.to_string_lossy().as_bytes())[..16];
        let folder = self.folder.join("shadow").join(format!("{}-{key}-{}", library.name, harness.object));
        let parts = folder.join("parts");
        let io = |error: std::io::Error| ReplayError::Files { folder: folder.clone(), source: error };
        fs::create_dir_all(&parts).map_err(io)?;
        let base = library.base();
        let shadow = Shadow::write(
            base,
            &folder.join("tree"),
            &parts,
            source,
            pieces::modules(harness.pieces.iter()).into_iter(),
        )
        .map_err(io)?;
        let made = folder.join("harness");
        for _ in 0..ROUNDS {
            let lines = pieces::write(harness.pieces.iter(), robust_runtime::HARNESS, &parts).map_err(io)?;
            let of = Made {
                base,
                tree: &shadow.folder,
                root_file: &shadow.root_file,
                scheduler,
                folder: &folder,
                made: &made,
                messages: "json",
            };
            let output = build::harness(call, &of).output().map_err(io)?;
            if output.status.success() {
                return Ok(made);
            }
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            reject(harness, &said, &lines).map_err(|NotDriven(why)| ReplayError::NotDriven(why))?;
        }
        Err(ReplayError::NotDriven("no harness that compiles was found".to_owned()))
    }
}

/// Which part of the package is built.
pub fn selection(options: &CargoOptions) -> Vec<String> {
    let mut all = Vec::new();
    for feature in &options.features.features {
        all.extend(["--features".to_owned(), feature.clone()]);
    }
    for (flag, on) in [
        ("--all-features", options.features.all_features),
        ("--no-default-features", options.features.no_default_features),
        ("--locked", options.locked),
        ("--offline", options.offline),
        ("--frozen", options.frozen),
    ] {
        if on {
            all.push(flag.to_owned());
        }
    }
    all
}

/// By file: which lines are of which part of which piece.
type Lines = [(PathBuf, pieces::Lines)];

/// What the compiler says.
#[derive(Deserialize)]
struct Message {
    message: String,
    level: String,
    spans: Vec<Span>,
}

#[derive(Clone, Deserialize)]
struct Span {
    file_name: PathBuf,
    line_start: usize,
    is_primary: bool,
    expansion: Option<Box<Expansion>>,
}

#[derive(Clone, Deserialize)]
struct Expansion {
    span: Span,
}

/// Replaces what did not compile.
fn reject(harness: &mut Harness, said: &str, lines: &Lines) -> Result<(), NotDriven> {
    let mut wrong: BTreeMap<(usize, usize), String> = BTreeMap::new();
    let mut first = None;
    for line in said.lines() {
        let Ok(message) = serde_json::from_str::<Message>(line) else { continue };
        if message.level != "error" {
            continue;
        }
        let mut spans: Vec<&Span> = message.spans.iter().collect();
        spans.sort_by_key(|span| !span.is_primary);
        let found = spans.iter().find_map(|span| part_at(span, lines));
        if let Some(part) = found {
            wrong.entry(part).or_insert(message.message);
        } else if !message.spans.is_empty() || first.is_none() {
            first.get_or_insert(message.message);
        }
    }
    if wrong.is_empty() {
        let why = first.unwrap_or_else(|| said.lines().last().unwrap_or_default().to_owned());
        return Err(NotDriven(format!("the harness does not compile: {why}")));
    }
    for ((piece, part), why) in wrong {
        harness.reject(piece, part, &why)?;
    }
    Ok(())
}

/// The part that a span is in, or the macro call that it comes from.
fn part_at(span: &Span, lines: &Lines) -> Option<(usize, usize)> {
    let mut span = span.clone();
    loop {
        let own = lines.iter().find(|(file, _)| *file == span.file_name);
        let here = own.and_then(|(_, lines)| {
            lines.iter().find(|(from, to, ..)| (*from..*to).contains(&span.line_start))
        });
        if let Some(&(_, _, piece, part)) = here {
            return Some((piece, part));
        }
        span = span.expansion?.span;
    }
}
