//! Runs `cargo check` and the tool on one crate. All crates are built in one folder, so that what they depend on is compiled
//! once.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use wait_timeout::ChildExt;

use super::Release;

/// How many programs cargo may run at a time.
const JOBS: &str = "2";

/// Seconds that a run may take beside the search, however short that is.
const PATIENCE: u64 = 60;

/// Seconds that a run may take beside that when findings are run.
const REPLAYING: u64 = 3600;

/// The tool, and how long it may search.
#[derive(clap::Args)]
pub struct Tool {
    /// The tool, built beforehand
    #[arg(long = "tool", value_name = "TOOL", default_value = "target/release/cargo-robust")]
    path: PathBuf,
    /// Seconds for all questions about a crate
    #[arg(long, default_value_t = 120)]
    timeout: u64,
    /// Also run what is denied: this runs the code of the crates
    #[arg(long)]
    pub replay: bool,
}

/// What came of a run.
pub enum Analysed {
    /// There is a report.
    Completed(Report),
    /// Why there is nothing to show.
    Failed(String),
}

/// What the tool said, and how long it took.
pub struct Report {
    /// Time from start to end.
    pub took: Duration,
    /// The exit code.
    pub exit: i32,
    /// Bodies that were looked at.
    pub bodies: u64,
    /// Bodies that were not analysed.
    pub not_analysed: usize,
    /// Events.
    pub events: u64,
    /// Questions that were asked.
    pub questions: u64,
    /// Questions that were not answered.
    pub unknown: u64,
    /// What was found.
    pub findings: Vec<Finding>,
}

/// A finding, as much of it as identifies it.
pub struct Finding {
    /// Its level.
    pub level: String,
    /// What it says.
    pub message: String,
    /// Its class.
    pub class: String,
    /// The places of its accesses, `src/lib.rs:12` each.
    pub places: Vec<String>,
    /// What became of it when it was run, and why.
    pub replayed: Option<(String, String)>,
}

impl Finding {
    /// Class and places in one line.
    pub fn at(&self) -> String {
        format!("{}: {}", self.class, self.places.join(", "))
    }
}

/// Analyses the crate in the folder.
pub fn analyse(tool: &Tool, build: &Path, krate: &Release, folder: &Path) -> Result<Analysed, String> {
    let output = beside(folder, "json");
    let mut command = Command::new(&tool.path);
    command.args(["--format", "json", "--quiet", "--total-timeout", &tool.timeout.to_string()]);
    if tool.replay {
        command.arg("--replay");
    }
    common(&mut command, build, krate, folder);
    let file = |path: &Path| File::create(path).map_err(|e| format!("{}: {e}", path.display()));
    let errors = beside(folder, "stderr");
    command.stdin(Stdio::null()).stdout(file(&output)?).stderr(file(&errors)?);
    let start = Instant::now();
    let mut child = command.spawn().map_err(|e| format!("{}: {e}", tool.path.display()))?;
    // The search ends in time; what comes before and behind it has as much again.
    let replaying = if tool.replay { REPLAYING } else { 0 };
    let patience = Duration::from_secs(2 * tool.timeout + PATIENCE + replaying);
    let status = child.wait_timeout(patience).map_err(|e| e.to_string())?;
    let took = start.elapsed();
    let Some(status) = status else {
        child.kill().and_then(|()| child.wait()).map_err(|e| e.to_string())?;
        return Ok(Analysed::Failed(format!("stopped after {} s", patience.as_secs())));
    };
    let exit = status.code().unwrap_or(-1);
    let text = fs::read(&output).map_err(|e| format!("{}: {e}", output.display()))?;
    let Ok(report) = serde_json::from_slice::<serde_json::Value>(&text) else {
        let errors = fs::read_to_string(&errors).unwrap_or_default();
        let last = errors.trim().lines().last().unwrap_or_default().to_owned();
        return Ok(Analysed::Failed(format!("no report (exit {exit}): {last}")));
    };
    let summary = &report["summary"];
    let number = |key: &str| summary[key].as_u64().unwrap_or_default();
    let list = |value: &serde_json::Value| value.as_array().map_or(0, Vec::len);
    Ok(Analysed::Completed(Report {
        took,
        exit,
        bodies: number("bodies"),
        not_analysed: list(&summary["not_analysed"]),
        events: number("events"),
        questions: number("questions"),
        unknown: number("unknown"),
        findings: report["findings"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| finding(one, &report))
            .collect(),
    }))
}

/// A file next to the folder, which has dots in its name.
fn beside(folder: &Path, extension: &str) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    folder.with_file_name(format!("{name}.{extension}"))
}

/// Arguments that cargo and the tool share. As for everything that is downloaded, lints are no errors.
fn common(command: &mut Command, build: &Path, krate: &Release, folder: &Path) {
    command.env("RUSTFLAGS", "--cap-lints=warn");
    command.arg("--manifest-path").arg(folder.join("Cargo.toml"));
    command.arg("--target-dir").arg(build).args(["--jobs", JOBS]);
    if !krate.features.is_empty() {
        command.args(["--features", &krate.features.join(",")]);
    }
}

/// Checks the crate in the folder; the error is the compiler's first.
pub fn check(build: &Path, krate: &Release, folder: &Path) -> Result<(), String> {
    let mut command = Command::new("cargo");
    command.args(["check", "--quiet"]);
    common(&mut command, build, krate, folder);
    let output = command.output().map_err(|e| format!("cargo: {e}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let first = || errors.lines().find(|line| line.starts_with("error")).unwrap_or_default().to_owned();
    if output.status.success() { Ok(()) } else { Err(first()) }
}

/// Makes cargo compile the crate again.
pub fn touch(files: &[PathBuf]) -> Result<(), String> {
    let now = SystemTime::now();
    files.iter().try_for_each(|file| {
        let touched = File::options().append(true).open(file).and_then(|open| open.set_modified(now));
        touched.map_err(|e| format!("{}: {e}", file.display()))
    })
}

fn finding(finding: &serde_json::Value, report: &serde_json::Value) -> Finding {
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
    let replay = &report["replays"][finding["fingerprint"].as_str().unwrap_or_default()];
    let replayed = replay["verdict"]
        .as_str()
        .map(|verdict| (verdict.replace('-', " "), replay["reason"].as_str().unwrap_or_default().to_owned()));
    Finding { level: text("level"), message: text("message"), class: text("class"), places, replayed }
}
