//! Runs the tool on published crates, unchanged, and compares what it finds with what was judged by hand.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::published::{self, Analysed, Finding, Release, Report, Tool};

/// Which tool to run, on what.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    tool: Tool,
    /// Where sources are copied to and built
    #[arg(long, default_value = "target/wild")]
    folder: PathBuf,
    /// Also name every finding and its verdict
    #[arg(long)]
    findings: bool,
    /// Only crates whose name has this in it
    filter: Option<String>,
}

/// `wild.toml`: the crates, and what was judged of their findings.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wild {
    #[serde(rename = "crate")]
    crates: Vec<Published>,
}

/// A published crate.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    name: String,
    version: String,
    /// Beside the default ones.
    #[serde(default)]
    features: Vec<String>,
    #[serde(default, rename = "finding")]
    judged: Vec<Judged>,
}

impl Published {
    fn release(&self) -> Release {
        Release { name: self.name.clone(), version: self.version.clone(), features: self.features.clone() }
    }
}

/// The tool's report on a crate, and what it is compared with.
struct Measured {
    lines: usize,
    check: Duration,
    report: Report,
}

/// A finding that somebody has looked at.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Judged {
    /// Its class and its places. The crate does not change, so they tell it for good; fingerprints change with what the analysis
    /// calls things.
    at: String,
    verdict: Verdict,
    reason: String,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    /// It can happen, and someone would mind.
    True,
    /// It can happen; whether it was meant to be ruled out is open.
    Arguable,
    /// It cannot happen, or cannot be seen.
    False,
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
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("wild.toml");
    let text = std::fs::read_to_string(&list).map_err(|e| format!("{}: {e}", list.display()))?;
    let mut wild: Wild = toml::from_str(&text).map_err(|e| format!("{}: {e}", list.display()))?;
    wild.crates.retain(|krate| args.filter.as_ref().is_none_or(|f| krate.name.contains(f.as_str())));
    let folder = std::path::absolute(&args.folder).map_err(|e| e.to_string())?;
    let releases: Vec<Release> = wild.crates.iter().map(Published::release).collect();
    let copies = published::fetch(&folder, &releases).into_iter().collect::<Result<Vec<_>, _>>()?;
    println!(
        "{:30} {:>7} {:>6} {:>7} {:>7} {:>6} {:>5} {:>7} {:>6} {:>7}  findings",
        "crate", "lines", "bodies", "check", "tool", "ratio", "not", "events", "asked", "unknown"
    );
    let mut total = Tally::default();
    for (krate, copy) in wild.crates.iter().zip(copies) {
        let mut tally = Tally::default();
        let name = format!("{} {}", krate.name, krate.version);
        match measure(args, &folder.join("build"), &krate.release(), &copy)? {
            Ok(Measured { lines, check, report }) => {
                report.findings.iter().for_each(|finding| tally.count(krate, finding));
                println!(
                    "{name:30} {lines:>7} {:>6} {:>6.1}s {:>6.1}s {:>6.1} {:>5} {:>7} {:>6} {:>7}  {} (exit {})",
                    report.bodies,
                    check.as_secs_f64(),
                    report.took.as_secs_f64(),
                    report.took.as_secs_f64() / check.as_secs_f64().max(0.001),
                    report.not_analysed,
                    report.events,
                    report.questions,
                    report.unknown,
                    tally.text(),
                    report.exit
                );
                for finding in report
                    .findings
                    .iter()
                    .filter(|f| args.findings || judge(krate, f).is_none() || f.replayed.is_some())
                {
                    let verdict = judge(krate, finding)
                        .map_or("new".to_owned(), |j| format!("{:?}: {}", j.verdict, j.reason));
                    let (level, at, message) = (&finding.level, finding.at(), &finding.message);
                    println!("    {level} {at}\n        {message} [{verdict}]");
                    if let Some((answer, why)) = &finding.replayed {
                        println!("        replayed: {answer}: {why}");
                    }
                }
            }
            Err(why) => println!("{name:30} {why}"),
        }
        total.add(&tally);
    }
    println!("\n{} crates, findings: {}", wild.crates.len(), total.text());
    if args.tool.replay {
        print!("{}", total.replays());
    }
    Ok(())
}

/// Checks and analyses the crate in the folder; or why there is nothing to show.
fn measure(
    args: &Args,
    build: &Path,
    krate: &Release,
    folder: &Path,
) -> Result<Result<Measured, String>, String> {
    let files = published::rust_files(&folder.join("src"));
    // The first run compiles what the crate depends on.
    if let Err(error) = published::check(build, krate, folder) {
        return Ok(Err(format!("does not compile: {error}")));
    }
    published::touch(&files)?;
    let start = Instant::now();
    let checked = published::check(build, krate, folder);
    let check = start.elapsed();
    if let Err(error) = checked {
        return Ok(Err(format!("does not compile: {error}")));
    }
    published::touch(&files)?;
    let lines =
        files.iter().map(|file| std::fs::read_to_string(file).unwrap_or_default().lines().count()).sum();
    Ok(match published::analyse(&args.tool, build, krate, folder)? {
        Analysed::Completed(report) => Ok(Measured { lines, check, report }),
        Analysed::Failed(why) => Err(why),
    })
}

fn judge<'k>(krate: &'k Published, finding: &Finding) -> Option<&'k Judged> {
    krate.judged.iter().find(|judged| judged.at == finding.at())
}

/// Findings by verdict, and those among them that are only noted.
#[derive(Default)]
struct Tally {
    right: usize,
    arguable: usize,
    wrong: usize,
    new: usize,
    noted: usize,
    /// What became of those that were run, by what was judged of them.
    replayed: BTreeMap<(&'static str, String), usize>,
}

impl Tally {
    fn count(&mut self, krate: &Published, finding: &Finding) {
        *match judge(krate, finding).map(|judged| judged.verdict) {
            Some(Verdict::True) => &mut self.right,
            Some(Verdict::Arguable) => &mut self.arguable,
            Some(Verdict::False) => &mut self.wrong,
            None => &mut self.new,
        } += 1;
        self.noted += usize::from(finding.level == "note");
        if let Some((answer, _)) = &finding.replayed {
            let judged = match judge(krate, finding).map(|judged| judged.verdict) {
                Some(Verdict::True) => "true",
                Some(Verdict::Arguable) => "arguable",
                Some(Verdict::False) => "false",
                None => "not judged",
            };
            *self.replayed.entry((judged, answer.clone())).or_default() += 1;
        }
    }

    fn add(&mut self, other: &Tally) {
        self.right += other.right;
        self.arguable += other.arguable;
        self.wrong += other.wrong;
        self.new += other.new;
        self.noted += other.noted;
        for (key, count) in &other.replayed {
            *self.replayed.entry(key.clone()).or_default() += count;
        }
    }

    /// What was run, beside what was judged by reading.
    fn replays(&self) -> String {
        const ANSWERS: [&str; 5] = ["confirmed", "happens", "not reproduced", "refuted", "not driven"];
        let mut text = format!("\n{:12}", "judged");
        ANSWERS.iter().for_each(|answer| text += &format!(" {answer:>14}"));
        for judged in ["true", "arguable", "false", "not judged"] {
            text += &format!("\n{judged:12}");
            for answer in ANSWERS {
                let count = self.replayed.get(&(judged, answer.to_owned())).copied().unwrap_or_default();
                text += &format!(" {count:>14}");
            }
        }
        let all: usize = self.replayed.values().sum();
        let out: usize = self
            .replayed
            .iter()
            .filter(|((_, answer), _)| answer == "not driven")
            .map(|(_, count)| count)
            .sum();
        text + &format!("\n{all} denied findings, {} of them driven\n", all - out)
    }

    fn text(&self) -> String {
        let parts = [
            (self.right, "true"),
            (self.arguable, "arguable"),
            (self.wrong, "false"),
            (self.new, "not judged"),
        ];
        let all: usize = parts.iter().map(|(count, _)| count).sum();
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        match all {
            0 => "none".to_owned(),
            all => format!("{} denied, {} noted: {}", all - self.noted, self.noted, parts.join(", ")),
        }
    }
}
