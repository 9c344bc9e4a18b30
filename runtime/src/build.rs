//! How what is run is compiled: the scheduler, the libraries that a crate uses, and its harness.
//!
//! Cargo runs us in place of rustc. Code of the program (not of build scripts or procedural macros: the build names a target, which
//! only the program's calls have) gets the flags that give the scheduler control. The call that compiles the crate with the events
//! is noted: the harness is compiled by it, with another root file.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::worker::{escaped, unescaped};

/// Calls of atomic operations in place of the operations, and frame pointers to see where they come from.
pub const FLAGS: [&str; 5] = [
    "-Cpasses=tsan",
    "-Cllvm-args=-tsan-instrument-func-entry-exit=0",
    "-Cforce-frame-pointers=yes",
    "-Cdebuginfo=line-tables-only",
    "-Clto=off",
];

/// Systems that the scheduler knows.
pub const HOSTS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

/// Set in cargo's environment when we are its wrapper in this way: what to do.
pub const TASK: &str = "CARGO_ROBUST_REPLAY";

/// What the wrapper is to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// The folder of the package whose crate is noted.
    pub package: PathBuf,
    /// The crate's name, as rustc has it.
    pub name: String,
    /// The program's name, as cargo has it, if it is a program that is noted and not a library.
    pub program: Option<String>,
    /// What a program is linked with, as its code calls it.
    pub scheduler: PathBuf,
    /// Where it is noted.
    pub note: PathBuf,
    /// The names of variables that cargo was started with.
    pub known: BTreeSet<String>,
}

/// A call of rustc.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The compiler.
    pub rustc: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it was called.
    pub folder: PathBuf,
    /// What cargo and build scripts set.
    pub variables: Vec<(String, String)>,
}

impl Task {
    /// The task of building that crate, as text.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n{}\n{}", self.package.display(), self.name, self.note.display());
        let _ =
            write!(out, "\n{}\n{}", self.program.as_deref().unwrap_or_default(), self.scheduler.display());
        self.known.iter().for_each(|name| out += &format!("\n{name}"));
        out
    }

    fn read(text: &str) -> Option<Task> {
        let mut lines = text.lines();
        let (package, name, note) = (lines.next()?.into(), lines.next()?.to_owned(), lines.next()?.into());
        let program = Some(lines.next()?.to_owned()).filter(|program| !program.is_empty());
        let scheduler = lines.next()?.into();
        Some(Task { package, name, program, scheduler, note, known: lines.map(str::to_owned).collect() })
    }
}

impl Call {
    /// The call as text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(
            out,
            "rustc {}\nfolder {}",
            escaped(&self.rustc),
            escaped(&self.folder.to_string_lossy())
        );
        self.args.iter().for_each(|arg| out += &format!("arg {}\n", escaped(arg)));
        self.variables.iter().for_each(|(name, value)| out += &format!("set {name}={}\n", escaped(value)));
        out + "end\n"
    }

    /// Reads it again, if all of it is there.
    pub fn read(text: &str) -> Option<Call> {
        let mut call = Call::default();
        for line in text.strip_suffix("end\n")?.lines() {
            let (what, rest) = line.split_once(' ')?;
            let rest = unescaped(rest);
            match what {
                "rustc" => call.rustc = rest,
                "folder" => call.folder = rest.into(),
                "arg" => call.args.push(rest),
                "set" => {
                    call.variables.extend(rest.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned())))
                }
                _ => return None,
            }
        }
        Some(call)
    }

    /// The crates that it names.
    pub fn used(&self) -> Vec<String> {
        let externs = self.args.windows(2).filter(|two| two[0] == "--extern").map(|two| &two[1]);
        externs.filter_map(|text| text.split('=').next()?.rsplit(':').next().map(str::to_owned)).collect()
    }
}

/// True when this process was started by cargo as this wrapper.
pub fn is_wrapper() -> bool {
    std::env::var_os(TASK).is_some()
}

/// Runs as the wrapper. `args` is the whole command line: our own name, the path of rustc, rustc's arguments.
pub fn run_as_wrapper(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args = args.into_iter().skip(1);
    let task = std::env::var(TASK).ok().and_then(|task| Task::read(&task));
    let (Some(rustc), Some(task)) = (args.next(), task) else {
        eprintln!("error: started as a wrapper, but without a compiler to wrap");
        return ExitCode::FAILURE;
    };
    let args: Vec<OsString> = args.collect();
    let text: Vec<String> = args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let after = |flag: &str| text.iter().position(|arg| arg == flag).and_then(|at| text.get(at + 1));
    let name = after("--crate-name").cloned().unwrap_or_default();
    let of_program = name != "___"
        && !name.is_empty()
        && text.iter().any(|arg| arg == "--target" || arg.starts_with("--target="));
    let mut command = Command::new(&rustc);
    command.args(&args).env_remove(TASK);
    if of_program {
        // What the compiler warns of was said when the crate was analysed.
        command.args(FLAGS).arg("--cap-lints=allow");
        let here =
            std::env::var_os("CARGO_MANIFEST_DIR").is_some_and(|folder| Path::new(&folder) == task.package);
        let kinds = text.iter().zip(text.iter().skip(1)).filter(|(flag, _)| *flag == "--crate-type");
        let library = kinds.map(|(_, kind)| kind).all(|kind| kind != "bin");
        if here && library != task.program.is_some() && name == task.name {
            if !library {
                command.arg(format!("-Clink-arg={}", task.scheduler.display()));
            }
            let variables =
                std::env::vars().filter(|(name, _)| !task.known.contains(name) && name != TASK).collect();
            let folder = std::env::current_dir().unwrap_or_default();
            let call = Call { rustc: rustc.to_string_lossy().into_owned(), args: text, folder, variables };
            if let Err(error) = std::fs::write(&task.note, call.text()) {
                eprintln!("error: cannot write `{}`: {error}", task.note.display());
                return ExitCode::FAILURE;
            }
        }
    }
    match command.status() {
        Ok(status) => u8::try_from(status.code().unwrap_or(1)).map_or(ExitCode::FAILURE, ExitCode::from),
        Err(error) => {
            eprintln!("error: could not run `{}`: {error}", Path::new(&rustc).display());
            ExitCode::FAILURE
        }
    }
}

/// Has cargo build a library or a program, and all that it uses, so that it can be linked with a harness.
pub fn target(
    command: &mut Command,
    manifest: &Path,
    host: &str,
    folder: &Path,
    wrapper: &Path,
    task: &Task,
) {
    command.arg("build");
    match &task.program {
        Some(program) => command.args(["--bin", program]),
        None => command.arg("--lib"),
    };
    command.args(["--quiet", "--manifest-path"]).arg(manifest);
    command.args(["--target", host, "--target-dir"]).arg(folder);
    command.env("RUSTC_WRAPPER", wrapper).env(TASK, task.text());
    command.env("CARGO_BUILD_BUILD_DIR", folder);
    for (name, value) in [
        ("OPT_LEVEL", "0"),
        ("DEBUG", "line-tables-only"),
        ("LTO", "off"),
        ("PANIC", "unwind"),
        ("STRIP", "none"),
    ] {
        command.env(format!("CARGO_PROFILE_DEV_{name}"), value);
    }
}

/// Compiles the scheduler from its files.
pub fn scheduler(command: &mut Command, root: &Path, made: &Path) {
    command
        .args(["--edition=2024", "-O", "-Cforce-frame-pointers=yes", "-Cpanic=abort", "--crate-type=cdylib"])
        .args(["--crate-name=robust_runtime", "--cap-lints=allow", "-o"])
        .arg(made)
        .arg(root);
}

/// A harness that is to be compiled.
pub struct Made<'m> {
    /// What the copy stands for.
    pub base: &'m Path,
    /// The copy.
    pub tree: &'m Path,
    /// The root file in it.
    pub root_file: &'m Path,
    /// The scheduler.
    pub scheduler: &'m Path,
    /// A folder for what the compiler keeps.
    pub folder: &'m Path,
    /// The executable.
    pub made: &'m Path,
    /// The form of the compiler's messages.
    pub messages: &'m str,
}

/// The command that compiles a harness by the call of its library.
pub fn harness(call: &Call, of: &Made<'_>) -> Command {
    let mut command = Command::new(&call.rustc);
    command.args(arguments(call, of)).current_dir(&call.folder).envs(call.variables.iter().cloned());
    command.stdin(std::process::Stdio::null());
    command
}

fn arguments(call: &Call, of: &Made<'_>) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut rest = call.args.iter();
    while let Some(arg) = rest.next() {
        let flag = arg.split('=').next().unwrap_or_default();
        let takes = |name: &str| flag == name && !arg.contains('=');
        match flag {
            "--crate-type" | "--emit" | "--out-dir" | "--error-format" | "--json" | "--cap-lints"
            | "--diagnostic-width" => {
                if takes(flag) {
                    rest.next();
                }
            }
            "-C" | "--codegen" => {
                let Some(value) = rest.next() else { continue };
                let name = value.split('=').next().unwrap_or_default();
                if !matches!(
                    name,
                    "metadata"
                        | "extra-filename"
                        | "incremental"
                        | "embed-bitcode"
                        | "strip"
                        | "split-debuginfo"
                ) {
                    arguments.extend([arg.clone(), value.clone()]);
                }
            }
            "-Cincremental" | "-Cmetadata" | "-Cextra-filename" => {}
            "--extern" => {
                if let Some(value) = if arg.contains('=') { None } else { rest.next() } {
                    // A program is linked with what was compiled of a library, not with what is known of it.
                    arguments.extend([
                        arg.clone(),
                        value.strip_suffix(".rmeta").map_or(value.clone(), |path| format!("{path}.rlib")),
                    ]);
                }
            }
            _ if !arg.starts_with('-') && arg.ends_with(".rs") => {
                arguments.push(of.root_file.display().to_string())
            }
            _ => arguments.push(arg.clone()),
        }
    }
    arguments.extend(FLAGS.map(str::to_owned));
    arguments.extend([
        "--crate-type=bin".to_owned(),
        "--cap-lints=allow".to_owned(),
        format!("--error-format={}", of.messages),
        "-Copt-level=0".to_owned(),
        "-Cpanic=unwind".to_owned(),
        format!("-Cincremental={}", of.folder.join("incremental").display()),
        format!("-Clink-arg={}", of.scheduler.display()),
        format!("--remap-path-prefix={}={}", of.tree.display(), of.base.display()),
        "-o".to_owned(),
        of.made.display().to_string(),
    ]);
    if of.messages == "json" {
        arguments.push("--json=artifacts".to_owned());
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_tasks_are_read_again() {
        let variables = vec![("A".to_owned(), "one\ntwo=\\3".to_owned())];
        let args = vec!["--crate-name".to_owned(), "a b".to_owned()];
        let call = Call { rustc: "/bin/rustc".into(), args, folder: "/x".into(), variables };
        assert_eq!(Call::read(&call.text()), Some(call));
        assert_eq!(Call::read(""), None);
        let known = BTreeSet::from(["HOME".to_owned()]);
        let task =
            Task { package: "/p".into(), name: "n".into(), note: "/q".into(), known, ..Task::default() };
        assert_eq!(Task::read(&task.text()), Some(task.clone()));
        let program = Task { program: Some("n-n".to_owned()), scheduler: "/s.so".into(), ..task };
        assert_eq!(Task::read(&program.text()), Some(program));
    }
}
