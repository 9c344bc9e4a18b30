//! What a run has to say, and the formats it is said in.
//!
//! A [`Report`] is plain data. Every format is a function from it (and the [`Sources`], where source text is shown) to
//! text; none of them prints. **Invariant.** The published schema (`docs/src/schema/report-v1.json`) is that of [`Report`];
//! a change that breaks readers raises [`SCHEMA_VERSION`].

pub mod concise;
pub mod explain;
mod gaps;
pub mod github;
pub mod gitlab;
pub mod html;
pub mod human;
pub mod json;
pub mod junit;
mod names;
pub mod replay;
pub mod rustc;
pub mod sarif;
mod sources;
mod steps;
mod verdicts;

use std::collections::{BTreeMap, BTreeSet};

use robust_analyzer::check::Part;
use robust_analyzer::finding::{Class, Finding, Level, Property, Role};
use robust_analyzer::ir::SourcePlace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use gaps::{Gap, GapKind};
pub use names::{class_name, level_name, parse_class, parse_level, role_name};
pub use replay::{CONFIRMED, Replay, Replays};
pub use sources::{Source, Sources};
pub use steps::spoken;
pub use verdicts::{Answer, Completeness, Proof, Verdicts};

/// The version of the JSON report's schema; it is part of the schema's file name.
pub const SCHEMA_VERSION: u32 = 1;

/// All that a run found out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "cargo robust report")]
pub struct Report {
    /// Version of this schema.
    pub schema_version: u32,
    /// What made the report.
    pub tool: Tool,
    /// Where relative file names start: the workspace's root, or the current directory for `check`.
    pub root: String,
    /// How far the search went.
    pub bounds: Bounds,
    /// The part of the questions that was asked; none: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// The answers about all units together; an event's name is prefixed with its unit's (`unit::event`) when there are
    /// several units.
    pub verdicts: Verdicts,
    /// How complete those answers are.
    pub completeness: Completeness,
    /// Whether all that uses locks, atomics or cells was looked at, and each question has an answer, be it up to a bound. When it is
    /// false, nothing found does not mean that nothing is there.
    #[serde(default)]
    pub complete: bool,
    /// Why the run came to nothing, if it did (the crate does not compile, say): there are no answers then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What was not looked at or not answered, the weightiest first; also that there was nothing to look at.
    #[serde(default)]
    pub gaps: Vec<Gap>,
    /// Whether a run that is not complete fails.
    #[serde(default)]
    pub incomplete_fails: bool,
    /// What was analysed, each with its own answers.
    pub units: Vec<Unit>,
    /// The findings that are shown, worst level first.
    pub findings: Vec<Finding>,
    /// Of findings that were replayed, by fingerprint: what became of them.
    #[serde(default, skip_serializing_if = "Replays::is_empty")]
    pub replays: Replays,
    /// How many findings are not shown, and why.
    pub hidden: Hidden,
    /// Remarks about configuration, suppressions and the baseline.
    pub notices: Vec<Notice>,
    /// Counts over everything.
    pub summary: Summary,
}

/// The versions that took part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// `cargo-robust`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The compiler that read the source; none for programs in text form.
    pub rustc: Option<String>,
    /// The solver.
    pub z3: String,
}

impl Tool {
    /// This program, and its solver.
    pub fn own() -> Tool {
        Tool {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            rustc: None,
            z3: robust_analyzer::reach::version(),
        }
    }
}

/// What bounded the search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bounds {
    /// Greatest number of event instances in a run, all events together.
    pub events: u32,
    /// Greatest number of times a loop is unrolled and a recursive procedure is nested.
    pub unroll: u32,
    /// Seconds for one question.
    pub timeout_s: u64,
    /// Greatest number of distinct violations that are looked for in one question.
    #[serde(default)]
    pub findings: u32,
}

/// One thing analysed: a program made of the crates that run together, or a file in text form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unit {
    /// Name of the crate whose program it is, or of the file.
    pub name: String,
    /// What cargo calls the kind of target (`lib`, `bin`, ...), or `rob`.
    pub kind: String,
    /// The answers.
    pub verdicts: Verdicts,
    /// How complete they are.
    pub completeness: Completeness,
    /// The crates it is made of, the one it is named after last; none for files.
    pub crates: Vec<CargoTarget>,
}

/// A crate in cargo's words, as build tools and editors want it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CargoTarget {
    /// The package's id.
    pub package_id: String,
    /// Its `Cargo.toml`.
    pub manifest_path: String,
    /// The target's name with cargo's spelling.
    pub name: String,
    /// The target's kinds.
    pub kinds: Vec<String>,
    /// The target's crate types.
    pub crate_types: Vec<String>,
    /// The crate's root file.
    pub src_path: String,
    /// The edition.
    pub edition: String,
}

/// Findings that are not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hidden {
    /// Their class has the level `allow`.
    pub allowed: u32,
    /// A comment in the source allows them.
    pub suppressed: u32,
    /// The baseline has them.
    pub baseline: u32,
    /// The revision that was compared with has them.
    #[serde(default)]
    pub before: u32,
}

/// A remark about something other than the analysed code's behaviour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// What is remarked.
    pub kind: NoticeKind,
    /// One sentence.
    pub message: String,
    /// Where, when there is a place.
    pub place: Option<SourcePlace>,
}

/// The kinds of remarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeKind {
    /// A suppression comment without a reason or with an unknown class: it has no effect.
    MalformedSuppression,
    /// A suppression comment that nothing needs.
    UnusedSuppression,
    /// A baseline entry that no finding matches any more.
    StaleBaseline,
    /// An event in the configuration, or in a comment, that is no function or variable of the program.
    UnmatchedEvent,
    /// The compiler is newer than those that this tool was tested with.
    UntestedCompiler,
    /// A model in the configuration of something that the program does not use.
    UnmatchedModel,
}

/// Counts over the whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Function bodies read.
    pub bodies: u32,
    /// Events found.
    pub events: u32,
    /// Tasks that events start.
    pub tasks: u32,
    /// Locks.
    pub locks: u32,
    /// Shared variables.
    pub variables: u32,
    /// Which functions use locks, atomics or cells, and which of them are looked at; none for programs in text form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Of how much code it is known where it runs; none for programs in text form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<Places>,
    /// Where tasks are started, and of how many it is known what becomes of them; none for programs in text form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifecycles: Option<Lifecycles>,
    /// Questions asked: one per event and one per group of events.
    pub questions: u32,
    /// Questions answered by the static filter.
    pub filtered: u32,
    /// Questions answered "holds" for every run.
    pub proved: u32,
    /// Questions answered "holds" up to a bound.
    pub bounded: u32,
    /// Questions answered "violated".
    pub violated: u32,
    /// Questions not answered.
    pub unknown: u32,
    /// Violated questions in which not all violations were looked for (see [`Bounds::findings`]): there may be more.
    #[serde(default)]
    pub limited: u32,
    /// Pairs of events that were not asked about, or not as often as they should be, for lack of time or memory. Events that do the same count as one.
    #[serde(default)]
    pub unasked: u32,
    /// Accesses to what a lock guards that were found without that lock: no race is looked for in them.
    #[serde(default)]
    pub unguarded: u32,
    /// What could not be read.
    pub not_analysed: Vec<NotAnalysed>,
    /// Functions without a body and without a model, and how many calls go there.
    pub opaque: BTreeMap<String, u32>,
    /// Schedules that the solver proposed and the reference interpreter did not accept. They were dropped.
    pub not_replayed: u32,
    /// Where the time went, in the order of the stages.
    pub stages: Vec<StageTime>,
}

/// What silence is worth: the functions that use locks, atomics or cells, closures and futures in them included.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// How many there are.
    pub functions: u32,
    /// How many of them an event or task runs.
    pub reached: u32,
    /// The others.
    pub unreached: Vec<Unreached>,
}

/// What silence about places is worth. Code that several programs have is counted in each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Places {
    /// Functions, closures and futures.
    pub functions: u32,
    /// Those that something runs of which it is known where it runs.
    pub placed: u32,
    /// Code that asks something of the place where it runs, and of which it is not known where that is.
    pub not_followed: Vec<NotAnalysed>,
}

/// What silence about tasks is worth. Tasks that several programs start are counted in each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lifecycles {
    /// Places where tasks are started.
    pub sites: u32,
    /// Those of which it is not known what becomes of the task, or of its handle.
    pub undecided: Vec<NotAnalysed>,
}

/// A function that uses locks, atomics or cells and that no event reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unreached {
    /// The crate it is in.
    pub unit: String,
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: Option<SourcePlace>,
}

/// The time that a stage took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StageTime {
    /// The stage.
    pub stage: String,
    /// Milliseconds.
    pub ms: u64,
}

/// Something that was not analysed: it counts as unknown, never as clean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotAnalysed {
    /// The unit it belongs to.
    pub unit: String,
    /// What.
    pub name: String,
    /// Why.
    pub reason: String,
}

impl Summary {
    /// The counts of questions and what became of them: what is summed over programs, and over the parts of a run.
    pub(crate) fn answers(&mut self) -> [&mut u32; 9] {
        [
            &mut self.questions,
            &mut self.filtered,
            &mut self.proved,
            &mut self.bounded,
            &mut self.violated,
            &mut self.unknown,
            &mut self.limited,
            &mut self.unasked,
            &mut self.not_replayed,
        ]
    }

    /// Adds milliseconds to a stage's time.
    pub(crate) fn add_time(&mut self, stage: &str, ms: u64) {
        match self.stages.iter_mut().find(|time| time.stage == stage) {
            Some(time) => time.ms += ms,
            None => self.stages.push(StageTime { stage: stage.to_owned(), ms }),
        }
    }
}

impl Report {
    /// The report of a run that came to nothing, for who reads a format.
    pub fn failed(error: String) -> Report {
        let proof = Proof { reason: Some("the analysis did not complete".to_owned()), ..Proof::default() };
        Report {
            schema_version: SCHEMA_VERSION,
            tool: Tool::own(),
            verdicts: Verdicts { serializability: Answer::Unknown, ..Verdicts::default() },
            completeness: Completeness { serializability: proof, ..Completeness::default() },
            error: Some(error),
            ..Report::default()
        }
    }

    /// How many findings have that level.
    pub fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|finding| finding.level == level).count()
    }

    /// Whether a finding, or what is missing, fails the run.
    pub fn fails(&self) -> bool {
        self.error.is_some() || self.count(Level::Deny) > 0 || self.incomplete_fails && !self.complete
    }
}

/// Where a finding is, in one place: its last access, else any place that it has.
pub(crate) fn main_place(finding: &Finding) -> Option<&SourcePlace> {
    let last = finding.steps.iter().filter(|step| step.role.is_last());
    let mut places = last.chain(&finding.steps).filter_map(|step| step.place.as_ref());
    places.next().or_else(|| finding.lanes.iter().find_map(|lane| lane.place.as_ref()))
}

/// The places that comments have to be about for a finding to be allowed: all operations that are out of place, or else the main one.
pub(crate) fn places_to_allow(finding: &Finding) -> Vec<&SourcePlace> {
    let offences = finding.steps.iter().filter(|step| step.role == Role::Offence);
    let mut places: Vec<&SourcePlace> = offences.filter_map(|step| step.place.as_ref()).collect();
    if places.is_empty() {
        places.extend(main_place(finding));
    }
    let mut known = BTreeSet::new();
    places.retain(|place| known.insert((&place.file, place.line)));
    places
}

/// What it means that there is no finding.
fn nothing(report: &Report) -> &'static str {
    match (report.looked(), report.complete) {
        (true, true) => "nothing found",
        (true, false) => "nothing found in what was looked at",
        (false, true) => "nothing to look at",
        (false, false) => "nothing was looked at",
    }
}

/// All classes, in the order they are listed to users.
pub const CLASSES: [Class; 19] = [
    Class::LostUpdate,
    Class::CheckThenAct,
    Class::TornRead,
    Class::TornWrite,
    Class::Order,
    Class::ConfinedCallOffThread,
    Class::ObserverOffThread,
    Class::NoRuntimeHere,
    Class::BlockingOnUi,
    Class::BlockingInAsync,
    Class::RuntimeInRuntime,
    Class::LockAcrossAwait,
    Class::HeavyOnUi,
    Class::OutlivesOwner,
    Class::PanicAsResult,
    Class::LostError,
    Class::NoHandler,
    Class::NeverChecks,
    Class::NeverWoken,
];

/// What a run that is not complete is called where classes have levels.
pub const INCOMPLETE: &str = "incomplete";

/// All levels, mildest first.
pub const LEVELS: [Level; 4] = [Level::Allow, Level::Note, Level::Warn, Level::Deny];

/// The events that a property is about.
pub fn events(property: &Property) -> &[String] {
    match property {
        Property::Determinism { event }
        | Property::Confinement { root: event }
        | Property::Lifecycle { task: event, .. } => std::slice::from_ref(event),
        Property::Serializability { events, .. } => events,
    }
}
