//! Breaches in the user's words.

use std::collections::BTreeSet;

use robust_models::{Blocks, Breach as Otherwise};

use crate::finding::{Class, Finding, Lane, Property, Role, Step, StepKind};
use crate::ir::SourcePlace;
use crate::mir::{BodyKind, CoroutineKind, TyKind};
use crate::world::coverage::{declared, end_of_block};
use crate::world::points::points_to::{Flow, InstId};

use super::atoms::Asked;
use super::descend::{Breach, Link, Root, Start, reader_name};
use super::place::{PlaceId, Places};

/// So many places of one kind are named in a sentence.
const NAMED: usize = 4;

/// Turns breaches into findings.
pub(crate) struct Describe<'d, 'a> {
    pub flow: &'d Flow<'a>,
    pub places: &'d Places<'a>,
}

impl Describe<'_, '_> {
    /// The finding that a breach amounts to. Its unit is left to the caller.
    pub fn finding(&self, breach: &Breach) -> Finding {
        let class = breach.judgement.class;
        let root = reader_name(self.flow, breach.root.inst);
        let [first, own] = [breach.root.inst, breach.inst].map(|inst| self.flow.body_of(inst).whole_name());
        let (lanes, steps) = self.steps(breach);
        let alike = breach.alike.iter().map(|inst| reader_name(self.flow, *inst));
        let mut finding = Finding {
            class,
            level: breach.judgement.level,
            property: Property::Confinement { root: root.clone() },
            variable: breach.operation.clone(),
            message: format!("{}{}", self.message(breach, &root), self.more(breach)),
            lanes,
            steps,
            assumption: String::new(),
            hint: self.hint(breach),
            excuse: breach.judgement.excuse.to_owned(),
            fingerprint: format!("{class:?}\0{}\0{first}\0{own}", breach.operation),
            unit: String::new(),
            alike: alike.filter(|name| *name != root).collect(),
        };
        finding.seal();
        finding
    }

    fn shown(&self, place: PlaceId) -> &str {
        &self.places.get(place).shown
    }

    fn message(&self, breach: &Breach, root: &str) -> String {
        let (operation, place) = (&breach.operation, self.shown(breach.record.place));
        let what =
            if breach.dropped { format!("dropping a `{operation}`") } else { format!("`{operation}`") };
        let demand = |number: u32| self.places.demands.get(number);
        match breach.asked {
            Asked::Needs(number) => {
                let shown = demand(number).map_or("", |demand| &demand.shown);
                let outcome = demand(number).map_or("fails", |demand| outcome(demand.otherwise));
                match breach.judgement.class {
                    Class::NoRuntimeHere => {
                        format!(
                            "{what} needs {shown}; `{root}` runs on {place}, which has none: it {outcome}"
                        )
                    }
                    Class::ObserverOffThread => {
                        let where_told = told_by(breach)
                            .map_or_else(String::new, |by| format!(", where `{by}` has a stream go on"));
                        format!(
                            "{what} belongs to {shown}; `{root}` runs on {place}{where_told}: it {outcome}"
                        )
                    }
                    _ => format!("{what} belongs to {shown}; `{root}` runs on {place}: it {outcome}"),
                }
            }
            Asked::Refuses(number) => {
                let shown = demand(number).map_or("", |demand| &demand.shown);
                let outcome = demand(number).map_or("fails", |demand| outcome(demand.otherwise));
                format!("{what} {outcome} here: `{root}` runs on {place}, which drives {shown} already")
            }
            Asked::Blocks(kind) => {
                let meanwhile = if self.places.draws(breach.record) {
                    "the window does not react meanwhile"
                } else if breach.record.is_crowded() {
                    "no task on this thread can meanwhile"
                } else if breach.record.is_alone() {
                    "all that it polls waits, too"
                } else {
                    "no other task on this thread can meanwhile"
                };
                format!("{what} {}: `{root}` runs there, and {meanwhile}", blocks(kind, place))
            }
        }
    }

    /// What to do about it.
    fn hint(&self, breach: &Breach) -> String {
        let at = |place: PlaceId| self.places.get(place).hint.clone();
        match breach.asked {
            Asked::Needs(_) if breach.judgement.class == Class::ObserverOffThread => {
                "Let the stream go on on that thread right in front of this, behind whatever else moves the stream".to_owned()
            }
            Asked::Needs(number) => {
                self.places.demands.get(number).map_or_else(String::new, |demand| demand.hint.clone())
            }
            Asked::Refuses(_) if breach.dropped => {
                "Let its owner drop it outside of the runtime, or shut it down in the background".to_owned()
            }
            Asked::Refuses(_) => {
                "Make the function `async` and await what it waits for, or call it where a thread may block"
                    .to_owned()
            }
            Asked::Blocks(_) => at(breach.record.place),
        }
    }

    /// Others in the same function.
    fn more(&self, breach: &Breach) -> String {
        let lines = breach.more.iter().filter_map(|(inst, block, _)| Some(self.place(*inst, *block)?.line));
        let own = self.place(breach.inst, breach.block).map(|place| place.line);
        let lines: BTreeSet<u32> = lines.filter(|line| Some(*line) != own).collect();
        if lines.is_empty() {
            return String::new();
        }
        let count = lines.len();
        let mut named: Vec<String> = lines.iter().take(NAMED).map(u32::to_string).collect();
        if count > NAMED {
            named.push(format!("{} more", count - NAMED));
        }
        let last = named.pop().unwrap_or_default();
        let list = if named.is_empty() { last } else { format!("{} and {last}", named.join(", ")) };
        format!(
            "; so {} line{} {list}",
            if count == 1 { "does" } else { "do" },
            if count == 1 { "" } else { "s" }
        )
    }

    /// Who takes part, and the way from the start to the offence.
    fn steps(&self, breach: &Breach) -> (Vec<Lane>, Vec<Step>) {
        let root = &breach.root;
        let mut lanes = vec![self.lane(root.inst, root.record.place, &root.start)];
        let mut steps = vec![self.begin(0, root)];
        let mut at = root.record.place;
        for link in &breach.chain {
            let role = if link.by.is_some() { Role::Hop } else { Role::Step };
            let text = self.call(link);
            steps.push(self.step(lanes.len() - 1, role, text, self.place(link.from, link.block)));
            if link.record.place != at {
                at = link.record.place;
                lanes.push(self.lane(link.to, at, &root.start));
            }
        }
        let verb = if breach.dropped { "drops a" } else { "calls" };
        let text = format!("{verb} `{}`", breach.operation);
        let place = self.place(breach.inst, breach.block).or_else(|| self.declared(breach.inst));
        steps.push(self.step(lanes.len() - 1, Role::Offence, text, place));
        for (inst, block, operation) in &breach.more {
            let text = format!("calls `{operation}`, too");
            steps.push(self.step(lanes.len() - 1, Role::Offence, text, self.place(*inst, *block)));
        }
        (lanes, steps)
    }

    pub(super) fn lane(&self, inst: InstId, place: PlaceId, start: &Start) -> Lane {
        Lane {
            name: reader_name(self.flow, inst),
            instance: 0,
            is_event: matches!(start, Start::Unit { .. }),
            elsewhere: false,
            is_spawned: matches!(start, Start::Task { told: false, .. }),
            executor: self.shown(place).to_owned(),
            place: self.declared(inst),
        }
    }

    /// Where and why the root begins.
    pub(super) fn begin(&self, lane: usize, root: &Root) -> Step {
        let (text, place) = match &root.start {
            Start::Unit { why, .. } => (format!("begins: {why}"), self.declared(root.inst)),
            Start::Task { by, block, with, told: true } => {
                (format!("begins: called where `{with}` has a stream go on"), self.place(*by, *block))
            }
            Start::Task { by, block, with, .. } => {
                (format!("begins: started with `{with}`"), self.place(*by, *block))
            }
        };
        let mut step = self.step(lane, Role::Start, text, place.or_else(|| self.declared(root.inst)));
        step.kind = StepKind::Begin;
        step
    }

    /// What a call on the way does.
    pub(super) fn call(&self, link: &Link) -> String {
        let body = self.flow.body_of(link.to);
        let name = reader_name(self.flow, link.to);
        let runs = match (&body.kind, body.own_type().map(|ty| &**ty)) {
            (_, Some(TyKind::Coroutine(coroutine))) if coroutine.kind == CoroutineKind::AsyncFn => {
                format!("awaits `{name}`")
            }
            (BodyKind::Coroutine { .. }, _) => "awaits an async block".to_owned(),
            (BodyKind::Closure { .. }, _) => "calls a closure".to_owned(),
            _ => format!("calls `{name}`"),
        };
        match &link.by {
            Some(by) => format!("calls `{by}`, which {runs}"),
            None => runs,
        }
    }

    pub(super) fn step(&self, lane: usize, role: Role, text: String, place: Option<SourcePlace>) -> Step {
        Step::told(lane, StepKind::Run, role, text, place)
    }

    pub(super) fn place(&self, inst: InstId, block: u32) -> Option<SourcePlace> {
        end_of_block(self.flow, inst, block)
    }

    pub(super) fn declared(&self, inst: InstId) -> Option<SourcePlace> {
        declared(self.flow, inst)
    }
}

/// The function that decides where what calls an observer goes on: the last one on the way.
fn told_by(breach: &Breach) -> Option<&str> {
    let start = match &breach.root.start {
        Start::Task { with, told: true, .. } => Some(with.as_str()),
        _ => None,
    };
    let links = breach.chain.iter().rev().filter(|link| link.told);
    let by = links.filter_map(|link| link.by.as_deref()).next().or(start)?;
    by.rsplit("::").next()
}

fn outcome(otherwise: Otherwise) -> &'static str {
    match otherwise {
        Otherwise::Panics => "panics",
        Otherwise::Undefined => "may do anything",
        Otherwise::Hangs => "never ends",
        Otherwise::Fails => "fails",
        Otherwise::Misbehaves => "does not do what it should",
    }
}

/// What an operation does to its thread.
fn blocks(kind: Blocks, place: &str) -> String {
    let for_what = match kind {
        Blocks::Sleep => return format!("puts {place} to sleep"),
        Blocks::Cpu => return format!("keeps {place} busy"),
        Blocks::Lock => " for a lock",
        Blocks::Stat | Blocks::File => " for a file",
        Blocks::Disk => " for a disk",
        Blocks::Net | Blocks::Socket => " for the network",
        Blocks::Process => " for another process",
        Blocks::Input => " for somebody's input",
        Blocks::Wait => "",
    };
    format!("makes {place} wait{for_what}")
}
