//! `cargo robust replay`: a finding's schedule, forced on the real program.
//!
//! The user's crate is compiled with a pass that calls us at each atomic operation, and with a harness as one module more, in a copy
//! that only differs by that; nothing in the user's tree changes. The harness makes an object, calls the operations of the finding on
//! threads, and a preloaded scheduler lets them run in the order of the finding's steps. What is seen is compared with what all
//! orders of whole calls show.
//!
//! **Invariant.** *Confirmed* is only said of a run that was forced step by step, 20 times out of 20, and whose outcome is that
//! of no order of whole calls; of a program, that of none of the runs in which each thread goes on until it waits; and for the
//! order of one event's tasks, another one than in the order that the text suggests, which was forced as well.

mod cast;
mod compile;
pub(crate) mod explore;
pub(crate) mod force;
mod harness;
pub(crate) mod lines;
pub(crate) mod plan;
pub(crate) mod report;
mod shadow;
mod table;
pub(crate) mod tested;
mod written;

use harness::{construct, source};

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use miette::Diagnostic;
use robust_analyzer::finding::{Finding, Property};
use robust_runtime::build::Call;
use robust_runtime::{judge, outcome, worker};
use thiserror::Error;

use crate::extract::CargoOptions;
use crate::report::replay::{Replay, Verdict};
use crate::report::{CargoTarget, Report};
use cast::Cast;
use compile::{Builder, Library};
use force::{Effort, Forced};
pub(crate) use harness::Operation;
use harness::{Harness, NotDriven};
use judge::Judge;
use lines::Rows;
use plan::Plan;
use source::CrateSource;
use worker::{End, Scenario, Setting, Strategy, Why, Worker};
use written::Written;

/// Why nothing can be replayed.
#[derive(Debug, Error, Diagnostic)]
pub(crate) enum ReplayError {
    /// A tool is missing, or failed.
    #[error("could not run {0}: {1}")]
    Tool(String, String),
    /// Only some platforms have what is needed.
    #[error("replaying is not supported on {0}: it needs Linux on x86-64 or AArch64")]
    Platform(String),
    /// Files could not be read or written.
    #[error("cannot write below `{folder}`: {source}", folder = .folder.display())]
    Files { folder: PathBuf, source: std::io::Error },
    /// Cargo did not build the crate.
    #[error("cargo could not build the crate for replaying")]
    Build,
    /// There is no harness for it.
    #[error("not driven: {0}")]
    NotDriven(String),
    /// The process with the harness failed.
    #[error("the harness failed: {0}")]
    Harness(#[from] std::io::Error),
}

/// What the user said about replaying.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// By name of a type: a function that makes it.
    pub makers: Vec<(String, String)>,
}

/// Replays findings of a report.
pub(crate) struct Replayer<'r> {
    report: &'r Report,
    options: &'r CargoOptions,
    told: &'r Told,
    builder: Builder,
    scheduler: PathBuf,
    /// Where what is confirmed is written as a test.
    written: Option<PathBuf>,
    /// By root file: how the library is compiled; none when cargo could not build it.
    calls: HashMap<PathBuf, Option<Call>>,
}

/// A harness that was built.
pub(crate) struct Built {
    pub operations: Vec<Operation>,
    pub executable: PathBuf,
}

impl<'r> Replayer<'r> {
    /// Finds the tools and makes the scheduler.
    ///
    /// # Errors
    /// The platform has no such thing, or a tool is missing.
    pub fn new(
        report: &'r Report,
        options: &'r CargoOptions,
        told: &'r Told,
        target_dir: &Path,
    ) -> Result<Replayer<'r>, ReplayError> {
        let builder = Builder::new(options, target_dir)?;
        let scheduler = builder.scheduler()?;
        Ok(Replayer { report, options, told, builder, scheduler, written: None, calls: HashMap::new() })
    }

    /// Has what is confirmed written as tests of a crate in that folder.
    pub fn write_to(&mut self, folder: &Path) {
        self.written = Some(folder.to_owned());
    }

    /// Replays a finding.
    ///
    /// # Errors
    /// The crate does not build, or files cannot be written. What cannot be driven is a verdict.
    pub fn replay(&mut self, finding: &Finding, effort: Effort) -> Result<Replay, ReplayError> {
        let start = Instant::now();
        let mut replay = Replay::default();
        match self.forced(finding, effort, &mut replay) {
            Ok(()) => {}
            Err(ReplayError::NotDriven(why)) => replay.set(Verdict::NotDriven, why),
            // About this library, or this finding: others may be driven.
            Err(error @ (ReplayError::Build | ReplayError::Harness(_))) => {
                replay.set(Verdict::NotDriven, error.to_string());
            }
            Err(error) => return Err(error),
        }
        replay.ms = start.elapsed().as_millis() as u64;
        Ok(replay)
    }

    fn forced(
        &mut self,
        finding: &Finding,
        effort: Effort,
        replayed: &mut Replay,
    ) -> Result<(), ReplayError> {
        let refuse = |why: &str| Err(ReplayError::NotDriven(why.to_owned()));
        if matches!(finding.property, Property::Confinement { .. }) {
            return refuse("it is about where code runs, not about an order of steps");
        }
        if finding.lanes.iter().any(|lane| lane.elsewhere) {
            return refuse("it takes two objects that share something, and one is made");
        }
        let root = Path::new(&self.report.root);
        let (library, source) = self.library(finding)?;
        let cast = Cast::of(finding, &source, root);
        let Some(cast) = cast.transpose().map_err(|NotDriven(why)| ReplayError::NotDriven(why))? else {
            return refuse("an event of it is not written in the crate's source (a macro, or another crate)");
        };
        if cast.shares_a_thread(finding) {
            return refuse("its lanes share one thread: holding them at their awaits is not driven yet");
        }
        let Some(plan) = Plan::of(finding, &cast) else {
            return refuse("its steps have no places that could be come to by two lanes");
        };
        let functions = cast.functions();
        let call = self.call(&library)?;
        let mut harness = Harness::new(&source, &functions, None, &call.used(), &self.told.makers)
            .map_err(|NotDriven(why)| ReplayError::NotDriven(why))?;
        let built = self.built(&library, &source, &call, &mut harness)?;
        let lanes: Option<Vec<usize>> =
            functions.iter().map(|function| harness.operation_of(function)).collect();
        let Some(lanes) = lanes else { return refuse("an event of it is no operation that can be called") };
        if let Some(missing) = lanes.iter().find_map(|&op| {
            built.operations[op]
                .missing
                .as_ref()
                .map(|why| format!("`{}` cannot be called: {why}", built.operations[op].name))
        }) {
            return refuse(&missing);
        }
        let rows = Rows::read(&built.executable, &library.workspace).ok_or_else(|| {
            ReplayError::NotDriven("the line table of the harness could not be read".to_owned())
        })?;
        let ranges = rows.ranges(root, &plan.places);
        if let Some(gate) =
            plan.gates.iter().position(|gate| !ranges.iter().any(|range| range.place == gate.place))
        {
            replayed.at_step(finding, plan.steps[gate]);
            return refuse(
                "no code was generated for a step of it that could be told by its line and column",
            );
        }
        let mut worker = self.worker(&built.executable)?;
        worker.places(&ranges)?;
        worker.program = cast.program;
        let mut judge = Judge::new(worker);
        let forced = force::force(&mut judge, &plan, &lanes, &built.operations, effort)?;
        replayed.runs = judge.worker.runs;
        conclude(replayed, finding, &plan, &forced, &built.operations);
        if let (Some(folder), Some(confirmed)) = (&self.written, &forced.violation) {
            let name = &finding.fingerprint;
            let written = Written {
                folder,
                name,
                message: &finding.message,
                library: &library,
                source: &source,
                harness: &harness,
                scenario: &confirmed.violation.scenario,
                options: compile::selection(self.options),
            };
            replayed.written = match (cast.program, &plan.expected) {
                (true, _) => "not written: a program that is run as a whole is no test".to_owned(),
                (_, Some(_)) => "not written: a test knows no order but that of whole calls".to_owned(),
                _ => written.write(&self.builder)?,
            };
        }
        Ok(())
    }

    /// How that library is compiled; it is built, if it was not yet.
    pub fn call(&mut self, library: &Library) -> Result<Call, ReplayError> {
        if let Some(call) = self.calls.get(&library.root_file) {
            return call.clone().ok_or(ReplayError::Build);
        }
        let call = match self.builder.build(self.options, library, &self.scheduler) {
            Ok(call) => Some(call),
            Err(ReplayError::Build) => None,
            Err(error) => return Err(error),
        };
        self.calls.insert(library.root_file.clone(), call.clone());
        call.ok_or(ReplayError::Build)
    }

    fn built(
        &self,
        library: &Library,
        source: &CrateSource,
        call: &Call,
        harness: &mut Harness,
    ) -> Result<Built, ReplayError> {
        let mut built = self.builder.harness(call, library, source, harness, &self.scheduler)?;
        for _ in 0..MAKERS {
            let mut worker = self.worker(&built)?;
            let run = worker.run(&Scenario::default(), &Strategy::Order(Vec::new()), Setting::default())?;
            if run.end != End::Unmade {
                break;
            }
            harness.unmade().map_err(|NotDriven(why)| ReplayError::NotDriven(why))?;
            built = self.builder.harness(call, library, source, harness, &self.scheduler)?;
        }
        let executable = built;
        let mut asked = std::process::Command::new(&executable);
        let said = asked.arg("describe").env("LD_PRELOAD", &self.scheduler).output()?;
        if !String::from_utf8_lossy(&said.stdout).contains("shared true") {
            return Err(ReplayError::NotDriven(format!(
                "`{}` cannot be shared by threads (it is not `Send` and `Sync`)",
                harness.object
            )));
        }
        Ok(Built { operations: harness.operations.clone(), executable })
    }

    fn worker(&self, executable: &Path) -> Result<Worker, ReplayError> {
        let folder = self.builder.folder.join("scratch");
        fs::create_dir_all(&folder)?;
        Ok(Worker::start(executable, &self.scheduler, &folder)?)
    }

    /// The crate that has the events in its source.
    fn library(&self, finding: &Finding) -> Result<(Library, CrateSource), ReplayError> {
        let unit = self.report.units.iter().find(|unit| unit.name == finding.unit);
        let targets = unit.map(|unit| &unit.crates[..]).unwrap_or_default();
        let root = Path::new(&self.report.root);
        let mut why = "its crate is not known".to_owned();
        for target in targets.iter().rev() {
            if !is_library(target) && !is_program(target) {
                why = "it is about what is neither a library nor a program".to_owned();
                continue;
            }
            let root_file = PathBuf::from(&target.src_path);
            let Some(source) = CrateSource::read(&root_file, !is_library(target)) else {
                why = format!("`{}` could not be read", root_file.display());
                continue;
            };
            if Cast::of(finding, &source, root).is_some() {
                return Ok((self.library_of(target), source));
            }
            why = "its events are not written in one crate's source (what macros write is not driven yet)"
                .to_owned();
        }
        Err(ReplayError::NotDriven(why))
    }

    fn library_of(&self, target: &CargoTarget) -> Library {
        Library {
            manifest: PathBuf::from(&target.manifest_path),
            program: (!is_library(target)).then(|| target.name.clone()),
            name: target.name.replace('-', "_"),
            root_file: PathBuf::from(&target.src_path),
            workspace: PathBuf::from(&self.report.root),
        }
    }
}

fn is_library(target: &CargoTarget) -> bool {
    target.kinds.iter().any(|kind| matches!(kind.as_str(), "lib" | "rlib" | "dylib" | "cdylib" | "staticlib"))
}

fn is_program(target: &CargoTarget) -> bool {
    target.kinds.iter().any(|kind| kind == "bin")
}

/// What the attempts come to.
fn conclude(
    replayed: &mut Replay,
    finding: &Finding,
    plan: &Plan,
    forced: &Forced,
    operations: &[Operation],
) {
    replayed.tries = forced.tried;
    replayed.forced = forced.forced;
    if let Some(confirmed) = &forced.violation {
        replayed.confirmed(finding, plan, confirmed, operations);
        return;
    }
    let cut = if forced.cut { " before the time was over" } else { "" };
    if forced.forced > 0 {
        let why = match forced.undecided.first() {
            Some(why) => format!(
                "forced {} of {} times{cut}; of some runs nothing can be said: {why}",
                forced.forced, forced.tried
            ),
            None => format!(
                "forced {} of {} times{cut}, and each time results and state are those of some order of whole calls",
                forced.forced, forced.tried
            ),
        };
        replayed.set(Verdict::Happens, why);
        return;
    }
    if let (true, Some(why)) = (forced.diverged.is_empty(), forced.undecided.first()) {
        replayed.set(Verdict::NotDriven, format!("no run can be judged: {why}"));
        return;
    }
    let most = forced.diverged.iter().max_by_key(|(_, times)| **times);
    let Some((&(gate, why), times)) = most else {
        replayed.set(Verdict::NotReproduced, "nothing could be tried in the time there was".to_owned());
        return;
    };
    let step = plan.steps[gate];
    replayed.at_step(finding, step);
    // What a task does that is left to run may wait for other reasons than who is held.
    let only_events = finding.lanes.iter().all(|lane| lane.is_event);
    let excluded = only_events
        && forced.diverged.keys().all(|(_, why)| *why != Why::Ended)
        && forced.undecided.is_empty();
    let what = match why {
        Why::Ended => "the call ended without coming to it",
        Why::Waits => "it waited for somebody who was held",
        Why::Spins => "it went round in circles while somebody was held",
    };
    let text =
        format!("step {} was never done in {} tries{cut}: {what} ({times} times)", step + 1, forced.tried);
    replayed.set(if excluded { Verdict::Refuted } else { Verdict::NotReproduced }, text);
}

/// So many ways to make an object are tried.
const MAKERS: usize = 8;

/// Effort for those who do not say.
pub(crate) const TRIES: u64 = 200;
/// Time for a finding.
pub(crate) const TIME: Duration = Duration::from_secs(60);
