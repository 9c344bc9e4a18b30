//! What happens when cargo runs us in place of rustc to build a program that is watched.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use super::build::{Call, FUNCTIONS, KINDS, OLD, StandIns};

/// Set in cargo's environment when we are its wrapper in this way: the folder of what is put into programs.
pub(super) const FOLDER_ENV: &str = "CARGO_ROBUST_MONITOR";

/// True when this process was started by cargo as this wrapper.
pub fn is_wrapper() -> bool {
    std::env::var_os(FOLDER_ENV).is_some()
}

/// Runs as the wrapper. `args` is the whole command line: our own name, the path of rustc, rustc's arguments.
pub fn run_as_wrapper(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args = args.into_iter().skip(1);
    let (Some(rustc), Some(folder)) = (args.next(), std::env::var_os(FOLDER_ENV)) else {
        eprintln!("error: cargo-robust was started as a wrapper, but without a compiler to wrap");
        return ExitCode::FAILURE;
    };
    let args: Vec<OsString> = args.collect();
    let text: Option<Vec<String>> = args.iter().map(|arg| arg.to_str().map(str::to_owned)).collect();
    let stand_ins = StandIns { rustc: PathBuf::from(&rustc), folder: folder.into() };
    let swapped = text.and_then(|text| swapped(&rustc, Call::new(text), &stand_ins));
    let status = match swapped {
        Some(output) => {
            // Cargo reads the compiler's messages there.
            let _ = std::io::stdout().write_all(&output.stdout);
            let _ = std::io::stderr().write_all(&output.stderr);
            Ok(output.status)
        }
        None => command(&rustc, &args).status(),
    };
    match status {
        Ok(status) => u8::try_from(status.code().unwrap_or(1)).map_or(ExitCode::FAILURE, ExitCode::from),
        Err(error) => {
            eprintln!("error: could not run `{}`: {error}", Path::new(&rustc).display());
            ExitCode::FAILURE
        }
    }
}

fn command(rustc: &OsString, args: &[OsString]) -> Command {
    let mut command = Command::new(rustc);
    command.args(args).env_remove(FOLDER_ENV);
    command
}

/// Compiles the crate with stand-ins; none if there is nothing to swap, or if it does not compile with any.
fn swapped(rustc: &OsString, call: Call, stand_ins: &StandIns) -> Option<Output> {
    if !call.is_of_program() {
        return None;
    }
    let folder = &stand_ins.folder;
    let libraries = stand_ins.libraries(&call);
    if libraries.is_empty() {
        return None;
    }
    let mut why = Vec::new();
    for kind in KINDS {
        let args = match stand_ins.swap(&call, &libraries, kind) {
            Ok(args) => args,
            Err(error) => {
                why.push(error);
                continue;
            }
        };
        let args: Vec<OsString> = args.into_iter().map(OsString::from).collect();
        let Ok(output) = command(rustc, &args).output() else { continue };
        if output.status.success() {
            let less = match kind {
                FUNCTIONS => Some("not what becomes of their handles: it needs the library's own types"),
                OLD => Some("not what becomes of sets of them: the library is an old one"),
                _ => None,
            };
            if let Some(less) = less {
                note(folder, &call, &format!("tasks are watched, but {less}"));
            }
            return Some(output);
        }
        why.push("does not compile with it".to_owned());
    }
    note(folder, &call, &format!("not watched: {}", why.join("; ")));
    None
}

/// Notes what is not watched, for whoever collects.
fn note(folder: &Path, call: &Call, what: &str) {
    let name = call.after("--crate-name").unwrap_or_default();
    let notes = folder.join("notes");
    let _ = std::fs::create_dir_all(&notes);
    let _ = std::fs::write(notes.join(call.key()), format!("{name}: {what}\n"));
}
