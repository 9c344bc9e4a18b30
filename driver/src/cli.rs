//! The command line: what is asked for, and where answers go.

mod add_allow;
pub mod args;
mod completions;
mod dump;
pub mod exit;
mod init;
mod interrupt;
mod monitor;
mod output;
mod panic;
mod progress;
mod replay;
mod test;
mod watch;
mod write_models;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use robust_analyzer::check::Options;
use robust_analyzer::finding::Level;

use args::{AnalyseArgs, CheckArgs, Cli, Command, Format, GateOptions, MergeArgs, ReportOptions};
use output::Output;
pub use panic::guarded;
use progress::Terminal;

use crate::extract::{CargoOptions, ExtractError};
use crate::gate::Baseline;
use crate::report::{CLASSES, json};
use crate::revision::Revision;
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
        Some(Command::Effects(args)) => dump::effects(&args),
        Some(Command::Replay(args)) => replay::replay(&args),
        Some(Command::Test(args)) => test::test(&args),
        Some(Command::Monitor(args)) => monitor::monitor(&args),
        Some(Command::Init(args)) => init::init(&args),
        Some(Command::Completions { shell }) => output::text(&completions::script(shell, Cli::command())),
        Some(Command::Man { command }) => man(command.as_deref()),
        Some(Command::Schema { models: false }) => output::text(&json::schema()),
        Some(Command::Schema { models: true }) => output::text(&robust_models::published_schema()),
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
        return Output::new(&args.show).explain(class);
    }
    let settings = match settings(&args.gate, args.limits.options()) {
        Ok(settings) => settings,
        Err(error) => return show_usage(&error),
    };
    if args.gate.denies_confirmed() && !args.replay {
        let message = "`--deny confirmed` needs `--replay`, which runs the crate's code";
        return show_usage(&Cli::command().error(ErrorKind::MissingRequiredArgument, message));
    }
    if args.watch {
        return watch::watch(args, &settings);
    }
    let mut progress = Terminal::new(args.show.quiet);
    let mut finished = analyse_new(args, &settings, &mut progress);
    progress.finish();
    if let (Ok(finished), true) = (&mut finished, args.replay) {
        replay::within(finished, &args.show, &args.show.cargo(&args.cargo), &mut progress);
        progress.finish();
        if args.gate.denies_confirmed() {
            finished.report.deny_confirmed();
        }
    }
    let output = Output::new(&args.show);
    if let (Ok(finished), Some(reason)) = (&finished, &args.gate.add_allow) {
        return match add_allow::add_allow(finished, reason) {
            Ok(added) => output::text(&added.text()),
            Err(error) => output.error(error),
        };
    }
    deliver(finished, &output, &args.report)
}

/// The analysis, without what was there at the revision to compare with, if there is one.
fn analyse_new(
    args: &AnalyseArgs,
    settings: &Settings,
    progress: &mut Terminal,
) -> Result<Finished, RunError> {
    let messages = args.report.format == Format::Rustc;
    let options = CargoOptions { messages, ..args.show.cargo(&args.cargo) };
    let Some(name) = &args.gate.diff else { return run::analyse(&options, settings, progress) };
    let revision = Revision::find(name, &options)?;
    let mut finished = run::analyse(&options, settings, progress)?;
    let report = &mut finished.report;
    if !report.findings.is_empty() {
        let before = findings_at(&revision, &options, settings, progress)?;
        let all = report.findings.len();
        report.findings.retain(|finding| !before.has(finding));
        report.hidden.before = (all - report.findings.len()) as u32;
    }
    Ok(finished)
}

/// All findings at a revision, whatever their levels were.
fn findings_at(
    revision: &Revision,
    options: &CargoOptions,
    settings: &Settings,
    progress: &mut Terminal,
) -> Result<Baseline, RunError> {
    let levels = CLASSES.map(|class| (class, Level::Deny)).into();
    // What is in this part now may have been in another then.
    let limits = Options { part: None, ..settings.limits.clone() };
    let settings = Settings { limits, levels, ..Settings::default() };
    progress.aside(&format!("checking out `{}`", revision.name()));
    let there = revision.check_out(interrupt::before_exit)?;
    let finished = there.options(&CargoOptions { messages: false, ..options.clone() });
    let finished = finished.map(|options| run::analyse(&options, &settings, progress));
    progress.finish();
    drop(there);
    interrupt::nothing_before_exit();
    match finished {
        // The project was not there yet.
        None => Ok(Baseline::of(&[])),
        Some(Ok(finished)) => Ok(Baseline::of(&finished.report.findings)),
        Some(Err(error @ RunError::Extract(ExtractError::Interrupted))) => Err(error),
        Some(Err(error)) => {
            Err(RunError::Before { revision: revision.name().to_owned(), source: Box::new(error) })
        }
    }
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

fn settings(gate: &GateOptions, limits: Options) -> Result<Settings, clap::Error> {
    let levels = gate.levels()?;
    let baseline = gate.baseline.clone();
    let incomplete_fails = gate.denies_incomplete();
    Ok(Settings { limits, levels, baseline, write_baseline: gate.write_baseline, incomplete_fails })
}

/// Prints the manual page of a command, or of the whole.
fn man(command: Option<&str>) -> ExitCode {
    let mut all = Cli::command();
    all.build();
    let about = match command {
        None => Ok(all),
        Some(name) => all.find_subcommand(name).cloned().ok_or_else(|| {
            Cli::command().error(ErrorKind::InvalidSubcommand, format!("there is no command `{name}`"))
        }),
    };
    let mut text = Vec::new();
    match about.map(|about| clap_mangen::Man::new(about).render(&mut text)) {
        Ok(Ok(())) => output::text(&String::from_utf8_lossy(&text)),
        Ok(Err(_)) => ExitCode::from(exit::INCOMPLETE),
        Err(error) => show_usage(&error),
    }
}

/// Prints the report, or what went wrong.
fn deliver(finished: Result<Finished, RunError>, output: &Output, options: &ReportOptions) -> ExitCode {
    let written = finished.and_then(|finished| {
        output.html(&finished, options.html.as_deref())?;
        Ok(finished)
    });
    let finished = match written {
        Ok(finished) => finished,
        Err(error) => {
            if !interrupt::asked() {
                output.failed(&error, options.format);
            }
            return output.error(error);
        }
    };
    match output.report(&finished, options.format) {
        code if code != ExitCode::from(exit::NOTHING_FOUND) => code,
        _ if finished.report.fails() && !finished.baseline_written => ExitCode::from(exit::FINDINGS),
        code => code,
    }
}
