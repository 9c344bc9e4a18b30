//! Talking to cargo and rustc.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use cargo_metadata::{Artifact, Message, Metadata, MetadataCommand, PackageId, TargetKind};

use super::ahead::Ahead;
use super::compiled::{self, Inspected, Inspection};
use super::config::{self, CargoConfig};
use super::store::{Manifest, Store, key_of};
use super::wrapper::{COMPILER_ENV, INNER_ENV, PASSES_ENV, ROOT_ENV, STABLE_ENV, STORE_ENV, WRAPPER_ENV};
use super::{CargoOptions, ExtractError, MINIMUM_RUSTC, Progress};
use crate::inputs::{Digests, Input, digest};

/// How often [`Progress::cancelled`] is asked while cargo runs.
const POLL: Duration = Duration::from_millis(50);
/// How often cargo is asked to make again what it takes for made.
const ROUNDS: usize = 4;
/// Partial outputs older than this belong to nobody any more.
const ABANDONED: Duration = Duration::from_secs(6 * 60 * 60);

/// A workspace, the toolchain for it, and where outputs go.
pub(super) struct Project {
    pub root: PathBuf,
    pub rustc: semver::Version,
    /// `1.95.0 (59807616e 2026-04-14)`
    pub rustc_text: String,
    pub store: Store,
    pub target_dir: PathBuf,
    pub metadata: Metadata,
    /// Stands for the compiler, with what the user put around it.
    pub compiler: String,
    /// What is in the files that crates are used from.
    pub digests: Mutex<Digests>,
    cargo: Program,
    /// The wrapper that the user had in mind for compilers.
    wrapper: Option<PathBuf>,
}

/// What cargo built.
pub(super) struct Checked {
    pub units: Vec<Unit>,
    /// What it was built from; none when that cannot be told.
    pub inputs: Option<Vec<Input>>,
    /// Results, in our own target directory, that cargo took for fresh, and that do not belong to what is there now.
    outdated: Vec<PathBuf>,
}

/// One crate of the workspace that cargo built.
#[derive(Clone)]
pub(super) struct Unit {
    pub name: String,
    pub kind: String,
    pub package: String,
    /// `name-hash`
    pub key: String,
    pub fresh: bool,
    /// Whether it belongs to the workspace, rather than being taken from next door.
    pub member: bool,
    pub manifest: Option<Manifest>,
    /// The keys of the units it uses, and that these use; none when that is not known.
    pub uses: Option<BTreeSet<String>>,
    artifact: PathBuf,
}

/// A program of the toolchain and what comes before its arguments.
struct Program {
    path: OsString,
    toolchain: Option<String>,
}

impl Program {
    /// The program named by the environment (cargo sets `CARGO` for its subcommands), or the one on the path. With a toolchain
    /// asked for it has to be rustup's proxy, which is the one on the path.
    fn new(name: &str, variable: &str, toolchain: Option<&String>) -> Program {
        let path = match toolchain {
            Some(_) => name.into(),
            None => std::env::var_os(variable).unwrap_or_else(|| name.into()),
        };
        Program { path, toolchain: toolchain.cloned() }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        if let Some(toolchain) = &self.toolchain {
            command.arg(format!("+{toolchain}"));
        }
        command
    }

    fn missing(&self, source: io::Error) -> ExtractError {
        ExtractError::NoProgram { program: self.path.to_string_lossy().into_owned(), source }
    }
}

impl Project {
    /// Looks at toolchain and workspace, and makes sure that outputs can be written, before anything is compiled.
    pub fn find(options: &CargoOptions) -> Result<Project, ExtractError> {
        find_manifest(options.manifest.manifest_path.as_deref())?;
        let toolchain = options.toolchain.as_ref();
        let rustc = Program::new("rustc", "RUSTC", toolchain);
        // They take their time to start: side by side.
        let asked = rustc.command().arg("-vV").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let cargo = Program::new("cargo", "CARGO", toolchain);
        let mut metadata = MetadataCommand::new();
        metadata.cargo_path(&cargo.path).no_deps();
        if let Some(path) = &options.manifest.manifest_path {
            metadata.manifest_path(path);
        }
        if let Some(toolchain) = toolchain {
            metadata.env("RUSTUP_TOOLCHAIN", toolchain);
        }
        let metadata = metadata.exec();
        let (version, text) = rustc_version(&rustc, asked.and_then(Child::wait_with_output))?;
        if older_minor(&version) {
            return Err(ExtractError::OldToolchain { found: version });
        }
        let metadata = metadata.map_err(|error| match error {
            cargo_metadata::Error::Io(source) => cargo.missing(source),
            cargo_metadata::Error::CargoMetadata { stderr } => {
                let text = stderr.trim();
                ExtractError::Metadata(text.strip_prefix("error: ").unwrap_or(text).to_owned())
            }
            other => ExtractError::Metadata(other.to_string()),
        })?;
        let target_dir = match &options.target_dir {
            Some(path) => std::path::absolute(path).map_err(|error| ExtractError::io(path, error))?,
            None => metadata.target_directory.join("robust").into(),
        };
        let store = writable_store(&target_dir).map_err(|error| ExtractError::output(&target_dir, error))?;
        store.sweep(ABANDONED);
        let wrapper = CargoConfig::read(&std::env::current_dir().unwrap_or_default()).wrapper();
        Ok(Project {
            compiler: compiler_state(&text, wrapper.as_deref()),
            digests: Mutex::default(),
            wrapper,
            root: metadata.workspace_root.clone().into(),
            rustc: version,
            rustc_text: text,
            store,
            target_dir,
            metadata,
            cargo,
        })
    }

    /// Folders that hold results, not sources.
    pub fn results(&self) -> Vec<PathBuf> {
        vec![self.metadata.target_directory.clone().into(), self.target_dir.clone()]
    }

    /// The file of the wrapper that the user had in mind for compilers.
    pub fn wrapper(&self) -> Option<PathBuf> {
        config::program(self.wrapper.as_ref()?.as_os_str())
    }

    /// The toolchain that was asked for by name.
    pub fn toolchain(&self) -> Option<&str> {
        self.cargo.toolchain.as_deref()
    }

    /// Runs cargo, and again if it holds something for fresh that is gone or was made from something else. What is there already can
    /// be read `ahead`.
    pub fn check(
        &self,
        options: &CargoOptions,
        progress: &mut dyn Progress,
        ahead: &Ahead,
    ) -> Result<Checked, ExtractError> {
        compiled::forget_outdated(self).map_err(|error| ExtractError::output(&self.target_dir, error))?;
        for _ in 0..ROUNDS {
            let checked = self.check_once(options, progress, ahead)?;
            let lost = |unit: &&Unit| unit.fresh && unit.manifest.is_none();
            let lost = checked.units.iter().filter(lost).map(|unit| &unit.artifact);
            let mut gone = checked.outdated.iter().chain(lost).peekable();
            if gone.peek().is_none() {
                return Ok(checked);
            }
            for file in gone {
                // Cargo makes again what is not there. It is in our own target directory.
                compiled::remove(file).map_err(|error| ExtractError::output(file, error))?;
            }
        }
        Err(ExtractError::Outdated(self.target_dir.clone()))
    }

    fn check_once(
        &self,
        options: &CargoOptions,
        progress: &mut dyn Progress,
        ahead: &Ahead,
    ) -> Result<Checked, ExtractError> {
        let wrapper = match &options.wrapper {
            Some(path) => path.clone(),
            None => {
                std::env::current_exe().map_err(|error| ExtractError::io(Path::new("cargo-robust"), error))?
            }
        };
        let mut command = self.cargo.command();
        command.arg("check").args(options.check_args());
        // Diagnostics go to the terminal as cargo renders them, unless somebody wants them; what was built comes to us.
        let diagnostics = if options.messages { "json" } else { "json-render-diagnostics" };
        command.arg(format!("--message-format={diagnostics}")).arg("--target-dir").arg(&self.target_dir);
        // For all crates: those that a workspace takes from next door by path are no members of it.
        command.env("RUSTC_WRAPPER", wrapper);
        if let Some(own) = &self.wrapper {
            // What it says of the compiler is not to be kept: cargo does not see it change.
            command.env(INNER_ENV, own).env("CARGO_CACHE_RUSTC_INFO", "0");
        }
        command.env(WRAPPER_ENV, "1").env(STORE_ENV, self.store.folder()).env(COMPILER_ENV, &self.compiler);
        command.env(ROOT_ENV, &self.root);
        // Else what is between us and the result would be shared with builds that have no wrapper.
        command.env("CARGO_BUILD_BUILD_DIR", &self.target_dir);
        if options.passes {
            command.env(PASSES_ENV, "1");
        }
        if self.rustc.pre.is_empty() {
            command.env(STABLE_ENV, "1");
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut inspection =
            Inspection::new(self).map_err(|error| ExtractError::output(&self.target_dir, error))?;
        let mut child = command.spawn().map_err(|error| self.cargo.missing(error))?;
        let result = self.follow(&mut child, &mut inspection, progress, ahead);
        if result.is_err() {
            // The wrappers notice that cargo is gone, stop their compilers and remove partial files.
            let _ = child.kill();
        }
        let status = child.wait();
        let (units, built) = result?;
        let status = status.map_err(|error| self.cargo.missing(error))?;
        let Inspected { inputs, outdated } = inspection.finish(!status.success());
        match (status.success(), built) {
            (true, _) => Ok(Checked { units: in_order(units), inputs, outdated }),
            (false, _) if progress.cancelled() || was_interrupted(status) => Err(ExtractError::Interrupted),
            // Compilers that run out of room say so in many ways; whether there is any can be tried.
            (false, _) if self.store.is_full() => Err(ExtractError::DiskFull(self.store.folder().into())),
            // What was compiled may not fit what it was compiled with.
            (false, Some(false)) if !outdated.is_empty() => {
                Ok(Checked { units: Vec::new(), inputs, outdated })
            }
            (false, Some(false)) => Err(ExtractError::Compile),
            (false, _) => Err(ExtractError::Cargo(status.to_string())),
        }
    }

    /// Reads cargo's messages until it closes its output. The second result says whether the build went well, if it got so far.
    fn follow(
        &self,
        child: &mut Child,
        inspection: &mut Inspection<'_>,
        progress: &mut dyn Progress,
        ahead: &Ahead,
    ) -> Result<(Vec<Unit>, Option<bool>), ExtractError> {
        let Some(output) = child.stdout.take() else {
            return Ok((Vec::new(), None));
        };
        let (sender, messages) = mpsc::channel();
        // A thread of its own, so that a cancellation is noticed while cargo is silent.
        std::thread::spawn(move || {
            for message in Message::parse_stream(BufReader::new(output)) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut units = Vec::new();
        let mut built = None;
        loop {
            if progress.cancelled() {
                return Err(ExtractError::Interrupted);
            }
            let message = match messages.recv_timeout(POLL) {
                Ok(Ok(message)) => message,
                Ok(Err(error)) => return Err(ExtractError::Cargo(error.to_string())),
                Err(RecvTimeoutError::Timeout) => {
                    ahead.begin_if(|| self.store.is_busy());
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return Ok((units, built)),
            };
            match message {
                Message::CompilerArtifact(ref artifact) => {
                    progress.checked(&artifact.target.name, artifact.fresh);
                    if !is_own(&artifact.package_id) {
                        continue;
                    }
                    let fits = inspection.artifact(artifact);
                    if let Some(unit) = self.unit(artifact) {
                        ahead.begin_if(|| !unit.fresh || !fits);
                        if fits {
                            ahead.add(&unit);
                        }
                        units.push(unit);
                    }
                }
                Message::BuildScriptExecuted(script) => inspection.script(script),
                Message::CompilerMessage(_) => progress.compiler_message(&message),
                Message::BuildFinished(ref finished) => built = Some(finished.success),
                _ => {}
            }
        }
    }

    /// The unit of an artifact of the user's own code, if it is part of the program rather than of the build.
    fn unit(&self, artifact: &Artifact) -> Option<Unit> {
        let aside = |kind: &TargetKind| matches!(kind, TargetKind::CustomBuild | TargetKind::ProcMacro);
        if artifact.target.kind.iter().any(aside) {
            return None;
        }
        // What code is generated for is part of build scripts or procedural macros.
        if artifact.filenames.iter().any(|path| path.extension() == Some("rlib")) {
            return None;
        }
        let path = artifact.filenames.iter().find(|path| path.extension() == Some("rmeta"))?;
        let key = key_of(path.as_std_path())?;
        let manifest = self.store.files(&key).read_manifest();
        let kind = artifact.target.kind.first().map(ToString::to_string).unwrap_or_default();
        Some(Unit {
            name: artifact.target.name.replace('-', "_"),
            kind: if artifact.profile.test && kind != "test" { format!("{kind} test") } else { kind },
            package: package_name(&artifact.package_id, &artifact.target.name),
            key,
            fresh: artifact.fresh,
            member: self.metadata.workspace_members.contains(&artifact.package_id),
            manifest,
            uses: None,
            artifact: path.into(),
        })
    }
}

/// Whether a package is the user's own.
fn is_own(package: &PackageId) -> bool {
    package.repr.starts_with("path+file:")
}

/// Stands for the compiler that calls itself this, with the wrapper around it.
fn compiler_state(rustc: &str, wrapper: Option<&Path>) -> String {
    let file = wrapper.and_then(|wrapper| config::program(wrapper.as_os_str()));
    let content = file.and_then(|file| fs::read(file).ok()).map(|content| digest(&content));
    digest(format!("{rustc}\0{wrapper:?}\0{content:?}").as_bytes())
}

/// Notes of each unit what it uses, if all can tell.
fn join(units: &mut [Unit]) {
    let direct = |unit: &Unit| Some((unit.key.clone(), unit.manifest.as_ref()?.uses.clone()));
    let direct: HashMap<String, Vec<String>> = units.iter().filter_map(direct).collect();
    if direct.len() < units.len() {
        return;
    }
    for unit in units {
        let mut open = direct.get(&unit.key).cloned().unwrap_or_default();
        let mut uses = BTreeSet::new();
        while let Some(key) = open.pop() {
            // What is not here is not the user's own.
            if let Some(more) = direct.get(&key)
                && uses.insert(key)
            {
                open.extend(more.iter().cloned());
            }
        }
        unit.uses = Some(uses);
    }
}

/// Libraries first. Cargo reports crates as it finishes them, which is another order each time.
fn in_order(mut units: Vec<Unit>) -> Vec<Unit> {
    let rank = |unit: &Unit| !robust_analyzer::mir::is_library(&unit.kind);
    units.sort_by(|a, b| {
        (rank(a), &a.package, &a.name, &a.kind, &a.key).cmp(&(rank(b), &b.package, &b.name, &b.kind, &b.key))
    });
    join(&mut units);
    units
}

/// The package's name out of its id, `registry+https://…#name@1.0.0` or `path+file:///…/name#1.0.0`.
pub(super) fn package_name(id: &PackageId, target: &str) -> String {
    let (url, fragment) = id.repr.rsplit_once('#').unwrap_or(("", &id.repr));
    match fragment.split_once('@') {
        Some((name, _)) => name.to_owned(),
        None => url.rsplit('/').find(|part| !part.is_empty()).unwrap_or(target).to_owned(),
    }
}

/// Cargo's own search, for an error that says more than cargo's.
pub(crate) fn find_manifest(given: Option<&Path>) -> Result<(), ExtractError> {
    if let Some(path) = given {
        return if path.is_file() { Ok(()) } else { Err(ExtractError::ManifestMissing(path.into())) };
    }
    let here = std::env::current_dir().map_err(|error| ExtractError::io(Path::new("."), error))?;
    if here.ancestors().any(|folder| folder.join("Cargo.toml").is_file()) {
        return Ok(());
    }
    Err(ExtractError::NoManifest(here))
}

/// Whether Ctrl-C ended a program that was started: its own end may be noticed before the signal to this one is.
#[cfg(unix)]
fn was_interrupted(status: std::process::ExitStatus) -> bool {
    const SIGINT: i32 = 2;
    std::os::unix::process::ExitStatusExt::signal(&status) == Some(SIGINT)
}

#[cfg(not(unix))]
fn was_interrupted(_: std::process::ExitStatus) -> bool {
    false
}

/// The version in what `rustc -vV` said.
fn rustc_version(
    rustc: &Program,
    output: io::Result<Output>,
) -> Result<(semver::Version, String), ExtractError> {
    let output = output.map_err(|error| rustc.missing(error))?;
    if was_interrupted(output.status) {
        return Err(ExtractError::Interrupted);
    }
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let message = said.lines().next().unwrap_or("it does not start");
        let message = message.strip_prefix("error: ").unwrap_or(message).to_owned();
        let asked = rustc.toolchain.clone().or_else(|| std::env::var("RUSTUP_TOOLCHAIN").ok());
        return Err(match asked {
            Some(name) => ExtractError::UnknownToolchain { name, message },
            None => ExtractError::OddRustc(message),
        });
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let version = said
        .lines()
        .find_map(|line| line.strip_prefix("release: "))
        .and_then(|text| semver::Version::parse(text.trim()).ok())
        .ok_or_else(|| ExtractError::OddRustc(said.lines().next().unwrap_or("").to_owned()))?;
    let text = said.lines().next().and_then(|line| line.strip_prefix("rustc ")).unwrap_or("").to_owned();
    Ok((version, text))
}

/// Older than the minimum when a pre-release (`1.95.0-nightly`, which semver puts before `1.95.0`) counts as its release.
fn older_minor(version: &semver::Version) -> bool {
    (version.major, version.minor) < (MINIMUM_RUSTC.major, MINIMUM_RUSTC.minor)
}

/// Creates the store and writes into it once, to fail early.
fn writable_store(target_dir: &Path) -> io::Result<Store> {
    let store = Store::create(target_dir)?;
    store.scratch()?.close()?;
    Ok(store)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_names() {
        let name = |repr: &str| package_name(&PackageId { repr: repr.into() }, "t");
        assert_eq!(name("path+file:///a/mini-redis#0.4.1"), "mini-redis");
        assert_eq!(name("path+file:///a/b#mini-redis@0.4.1"), "mini-redis");
    }

    #[test]
    fn nightlies_of_the_minimum_are_new_enough() {
        let version = |text| semver::Version::parse(text).unwrap();
        assert!(!older_minor(&version("1.95.0-nightly")));
        assert!(older_minor(&version("1.94.9")));
    }
}
