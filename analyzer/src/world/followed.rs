//! Tasks, and rounds of tasks, that follow one another. What an event makes is new in each of its instances: a thread that it
//! starts once, with nothing but that, shares nothing with the thread that another instance starts, and the rounds of one thread
//! come one after the other.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::lower::sharing::share::changing;
use crate::world::actions::effects::{Action, Started};
use crate::world::facts::Facts;
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::units::{UnitId, Units, Visit};

/// Says of units that their instances follow one another, where they do.
pub(crate) fn find(flow: &Flow<'_>, facts: &Facts, units: &mut Units) {
    let known = OnceCell::new();
    let changing = || known.get_or_init(|| changing(flow));
    let mut once: BTreeMap<UnitId, BTreeSet<InstId>> = BTreeMap::new();
    let mut found = Vec::new();
    for number in 0..units.units.len() {
        let Some((task, event)) = started_by(units, UnitId(number)) else { continue };
        let once = once.entry(event).or_insert_with(|| {
            started_once(facts, units, event, |inst, block| facts.is_in_loop(inst, block))
        });
        let inst = units.units[task.0].inst;
        // The rounds are those of the task's own loop, or of one in what it calls once.
        let whole =
            UnitId(number) == task || units.visits[task.0].iter().any(|v| v.0 == units.units[number].inst);
        if once.contains(&inst)
            && whole
            && uses_what_is_made(flow, facts, units, UnitId(number), (task, event), changing())
        {
            found.push(number);
        }
    }
    units.replace(|units| found.into_iter().for_each(|number| units[number].actor = true));
}

/// The task that a unit is, or is a round of, and the event of many instances that starts it.
fn started_by(units: &Units, id: UnitId) -> Option<(UnitId, UnitId)> {
    let unit = &units.units[id.0];
    if unit.once || unit.actor {
        return None;
    }
    let task = if unit.part.is_some() { unit.parent? } else { id };
    let event = units.units[task.0].parent.filter(|_| !units.units[task.0].event)?;
    let above = &units.units[event.0];
    (above.event && !above.once && above.part.is_none()).then_some((task, event))
}

/// The tasks that a unit starts at one place, itself or in what it calls, and not again and again: `again` says that of a block.
pub(crate) fn started_once(
    facts: &Facts,
    units: &Units,
    unit: UnitId,
    again: impl Fn(InstId, usize) -> bool,
) -> BTreeSet<InstId> {
    let unit = &units.units[unit.0];
    let mut times: BTreeMap<InstId, u32> = BTreeMap::new();
    let mut seen: BTreeMap<Visit, u32> = BTreeMap::new();
    let mut work = vec![((unit.inst, unit.phase, unit.part), 1)];
    while let Some((visit, count)) = work.pop() {
        let before = seen.get(&visit).copied().unwrap_or(0);
        if before > 1 {
            continue;
        }
        seen.insert(visit, before + count);
        for block in facts.blocks(visit) {
            let count = if again(visit.0, block) { 2 } else { count };
            for step in &facts.effects[visit.0.0 as usize][block] {
                match &step.action {
                    Action::Call { callees, times, .. } => {
                        let count = if *times == robust_models::Order::Many { 2 } else { count };
                        work.extend(callees.iter().map(|callee| ((*callee, visit.1, None), count)));
                    }
                    Action::Spawn { tasks, started, .. } => {
                        let count = if *started == Started::Twice { 2 } else { count };
                        tasks.iter().for_each(|task| *times.entry(*task).or_default() += count);
                    }
                    _ => {}
                }
            }
        }
    }
    times.into_iter().filter(|(_, count)| *count == 1).map(|(task, _)| task).collect()
}

/// Whether all that a unit does to what may be shared is done to what the event made, or the task itself.
fn uses_what_is_made(
    flow: &Flow<'_>,
    facts: &Facts,
    units: &Units,
    id: UnitId,
    (task, event): (UnitId, UnitId),
    changing: &BTreeSet<LocId>,
) -> bool {
    let runs = [id, task, event].into_iter().flat_map(|unit| &units.visits[unit.0]);
    let runs: BTreeSet<InstId> = runs.map(|visit| visit.0).collect();
    let made = |loc: &LocId| match &*flow.heap.get(*loc).root {
        Root::Heap(inst, _) | Root::Local(inst, _) => runs.contains(inst),
        _ => false,
    };
    units.visits[id.0].iter().all(|visit| {
        let mut steps =
            facts.blocks(*visit).into_iter().flat_map(|block| &facts.effects[visit.0.0 as usize][block]);
        steps.all(|step| match &step.action {
            Action::Access { locs, .. } => locs.iter().filter(|loc| changing.contains(loc)).all(made),
            _ => true,
        })
    })
}
