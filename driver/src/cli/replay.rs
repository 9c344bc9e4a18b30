//! `cargo robust replay`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use robust_analyzer::finding::{Finding, Level};

use super::args::{ListFormat, ReplayArgs, ShowOptions};
use super::exit;
use super::output::{self, Output};
use super::progress::Terminal;
use crate::extract::CargoOptions;
use crate::replay::force::Effort;
use crate::replay::report::{Replayed, human};
use crate::replay::{ReplayError, Replayer, TIME, TRIES};
use crate::report::replay::{Replay, Replays, Verdict};
use crate::run::{self, Finished, Settings};

/// Analyses, then replays what is asked for.
pub(super) fn replay(args: &ReplayArgs) -> ExitCode {
    let output = Output::new(&args.show);
    let settings = Settings { limits: args.limits.options(), ..Settings::default() };
    let mut progress = Terminal::new(args.show.quiet);
    let options = args.show.cargo(&args.cargo);
    let finished = run::analyse(&options, &settings, &mut progress);
    progress.finish();
    let finished = match finished {
        Ok(finished) => finished,
        Err(error) => return output.error(error),
    };
    let chosen = match chosen(args, &finished) {
        Ok(chosen) => chosen,
        Err(missing) => {
            eprintln!("error: no finding has an id that begins with `{missing}`");
            return ExitCode::from(exit::USAGE);
        }
    };
    let target_dir = target_dir(&options, &finished);
    match all(args, &options, &finished, &chosen, target_dir, &mut progress) {
        Ok(replayed) => {
            progress.finish();
            conclude(args, &replayed)
        }
        Err(error) => {
            progress.finish();
            output.not_run(&error)
        }
    }
}

/// Replays what would fail the run, as a part of it.
pub(super) fn within(
    finished: &mut Finished,
    show: &ShowOptions,
    options: &CargoOptions,
    progress: &mut Terminal,
) {
    let target_dir = target_dir(options, finished);
    let denied: Vec<&Finding> =
        finished.report.findings.iter().filter(|finding| finding.level == Level::Deny).collect();
    if denied.is_empty() {
        return;
    }
    say_so(show);
    let effort = Effort { tries: TRIES, seed: 1, time: TIME };
    let mut replayer = Replayer::new(&finished.report, options, &finished.replay, &target_dir);
    let mut replays = Replays::new();
    for (at, finding) in denied.iter().enumerate() {
        progress.aside(&format!("replaying {} ({} of {})", finding.fingerprint, at + 1, denied.len()));
        let answer = match &mut replayer {
            Ok(replayer) => replayer.replay(finding, effort),
            Err(error) => Err(ReplayError::NotDriven(error.to_string())),
        };
        // What cannot be run is no reason to lose what was found.
        let answer = answer.unwrap_or_else(|error| Replay::new(Verdict::NotDriven, error.to_string()));
        replays.insert(finding.fingerprint.clone(), answer);
    }
    finished.report.replays = replays;
}

fn say_so(show: &ShowOptions) {
    if !show.quiet {
        eprintln!("note: replaying runs this crate's code, with your rights, as `cargo test` does");
    }
}

/// The findings that are asked for: those named, or all that are denied.
fn chosen<'f>(args: &ReplayArgs, finished: &'f Finished) -> Result<Vec<&'f Finding>, String> {
    let findings = &finished.report.findings;
    if args.ids.is_empty() {
        return Ok(findings.iter().filter(|finding| args.every || finding.level == Level::Deny).collect());
    }
    let has = |id: &&String| !findings.iter().any(|finding| finding.fingerprint.starts_with(id.as_str()));
    if let Some(missing) = args.ids.iter().find(has) {
        return Err(missing.clone());
    }
    let named = |finding: &&Finding| args.ids.iter().any(|id| finding.fingerprint.starts_with(id.as_str()));
    Ok(findings.iter().filter(named).collect())
}

fn all(
    args: &ReplayArgs,
    options: &CargoOptions,
    finished: &Finished,
    chosen: &[&Finding],
    target_dir: PathBuf,
    progress: &mut Terminal,
) -> Result<Vec<Replayed>, ReplayError> {
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    say_so(&args.show);
    let mut replayer = Replayer::new(&finished.report, options, &finished.replay, &target_dir)?;
    if let Some(folder) = &args.write {
        replayer.write_to(folder);
    }
    let effort = Effort { tries: args.tries, seed: args.seed, time: Duration::from_secs(args.time) };
    let mut replayed = Vec::new();
    for (at, finding) in chosen.iter().enumerate() {
        progress.aside(&format!("replaying {} ({} of {})", finding.fingerprint, at + 1, chosen.len()));
        replayed.push(Replayed::of(finding, replayer.replay(finding, effort)?));
    }
    Ok(replayed)
}

fn conclude(args: &ReplayArgs, replayed: &[Replayed]) -> ExitCode {
    let text = match args.format {
        ListFormat::Human => human(replayed),
        ListFormat::Json => match serde_json::to_string_pretty(replayed) {
            Ok(text) => text + "\n",
            Err(error) => format!("{error}\n"),
        },
    };
    let is = |verdict| move |one: &Replayed| one.answer.verdict == verdict;
    let confirmed = replayed.iter().any(is(Verdict::Confirmed));
    let driven = replayed.is_empty() || !replayed.iter().all(is(Verdict::NotDriven));
    output::of_runs(&text, confirmed, driven)
}

/// The folder for all that is built.
pub(super) fn target_dir(options: &CargoOptions, finished: &Finished) -> PathBuf {
    let target_dir = options.target_dir.clone().unwrap_or_else(|| finished.target_dir.clone());
    std::path::absolute(&target_dir).unwrap_or(target_dir)
}
