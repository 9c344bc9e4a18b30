//! Putting the report together, piece by piece, as the run goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use robust_analyzer::check::{Outcome, Statistics};
use robust_analyzer::finding::{self, Finding};
use robust_analyzer::ir::ProcKind;
use robust_analyzer::lower::{EventKey, Unmatched, Usage, Wanted};

use super::Settings;
use super::merge;
use super::parts::{Part, Seen};
use crate::extract::{TESTED_RUSTC, Timings, is_untested};
use crate::gate::Gate;
use crate::report::{
    Bounds, CargoTarget, Coverage, NotAnalysed, Notice, NoticeKind, Report, SCHEMA_VERSION, Sources, Tool,
    Unit, Unreached, Verdicts,
};

/// What tells a function from others: its crate, its name, file and line.
type FunctionKey = (String, String, Option<(String, u32)>);

/// A report in the making.
pub(super) struct Assembly {
    report: Report,
    root: PathBuf,
    findings: Vec<Finding>,
    /// The files analysed, each with the crate it belongs to.
    files: BTreeMap<String, String>,
    unmatched: Vec<Unmatched>,
    /// The functions that use locks, atomics or cells, and whether something reaches them in one of the programs.
    usages: BTreeMap<FunctionKey, Usage>,
    /// The events that were counted: what two programs have in common is one.
    events: BTreeSet<EventKey>,
}

impl Assembly {
    /// An empty report about files below `root`.
    pub fn new(root: PathBuf, settings: &Settings) -> Assembly {
        let limits = &settings.limits;
        let report = Report {
            schema_version: SCHEMA_VERSION,
            tool: Tool::own(),
            root: root.to_string_lossy().into_owned(),
            bounds: Bounds {
                events: limits.events,
                unroll: limits.unroll,
                timeout_s: limits.timeout.as_secs(),
                findings: limits.findings as u32,
            },
            part: limits.part,
            incomplete_fails: settings.incomplete_fails,
            ..Report::default()
        };
        Assembly {
            report,
            root,
            findings: Vec::new(),
            files: BTreeMap::new(),
            unmatched: Vec::new(),
            usages: BTreeMap::new(),
            events: BTreeSet::new(),
        }
    }

    /// Adds what the extraction tells.
    pub fn extraction(&mut self, rustc: &semver::Version, timings: Timings) {
        self.time("prepare", timings.prepare);
        self.time("cargo", timings.cargo);
        self.time("read", timings.parse);
        self.report.tool.rustc = Some(rustc.to_string());
        if is_untested(rustc) {
            self.report.notices.push(Notice {
                kind: NoticeKind::UntestedCompiler,
                message: format!(
                    "rustc {rustc} is newer than {TESTED_RUSTC}, the newest that cargo robust was tested with: what cannot be read \
                     is reported as not analysed"
                ),
                place: None,
            });
        }
    }

    /// Adds what was read of a crate.
    pub fn seen(&mut self, seen: &Seen) {
        self.report.summary.bodies += seen.bodies;
        for file in &seen.files {
            self.files.entry(file.clone()).or_insert_with(|| seen.name.clone());
        }
        self.report.summary.not_analysed.extend(seen.not_analysed.iter().cloned());
    }

    /// Notes the names that the user wrote and that none of the programs has. What comes before an event, or what it waits for, is
    /// looked for only where the event is.
    pub fn unmatched<'p>(&mut self, parts: impl Iterator<Item = &'p Part> + Clone) {
        let is = |one: &Unmatched, other: &Unmatched| (one.wanted, &one.name) == (other.wanted, &other.name);
        for missing in parts.clone().flat_map(|part| &part.unmatched) {
            let everywhere =
                || parts.clone().all(|part| part.unmatched.iter().any(|other| is(missing, other)));
            let partial = matches!(missing.wanted, Wanted::Before | Wanted::Variable);
            if (partial || everywhere()) && !self.unmatched.iter().any(|known| is(known, missing)) {
                self.unmatched.push(missing.clone());
            }
        }
    }

    /// Adds a file that is a unit of its own.
    pub fn file(&mut self, name: String) {
        self.files.insert(name.clone(), name);
    }

    /// Adds to a stage's time.
    pub fn time(&mut self, stage: &str, time: Duration) {
        self.report.summary.add_time(stage, time.as_millis() as u64);
    }

    /// Adds what was found out about a program.
    pub fn part(&mut self, part: &Part, crates: Vec<CargoTarget>, outcome: Outcome) {
        let (mut verdicts, mut completeness) = Verdicts::of(&outcome);
        let unasked = part.late || outcome.statistics.unasked > 0 || !outcome.unanswered.is_empty();
        verdicts.hold_back(&mut completeness, unasked, !part.not_analysed.is_empty());
        self.report.units.push(Unit {
            name: part.name.clone(),
            kind: part.kind.clone(),
            verdicts,
            completeness,
            crates,
        });
        let summary = &mut self.report.summary;
        for missing in &part.not_analysed {
            // The lowering passes on what the extraction said already.
            let same = |known: &NotAnalysed| known.name == missing.name && known.reason == missing.reason;
            if !summary.not_analysed.iter().any(same) {
                summary.not_analysed.push(missing.clone());
            }
        }
        for (function, count) in &part.opaque {
            let known = summary.opaque.entry(function.clone()).or_default();
            *known = (*known).max(*count);
        }
        self.count(part);
        self.cover(part);
        self.statistics(&outcome.statistics);
        // Of a run in parts, the first has what no question is about.
        let confined = part.confinement.findings.iter().chain(&part.lifecycle.findings).cloned();
        let is_first = self.report.part.is_none_or(|part| part.index == 1);
        for finding in outcome.findings.into_iter().chain(confined.filter(|_| is_first)) {
            self.finding(finding, part);
        }
    }

    /// Lets the gate decide, and completes the report.
    pub fn finish(mut self, gate: &Gate) -> (Report, Sources) {
        let mut sources = Sources::new(&self.root);
        if let Some(repository) = std::env::var_os("GITHUB_WORKSPACE") {
            sources = sources.with_base(repository);
        }
        let files = self.files.keys().cloned().collect();
        let units = self.files.into_values().chain(self.report.units.iter().map(|unit| unit.name.clone()));
        let units: BTreeSet<String> = units.collect();
        for finding in &mut self.findings {
            finding.settle_stacks(&sources);
        }
        if self.report.part.is_none() {
            // Else other parts may know the same race better.
            finding::one_per_race(&mut self.findings);
        }
        merge::note_nondeterminism(&mut self.findings, &self.report.units);
        let gated = gate.apply(self.findings, &sources, &files, &units);
        self.report.findings = gated.findings;
        self.report.hidden = gated.hidden;
        self.report.notices.extend(gate.config.unmatched(&self.unmatched));
        self.report.notices.extend(gated.notices);
        self.report.incomplete_fails |= gate.config.incomplete_fails;
        let units = self.report.units.iter();
        (self.report.verdicts, self.report.completeness) =
            Verdicts::merge(units.map(|unit| (unit.name.as_str(), &unit.verdicts, &unit.completeness)));
        self.report.note_gaps();
        (self.report, sources)
    }

    /// A finding in a library shows in each executable: once is enough.
    fn finding(&mut self, mut finding: Finding, part: &Part) {
        let pivot = finding.steps.iter().find(|step| step.role.is_last());
        let file = pivot.and_then(|step| step.place.as_ref()).map(|place| &place.file);
        let unit = file.and_then(|file| self.files.get(file)).unwrap_or(&part.name);
        finding.unit = unit.clone();
        let events = part.seen.iter().flat_map(|(_, events)| events);
        for event in events.filter(|event| event.started) {
            let named = finding.lanes.iter_mut().filter(|lane| lane.is_event && lane.name == event.name);
            named.for_each(|lane| lane.is_spawned = true);
        }
        self.findings.push(finding);
    }

    fn count(&mut self, part: &Part) {
        let program = &part.program;
        if let Some((seen, events)) = &part.seen {
            let summary = &mut self.report.summary;
            for event in events {
                summary.events += u32::from(self.events.insert(event.key()));
            }
            summary.tasks += seen.tasks as u32;
            summary.locks += seen.locks as u32;
            summary.variables += seen.shared_variables as u32;
            summary.unguarded += seen.unguarded as u32;
            return;
        }
        let kinds =
            |wanted: fn(&ProcKind) -> bool| program.procs.iter().filter(|proc| wanted(&proc.kind)).count();
        let summary = &mut self.report.summary;
        summary.events += kinds(|kind| matches!(kind, ProcKind::Event { .. })) as u32;
        summary.tasks += kinds(|kind| matches!(kind, ProcKind::Task { .. })) as u32;
        summary.locks += program.locks.len() as u32;
        summary.variables += program.vars.len() as u32;
    }

    fn cover(&mut self, part: &Part) {
        let Some(usages) = &part.usages else { return };
        let (confinement, places) = (&part.confinement, self.report.summary.places.get_or_insert_default());
        places.functions += confinement.bodies as u32;
        places.placed += confinement.placed as u32;
        for (name, reason) in &confinement.not_analysed {
            let known = |known: &NotAnalysed| known.name == *name && known.reason == *reason;
            if !places.not_followed.iter().any(known) {
                let (unit, name, reason) = (part.name.clone(), name.clone(), reason.clone());
                places.not_followed.push(NotAnalysed { unit, name, reason });
            }
        }
        let lifecycles = self.report.summary.lifecycles.get_or_insert_default();
        lifecycles.sites += part.lifecycle.sites.len() as u32;
        for site in part.lifecycle.sites.iter().filter(|site| !site.undecided.is_empty()) {
            let known = |known: &NotAnalysed| known.name == site.task && known.reason == site.undecided;
            if !lifecycles.undecided.iter().any(known) {
                let (unit, name, reason) = (part.name.clone(), site.task.clone(), site.undecided.clone());
                lifecycles.undecided.push(NotAnalysed { unit, name, reason });
            }
        }
        for usage in usages {
            let place = usage.place.as_ref().map(|place| (place.file.clone(), place.line));
            let key = (usage.krate.clone(), usage.name.clone(), place);
            let known = self.usages.entry(key).or_insert_with(|| usage.clone());
            known.reached |= usage.reached;
        }
        let unreached = self.usages.values().filter(|usage| !usage.reached).map(|usage| Unreached {
            unit: usage.krate.clone(),
            name: usage.name.clone(),
            place: usage.place.clone(),
        });
        let (functions, unreached) = (self.usages.len() as u32, unreached.collect::<Vec<_>>());
        let reached = functions - unreached.len() as u32;
        self.report.summary.coverage = Some(Coverage { functions, reached, unreached });
    }

    fn statistics(&mut self, statistics: &Statistics) {
        let summary = &mut self.report.summary;
        let answers = [
            statistics.questions,
            statistics.filtered,
            statistics.proved,
            statistics.bounded,
            statistics.violated,
            statistics.unknown,
            statistics.limited,
            statistics.unasked,
            statistics.not_replayed,
        ];
        for (sum, add) in summary.answers().into_iter().zip(answers) {
            *sum += add;
        }
        summary.add_time("translate", statistics.translate_ms);
        summary.add_time("solve", statistics.solve_ms);
        summary.add_time("replay", statistics.replay_ms);
    }
}
