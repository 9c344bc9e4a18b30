//! What an event makes for itself is nobody else's, but it is shared by the tasks that the event starts. Each instance has
//! its own, so there is an event beside it that never happens, whose determinism is asked with just that.
//!
//! It ends where a task first waits for something: what comes then may be ordered by what it waited for. What the event waits for before it has
//! started anything orders nothing of that.
//!
//! Tasks that are started in a loop do the same, so the order of two of them cannot be told; whether they act as if one had run after the
//! other can. So each of these is an event, too, with what its event makes once for all of them.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::{On, Order};

use crate::ir::{Basis, ProcKind, Where};
use crate::lower::emit::emitter::Emitter;
use crate::lower::emit::main_and_task::is_wait;
use crate::lower::emit::structure::header;
use crate::lower::sharing::share::lives_in_loop;
use crate::world::actions::cfg::reach_through;
use crate::world::actions::effects::{Action, Started, Step, Touch};
use crate::world::callers::doing;
use crate::world::facts::Facts;
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::units::{Unit, UnitId, Units, Visit};

/// Who uses a location.
#[derive(Default)]
struct Users {
    units: BTreeSet<UnitId>,
    changed: bool,
}

/// The locations that events make and their tasks share, with the event, and whether each of its runs makes one.
pub(crate) fn find(
    flow: &Flow<'_>,
    facts: &Facts,
    units: &Units,
    changing: &BTreeSet<LocId>,
    outer: &BTreeSet<LocId>,
) -> BTreeMap<LocId, (UnitId, bool)> {
    let mut users: BTreeMap<(UnitId, LocId), Users> = BTreeMap::new();
    let events = families(units);
    for (number, visits) in units.visits.iter().enumerate() {
        let unit = UnitId(number);
        let makers: Vec<UnitId> = above(units, unit).filter_map(|unit| events.get(&unit).copied()).collect();
        for visit in visits.iter().filter(|_| !makers.is_empty()) {
            if flow.is_late() {
                // It is too late for what is made of this, too.
                return BTreeMap::new();
            }
            let steps = facts.blocks(*visit).into_iter();
            for step in steps.flat_map(|block| &facts.effects[visit.0.0 as usize][block]) {
                let Action::Access { touch, locs, .. } = &step.action else { continue };
                for loc in locs.iter().filter(|loc| changing.contains(loc) && !outer.contains(loc)) {
                    for event in &makers {
                        let users = users.entry((*event, *loc)).or_default();
                        users.units.insert(unit);
                        users.changed |= *touch != Touch::Read;
                    }
                }
            }
        }
    }
    let mut runs: BTreeMap<UnitId, BTreeSet<InstId>> = BTreeMap::new();
    let mut again: BTreeMap<UnitId, BTreeSet<InstId>> = BTreeMap::new();
    let mut members: BTreeMap<UnitId, Vec<UnitId>> = BTreeMap::new();
    events.iter().for_each(|(unit, event)| members.entry(*event).or_default().push(*unit));
    for (event, _) in users.keys() {
        // What a task of it makes for tasks of its own is made by the event, too.
        let visits = || members[event].iter().flat_map(|unit| &units.visits[unit.0]);
        runs.entry(*event).or_insert_with(|| visits().map(|visit| visit.0).collect());
        again.entry(*event).or_insert_with(|| repeated(facts, units, *event));
    }
    let made = |event: &UnitId, loc: &LocId| matches!(&*flow.heap.get(*loc).root, Root::Heap(inst, _) | Root::Local(inst, _) if runs[event].contains(inst));
    let several = |event: &UnitId, users: &Users| {
        let many = |unit: &UnitId| unit != event && again[event].contains(&units.units[unit.0].inst);
        users.units.len() > 1 || users.units.iter().any(many)
    };
    let shared = users
        .into_iter()
        .filter(|((event, loc), users)| users.changed && several(event, users) && made(event, loc));
    let one = |event: &UnitId, loc: LocId| is_one(flow, facts, &again[event], loc);
    shared.map(|((event, loc), _)| (loc, (event, one(&event, loc)))).collect()
}

/// The instances that an event calls, or starts as tasks, again and again, with all that these call and start.
fn repeated(facts: &Facts, units: &Units, event: UnitId) -> BTreeSet<InstId> {
    let unit = &units.units[event.0];
    let mut seen = BTreeSet::new();
    let mut work = vec![((unit.inst, unit.phase, unit.part), false)];
    while let Some((visit, again)) = work.pop() {
        if !seen.insert((visit.0, again)) {
            continue;
        }
        for block in facts.blocks(visit) {
            for step in &facts.effects[visit.0.0 as usize][block] {
                let (then, many) = match &step.action {
                    Action::Call { callees, times, .. } => (callees, *times == Order::Many),
                    Action::Spawn { tasks, started, .. } => (tasks, *started == Started::Twice),
                    _ => continue,
                };
                let again = again || many || facts.comes_again(visit.0, block);
                work.extend(then.iter().map(|inst| ((*inst, unit.phase, None), again)));
            }
        }
    }
    seen.into_iter().filter_map(|(inst, again)| again.then_some(inst)).collect()
}

/// Whether what a location is a part of is made once in each run of an event, which runs these instances again and again.
fn is_one(flow: &Flow<'_>, facts: &Facts, again: &BTreeSet<InstId>, loc: LocId) -> bool {
    match &*flow.heap.get(loc).root {
        Root::Heap(inst, block) => !again.contains(inst) && !facts.comes_again(*inst, *block as usize),
        Root::Local(inst, local) => !again.contains(inst) && !lives_in_loop(flow, facts, *inst, *local),
        _ => false,
    }
}

/// A unit, and the tasks that it is a round of: with what those were given by whoever has started them.
fn above(units: &Units, unit: UnitId) -> impl Iterator<Item = UnitId> + '_ {
    let task = |unit: &UnitId| {
        let round = &units.units[units.event_of(*unit).0];
        round.parent.filter(|_| round.part.is_some())
    };
    std::iter::successors(Some(unit), task).take(units.units.len())
}

/// The event that each unit is a part of, of events that start tasks.
pub(super) fn families(units: &Units) -> BTreeMap<UnitId, UnitId> {
    let mut found = BTreeMap::new();
    for number in 0..units.units.len() {
        let id = units.event_of(UnitId(number));
        let event = &units.units[id.0];
        if event.event && !event.once && !event.idle {
            found.insert(UnitId(number), id);
        }
    }
    found
}

impl Emitter<'_, '_> {
    /// The blocks of an instance, or of one round of a loop of it, in which it waits for something other than a lock, and all that come after
    /// them.
    pub fn after_any_wait(&self, inst: InstId, part: Option<usize>) -> BTreeSet<usize> {
        let cfg = &self.facts.cfgs[inst.0 as usize];
        let steps = |block: usize| self.facts.effects[inst.0 as usize][block].iter();
        // The next round is another run.
        let again = self.round(inst, part).map(|blocks| header(&cfg.succs, &cfg.reached, blocks));
        let behind = |from: Vec<usize>| -> BTreeSet<usize> {
            let mut found = BTreeSet::new();
            let mut work = from;
            while let Some(block) = work.pop() {
                if found.insert(block) {
                    work.extend(cfg.succs[block].iter().copied().filter(|next| Some(*next) != again));
                }
            }
            found
        };
        let next = |block: usize| cfg.succs[block].iter().copied().filter(|next| Some(*next) != again);
        let starts = |block: &usize| {
            steps(*block).any(|step| match &step.action {
                Action::Spawn { .. } => true,
                Action::Call { callees, .. } => !callees.is_disjoint(&self.starting),
                _ => false,
            })
        };
        let is_event = self.own.is_some_and(|event| self.units.units[event.0].inst == inst);
        let started = is_event
            .then(|| behind(cfg.reached.iter().filter(|at| starts(at)).flat_map(|at| next(*at)).collect()));
        let may_order = |block: usize| started.as_ref().is_none_or(|started| started.contains(&block));
        let mut after = BTreeSet::new();
        // Who asks whether tasks act as if one came after the other asks for no order.
        let orders = |steps: &[Step]| match self.alike {
            true => steps.iter().any(|step| matches!(step.action, Action::Wait)),
            false => is_wait(steps),
        };
        for &block in cfg.reached.iter().filter(|block| may_order(**block)) {
            let answered = self.facts.answered.contains(&(inst, block));
            let waits = steps(block).any(|step| match &step.action {
                Action::Expect { .. } => !answered,
                // A join that is known is one in the program; of how many rounds of a loop is not known there.
                Action::Join { sites, all } => {
                    let known = *all || self.joins_each(inst, block, sites);
                    let once = |at: usize| {
                        cfg.loop_of(at).is_none() || part.is_some() && !self.facts.comes_again(inst, at)
                    };
                    let here = |(started, at): &(InstId, u32)| *started == inst && once(*at as usize);
                    !known || !once(block) || sites.is_empty() || !sites.iter().all(here)
                }
                _ => false,
            });
            if waits || !answered && orders(&self.facts.effects[inst.0 as usize][block]) {
                after.extend(behind(vec![block]));
            }
            // What is called is left out from where it waits on.
            let called = |step: &Step| match &step.action {
                Action::Call { callees, .. } => {
                    !self.alike && callees.iter().any(|callee| self.waiting.contains(callee))
                }
                _ => false,
            };
            if steps(block).any(called) {
                after.extend(behind(next(block).collect()));
            }
        }
        after
    }

    /// Adds the events. To be called when everything else is there.
    pub fn with_own(&mut self) {
        let events: BTreeSet<UnitId> = self.sharing.vars.iter().filter_map(|var| var.own).collect();
        if !events.is_empty() {
            self.starting = doing(&self.facts.effects, |step| matches!(step.action, Action::Spawn { .. }));
        }
        let families = families(self.units);
        for event in events {
            let members: Vec<UnitId> =
                families.iter().filter(|(_, of)| **of == event).map(|(unit, _)| *unit).collect();
            if members.iter().any(|id| self.is_cut(*id)) || self.flow.is_late_by_now() {
                continue;
            }
            let procs = std::mem::take(&mut self.procs);
            let units = self.unit_procs.clone();
            let never = self.never();
            let again = repeated(self.facts, self.units, event);
            self.own = Some(event);
            for id in &members {
                let on = self.place_within(*id, event, &again);
                let unit = &self.units.units[id.0];
                let kind = match *id == event {
                    true => ProcKind::Event { once: false, on, guard: Some(never), alone: true },
                    false => ProcKind::Task { on },
                };
                let proc = self.declare(unit.inst, kind);
                self.program.procs[proc.index()].course = self.course(*id);
                self.unit_procs.insert(*id, proc);
            }
            for id in &members {
                let unit = &self.units.units[id.0];
                self.splits = *id != event;
                self.emit_part(self.unit_procs[id], unit.inst, unit.phase, unit.part);
            }
            self.splits = false;
            self.emit_called();
            if self.sharing.vars.iter().any(|var| var.own == Some(event) && var.one) {
                self.alike = true;
                self.tasks_as_events(event, &again);
                self.rounds_as_events(event, &families, &again);
                self.alike = false;
            }
            self.own = None;
            self.procs = procs;
            self.unit_procs = units;
        }
    }

    /// Whether what is emitted is about this variable.
    pub fn is_asked_about(&self, var: usize) -> bool {
        let var = &self.sharing.vars[var];
        var.own == self.own && (var.one || !self.alike)
    }

    /// What the accesses of all that was emitted so far are based on: those of tasks that are events as well come after all others, and then
    /// those of events that stand for whole tasks.
    pub fn bases(&self) -> Vec<Basis> {
        let list = &self.bases.list;
        let of_tasks = list[..self.bases_of_tasks()].iter().map(|basis| basis.of_task(list.len() as u32));
        list.iter().cloned().chain(of_tasks).chain(self.of_wholes.iter().cloned()).collect()
    }

    /// How many bases there are of those tasks.
    pub fn bases_of_tasks(&self) -> usize {
        if self.alike_tasks.is_empty() { 0 } else { self.bases.list.len() }
    }

    /// Where a task of an event runs, of which only one run is looked at.
    fn place_within(&mut self, task: UnitId, event: UnitId, again: &BTreeSet<InstId>) -> Where {
        self.place_of(task, |emitter, starter| {
            starter == event || !again.contains(&emitter.units.units[starter.0].inst)
        })
    }

    /// Adds tasks that run beside one another for sure as events: those that an event starts in a loop, any number of them, and, once each,
    /// those within it of which all have ended when it goes on, and those that it starts one after the other without a wait for the first.
    fn tasks_as_events(&mut self, event: UnitId, again: &BTreeSet<InstId>) {
        let mut within = self.side_by_side(event);
        within.extend(self.let_go_together(event));
        // What serves is asked about by its rounds.
        let ends = |unit: &Unit| self.facts.event_loops(unit.inst).is_empty();
        let is_one = |unit: &Unit| !unit.event && unit.parent == Some(event) && ends(unit);
        let is_beside = |unit: &Unit| again.contains(&unit.inst) || within.contains(&unit.inst);
        let units = self.units.units.iter().enumerate();
        self.procs.clear();
        for (number, unit) in units.filter(|(_, unit)| is_one(unit) && is_beside(unit)) {
            let on = self.place_within(UnitId(number), event, again);
            let once = !again.contains(&unit.inst);
            let proc = self.declare(unit.inst, ProcKind::Event { once, on, guard: None, alone: false });
            self.emit_part(proc, unit.inst, unit.phase, unit.part);
            self.alike_tasks.push((proc, UnitId(number)));
        }
        self.emit_called();
    }

    /// Adds the rounds of the tasks of an event that serve, as events: beside those of others, with what the event makes once for all of them.
    /// Those of one task come one after the other.
    fn rounds_as_events(
        &mut self,
        event: UnitId,
        families: &BTreeMap<UnitId, UnitId>,
        again: &BTreeSet<InstId>,
    ) {
        let units = self.units;
        let of_event =
            |id: &UnitId| above(units, *id).skip(1).any(|task| families.get(&task) == Some(&event));
        let rounds = (0..units.units.len()).map(UnitId).filter(|id| *id != event && of_event(id));
        let mut turns: BTreeMap<UnitId, Where> = BTreeMap::new();
        self.procs.clear();
        self.in_rounds = true;
        for id in rounds.collect::<Vec<_>>() {
            let unit = &units.units[id.0];
            let Some(task) = unit.parent else { continue };
            let inst = units.units[task.0].inst;
            let on = match self.place_within(id, event, again) {
                Where::Any if !again.contains(&inst) => {
                    *turns.entry(task).or_insert_with(|| self.in_turn(inst))
                }
                on => on,
            };
            let proc =
                self.declare(unit.inst, ProcKind::Event { once: false, on, guard: None, alone: false });
            self.program.procs[proc.index()].course = self.course(id);
            self.emit_part(proc, unit.inst, unit.phase, unit.part);
            self.alike_tasks.push((proc, id));
        }
        self.emit_called();
        self.in_rounds = false;
    }

    /// What an event starts in one of its functions, once each, so that each may still run when any other one is started.
    fn let_go_together(&self, event: UnitId) -> BTreeSet<InstId> {
        let visits = self.units.visits[event.0].iter();
        let found = visits.map(|visit| self.let_go_in(*visit));
        found.into_iter().find(|tasks| !tasks.is_empty()).unwrap_or_default()
    }

    fn let_go_in(&self, visit: Visit) -> BTreeSet<InstId> {
        let (inst, _, part) = visit;
        let steps = |block: usize| self.facts.effects[inst.0 as usize][block].iter();
        let mut sites: BTreeMap<usize, BTreeSet<InstId>> = BTreeMap::new();
        for block in self.facts.blocks(visit) {
            for step in steps(block) {
                let Action::Spawn { tasks, on: On::Any, scoped: false, started } = &step.action else {
                    continue;
                };
                if *started != Started::Twice {
                    sites.entry(block).or_default().extend(tasks);
                }
            }
        }
        let cfg = &self.facts.cfgs[inst.0 as usize];
        // The next round is another run.
        let again = self.round(inst, part).map(|blocks| header(&cfg.succs, &cfg.reached, blocks));
        let joins = |at: usize, site: &(InstId, u32)| {
            steps(at).any(|step| matches!(&step.action, Action::Join { sites, .. } if sites.contains(site)))
        };
        let runs_at = |first: usize, next: usize| {
            let from = cfg.succs[first].iter().copied();
            let may_pass = |at: usize| !joins(at, &(inst, first as u32)) && Some(at) != again;
            reach_through(&cfg.succs, from, may_pass).contains(&next)
        };
        let beside =
            |one: &usize, other: &usize| one == other || runs_at(*one, *other) || runs_at(*other, *one);
        let all = sites.keys().all(|one| sites.keys().all(|other| beside(one, other)));
        if all && sites.len() > 1 { sites.into_values().flatten().collect() } else { BTreeSet::new() }
    }

    /// The blocks of the loop of an instance of which a part is a round.
    fn round(&self, inst: InstId, part: Option<usize>) -> Option<&BTreeSet<usize>> {
        let loops = self.facts.event_loops(inst).into_iter();
        loops.into_iter().find(|(name, _)| Some(*name) == part).map(|(_, blocks)| blocks)
    }

    /// What an event starts within itself and waits for at once, if that is in one place only: what is started elsewhere may come before or
    /// after.
    fn side_by_side(&self, event: UnitId) -> BTreeSet<InstId> {
        let mut found = BTreeSet::new();
        for visit in &self.units.visits[event.0] {
            let steps = |block: usize| self.facts.effects[visit.0.0 as usize][block].iter();
            for step in self.facts.blocks(*visit).into_iter().flat_map(steps) {
                let Action::Join { sites, all: true } = &step.action else { continue };
                let started = sites.iter().filter(|(inst, _)| *inst == visit.0);
                let started =
                    started.flat_map(|(_, at)| steps(*at as usize)).filter_map(|step| match &step.action {
                        Action::Spawn { tasks, on: On::Within, .. } => Some(tasks),
                        _ => None,
                    });
                let started: BTreeSet<InstId> = started.flatten().copied().collect();
                if !found.is_empty() && !started.is_empty() {
                    return BTreeSet::new();
                }
                found.extend(started);
            }
        }
        found
    }
}
