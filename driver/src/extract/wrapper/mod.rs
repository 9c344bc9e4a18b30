//! What happens when cargo runs us in place of rustc.
//!
//! Cargo calls `RUSTC_WRAPPER rustc ARGS` for each crate. Those from registries and repositories are passed on. The user's own,
//! in the workspace or next to it, are mostly compiled once, by the call that cargo gave with some arguments more, so that MIR
//! is emitted, too (`single`); the names for it are read off the source (`naming`). Where that does not work out the call itself
//! is passed on unchanged, and next to it run two more compilations that print MIR (`job`). All they need (the metadata of the
//! crate's dependencies) is there before cargo calls, so they start as soon as cargo's jobserver has room for them (`tokens`); if the
//! plain call fails they are stopped. In either case cargo sees the metadata, the diagnostics and the exit code of a plain call.

mod call;
mod dumps;
mod job;
mod pass;
mod single;
mod tokens;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime};

use super::compiled::{Compiled, Package};
use super::store::{Files, Manifest, Store, Way};
use call::Call;
use job::{Before, End, Job};
use pass::Kind;
use tokens::Tokens;

use crate::whole;

/// Set in cargo's environment when we are its wrapper.
pub const WRAPPER_ENV: &str = "CARGO_ROBUST_WRAPPER";
/// The wrapper that the user had in mind for compilers.
pub(super) const INNER_ENV: &str = "CARGO_ROBUST_INNER";
/// What stands for the compiler, with that wrapper.
pub(super) const COMPILER_ENV: &str = "CARGO_ROBUST_COMPILER";
/// The workspace's root.
pub(super) const ROOT_ENV: &str = "CARGO_ROBUST_ROOT";
/// The folder for outputs.
pub(super) const STORE_ENV: &str = "CARGO_ROBUST_STORE";
/// Set to have each crate compiled with a pass for the bodies and one for the names.
pub(super) const PASSES_ENV: &str = "CARGO_ROBUST_PASSES";
/// Set when the compiler is a stable one.
pub(super) const STABLE_ENV: &str = "CARGO_ROBUST_STABLE";

/// True when this process was started by cargo as a wrapper around rustc.
pub fn is_wrapper() -> bool {
    std::env::var_os(WRAPPER_ENV).is_some()
}

/// Runs as the wrapper. `args` is the whole command line: our own name, the path of rustc, rustc's arguments.
pub fn run_as_wrapper(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let tokens = Tokens::of_cargo();
    let mut args = args.into_iter().skip(1);
    let Some(rustc) = args.next() else {
        eprintln!("error: cargo-robust was started as a wrapper, but without a compiler to wrap");
        return ExitCode::FAILURE;
    };
    let args: Vec<OsString> = args.collect();
    match wrap(&rustc, &args, &tokens) {
        Ok(code) => code,
        Err(error) => {
            let program = std::env::var_os(INNER_ENV).unwrap_or(rustc);
            eprintln!("error: could not run `{}`: {error}", Path::new(&program).display());
            ExitCode::FAILURE
        }
    }
}

fn wrap(rustc: &OsStr, args: &[OsString], tokens: &Tokens) -> io::Result<ExitCode> {
    let inner = std::env::var_os(INNER_ENV);
    let command = || match &inner {
        Some(inner) => {
            let mut command = Command::new(inner);
            command.arg(rustc);
            command
        }
        None => Command::new(rustc),
    };
    let asked = call::asked_by_cargo(args);
    let store = std::env::var_os(STORE_ENV).map(|folder| Store::open(folder.into()));
    let (Some(store), Some(call)) = (store, Call::read(&asked)) else {
        return command().args(asked).status().map(code_of);
    };
    let args = &call.without_lint_errors(asked);
    let as_it_is = || command().args(args).status();
    let key = call.key();
    let files = store.files(&key);
    let _ = fs::remove_file(&files.compiled);
    if !call.is_of_program() {
        let since = store.scratch().and_then(|scratch| begin(scratch.path()));
        let status = as_it_is()?;
        if let (true, Ok(since)) = (status.success(), since) {
            note(&call, &files, since);
        }
        return Ok(code_of(status));
    }
    let before = match std::env::var_os(PASSES_ENV) {
        Some(_) => Before { way: Some(Way::Passes), goes_on: false, expanded: false },
        None => Before::of(files.read_manifest(), &call),
    };
    // From here on the old outputs no longer belong to the crate's artifact.
    let last = fs::read(&files.manifest);
    let _ = fs::remove_file(&files.manifest);

    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // Without a handler Ctrl-C would end us before the partial files are removed.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));

    let scratch = match store.work(&key) {
        Ok(scratch) => scratch,
        // The plain call still has to happen; the missing manifest tells the rest.
        Err(error) => {
            eprintln!("warning: cargo-robust cannot write to `{}`: {error}", store.folder().display());
            return as_it_is().map(code_of);
        }
    };
    let since = begin(scratch.path());
    let watch = Watch { stop: &stop, parent: parent() };
    let scratch_folder = scratch.path();
    let job = Job {
        command: &command,
        args,
        rustc,
        call: &call,
        files: &files,
        scratch: scratch_folder,
        watch,
        tokens,
    };
    let (code, manifest) = match job.run(&before)? {
        End::Stopped => return Ok(ExitCode::from(130)),
        End::Failed(code) => {
            // Cargo compiles the crate again until that works, and then this is what to go on from.
            if let Ok(last) = last {
                let _ = put_manifest(scratch.path(), &files, &last);
            }
            return Ok(code);
        }
        End::Done(code, manifest) => (code, *manifest),
    };
    if let Ok(since) = since {
        note(&call, &files, since);
    }
    if let Err(error) = keep(scratch.path(), &files, manifest) {
        eprintln!("warning: cargo-robust cannot write to `{}`: {error}", store.folder().display());
    }
    Ok(code)
}

/// When a folder was made, as its file system has it.
fn begin(folder: &Path) -> io::Result<SystemTime> {
    fs::metadata(folder)?.modified()
}

/// Notes what a crate was compiled from. Where that does not work out, it is compiled again the next time.
fn note(call: &Call, files: &Files, since: SystemTime) {
    let path = |name: &str| std::env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let text = |name: &str| std::env::var(name).unwrap_or_default();
    let package =
        Package { name: text("CARGO_PKG_NAME"), folder: path("CARGO_MANIFEST_DIR"), root: path(ROOT_ENV) };
    let compiled = Compiled::new(text(COMPILER_ENV), package, call.outputs(), &call.dep_info(), since);
    if let Some(text) = compiled.ok().and_then(|compiled| serde_json::to_string(&compiled).ok()) {
        let _ = whole::write(&files.compiled, &text);
    }
}

/// Moves complete outputs to where they are looked for; the manifest last.
fn keep(scratch: &Path, files: &Files, mut manifest: Manifest) -> io::Result<()> {
    if manifest.bodies.error.is_none() {
        match fs::rename(scratch.join(Kind::Bodies.file()), &files.bodies) {
            Ok(()) => fs::rename(scratch.join(Kind::COROUTINES), &files.coroutines)?,
            Err(error) => manifest.bodies.error = Some(error.to_string()),
        }
    }
    if manifest.names.error.is_none()
        && let Err(error) = fs::rename(scratch.join(Kind::Names.file()), &files.names)
    {
        manifest.names.error = Some(error.to_string());
    }
    if manifest.bodies.error.is_none() && manifest.names.error.is_none() {
        manifest.digest = files.digest().ok();
    }
    put_manifest(scratch, files, &serde_json::to_vec(&manifest)?)
}

/// Makes outputs valid.
fn put_manifest(scratch: &Path, files: &Files, manifest: &[u8]) -> io::Result<()> {
    let partial = scratch.join("manifest");
    fs::write(&partial, manifest)?;
    fs::rename(&partial, &files.manifest)
}

/// Reasons to give up: Ctrl-C, or cargo is gone.
struct Watch<'a> {
    stop: &'a AtomicBool,
    parent: Option<u32>,
}

impl Watch<'_> {
    fn must_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || parent() != self.parent
    }
}

/// The process that started us; when it dies, another one takes its place.
fn parent() -> Option<u32> {
    #[cfg(unix)]
    return Some(std::os::unix::process::parent_id());
    #[cfg(not(unix))]
    None
}

fn millis(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}

fn code_of(status: ExitStatus) -> ExitCode {
    match status.code() {
        Some(code) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        None => ExitCode::FAILURE,
    }
}
