//! Whether the limits of a run hold: its greatest memory and its time beside them, on what is large.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;

use crate::cost::{generate, measure};

/// What to run, and within which limits.
#[derive(clap::Args)]
pub struct Args {
    /// The tool, built beforehand
    #[arg(long, default_value = "target/release/cargo-robust")]
    tool: PathBuf,
    /// Where programs are put and built
    #[arg(long, default_value = "target/limits")]
    folder: PathBuf,
    /// Megabytes
    #[arg(long, default_value_t = 2048)]
    memory: u64,
    /// Seconds, those of cargo apart
    #[arg(long, default_value_t = 60)]
    time: u64,
    /// Only subjects whose name has this in it
    filter: Option<String>,
}

/// Prints the table, and fails when a limit does not hold.
pub fn main(args: &Args) -> ExitCode {
    crate::exit(table(args))
}

/// What is run.
enum Subject {
    /// A package of the registry.
    Published(&'static str, &'static str),
    /// A library with so many public `async` methods that lock one mutex twice.
    Methods(u32),
    /// A program with so many events, each of which reads one variable and writes it later.
    Events(u32),
    /// The same, each with a variable more that it reads: no two do the same.
    Different(u32),
    /// A program with one event and so many procedures that nobody calls.
    Procedures(u32),
}

const SUBJECTS: [Subject; 7] = [
    Subject::Published("tantivy", "0.24.2"),
    Subject::Methods(2000),
    Subject::Events(2000),
    Subject::Events(10_000),
    Subject::Different(2000),
    Subject::Different(10_000),
    Subject::Procedures(700_000),
];

impl Subject {
    fn name(&self) -> String {
        match self {
            Subject::Published(name, version) => format!("{name} {version}"),
            Subject::Methods(count) => format!("{count} async methods"),
            Subject::Events(count) => format!("{count} events"),
            Subject::Different(count) => format!("{count} different events"),
            Subject::Procedures(count) => format!("{count} unused procedures"),
        }
    }

    /// The command that analyses it.
    fn command(&self, tool: &Path, folder: &Path) -> Result<Command, String> {
        let say = |error: std::io::Error| error.to_string();
        let mut command = Command::new(tool);
        let program = |command: &mut Command, name: String, text: String| -> Result<(), String> {
            let file = folder.join(name);
            fs::write(&file, text).map_err(say)?;
            command.arg("check").arg(file);
            Ok(())
        };
        let events = |count: u32, body: &dyn Fn(u32) -> String| {
            let event = |i| format!("event handle_{i} on any {{ {} }}\n", body(i));
            (0..count).map(event).collect::<String>()
        };
        match self {
            Subject::Published(name, version) => {
                command.current_dir(generate::published(folder, name, version)?);
            }
            Subject::Methods(count) => {
                let root = folder.join(format!("methods-{count}"));
                generate::methods(&root, *count).map_err(say)?;
                command.current_dir(root);
            }
            Subject::Events(count) => {
                let text = events(*count, &|_| "read total; write total;".to_owned());
                program(&mut command, format!("events-{count}.rob"), format!("var total;\n{text}"))?;
            }
            Subject::Different(count) => {
                let own: String = (0..*count).map(|i| format!("var own_{i};\n")).collect();
                let text = events(*count, &|i| format!("read total; write own_{i}; write total;"));
                program(&mut command, format!("different-{count}.rob"), format!("var total;\n{own}{text}"))?;
            }
            Subject::Procedures(count) => {
                let mut text =
                    "var total;\n".to_owned() + &events(1, &|_| "read total; write total;".to_owned());
                for i in 0..*count {
                    let _ = writeln!(text, "proc unused_{i}() {{ read total; }}");
                }
                program(&mut command, format!("procedures-{count}.rob"), text)?;
            }
        }
        Ok(command)
    }
}

fn table(args: &Args) -> Result<bool, String> {
    let tool = std::path::absolute(&args.tool).map_err(|error| error.to_string())?;
    let folder = std::path::absolute(&args.folder).map_err(|error| error.to_string())?;
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let wanted = |subject: &&Subject| {
        args.filter.as_ref().is_none_or(|filter| subject.name().contains(filter.as_str()))
    };
    println!("Greatest memory (of {} MB) and time (of {} s; cargo's apart).\n", args.memory, args.time);
    println!(
        "{:26} {:>6} {:>7} {:>7} {:>9} {:>8} {:>8} {:>8} {:>13} {:>7}",
        "", "MB", "s", "events", "questions", "violated", "unknown", "unasked", "not analysed", "within"
    );
    let mut all = true;
    for subject in SUBJECTS.iter().filter(wanted) {
        let mut command = subject.command(&tool, &folder)?;
        command.args(["--quiet", "--format", "json"]);
        command.args(["--memory", &args.memory.to_string(), "--total-timeout", &args.time.to_string()]);
        let (run, output) = measure::run(&mut command)?;
        let report: Value = serde_json::from_slice(&output).map_err(|error| error.to_string())?;
        let run = run.with_stages(&report);
        let seconds = run.cost.clock - run.stages(&["cargo"]);
        let within = run.megabytes <= args.memory && seconds <= args.time as f64;
        all &= within;
        let summary = &report["summary"];
        let count = |name: &str| summary[name].as_u64().unwrap_or_default();
        println!(
            "{:26} {:>6} {:>7.1} {:>7} {:>9} {:>8} {:>8} {:>8} {:>13} {:>7}",
            subject.name(),
            run.megabytes,
            seconds,
            count("events"),
            count("questions"),
            count("violated"),
            count("unknown"),
            count("unasked"),
            summary["not_analysed"].as_array().map_or(0, Vec::len),
            if within { "yes" } else { "NO" }
        );
    }
    Ok(all)
}
