//! A test that is left in the user's hands: a crate that needs nothing but stable Rust, and fails until what it shows is repaired.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use robust_runtime::pieces;
use robust_runtime::worker::Scenario;
use robust_runtime::written::Case;
use robust_runtime::{HARNESS, SCHEDULER, WRITTEN};

use super::ReplayError;
use super::compile::{Builder, Library};
use super::harness::Harness;
use super::source::CrateSource;

const MANIFEST: &str = "\
# Findings of `cargo robust replay --write`, as tests.
[package]
name = \"replayed-findings\"
version = \"0.0.0\"
edition = \"2024\"
publish = false

[lib]
test = false
doctest = false

[[test]]
name = \"replay\"
harness = false

[workspace]
";

const TEST: &str = "\
//! Runs the cases.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (own, scratch) = (env!(\"CARGO_MANIFEST_DIR\"), env!(\"CARGO_TARGET_TMPDIR\"));
    replayed_findings::written::main(Path::new(own), Path::new(scratch))
}
";

const README: &str = "\
# Findings that run

Each folder in `cases` is a finding of `cargo robust` that was confirmed. `cargo test` in this folder builds the crate that it is about, as it is
now, with a harness, makes the calls of the case in many interleavings, and fails while the results of one of them are those of no order of
whole calls. When the bug is repaired, it passes. `cargo test -- NAME` runs the cases whose names begin so.

It needs Linux on x86-64 or AArch64 and stable Rust with LLVM, with the compiler that the crate is built with: no nightly, no `cargo robust`. The
crate's tree is not touched; what is built is in `target/tmp`. It runs the crate's code, with your rights.

`case.txt` says where the crate is, relative to this folder, and which calls are made with which numbers; `pieces.txt` is the harness's text: how
the object is made, called and shown, with other ways to do so for when the crate changes. `scheduler` and `src` are the same for all cases.
";

/// What is to be written.
pub struct Written<'w> {
    pub folder: &'w Path,
    pub name: &'w str,
    pub message: &'w str,
    pub library: &'w Library,
    pub source: &'w CrateSource,
    pub harness: &'w Harness,
    pub scenario: &'w Scenario,
    pub options: Vec<String>,
}

impl Written<'_> {
    /// Writes the case, and the crate around it; runs it once, to see it fail. The text says how to run it.
    ///
    /// # Errors
    /// It cannot be written, or it does not fail by itself.
    pub fn write(&self, builder: &Builder) -> Result<String, ReplayError> {
        let io = |source: io::Error| ReplayError::Files { folder: self.folder.to_owned(), source };
        fs::create_dir_all(self.folder).map_err(io)?;
        let folder = self.folder.canonicalize().map_err(io)?;
        if !is_ours(&folder).map_err(io)? {
            let source = io::Error::other("there is something else in it");
            return Err(ReplayError::Files { folder, source });
        }
        let case = match self.case(&folder) {
            Ok(case) => case,
            Err(why) => return Ok(format!("not written: {why}")),
        };
        self.files(&folder, &case).map_err(io)?;
        let said = self.run(&folder, builder)?;
        let failed = format!("test {} ... FAILED", self.name);
        if said.lines().any(|line| line == failed) {
            return Ok(format!("`cargo test` in {} fails until it is repaired", folder.display()));
        }
        let _ = fs::remove_dir_all(folder.join("cases").join(self.name));
        let own = format!("test {} ... ", self.name);
        let why = said.lines().find_map(|line| line.strip_prefix(&own)).unwrap_or("the test does not run");
        Ok(format!("not written: the test does not show it without the places of the finding ({why})"))
    }

    fn case(&self, folder: &Path) -> Result<Case, String> {
        let scenario = self.scenario;
        let calls = scenario.before.iter().chain(scenario.lanes.iter().flatten()).chain(&scenario.after);
        let used: BTreeSet<usize> = calls.map(|call| call.op).collect();
        let mut modules = BTreeMap::new();
        for module in pieces::modules(self.harness.pieces.iter()) {
            let of = &self.source.modules[module];
            if of.end.is_some() {
                return Err(
                    "it needs what is in a module that is written inside another one's file".to_owned()
                );
            }
            modules.insert(module, relative(folder, &self.source.files[of.file].0));
        }
        let name = |&op: &usize| (op, self.harness.operations[op].name.clone());
        Ok(Case {
            message: self.message.to_owned(),
            library: self.library.name.clone(),
            program: self.library.program.clone(),
            manifest: relative(folder, &self.library.manifest),
            base: relative(folder, self.library.base()),
            root_file: relative(folder, &self.library.root_file),
            no_std: self.source.no_std,
            options: self.options.clone(),
            modules,
            operations: used.iter().map(name).collect(),
            scenario: scenario.clone(),
        })
    }

    fn files(&self, folder: &Path, case: &Case) -> io::Result<()> {
        let own = folder.join("cases").join(self.name);
        for name in ["src", "tests", "scheduler"] {
            fs::create_dir_all(folder.join(name))?;
        }
        fs::create_dir_all(&own)?;
        fs::write(folder.join("Cargo.toml"), MANIFEST)?;
        fs::write(folder.join("README.md"), README)?;
        fs::write(folder.join(".gitignore"), "target\n")?;
        fs::write(folder.join("tests/replay.rs"), TEST)?;
        let mut root = "//! What the cases are run with; see `written`.\n\n".to_owned();
        for (name, text) in WRITTEN {
            fs::write(folder.join("src").join(name), text)?;
            root += &format!("pub mod {};\n", name.trim_end_matches(".rs"));
        }
        fs::write(folder.join("src/lib.rs"), root)?;
        for (name, text) in SCHEDULER.iter().chain([&("harness.rs", HARNESS)]) {
            fs::write(folder.join("scheduler").join(name), text)?;
        }
        let used: BTreeSet<usize> = case.operations.keys().copied().collect();
        fs::write(own.join("pieces.txt"), self.harness.kept(&used))?;
        fs::write(own.join("case.txt"), case.text())
    }

    fn run(&self, folder: &Path, builder: &Builder) -> Result<String, ReplayError> {
        let mut command: Command = builder.cargo();
        command.args(["test", "--quiet", "--offline", "--manifest-path"]).arg(folder.join("Cargo.toml"));
        command.args(["--target-dir"]).arg(builder.folder.join("written")).args(["--", self.name]);
        command.stdin(Stdio::null());
        let output =
            command.output().map_err(|error| ReplayError::Tool("cargo".to_owned(), error.to_string()))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Whether nothing is in the folder but what was written by us.
fn is_ours(folder: &Path) -> io::Result<bool> {
    if fs::read_dir(folder)?.next().is_none() {
        return Ok(true);
    }
    Ok(fs::read_to_string(folder.join("Cargo.toml")).is_ok_and(|text| text == MANIFEST))
}

/// The way from a folder to a path.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let to = to.canonicalize().unwrap_or_else(|_| to.to_owned());
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (from.components().collect(), to.components().collect());
    let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from[same..].iter().map(|_| Component::ParentDir);
    let way: PathBuf = up.chain(to[same..].iter().copied()).collect();
    if way.as_os_str().is_empty() { PathBuf::from(".") } else { way }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_relative() {
        let way = |from: &str, to: &str| relative(Path::new(from), Path::new(to)).display().to_string();
        assert_eq!(way("/a/b/c", "/a/x/y"), "../../x/y");
        assert_eq!(way("/a/b", "/a/b"), ".");
        assert_eq!(way("/a", "/a/b"), "b");
    }
}
