//! `--watch`: the analysis again whenever a file is saved. Shown is what changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use notify_debouncer_full::notify::{EventKind, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, DebouncedEvent, new_debouncer};
use robust_analyzer::finding::Finding;

use super::args::{AnalyseArgs, Format};
use super::output::{self, Output};
use super::progress::Terminal;
use super::{exit, interrupt};
use crate::extract::ExtractError;
use crate::report::{Report, spoken};
use crate::run::{Analysis, Finished, RunError, Settings};

/// An editor saves in several steps: those that come within so long are one.
const QUIET: Duration = Duration::from_millis(60);

/// Analyses again and again, until the user has had enough or there is no crate.
pub(super) fn watch(args: &AnalyseArgs, settings: &Settings) -> ExitCode {
    let output = Output::new(&args.show);
    let (sender, events) = mpsc::channel();
    let watcher = new_debouncer(QUIET, None, move |events| {
        // Nobody listens any more when the program ends.
        let _ = sender.send(events);
    });
    let mut watcher = match watcher {
        Ok(watcher) => watcher,
        Err(error) => return output.error(RunError::Watch(error)),
    };
    let cargo = args.show.cargo(&args.cargo);
    let mut analysis = Analysis::default();
    let mut shown: Option<Report> = None;
    let mut watched = BTreeMap::new();
    loop {
        let start = Instant::now();
        let mut progress = Terminal::new(args.show.quiet);
        let finished = analysis.run(&cargo, settings, &mut progress);
        progress.finish();
        match finished {
            Ok(finished) => {
                for (folder, mode) in to_watch(&finished.report) {
                    if watched.get(&folder) != Some(&mode) && watcher.watch(&folder, mode).is_ok() {
                        watched.insert(folder, mode);
                    }
                }
                shown = Some(show(finished, shown.as_ref(), start.elapsed(), &output));
            }
            Err(RunError::Extract(ExtractError::Interrupted)) => return ExitCode::from(exit::INTERRUPTED),
            // The next save may repair it.
            Err(error) => match &shown {
                Some(report) => {
                    output.diagnostic(&error);
                    output.earlier(report);
                }
                None => return output.error(error),
            },
        }
        if !args.show.quiet {
            eprintln!("robust: waiting for changes; Ctrl-C ends");
        }
        match events.iter().find_map(|events: DebounceEventResult| changed(&events)) {
            Some(file) if !interrupt::asked() => output.between(&format!("{file} changed")),
            _ => return ExitCode::from(exit::INTERRUPTED),
        }
    }
}

/// The folders whose files the report depends on: the sources' with all below; the manifests' and the workspace's, which have the
/// target directory below them.
fn to_watch(report: &Report) -> BTreeMap<PathBuf, RecursiveMode> {
    let crates = || report.units.iter().flat_map(|unit| &unit.crates);
    let folder = |file: &String| Path::new(file).parent().map(Path::to_owned);
    let manifests =
        crates().filter_map(|krate| Some((folder(&krate.manifest_path)?, RecursiveMode::NonRecursive)));
    let sources = crates().filter_map(|krate| Some((folder(&krate.src_path)?, RecursiveMode::Recursive)));
    let root = (PathBuf::from(&report.root), RecursiveMode::NonRecursive);
    std::iter::once(root).chain(manifests).chain(sources).collect()
}

/// The name of a file that changed, if it is a source or a manifest.
fn changed(events: &DebounceEventResult) -> Option<String> {
    match events {
        Ok(events) => events.iter().find_map(what_matters),
        // Events were lost.
        Err(_) => Some("something".to_owned()),
    }
}

/// The name of the file that an event is about, if that was written, and is compiled rather than what compiling leaves behind.
fn what_matters(event: &DebouncedEvent) -> Option<String> {
    let written = matches!(event.kind, EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_));
    let source = |path: &PathBuf| {
        let hidden = path.components().any(|part| part.as_os_str() == "target" || part.as_os_str() == ".git");
        let named = path.extension().is_some_and(|extension| extension == "rs" || extension == "toml");
        !hidden && (named || path.file_name().is_some_and(|name| name == "Cargo.lock"))
    };
    let path = event.paths.iter().find(|path| written && source(path))?;
    Some(path.file_name().unwrap_or_default().to_string_lossy().into_owned())
}

/// Shows the report the first time, and what changed from then on. Gives back the report.
fn show(mut finished: Finished, before: Option<&Report>, took: Duration, output: &Output) -> Report {
    let report = spoken(&finished.report, &finished.sources);
    let Some(before) = before else {
        output.report(&finished, Format::Human);
        return report;
    };
    let known = |all: &Report, finding: &Finding| {
        all.findings
            .iter()
            .any(|known| known.fingerprint == finding.fingerprint && known.unit == finding.unit)
    };
    finished.report.findings.retain(|finding| !known(before, finding));
    let new = finished.report.findings.len();
    if new > 0 {
        output.report(&finished, Format::Human);
    }
    let gone: Vec<&Finding> = before.findings.iter().filter(|finding| !known(&report, finding)).collect();
    let mut text: String = gone.iter().map(|finding| format!("gone: {}\n", finding.message)).collect();
    let (gone, left, seconds) = (gone.len(), report.findings.len() - new, took.as_secs_f64());
    text += &format!("robust: {new} new, {gone} gone, {left} as before, in {seconds:.1} s\n");
    output::text(&text);
    report
}
