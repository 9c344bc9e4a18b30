//! Runs the tool on the known bugs, their repaired twins, and the programs that must stay silent, and prints what it says. What is not
//! as `expect.toml` says, be it better or worse, fails the run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Which tool to run, on what.
#[derive(clap::Args)]
pub struct Args {
    /// The tool, built beforehand
    #[arg(long, default_value = "target/release/cargo-robust")]
    tool: PathBuf,
    /// Only crates whose path has this in it
    filter: Option<String>,
}

/// What one run said.
struct Said {
    /// For each finding, the lines of its accesses, and whether it is only a note.
    findings: Vec<(BTreeSet<u64>, bool)>,
    complete: bool,
}

/// What is known of a crate. A bug has to be found, its twin and what is clean have to be silent, unless this says what comes of it today.
#[derive(Default, serde::Deserialize)]
struct Expectation {
    /// What is printed of a bug that is not found (`missed`, `noted`, `found elsewhere`), or of a clean program that is not silent (`noisy`).
    today: Option<String>,
}

impl Expectation {
    /// Reads the file of a crate.
    fn read(folder: &Path) -> Result<Expectation, String> {
        let path = folder.join("expect.toml");
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Whether it has come to what is known, or else to what should be; if not, says so.
    fn is_met(folder: &Path, should: &str, is: &str) -> bool {
        let today = match Expectation::read(folder) {
            Ok(expectation) => expectation.today,
            Err(error) => {
                eprintln!("{error}");
                return false;
            }
        };
        let expected = today.as_deref().unwrap_or(should);
        if expected != is {
            eprintln!("{}: expected {expected}, got {is}", folder.display());
        }
        expected == is
    }
}

/// Prints the table; fails when the tool does not run, or something is not as expected.
pub fn main(args: &Args) -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let wanted =
        |path: &Path| args.filter.as_ref().is_none_or(|f| path.to_string_lossy().contains(f.as_str()));
    let (mut found, mut bugs, mut silent, mut quiet) = (0, 0, 0, 0);
    let mut as_expected = true;
    for folder in crates(&root.join("bugs")).into_iter().filter(|f| wanted(f)) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (Some(buggy), Some(fixed)) =
            (run(&args.tool, &folder.join("buggy")), run(&args.tool, &folder.join("fixed")))
        else {
            return ExitCode::FAILURE;
        };
        let marked = marked_lines(&folder.join("buggy/src"));
        let about = buggy.findings.iter().filter(|(lines, _)| lines.intersection(&marked).count() >= 2);
        let right = about.clone().any(|(_, note)| !note);
        let verdict = match (right, about.count(), buggy.findings.len()) {
            (true, ..) => "found",
            (false, 1.., _) => "noted",
            (false, 0, 0) => "missed",
            (false, 0, _) => "found elsewhere",
        };
        as_expected &= Expectation::is_met(&folder, "found", verdict);
        as_expected &= fixed.findings.is_empty();
        bugs += 1;
        found += usize::from(right);
        silent += usize::from(fixed.findings.is_empty());
        println!("bug   {name:24} {verdict:16} twin: {}", noise(&fixed));
    }
    let clean = crates(&root.join("clean"));
    let mut programs = 0;
    for folder in clean.into_iter().filter(|f| wanted(f)) {
        let Some(said) = run(&args.tool, &folder) else { return ExitCode::FAILURE };
        let verdict = if said.findings.is_empty() { "silent" } else { "noisy" };
        as_expected &= Expectation::is_met(&folder, "silent", verdict);
        programs += 1;
        quiet += usize::from(said.findings.is_empty());
        println!("clean {:24} {}", folder.file_name().unwrap_or_default().to_string_lossy(), noise(&said));
    }
    println!(
        "\nbugs found at the right lines: {found} of {bugs}; twins silent: {silent} of {bugs}; clean silent: {quiet} of {programs}"
    );
    if as_expected { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn noise(said: &Said) -> String {
    let incomplete = if said.complete { "" } else { " (incomplete)" };
    match said.findings.len() {
        0 => format!("silent{incomplete}"),
        n => format!("noisy, {n} finding(s){incomplete}"),
    }
}

pub fn crates(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut crates: Vec<PathBuf> =
        entries.map(|e| e.path()).filter(|p| p.join("expect.toml").exists()).collect();
    crates.sort();
    crates
}

fn run(tool: &Path, folder: &Path) -> Option<Said> {
    let output = Command::new(tool)
        .args(["--format", "json", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .output()
        .map_err(|e| eprintln!("{}: {e}", tool.display()))
        .ok()?;
    let report: serde_json::Value = match serde_json::from_slice(&output.stdout) {
        Ok(report) => report,
        Err(_) => {
            eprintln!("{}: {}", folder.display(), String::from_utf8_lossy(&output.stderr));
            return None;
        }
    };
    let lines = |finding: &serde_json::Value| {
        let steps = finding["steps"].as_array().into_iter().flatten();
        let lines = steps.filter(|s| s["role"] != "step").filter_map(|s| s["place"]["line"].as_u64());
        (lines.collect(), finding["level"] == "note")
    };
    Some(Said {
        findings: report["findings"].as_array().into_iter().flatten().map(lines).collect(),
        complete: report["summary"]["unknown"] == 0,
    })
}

/// The lines of the sources that are marked as the race.
fn marked_lines(folder: &Path) -> BTreeSet<u64> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut lines = BTreeSet::new();
    for file in files {
        let text = std::fs::read_to_string(file.path()).unwrap_or_default();
        lines.extend((1..).zip(text.lines()).filter(|(_, l)| l.contains("//~ RACE")).map(|(n, _)| n));
    }
    lines
}
