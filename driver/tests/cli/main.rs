//! The command line from the outside: exit codes, streams, files.

mod check;
mod crates;
mod diff;
mod driven;
mod effects;
mod fixes;
mod gate;
mod hostile;
mod incremental;
#[cfg(unix)]
mod jobs;
mod limits;
mod parts;
mod paths;
mod replay;
mod silence;
mod stale;
mod told;
mod usage;
mod ways;

use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

/// Two instances that overlap lose an update.
const RACY: &str = "\
var n: int 0..3 = 0;
lock l;
event add on any { acquire l; t := n; release l; acquire l; n := t + 1; release l; }
";

/// The same under one lock.
const FINE: &str = "\
var n: int 0..3 = 0;
lock l;
event add on any { acquire l; t := n; n := t + 1; release l; }
";

const MANIFEST: &str = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

/// Two connections at once lose a count.
const RACY_MAIN: &str = r#"use std::net::TcpListener;
use std::sync::Mutex;

static COUNT: Mutex<u32> = Mutex::new(0);

fn serve() {
    let count = *COUNT.lock().unwrap();
    *COUNT.lock().unwrap() = count + 1;
}

fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    loop {
        let _connection = listener.accept();
        std::thread::spawn(serve);
    }
}
"#;

/// `cargo-robust` as cargo runs it, with nothing of the test's own environment that changes what it prints.
fn robust() -> Command {
    let mut command = Command::cargo_bin("cargo-robust").unwrap();
    command.arg("robust");
    // No shell passes on a name with a hyphen in it.
    let unusual = "CARGO_BIN_EXE_cargo-robust";
    for name in [
        "NO_COLOR",
        "CLICOLOR_FORCE",
        "COLUMNS",
        "CARGO_TERM_COLOR",
        "GITHUB_WORKSPACE",
        "RUST_BACKTRACE",
        unusual,
    ] {
        command.env_remove(name);
    }
    command
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        write(folder.path(), name, text);
    }
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// What a run printed, and its code.
struct Run {
    code: i32,
    out: String,
    err: String,
}

fn run(command: &mut Command) -> Run {
    let output = command.output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}
