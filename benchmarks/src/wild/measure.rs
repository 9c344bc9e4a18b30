//! Runs `cargo check` and the tool on one crate. All crates are built in one folder, so that what they depend on is compiled
//! once.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use wait_timeout::ChildExt;

use super::{Args, Published, sources};

/// How many programs cargo may run at a time.
const JOBS: &str = "2";

/// Seconds that a run may take beside the search, however short that is.
const PATIENCE: u64 = 60;

/// What came of it.
pub(super) enum Measured {
    Completed(Report),
    /// Why there is nothing to show.
    Failed(String),
}

/// What the tool said, and how long it took.
pub(super) struct Report {
    pub lines: usize,
    pub check: Duration,
    pub tool: Duration,
    pub exit: i32,
    pub bodies: u64,
    pub not_analysed: usize,
    pub events: u64,
    pub questions: u64,
    pub unknown: u64,
    pub findings: Vec<Finding>,
}

/// A finding, as much of it as identifies it.
pub(super) struct Finding {
    pub level: String,
    pub message: String,
    /// Its class, and the places of its accesses.
    pub at: String,
}

/// Checks and analyses the crate in the folder.
pub(super) fn measure(
    args: &Args,
    build: &Path,
    krate: &Published,
    folder: &Path,
) -> Result<Measured, String> {
    let files = sources::rust_files(&folder.join("src"));
    // The first run compiles what the crate depends on.
    if let Err(error) = check(build, krate, folder) {
        return Ok(Measured::Failed(format!("does not compile: {error}")));
    }
    touch(&files)?;
    let start = Instant::now();
    let checked = check(build, krate, folder);
    let check = start.elapsed();
    if let Err(error) = checked {
        return Ok(Measured::Failed(format!("does not compile: {error}")));
    }
    touch(&files)?;

    let output = beside(folder, "json");
    let mut tool = Command::new(&args.tool);
    tool.args(["--format", "json", "--quiet", "--total-timeout", &args.timeout.to_string()]);
    common(&mut tool, build, krate, folder);
    let file = |path: &Path| File::create(path).map_err(|e| format!("{}: {e}", path.display()));
    let errors = beside(folder, "stderr");
    tool.stdin(Stdio::null()).stdout(file(&output)?).stderr(file(&errors)?);
    let start = Instant::now();
    let mut child = tool.spawn().map_err(|e| format!("{}: {e}", args.tool.display()))?;
    // The search ends in time; what comes before and behind it has as much again.
    let patience = Duration::from_secs(2 * args.timeout + PATIENCE);
    let status = child.wait_timeout(patience).map_err(|e| e.to_string())?;
    let elapsed = start.elapsed();
    let Some(status) = status else {
        child.kill().and_then(|()| child.wait()).map_err(|e| e.to_string())?;
        return Ok(Measured::Failed(format!("stopped after {} s", patience.as_secs())));
    };
    let exit = status.code().unwrap_or(-1);
    let text = fs::read(&output).map_err(|e| format!("{}: {e}", output.display()))?;
    let Ok(report) = serde_json::from_slice::<serde_json::Value>(&text) else {
        let errors = fs::read_to_string(&errors).unwrap_or_default();
        let last = errors.trim().lines().last().unwrap_or_default().to_owned();
        return Ok(Measured::Failed(format!("no report (exit {exit}): {last}")));
    };
    let summary = &report["summary"];
    let number = |key: &str| summary[key].as_u64().unwrap_or_default();
    let list = |value: &serde_json::Value| value.as_array().map_or(0, Vec::len);
    let lines = files.iter().map(|file| fs::read_to_string(file).unwrap_or_default().lines().count()).sum();
    Ok(Measured::Completed(Report {
        lines,
        check,
        tool: elapsed,
        exit,
        bodies: number("bodies"),
        not_analysed: list(&summary["not_analysed"]),
        events: number("events"),
        questions: number("questions"),
        unknown: number("unknown"),
        findings: report["findings"].as_array().into_iter().flatten().map(finding).collect(),
    }))
}

/// A file next to the folder, which has dots in its name.
fn beside(folder: &Path, extension: &str) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    folder.with_file_name(format!("{name}.{extension}"))
}

/// Arguments that cargo and the tool share.
fn common(command: &mut Command, build: &Path, krate: &Published, folder: &Path) {
    command.arg("--manifest-path").arg(folder.join("Cargo.toml"));
    command.arg("--target-dir").arg(build).args(["--jobs", JOBS]);
    if !krate.features.is_empty() {
        command.args(["--features", &krate.features.join(",")]);
    }
}

fn check(build: &Path, krate: &Published, folder: &Path) -> Result<(), String> {
    let mut command = Command::new("cargo");
    command.args(["check", "--quiet"]);
    common(&mut command, build, krate, folder);
    let output = command.output().map_err(|e| format!("cargo: {e}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let first = || errors.lines().find(|line| line.starts_with("error")).unwrap_or_default().to_owned();
    if output.status.success() { Ok(()) } else { Err(first()) }
}

/// Makes cargo compile the crate again.
fn touch(files: &[PathBuf]) -> Result<(), String> {
    let now = SystemTime::now();
    files.iter().try_for_each(|file| {
        let touched = File::options().append(true).open(file).and_then(|open| open.set_modified(now));
        touched.map_err(|e| format!("{}: {e}", file.display()))
    })
}

fn finding(finding: &serde_json::Value) -> Finding {
    let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let steps = finding["steps"].as_array().into_iter().flatten();
    let mut places: Vec<String> = steps
        .filter(|step| step["role"] != "step")
        .map(|step| {
            let place = &step["place"];
            format!("{}:{}", place["file"].as_str().unwrap_or_default(), place["line"])
        })
        .collect();
    places.dedup();
    Finding {
        level: text("level"),
        message: text("message"),
        at: format!("{}: {}", text("class"), places.join(", ")),
    }
}
