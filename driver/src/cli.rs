//! The command line: what is asked for, and where answers go.

pub mod args;
mod dump;
pub mod exit;
mod interrupt;
mod output;
mod panic;
mod progress;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use args::{AnalyseArgs, CheckArgs, Cli, Command, GateOptions, MergeArgs, ReportOptions};
use output::Output;
pub use panic::guarded;
use progress::Terminal;

use crate::report::{explain, json};
use crate::run::{self, Finished, RunError, Settings};

/// Does what the arguments say; the first one is the program's name.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args::normalise(args)) {
        Ok(cli) => cli,
        Err(error) => return show_usage(&error),
    };
    interrupt::install();
    match cli.command {
        None => analyse(&cli.analyse),
        Some(Command::Check(args)) => check(&args),
        Some(Command::Merge(args)) => merge(&args),
        Some(Command::Dump(args)) => dump::dump(&args),
        Some(Command::Events(args)) => dump::events(&args),
        Some(Command::Completions { shell }) => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "cargo-robust", &mut text);
            output::text(&String::from_utf8_lossy(&text))
        }
        Some(Command::Man) => {
            let mut text = Vec::new();
            match clap_mangen::Man::new(Cli::command()).render(&mut text) {
                Ok(()) => output::text(&String::from_utf8_lossy(&text)),
                Err(_) => ExitCode::from(exit::INCOMPLETE),
            }
        }
        Some(Command::Schema) => output::text(&json::schema()),
    }
}

/// What clap has to say: help and version are answers, the rest is wrong usage.
fn show_usage(error: &clap::Error) -> ExitCode {
    // A reader that closed the pipe does not want to know more.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::from(exit::NOTHING_FOUND),
        _ => ExitCode::from(exit::USAGE),
    }
}

fn analyse(args: &AnalyseArgs) -> ExitCode {
    if let Some(class) = args.explain {
        return output::text(explain::text(class));
    }
    let settings = match settings(&args.gate, args.limits.options()) {
        Ok(settings) => settings,
        Err(error) => return show_usage(&error),
    };
    if args.watch {
        return watch::watch(args, &settings);
    }
    let mut progress = Terminal::new(args.show.quiet);
    let finished = run::analyse(&args.cargo, &settings, &mut progress);
    progress.finish();
    deliver(finished, &Output::new(&args.show), &args.report)
}

fn check(args: &CheckArgs) -> ExitCode {
    let settings = Settings { limits: args.limits.options(), ..Settings::default() };
    let mut progress = Terminal::new(args.show.quiet);
    let finished = run::check_file(&args.file, &settings, &mut progress);
    progress.finish();
    deliver(finished, &Output::new(&args.show), &args.report)
}

fn merge(args: &MergeArgs) -> ExitCode {
    deliver(run::merge_files(&args.files), &Output::new(&args.show), &args.report)
}

fn settings(gate: &GateOptions, limits: robust_analyzer::check::Options) -> Result<Settings, clap::Error> {
    let levels = gate.levels()?;
    Ok(Settings { limits, levels, baseline: gate.baseline.clone(), write_baseline: gate.write_baseline })
}

/// Prints the report, or what went wrong.
fn deliver(finished: Result<Finished, RunError>, output: &Output, options: &ReportOptions) -> ExitCode {
    let result = finished.and_then(|finished| {
        output.html(&finished, options.html.as_deref())?;
        output.report(&finished, options.format);
        Ok(finished)
    });
    match result {
        Ok(finished) if finished.report.fails() && !finished.baseline_written => {
            ExitCode::from(exit::FINDINGS)
        }
        Ok(_) => ExitCode::from(exit::NOTHING_FOUND),
        Err(error) => output.error(error),
    }
}
