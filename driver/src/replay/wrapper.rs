//! What happens when cargo runs us in place of rustc to build what a harness is linked with.
//!
//! Code of the program (not of build scripts or procedural macros: the build names a target, which only the program's calls have)
//! gets the flags that give the scheduler control. The call that compiles the crate with the events is noted: the harness is
//! compiled by it, with another root file.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde::{Deserialize, Serialize};

use crate::whole;

/// Set in cargo's environment when we are its wrapper in this way: what to do, as JSON.
pub(crate) const REPLAY_ENV: &str = "CARGO_ROBUST_REPLAY";

/// What the wrapper is to do.
#[derive(Serialize, Deserialize)]
pub(crate) struct Task {
    /// Arguments for code of the program.
    pub flags: Vec<String>,
    /// The folder of the package whose library is noted.
    pub package: PathBuf,
    /// The library's name, as rustc has it.
    pub name: String,
    /// Where it is noted.
    pub note: PathBuf,
    /// The names of variables that cargo was started with.
    pub known: BTreeSet<String>,
}

/// A call of rustc.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Call {
    pub rustc: String,
    pub args: Vec<String>,
    pub folder: PathBuf,
    /// What cargo and build scripts set.
    pub variables: BTreeMap<String, String>,
}

/// True when this process was started by cargo as this wrapper.
pub fn is_wrapper() -> bool {
    std::env::var_os(REPLAY_ENV).is_some()
}

/// Runs as the wrapper. `args` is the whole command line: our own name, the path of rustc, rustc's arguments.
pub fn run_as_wrapper(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args = args.into_iter().skip(1);
    let task = std::env::var(REPLAY_ENV).ok().and_then(|task| serde_json::from_str::<Task>(&task).ok());
    let (Some(rustc), Some(task)) = (args.next(), task) else {
        eprintln!("error: cargo-robust was started as a wrapper, but without a compiler to wrap");
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
    command.args(&args).env_remove(REPLAY_ENV);
    if of_program {
        // What the compiler warns of was said when the crate was analysed.
        command.args(&task.flags).arg("--cap-lints=allow");
        let here =
            std::env::var_os("CARGO_MANIFEST_DIR").is_some_and(|folder| Path::new(&folder) == task.package);
        let library = text.iter().any(|arg| arg.ends_with("lib") || arg.contains("dylib"));
        if here && library && name == task.name {
            let call = Call {
                rustc: rustc.to_string_lossy().into_owned(),
                args: text,
                folder: std::env::current_dir().unwrap_or_default(),
                variables: std::env::vars()
                    .filter(|(name, _)| !task.known.contains(name) && name != REPLAY_ENV)
                    .collect(),
            };
            let noted = serde_json::to_string(&call)
                .map_err(std::io::Error::from)
                .and_then(|text| whole::write(&task.note, &text));
            if let Err(error) = noted {
                eprintln!("error: cargo-robust could not write `{}`: {error}", task.note.display());
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
