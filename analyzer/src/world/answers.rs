//! Tasks that answer: a channel, or the like, on which the one who started a task waits for what the task sends.
//!
//! If the task does nothing that matters behind the answer, waiting for the answer is waiting for the task.

use std::collections::BTreeSet;

use crate::world::actions::cfg::reach;
use crate::world::actions::effects::{Action, Step};
use crate::world::points::heap::LocId;
use crate::world::points::points_to::InstId;
use crate::world::units::Facts;

/// Where something is sent.
type Place = (InstId, usize, usize);

/// Makes joins of the places that wait for the answer of one task, which is started in the same body.
pub(crate) fn join(facts: &mut Facts, changing: &BTreeSet<LocId>) {
    let mut joins = Vec::new();
    for (index, effects) in facts.effects.iter().enumerate() {
        let inst = InstId(index as u32);
        for (block, steps) in effects.iter().enumerate() {
            for step in steps {
                if let Action::Expect { locs } = &step.action
                    && let Some(started) = answering(facts, changing, (inst, block), locs)
                {
                    joins.push((inst, block, step.clone(), started));
                }
            }
        }
    }
    for (inst, block, step, started) in joins {
        let action = Action::Join { sites: vec![(inst, started as u32)], all: true };
        let steps = &mut facts.effects[inst.0 as usize][block];
        let after = steps.iter().rposition(|other| other.at <= step.at).map_or(0, |index| index + 1);
        steps.insert(after, Step { action, ..step });
    }
}

/// Where the one task is started that answers what is waited for here, if it then has nothing more to do.
fn answering(
    facts: &Facts,
    changing: &BTreeSet<LocId>,
    (inst, block): (InstId, usize),
    locs: &[LocId],
) -> Option<usize> {
    let senders = senders(facts, locs);
    if senders.is_empty() {
        return None;
    }
    let cfg = &facts.cfgs[inst.0 as usize];
    let mut found = None;
    for (at, steps) in facts.effects[inst.0 as usize].iter().enumerate() {
        for step in steps {
            let Action::Spawn { tasks, twice: false, .. } = &step.action else { continue };
            let answers = |task: &InstId| {
                let runs = called_by(facts, *task);
                senders.iter().any(|(sender, ..)| runs.contains(sender))
            };
            if !tasks.iter().any(answers) {
                continue;
            }
            let [task] = tasks.iter().copied().collect::<Vec<_>>()[..] else { return None };
            let runs = called_by(facts, task);
            let all = senders.iter().all(|place| {
                runs.contains(&place.0) && is_last(facts, changing, *place, task, &runs, &mut BTreeSet::new())
            });
            if found.is_some() || !all || cfg.loop_of(at) != cfg.loop_of(block) {
                return None;
            }
            found = Some(at);
        }
    }
    found
}

fn senders(facts: &Facts, locs: &[LocId]) -> Vec<Place> {
    let mut found = Vec::new();
    for (index, effects) in facts.effects.iter().enumerate() {
        for (block, steps) in effects.iter().enumerate() {
            for step in steps {
                if let Action::Answer { locs: to } = &step.action
                    && to.iter().any(|loc| locs.contains(loc))
                {
                    found.push((InstId(index as u32), block, step.at));
                }
            }
        }
    }
    found
}

/// An instance and all that it calls.
pub(crate) fn called_by(facts: &Facts, inst: InstId) -> BTreeSet<InstId> {
    let mut found = BTreeSet::from([inst]);
    let mut work = vec![inst];
    while let Some(inst) = work.pop() {
        for step in facts.effects[inst.0 as usize].iter().flatten() {
            if let Action::Call { callees, .. } = &step.action {
                work.extend(callees.iter().filter(|callee| found.insert(**callee)));
            }
        }
    }
    found
}

/// Whether a task does nothing that matters behind a place.
fn is_last(
    facts: &Facts,
    changing: &BTreeSet<LocId>,
    (inst, block, at): Place,
    task: InstId,
    runs: &BTreeSet<InstId>,
    seen: &mut BTreeSet<InstId>,
) -> bool {
    let matters = |step: &Step| match &step.action {
        Action::Access { locs, .. } => locs.iter().any(|loc| changing.contains(loc)),
        Action::Acquire { .. } | Action::Spawn { .. } | Action::Join { .. } => true,
        Action::Call { callees, .. } => callees.iter().any(|callee| does_anything(facts, changing, *callee)),
        _ => false,
    };
    let effects = &facts.effects[inst.0 as usize];
    let succs = &facts.cfgs[inst.0 as usize].succs;
    let after = reach(succs, succs[block].iter().copied());
    if effects[block].iter().any(|step| step.at > at && matters(step))
        || after.iter().any(|block| effects[*block].iter().any(matters))
    {
        return false;
    }
    if inst == task || !seen.insert(inst) {
        return true;
    }
    runs.iter().all(|caller| {
        facts.effects[caller.0 as usize].iter().enumerate().all(|(block, steps)| {
            steps.iter().all(|step| match &step.action {
                Action::Call { callees, .. } if callees.contains(&inst) => {
                    is_last(facts, changing, (*caller, block, step.at), task, runs, seen)
                }
                _ => true,
            })
        })
    })
}

fn does_anything(facts: &Facts, changing: &BTreeSet<LocId>, inst: InstId) -> bool {
    called_by(facts, inst).iter().any(|inst| {
        facts.effects[inst.0 as usize].iter().flatten().any(|step| match &step.action {
            Action::Access { locs, .. } => locs.iter().any(|loc| changing.contains(loc)),
            Action::Acquire { .. } | Action::Spawn { .. } | Action::Join { .. } => true,
            _ => false,
        })
    })
}
