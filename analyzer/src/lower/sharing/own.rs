//! What an event makes for itself is nobody else's, but it is shared by the tasks that the event starts. Each instance has
//! its own, so there is an event beside it that never happens, whose determinism is asked with just that.
//!
//! It ends where a task first waits for something: what comes then may be ordered by what it waited for.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::ProcKind;
use crate::lower::emit::emitter::{Emitter, thread_of};
use crate::lower::emit::main_and_task::is_wait;
use crate::world::actions::effects::{Action, Step, Touch};
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::units::{Facts, UnitId, Units};
use crate::world::values::stale::forward;

/// Who uses a location.
#[derive(Default)]
struct Users {
    units: BTreeSet<UnitId>,
    changed: bool,
}

/// The locations that events make and their tasks share, with the event.
pub(crate) fn find(
    flow: &Flow<'_>,
    facts: &Facts,
    units: &Units,
    changing: &BTreeSet<LocId>,
    outer: &BTreeSet<LocId>,
) -> BTreeMap<LocId, UnitId> {
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
    for (event, _) in users.keys() {
        let insts = || units.visits[event.0].iter().map(|visit| visit.0).collect();
        runs.entry(*event).or_insert_with(insts);
    }
    let made = |event: &UnitId, loc: &LocId| matches!(&*flow.heap.get(*loc).root, Root::Heap(inst, _) | Root::Local(inst, _) if runs[event].contains(inst));
    let shared = users
        .into_iter()
        .filter(|((event, loc), users)| users.changed && users.units.len() > 1 && made(event, loc));
    shared.map(|((event, loc), _)| (loc, event)).collect()
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
    /// The blocks of an instance in which it waits for something other than a lock, and all that come after them.
    pub fn after_any_wait(&self, inst: InstId) -> BTreeSet<usize> {
        let cfg = &self.facts.cfgs[inst.0 as usize];
        let steps = |block: usize| self.facts.effects[inst.0 as usize][block].iter();
        let mut after = BTreeSet::new();
        for &block in &cfg.reached {
            let answered = self.facts.answered.contains(&(inst, block));
            let waits = steps(block).any(|step| match &step.action {
                Action::Expect { .. } => !answered,
                // A join that is known is one in the program; of how many rounds of a loop is not known there.
                Action::Join { sites, all } => {
                    let known = *all || self.joins_each(inst, block, sites);
                    let once = |at: usize| cfg.loop_of(at).is_none();
                    let here = |(started, at): &(InstId, u32)| *started == inst && once(*at as usize);
                    !known || !once(block) || sites.is_empty() || !sites.iter().all(here)
                }
                _ => false,
            });
            if waits || !answered && is_wait(&self.facts.effects[inst.0 as usize][block]) {
                after.extend(forward(cfg, block));
            }
            // What is called is left out from where it waits on.
            let called = |step: &Step| match &step.action {
                Action::Call { callees, .. } => callees.iter().any(|callee| self.waiting.contains(callee)),
                _ => false,
            };
            if steps(block).any(called) {
                after.extend(cfg.succs[block].iter().flat_map(|next| forward(cfg, *next)));
            }
        }
        after
    }

    /// Adds the events. To be called when everything else is there.
    pub fn with_own(&mut self) {
        let events: BTreeSet<UnitId> = self.sharing.vars.iter().filter_map(|var| var.own).collect();
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
            for id in &members {
                let unit = &self.units.units[id.0];
                let on = thread_of(unit.on);
                let kind = match *id == event {
                    true => ProcKind::Event { once: false, on, guard: Some(never), alone: true },
                    false => ProcKind::Task { on },
                };
                let proc = self.declare(unit.inst, kind);
                self.program.procs[proc.index()].course = self.units.course(self.facts, *id);
                self.unit_procs.insert(*id, proc);
            }
            self.own = Some(event);
            for id in &members {
                let unit = &self.units.units[id.0];
                self.splits = *id != event;
                self.emit_part(self.unit_procs[id], unit.inst, unit.phase, unit.part);
            }
            self.splits = false;
            self.emit_called();
            self.own = None;
            self.procs = procs;
            self.unit_procs = units;
        }
    }
}
