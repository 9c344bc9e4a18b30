//! What happens when cargo runs us in place of rustc.
//!
//! Cargo calls `RUSTC_WORKSPACE_WRAPPER rustc ARGS` for each crate of the workspace. The call itself is passed on unchanged:
//! its metadata, its diagnostics and its exit code are what cargo sees. Next to it run two more compilations that print
//! MIR. They start at once, as all they need (the metadata of the crate's dependencies) is there before cargo calls; if the plain
//! call fails they are stopped.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::store::{Manifest, PassResult, Store};

/// Set in cargo's environment when we are its wrapper.
pub const WRAPPER_ENV: &str = "CARGO_ROBUST_WRAPPER";
/// The folder for outputs.
pub(super) const STORE_ENV: &str = "CARGO_ROBUST_STORE";

/// How often the children are looked at. Short against a compilation, long against a system call.
const POLL: Duration = Duration::from_millis(4);

/// True when this process was started by cargo as a wrapper around rustc.
pub fn is_wrapper() -> bool {
    std::env::var_os(WRAPPER_ENV).is_some()
}

/// Runs as the wrapper. `args` is the whole command line: our own name, the path of rustc, rustc's arguments.
pub fn run_as_wrapper(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args = args.into_iter().skip(1);
    let Some(rustc) = args.next() else {
        eprintln!("error: cargo-robust was started as a wrapper, but without a compiler to wrap");
        return ExitCode::FAILURE;
    };
    let args: Vec<OsString> = args.collect();
    match wrap(&rustc, &args) {
        Ok(code) => code,
        Err(error) => {
            eprintln!(
                "error: could not run `{}`: {error}",
                Path::new(&rustc).display()
            );
            ExitCode::FAILURE
        }
    }
}

fn wrap(rustc: &OsStr, args: &[OsString]) -> io::Result<ExitCode> {
    let mut plain = Command::new(rustc);
    plain.args(args);
    let store = std::env::var_os(STORE_ENV).map(|folder| Store::open(folder.into()));
    let (Some(store), Some(call)) = (store, Call::read(args)) else {
        return plain.status().map(code_of);
    };
    let key = call.key();
    let files = store.files(&key);
    // From here on the old outputs no longer belong to the crate's artifact.
    let _ = fs::remove_file(&files.manifest);

    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // Without a handler Ctrl-C would end us before the partial files are removed.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));

    let scratch = match store.scratch() {
        Ok(scratch) => scratch,
        // The plain call still has to happen; the missing manifest tells the rest.
        Err(error) => {
            eprintln!(
                "warning: cargo-robust cannot write to `{}`: {error}",
                store.folder().display()
            );
            return plain.status().map(code_of);
        }
    };
    let mut bodies = Pass::start(rustc, &call, scratch.path(), Kind::Bodies);
    let mut names = Pass::start(rustc, &call, scratch.path(), Kind::Names);
    let start = Instant::now();
    let mut plain = plain.spawn()?;
    let watch = Watch {
        stop: &stop,
        parent: parent(),
    };

    let status = loop {
        bodies.poll();
        names.poll();
        if let Some(status) = plain.try_wait()? {
            break status;
        }
        if watch.must_stop() {
            let _ = plain.kill();
            let _ = plain.wait();
            bodies.kill();
            names.kill();
            return Ok(ExitCode::from(130));
        }
        std::thread::sleep(POLL);
    };
    let plain_ms = millis(start);
    if !status.success() {
        bodies.kill();
        names.kill();
        return Ok(code_of(status));
    }
    while bodies.poll() | names.poll() {
        if watch.must_stop() {
            bodies.kill();
            names.kill();
            return Ok(ExitCode::from(130));
        }
        std::thread::sleep(POLL);
    }

    let manifest = Manifest {
        name: call.name.clone(),
        root_file: call.root_file.clone(),
        plain_ms,
        bodies: bodies.result(),
        names: names.result(),
    };
    if let Err(error) = keep(scratch.path(), &files, manifest) {
        eprintln!(
            "warning: cargo-robust cannot write to `{}`: {error}",
            store.folder().display()
        );
    }
    Ok(code_of(status))
}

/// Moves complete outputs to where they are looked for; the manifest last.
fn keep(scratch: &Path, files: &super::store::Files, mut manifest: Manifest) -> io::Result<()> {
    if manifest.bodies.error.is_none() {
        let joined = join_dumps(&scratch.join("dump"), &scratch.join("coroutines"));
        match joined.and_then(|()| fs::rename(scratch.join(Kind::Bodies.file()), &files.bodies)) {
            Ok(()) => fs::rename(scratch.join("coroutines"), &files.coroutines)?,
            Err(error) => manifest.bodies.error = Some(error.to_string()),
        }
    }
    if manifest.names.error.is_none()
        && let Err(error) = fs::rename(scratch.join(Kind::Names.file()), &files.names)
    {
        manifest.names.error = Some(error.to_string());
    }
    let partial = scratch.join("manifest");
    fs::write(&partial, serde_json::to_vec(&manifest)?)?;
    fs::rename(&partial, &files.manifest)
}

/// One file for all dumps: a crate has thousands, and the names do not matter. Sorted, so that `{impl#2}` comes before
/// `{impl#10}` and runs are alike.
fn join_dumps(folder: &Path, to: &Path) -> io::Result<()> {
    let mut paths: Vec<PathBuf> = match fs::read_dir(folder) {
        Ok(entries) => entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<_>>()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "mir"));
    paths.sort_by_cached_key(|path| natural_key(&path.to_string_lossy()));
    let mut out = io::BufWriter::new(File::create(to)?);
    for path in paths {
        out.write_all(&fs::read(path)?)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Text with its numbers padded.
fn natural_key(text: &str) -> String {
    let mut key = String::new();
    let mut number = String::new();
    for c in text.chars().chain(['\0']) {
        if c.is_ascii_digit() {
            number.push(c);
            continue;
        }
        if !number.is_empty() {
            key.push_str(&format!("{number:0>12}"));
            number.clear();
        }
        key.push(c);
    }
    key
}

/// A call of rustc that compiles a crate worth looking at.
struct Call {
    name: String,
    extra: String,
    root_file: String,
    /// The arguments without those about output and diagnostics.
    args: Vec<OsString>,
}

impl Call {
    /// Understands the arguments; none when this call is a question, a build script or a procedural macro, which
    /// run while compiling and are no part of the program.
    fn read(args: &[OsString]) -> Option<Call> {
        let expanded = expand(args)?;
        let mut call = Call {
            name: String::new(),
            extra: String::new(),
            root_file: String::new(),
            args: Vec::new(),
        };
        let mut rest = expanded.into_iter();
        while let Some(arg) = rest.next() {
            let text = arg.to_str().unwrap_or("").to_owned();
            // `--flag value` and `--flag=value` are both in use; so are `-C x=y` and `-Cx=y`.
            let (flag, mut value) = match text.split_once('=') {
                Some((flag, value)) if text.starts_with("--") => {
                    (flag.to_owned(), Some(OsString::from(value)))
                }
                _ if text.starts_with("-C") && text.len() > 2 => {
                    ("-C".to_owned(), Some(OsString::from(&text[2..])))
                }
                _ => (text.clone(), None),
            };
            let joined = value.is_some();
            if value.is_none() && takes_value(&flag) {
                value = rest.next();
            }
            let shown = value
                .as_deref()
                .and_then(OsStr::to_str)
                .unwrap_or("")
                .to_owned();
            match flag.as_str() {
                "--print" | "-vV" | "-V" | "--version" => return None,
                "--emit" | "--out-dir" | "--error-format" | "--json" | "--diagnostic-width"
                | "--cap-lints" | "-o" => {
                    continue;
                }
                "--crate-name" => call.name.clone_from(&shown),
                "--crate-type" if shown.contains("proc-macro") => return None,
                "-C" | "--codegen" => {
                    if shown.starts_with("incremental=") {
                        continue;
                    }
                    if let Some(extra) = shown.strip_prefix("extra-filename=") {
                        call.extra = extra.to_owned();
                    }
                }
                _ if !text.starts_with('-')
                    && (text.ends_with(".rs") || call.root_file.is_empty()) =>
                {
                    call.root_file = arg.to_string_lossy().into_owned();
                }
                _ => {}
            }
            call.args.push(arg);
            if !joined && let Some(value) = value {
                call.args.push(value);
            }
        }
        let compiles = !call.name.is_empty() && call.name != "___" && !call.root_file.is_empty();
        (compiles && !call.name.starts_with("build_script_")).then_some(call)
    }

    fn key(&self) -> String {
        format!("{}{}", self.name, self.extra)
    }
}

fn takes_value(flag: &str) -> bool {
    matches!(
        flag,
        "--crate-name"
            | "--crate-type"
            | "--edition"
            | "--emit"
            | "--out-dir"
            | "--error-format"
            | "--json"
            | "--diagnostic-width"
            | "--cap-lints"
            | "--cfg"
            | "--check-cfg"
            | "--extern"
            | "--target"
            | "--sysroot"
            | "--codegen"
            | "--print"
            | "--explain"
            | "--remap-path-prefix"
            | "--color"
            | "--warn"
            | "--allow"
            | "--deny"
            | "--forbid"
            | "--force-warn"
            | "--env-set"
            | "-C"
            | "-L"
            | "-l"
            | "-o"
            | "-A"
            | "-W"
            | "-D"
            | "-F"
            | "-Z"
    )
}

/// Reads `@file` arguments, which cargo uses when a command line gets too long: one argument per line.
fn expand(args: &[OsString]) -> Option<Vec<OsString>> {
    let mut all = Vec::with_capacity(args.len());
    for arg in args {
        match arg.to_str().and_then(|text| text.strip_prefix('@')) {
            Some(path) => all.extend(fs::read_to_string(path).ok()?.lines().map(OsString::from)),
            None => all.push(arg.clone()),
        }
    }
    Some(all)
}

#[derive(Clone, Copy)]
enum Kind {
    /// Pass B.
    Bodies,
    /// Pass C.
    Names,
}

impl Kind {
    fn file(self) -> &'static str {
        match self {
            Kind::Bodies => "mir",
            Kind::Names => "names",
        }
    }
}

/// A compilation that prints.
struct Pass {
    child: Option<Child>,
    start: Instant,
    ms: u64,
    error: Option<String>,
    said: PathBuf,
}

impl Pass {
    fn start(rustc: &OsStr, call: &Call, scratch: &Path, kind: Kind) -> Pass {
        let said = scratch.join(format!("{}.stderr", kind.file()));
        let mut command = Command::new(rustc);
        command.args(&call.args);
        // Only here: in cargo's own environment it would make every crate of the graph stale.
        command.env("RUSTC_BOOTSTRAP", "1");
        command.args([
            "--cap-lints",
            "allow",
            "--error-format=short",
            "-Ztrim-diagnostic-paths=no",
            "-o",
        ]);
        command.arg(scratch.join(kind.file()));
        match kind {
            Kind::Bodies => {
                // Level 1 already drops StorageLive and StorageDead.
                command.args([
                    "-Zunpretty=mir",
                    "-Zmir-opt-level=0",
                    "-Zmir-include-spans=y",
                ]);
                command.args([
                    "-Zspan-free-formats=y",
                    "-Zub-checks=no",
                    "-Zdump-mir=coroutine_before",
                ]);
                let mut dump = OsString::from("-Zdump-mir-dir=");
                dump.push(scratch.join("dump"));
                command.arg(dump);
            }
            Kind::Names => {
                command.arg("-Zunpretty=stable-mir");
            }
        }
        let spawned = File::create(&said).and_then(|file| {
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(file)
                .spawn()
        });
        let start = Instant::now();
        match spawned {
            Ok(child) => Pass {
                child: Some(child),
                start,
                ms: 0,
                error: None,
                said,
            },
            Err(error) => Pass {
                child: None,
                start,
                ms: 0,
                error: Some(error.to_string()),
                said,
            },
        }
    }

    /// True while it runs.
    fn poll(&mut self) -> bool {
        let Some(child) = &mut self.child else {
            return false;
        };
        match child.try_wait() {
            Ok(None) => return true,
            Ok(Some(status)) if status.success() => {}
            Ok(Some(status)) => self.error = Some(self.last_words(&status.to_string())),
            Err(error) => self.error = Some(error.to_string()),
        }
        self.ms = millis(self.start);
        self.child = None;
        false
    }

    /// What rustc said at the end, for the user.
    fn last_words(&self, status: &str) -> String {
        let said = fs::read(&self.said).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let mut lines: Vec<&str> = said
            .lines()
            .filter(|line| line.contains("error"))
            .take(3)
            .collect();
        if lines.is_empty() {
            lines = said.lines().take(3).collect();
        }
        format!("rustc ended with {status}: {}", lines.join(" / "))
    }

    fn kill(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
        self.child = None;
    }

    fn result(self) -> PassResult {
        PassResult {
            ms: self.ms,
            error: self.error,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn os(args: &[&str]) -> Vec<OsString> {
        args.iter().map(OsString::from).collect()
    }

    #[test]
    fn outputs_and_diagnostics_are_left_out() {
        let call = Call::read(&os(&[
            "--crate-name",
            "a_b",
            "--edition=2021",
            "src/lib.rs",
            "--error-format=json",
            "--json=artifacts",
            "--crate-type",
            "lib",
            "--emit=dep-info,metadata",
            "-C",
            "extra-filename=-12ab",
            "-Cincremental=/x",
            "-C",
            "incremental=/x",
            "--out-dir",
            "/o p",
            "-L",
            "dependency=/d",
            "--extern",
            "t=/d/libt.rmeta",
            "-C",
            "metadata=0a",
            "--cap-lints",
            "warn",
        ]))
        .unwrap();
        assert_eq!(call.key(), "a_b-12ab");
        assert_eq!(call.root_file, "src/lib.rs");
        let expected = os(&[
            "--crate-name",
            "a_b",
            "--edition=2021",
            "src/lib.rs",
            "--crate-type",
            "lib",
            "-C",
            "extra-filename=-12ab",
            "-L",
            "dependency=/d",
            "--extern",
            "t=/d/libt.rmeta",
            "-C",
            "metadata=0a",
        ]);
        assert_eq!(call.args, expected);
    }

    #[test]
    fn questions_scripts_and_macros_get_no_passes() {
        assert!(Call::read(&os(&["-vV"])).is_none());
        assert!(Call::read(&os(&["-", "--crate-name", "___", "--print=cfg"])).is_none());
        assert!(Call::read(&os(&["--crate-name", "build_script_build", "build.rs"])).is_none());
        assert!(
            Call::read(&os(&[
                "--crate-name",
                "m",
                "src/lib.rs",
                "--crate-type",
                "proc-macro"
            ]))
            .is_none()
        );
    }

    #[test]
    fn dumps_are_ordered_by_number() {
        assert!(natural_key("c.{impl#2}-f") < natural_key("c.{impl#10}-f"));
    }
}
