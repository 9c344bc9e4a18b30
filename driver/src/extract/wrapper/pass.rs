//! A compilation that prints MIR.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use wait_timeout::ChildExt;

use super::call::Call;
use super::tokens::Token;
use crate::extract::store::PassResult;

#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// Pass B.
    Bodies,
    /// Pass C.
    Names,
    /// No MIR: the source after its macros.
    Expanded,
}

impl Kind {
    /// The folder for dumps.
    pub const DUMP: &str = "dump";
    /// The file with all of them.
    pub const COROUTINES: &str = "coroutines";

    pub fn file(self) -> &'static str {
        match self {
            Kind::Bodies => "mir",
            Kind::Names => "names",
            Kind::Expanded => "expanded",
        }
    }
}

/// A compilation that prints.
pub(super) struct Pass {
    state: State,
    start: Instant,
    ms: u64,
    error: Option<String>,
    said: PathBuf,
}

enum State {
    /// There was no room for it yet.
    Waiting(Box<Command>),
    /// It runs, in a room.
    Running(Child, Token),
    Over,
}

/// How MIR is to be printed, and that coroutines are to be dumped before their transform.
pub(super) fn print_bodies(command: &mut Command, scratch: &Path) {
    // Level 1 already drops StorageLive and StorageDead.
    command.args(["-Zmir-opt-level=0", "-Zmir-include-spans=y", "-Zspan-free-formats=y", "-Zub-checks=no"]);
    command.args(["-Ztrim-diagnostic-paths=no", "-Zdump-mir=coroutine_before"]);
    let mut dump = OsString::from("-Zdump-mir-dir=");
    dump.push(scratch.join(Kind::DUMP));
    command.arg(dump);
}

impl Pass {
    /// One that waits for room.
    pub fn new(rustc: &OsStr, call: &Call, scratch: &Path, kind: Kind) -> Pass {
        let said = scratch.join(format!("{}.stderr", kind.file()));
        let mut command = Command::new(rustc);
        command.args(&call.args);
        // Only here: in cargo's own environment it would make every crate of the graph stale.
        command.env("RUSTC_BOOTSTRAP", "1");
        command.args(["--cap-lints", "allow", "--error-format=short", "-o"]);
        command.arg(scratch.join(kind.file()));
        match kind {
            Kind::Bodies => {
                command.arg("-Zunpretty=mir");
                print_bodies(&mut command, scratch);
            }
            Kind::Names => {
                command.args(["-Zunpretty=stable-mir", "-Ztrim-diagnostic-paths=no"]);
            }
            Kind::Expanded => {
                command.arg("-Zunpretty=expanded");
            }
        }
        command.stdin(Stdio::null()).stdout(Stdio::null());
        Pass { state: State::Waiting(Box::new(command)), start: Instant::now(), ms: 0, error: None, said }
    }

    /// Starts it if it waits and `room` gives it some.
    pub fn start_in(&mut self, room: impl FnOnce() -> Option<Token>) {
        let State::Waiting(command) = &mut self.state else { return };
        let Some(token) = room() else { return };
        self.start = Instant::now();
        self.state = match File::create(&self.said).and_then(|file| command.stderr(file).spawn()) {
            Ok(child) => State::Running(child, token),
            Err(error) => {
                self.error = Some(error.to_string());
                State::Over
            }
        };
    }

    pub fn is_running(&self) -> bool {
        matches!(self.state, State::Running(..))
    }

    /// Whether it runs where the compilation that cargo knows of ran.
    pub fn is_in_own_room(&self) -> bool {
        matches!(&self.state, State::Running(_, token) if !token.is_borrowed())
    }

    /// Waits so long for its end, if it runs; true when it is not over then.
    pub fn wait(&mut self, at_most: Duration) -> bool {
        let child = match &mut self.state {
            State::Waiting(_) => return true,
            State::Running(child, _) => child,
            State::Over => return false,
        };
        match child.wait_timeout(at_most) {
            Ok(None) => return true,
            Ok(Some(status)) if status.success() => {}
            Ok(Some(status)) => self.error = Some(self.last_words(&status.to_string())),
            Err(error) => self.error = Some(error.to_string()),
        }
        self.ms = super::millis(self.start);
        self.state = State::Over;
        false
    }

    /// What rustc said at the end, for the user.
    fn last_words(&self, status: &str) -> String {
        let said = fs::read(&self.said).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let mut lines: Vec<&str> = said.lines().filter(|line| line.contains("error")).take(3).collect();
        if lines.is_empty() {
            lines = said.lines().take(3).collect();
        }
        format!("rustc ended with {status}: {}", lines.join(" / "))
    }

    /// How it went, once it is over.
    pub fn result(&self) -> PassResult {
        PassResult { ms: self.ms, error: self.error.clone() }
    }
}

/// What nobody waits for any more is stopped.
impl Drop for Pass {
    fn drop(&mut self) {
        if let State::Running(child, _) = &mut self.state {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
