//! Runs random calls on the examples of Lincheck's guide, in Rust, and prints how soon what is wrong with them is found.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;

/// Which tool to run, and how far.
#[derive(clap::Args)]
pub struct Args {
    /// The tool, built beforehand
    #[arg(long, default_value = "target/release/cargo-robust")]
    tool: PathBuf,
    /// Seconds for each example
    #[arg(long, default_value_t = 20)]
    time: u64,
    /// Each example is tried with the seeds from 1 to this
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// Only examples whose name has this in it
    filter: Option<String>,
}

/// The examples, and whether they are about progress.
const EXAMPLES: [(&str, bool); 5] =
    [("counter", false), ("queue", false), ("stack", false), ("multimap", false), ("spinlock", true)];

/// Prints the table; fails when something wrong is not found, or something right is not left alone.
pub fn main(args: &Args) -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("lincheck");
    println!("{:10} {:6} {:>4} {:>9} {:>7} {:>7}  what", "example", "twin", "seed", "scenarios", "runs", "s");
    let mut wrong = 0;
    for (name, progress) in EXAMPLES {
        if args.filter.as_ref().is_some_and(|filter| !name.contains(filter.as_str())) {
            continue;
        }
        for twin in ["buggy", "fixed"] {
            for seed in 1..=args.seeds {
                let Some(tested) = run(args, &root.join(name).join(twin), seed, progress) else {
                    return ExitCode::FAILURE;
                };
                let failure = &tested["failure"];
                wrong += u32::from(failure.is_null() == (twin == "buggy"));
                println!(
                    "{name:10} {twin:6} {seed:>4} {:>9} {:>7} {:>7.1}  {}",
                    tested["scenarios"],
                    tested["runs"],
                    tested["seconds"].as_f64().unwrap_or_default(),
                    said(failure)
                );
            }
        }
    }
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What was found, on one line.
fn said(failure: &Value) -> String {
    let Some(what) = failure["what"].as_str() else { return "nothing found".to_owned() };
    let calls = |calls: &Value| -> String {
        let all = calls.as_array().into_iter().flatten();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let all = all.map(|call| format!("{}: {}", text(&call["call"]), text(&call["result"])));
        all.collect::<Vec<_>>().join(", ")
    };
    let seen = &failure["seen"];
    let lanes: Vec<String> = seen["lanes"].as_array().into_iter().flatten().map(calls).collect();
    let around = |before: &str, text: String| if text.is_empty() { text } else { format!("{before}{text}") };
    let (first, last) = (calls(&seen["before"]), around("; then ", calls(&seen["after"])));
    let first = if first.is_empty() { first } else { format!("{first}; ") };
    format!("{what}: {first}{}{last}", lanes.join(" | "))
}

fn run(args: &Args, folder: &Path, seed: u64, progress: bool) -> Option<Value> {
    let mut command = Command::new(&args.tool);
    command.args(["test", "--format", "json", "--quiet", "--time", &args.time.to_string()]);
    command.args(["--seed", &seed.to_string(), "--manifest-path"]).arg(folder.join("Cargo.toml"));
    if progress {
        command.arg("--obstruction-free");
    }
    let output = command.output().map_err(|e| eprintln!("{}: {e}", args.tool.display())).ok()?;
    let tested = serde_json::from_slice::<Vec<Value>>(&output.stdout).ok().and_then(|mut all| all.pop());
    if tested.is_none() {
        eprintln!("{}: {}", folder.display(), String::from_utf8_lossy(&output.stderr));
    }
    tested
}
