//! Tasks that answer: a channel, or the like, on which the one who started a task waits for what the task sends.
//!
//! If the task does nothing that matters behind the answer, waiting for the answer is waiting for the task. Else it is waiting for what the
//! task does up to there; what it does behind that is a task of its own, that it starts.

use std::collections::BTreeSet;

use crate::world::actions::cfg::reach;
use crate::world::actions::effects::{Action, Started, Step};
use crate::world::facts::Facts;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::InstId;

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
    for (inst, block, step, (started, tail)) in joins {
        // One task answers at one place.
        if let Some((task, at)) = tail {
            if facts.tails.get(&task).is_some_and(|known| *known != at) {
                continue;
            }
            facts.tails.insert(task, at);
        }
        facts.answered.insert((inst, block));
        let action = Action::Join { sites: vec![(inst, started as u32)], all: true };
        let steps = &mut facts.effects[inst.0 as usize][block];
        let after = steps.iter().rposition(|other| other.at <= step.at).map_or(0, |index| index + 1);
        steps.insert(after, Step { action, ..step });
    }
}

/// A task, and the block of its answer.
type Tail = (InstId, usize);

/// Where the one task is started that answers what is waited for here, and where it answers, if it then has more to do.
fn answering(
    facts: &Facts,
    changing: &BTreeSet<LocId>,
    (inst, block): (InstId, usize),
    locs: &[LocId],
) -> Option<(usize, Option<Tail>)> {
    let senders = senders(facts, locs);
    if senders.is_empty() {
        return None;
    }
    let cfg = &facts.cfgs[inst.0 as usize];
    let mut found = None;
    for (at, steps) in facts.effects[inst.0 as usize].iter().enumerate() {
        for step in steps {
            let Action::Spawn { tasks, started: Started::One | Started::Each, .. } = &step.action else {
                continue;
            };
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
            let tail = match senders[..] {
                _ if all => None,
                [(sender, answer, _)] if sender == task && is_cut(facts, task, answer) => {
                    Some((task, answer))
                }
                _ => return None,
            };
            if found.is_some() || cfg.loop_of(at) != cfg.loop_of(block) {
                return None;
            }
            found = Some((at, tail));
        }
    }
    found
}

/// Whether what comes behind a block can be told from what comes before it: it comes from nowhere else, and gives back no lock that was
/// taken before.
fn is_cut(facts: &Facts, inst: InstId, block: usize) -> bool {
    let (cfg, effects) = (&facts.cfgs[inst.0 as usize], &facts.effects[inst.0 as usize]);
    let behind = reach(&cfg.succs, cfg.succs[block].iter().copied());
    let before: BTreeSet<usize> = cfg.reached.difference(&behind).copied().collect();
    let enters = |from: &usize| *from != block && cfg.succs[*from].iter().any(|to| behind.contains(to));
    let steps = || behind.iter().flat_map(|block| &effects[*block]);
    let taken: BTreeSet<LocId> = steps()
        .filter_map(|step| match &step.action {
            Action::Acquire { locks, .. } => Some(locks),
            _ => None,
        })
        .flatten()
        .copied()
        .collect();
    let gives_back = |step: &Step| match &step.action {
        Action::Release { locks } => locks.iter().any(|lock| !taken.contains(lock)),
        _ => false,
    };
    before.contains(&block)
        && cfg.loop_of(block).is_none()
        && !before.iter().any(enters)
        && !steps().any(gives_back)
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
