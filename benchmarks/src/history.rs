//! Runs the tool on published versions of crates that have a known bug, and on the versions that repaired it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Deserialize;

use crate::published::{self, Analysed, Finding, Release, Report, Tool};

/// Which tool to run, on what.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    tool: Tool,
    /// Where sources are copied to and built
    #[arg(long, default_value = "target/history")]
    folder: PathBuf,
    /// Also name every finding
    #[arg(long)]
    findings: bool,
    /// Only bugs whose crate has this in its name
    filter: Option<String>,
}

/// `history.toml`: the bugs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct History {
    bug: Vec<Bug>,
}

/// A bug that a version of a crate had and a later one has not.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bug {
    #[serde(rename = "crate")]
    name: String,
    /// The version that has it.
    buggy: String,
    /// The version that repaired it.
    repaired: String,
    /// Beside the default ones.
    #[serde(default)]
    features: Vec<String>,
    /// Where the project speaks of it.
    reference: String,
    /// The class that a finding would have.
    class: String,
    /// The accesses that must not be torn apart, in the version that has the bug: the places where each may be named.
    at: Vec<Vec<String>>,
    /// The accesses that took their place, in the version that repaired it; none where nothing did.
    #[serde(default)]
    after: Vec<Vec<String>>,
    /// What happens.
    race: String,
    /// Why the tool does not find it, or is not silent afterwards.
    reason: Option<String>,
}

/// What a run came to, as far as the bug is concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// A finding that fails a build is about it.
    There,
    /// Only a note is about it.
    Noted,
    /// So many findings, and none is about it.
    Elsewhere(usize),
    /// There is no report.
    Failed,
}

/// Prints the table; fails when the sources cannot be had.
pub fn main(args: &Args) -> ExitCode {
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), String> {
    let bugs = bugs(args.filter.as_deref())?;
    let folder = std::path::absolute(&args.folder).map_err(|e| e.to_string())?;
    let releases: Vec<Release> = bugs.iter().flat_map(|bug| [bug.release(), bug.repair()]).collect();
    fetch(&folder, releases);
    println!("{:22} {:>15} {:16} {:>15} {:24} class", "crate", "bug in", "", "repaired in", "");
    let (mut found, mut silent) = (0, 0);
    for bug in &bugs {
        let (buggy, mut said) = look(args, &folder, &bug.release(), &bug.at)?;
        let (repaired, more) = look(args, &folder, &bug.repair(), &bug.after)?;
        said.extend(more);
        let before = match buggy {
            Outcome::There => "found",
            Outcome::Noted => "noted",
            Outcome::Elsewhere(0) => "missed",
            Outcome::Elsewhere(_) => "found elsewhere",
            Outcome::Failed => "no report",
        };
        let after = match repaired {
            Outcome::There => "noisy".into(),
            Outcome::Noted => "silent there but for a note".into(),
            Outcome::Elsewhere(0) => "silent".into(),
            Outcome::Elsewhere(n) => format!("silent there, {n} elsewhere"),
            Outcome::Failed => "no report".into(),
        };
        found += usize::from(buggy == Outcome::There);
        silent += usize::from(matches!(repaired, Outcome::Elsewhere(_) | Outcome::Noted));
        println!(
            "{:22} {:>15} {before:16} {:>15} {after:24} {}",
            bug.name, bug.buggy, bug.repaired, bug.class
        );
        if buggy != Outcome::There || !matches!(repaired, Outcome::Elsewhere(_)) || args.findings {
            println!("    {}\n    {}", bug.reference, bug.race);
            println!("    {}", bug.reason.as_deref().unwrap_or("no reason is known"));
        }
        said.iter().for_each(|line| println!("    {line}"));
    }
    let all = bugs.len();
    println!("\nbugs found at the right lines: {found} of {all}; repairs silent there: {silent} of {all}");
    Ok(())
}

fn bugs(filter: Option<&str>) -> Result<Vec<Bug>, String> {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("history.toml");
    let text = std::fs::read_to_string(&list).map_err(|e| format!("{}: {e}", list.display()))?;
    let history: History = toml::from_str(&text).map_err(|e| format!("{}: {e}", list.display()))?;
    Ok(history.bug.into_iter().filter(|bug| filter.is_none_or(|f| bug.name.contains(f))).collect())
}

impl Bug {
    fn release(&self) -> Release {
        self.version(&self.buggy)
    }

    fn repair(&self) -> Release {
        self.version(&self.repaired)
    }

    fn version(&self, version: &str) -> Release {
        Release { name: self.name.clone(), version: version.to_owned(), features: self.features.clone() }
    }
}

/// Copies all sources to the folder; what cannot be had will have no report. No package can depend on two versions of a crate
/// that are compatible with each other.
fn fetch(folder: &Path, mut releases: Vec<Release>) {
    while !releases.is_empty() {
        let mut batch: Vec<Release> = Vec::new();
        releases.retain(|release| {
            let first = batch.iter().all(|other| other.name != release.name);
            if first {
                batch.push(release.clone());
            }
            !first && !batch.contains(release)
        });
        for (release, fetched) in batch.iter().zip(published::fetch(folder, &batch)) {
            if let Err(error) = fetched {
                eprintln!("{} {} was not fetched: {error}", release.name, release.version);
            }
        }
    }
}

/// What the tool says of a release: whether it is about the accesses, and lines to print.
fn look(
    args: &Args,
    folder: &Path,
    release: &Release,
    at: &[Vec<String>],
) -> Result<(Outcome, Vec<String>), String> {
    let copy = folder.join(format!("{}-{}", release.name, release.version));
    let version = &release.version;
    let Report { findings, unknown, not_analysed, .. } =
        match published::analyse(&args.tool, &folder.join("build"), release, &copy)? {
            Analysed::Completed(report) => report,
            Analysed::Failed(why) => return Ok((Outcome::Failed, vec![format!("{version}: {why}")])),
        };
    let about: Vec<&Finding> = findings.iter().filter(|finding| is_about(finding, at)).collect();
    let outcome = match about.iter().any(|finding| finding.level != "note") {
        _ if about.is_empty() => Outcome::Elsewhere(findings.len()),
        true => Outcome::There,
        false => Outcome::Noted,
    };
    let mut said = Vec::new();
    if unknown > 0 || not_analysed > 0 {
        said.push(format!("{version}: {unknown} questions not answered, {not_analysed} bodies not analysed"));
    }
    for finding in findings.iter().filter(|finding| args.findings || is_about(finding, at)) {
        said.push(format!("{version}: {} {}\n        {}", finding.level, finding.at(), finding.message));
    }
    Ok((outcome, said))
}

/// Whether a finding names all of the accesses.
fn is_about(finding: &Finding, at: &[Vec<String>]) -> bool {
    let is_named = |places: &Vec<String>| places.iter().any(|place| finding.places.contains(place));
    !at.is_empty() && at.iter().all(is_named)
}
