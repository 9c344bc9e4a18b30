//! Runs findings on known bugs, and random calls on them and their repaired twins, and prints what came of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;

use crate::corpus;

/// Which tool to run, on what.
#[derive(clap::Args)]
pub struct Args {
    /// The tool, built beforehand
    #[arg(long, default_value = "target/release/cargo-robust")]
    tool: PathBuf,
    /// Seconds of random calls for each type
    #[arg(long, default_value_t = 10)]
    time: u64,
    /// What random calls are made of
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only crates whose path has this in it
    filter: Option<String>,
}

/// Prints the table; fails when the tool does not run, or confirms something of a twin.
pub fn main(args: &Args) -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let wanted =
        |path: &PathBuf| args.filter.as_ref().is_none_or(|f| path.to_string_lossy().contains(f.as_str()));
    let mut counts: BTreeMap<(&str, String), u32> = BTreeMap::new();
    for folder in corpus::crates(&root.join("bugs")).into_iter().filter(wanted) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for twin in ["buggy", "fixed"] {
            let every: &[&str] = if twin == "fixed" { &["--every"] } else { &[] };
            let manifest = folder.join(twin).join("Cargo.toml");
            let (time, seed) = (args.time.to_string(), args.seed.to_string());
            let replayed = run(&args.tool, &manifest, "replay", every);
            let tested = run(&args.tool, &manifest, "test", &["--time", &time, "--seed", &seed]);
            let (Some(replayed), Some(tested)) = (replayed, tested) else { return ExitCode::FAILURE };
            let verdicts: Vec<String> =
                replayed.iter().filter_map(|one| one["verdict"].as_str()).map(str::to_owned).collect();
            let failed: Vec<&Value> = tested.iter().filter(|one| !one["failure"].is_null()).collect();
            let runs: u64 = tested.iter().filter_map(|one| one["runs"].as_u64()).sum();
            let test = match (failed.first(), tested.len()) {
                (Some(one), _) => one["failure"]["what"].as_str().unwrap_or_default().to_owned(),
                (None, 0) => "no type".to_owned(),
                (None, _) => "nothing found".to_owned(),
            };
            let shown =
                if verdicts.is_empty() { "nothing to replay".to_owned() } else { verdicts.join(", ") };
            println!("{name:20} {twin:6} replay: {shown:40} test: {test}, {runs} runs");
            *counts.entry((twin, test)).or_default() += 1;
            for verdict in verdicts {
                *counts.entry((twin, verdict)).or_default() += 1;
            }
        }
    }
    println!();
    for ((twin, what), count) in &counts {
        println!("{twin:6} {what}: {count}");
    }
    match counts.contains_key(&("fixed", "confirmed".to_owned())) {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}

fn run(tool: &Path, manifest: &Path, command: &str, more: &[&str]) -> Option<Vec<Value>> {
    let output = Command::new(tool)
        .args([command, "--format", "json", "--quiet"])
        .args(more)
        .arg("--manifest-path")
        .arg(manifest)
        .output()
        .map_err(|e| eprintln!("{}: {e}", tool.display()))
        .ok()?;
    match serde_json::from_slice(&output.stdout) {
        Ok(answers) => Some(answers),
        Err(_) => {
            eprintln!("{}: {}", manifest.display(), String::from_utf8_lossy(&output.stderr));
            None
        }
    }
}
