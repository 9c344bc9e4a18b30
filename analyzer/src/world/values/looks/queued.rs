//! Looks that leave work to somebody else. Who puts something in, and then sees that somebody is at work, leaves it to that one. That one has
//! found nothing more to do by then, perhaps, and is about to say that it has stopped. So such a look matters, though nothing is done because of it.

use std::collections::{BTreeMap, BTreeSet};

use crate::world::actions::cfg::reach;
use crate::world::actions::effects::{Action, Effects, Step, Touch, Tracked};
use crate::world::callers::doing;
use crate::world::facts::Facts;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::InstId;

/// What somebody takes from until there is nothing more, and the flag by which that one says then that it has stopped.
struct Leaving {
    work: BTreeSet<LocId>,
    flag: BTreeSet<LocId>,
    /// What is stored in the flag.
    stopped: i128,
}

/// The blocks that look at such a flag after something was put in, with what it is when nobody is at work.
pub(crate) fn looks(facts: &Facts, changing: &BTreeSet<LocId>) -> BTreeMap<(InstId, usize), bool> {
    let leaving: Vec<Leaving> = instances(facts).flat_map(|inst| leaving(facts, inst, changing)).collect();
    let mut found = BTreeMap::new();
    for leaving in leaving {
        let puts = doing(&facts.effects, |step| changes(step, &leaving.work));
        for inst in instances(facts) {
            let effects = &facts.effects[inst.0 as usize];
            let behind = behind(facts, inst, |step| match &step.action {
                Action::Call { callees, .. } => !callees.is_disjoint(&puts),
                _ => changes(step, &leaving.work),
            });
            let looks = |block: &usize| effects[*block].iter().any(|step| asks(step, &leaving));
            found.extend(behind.into_iter().filter(looks).map(|block| ((inst, block), leaving.stopped != 0)));
        }
    }
    found
}

fn instances(facts: &Facts) -> impl Iterator<Item = InstId> + use<> {
    (0..facts.effects.len() as u32).map(InstId)
}

/// What an instance takes from, and the flags that it sets behind that when it has found nothing.
fn leaving(facts: &Facts, inst: InstId, changing: &BTreeSet<LocId>) -> Vec<Leaving> {
    let effects: &Effects = &facts.effects[inst.0 as usize];
    let stops: Vec<(usize, &[LocId], i128)> = steps(effects)
        .filter_map(|(block, step)| match &step.action {
            Action::Access { locs, tracked: Some(Tracked::Set(value, None)), .. } => {
                Some((block, &locs[..], *value))
            }
            _ => None,
        })
        .collect();
    let mut found = Vec::new();
    for (block, work) in if stops.is_empty() { Vec::new() } else { misses(facts, inst, changing) } {
        let later = reach(&facts.cfgs[inst.0 as usize].succs, [block]);
        for (at, flag, stopped) in &stops {
            let flag: BTreeSet<LocId> = flag.iter().copied().collect();
            if later.contains(at) && flag.is_disjoint(&work) {
                found.push(Leaving { work: work.clone(), flag, stopped: *stopped });
            }
        }
    }
    found
}

/// Where an instance, or a function that it calls, finds nothing to take, and of what.
fn misses(facts: &Facts, inst: InstId, changing: &BTreeSet<LocId>) -> Vec<(usize, BTreeSet<LocId>)> {
    let of = |step: &Step| match &step.action {
        Action::Access { touch: Touch::Read, locs, .. } if matches!(step.only_if, Some((_, false))) => {
            locs.iter().copied().filter(|loc| changing.contains(loc)).collect()
        }
        _ => BTreeSet::new(),
    };
    let called = |step: &Step| match &step.action {
        Action::Call { callees, .. } => {
            let theirs = callees.iter().flat_map(|callee| steps(&facts.effects[callee.0 as usize]));
            theirs.flat_map(|(_, step)| of(step)).collect()
        }
        _ => of(step),
    };
    let all = steps(&facts.effects[inst.0 as usize]).map(|(block, step)| (block, called(step)));
    all.filter(|(_, work)| !work.is_empty()).collect()
}

fn steps(effects: &Effects) -> impl Iterator<Item = (usize, &Step)> {
    effects.iter().enumerate().flat_map(|(block, steps)| steps.iter().map(move |step| (block, step)))
}

/// The blocks that come behind one that does something, with it.
fn behind(facts: &Facts, inst: InstId, does: impl Fn(&Step) -> bool) -> BTreeSet<usize> {
    let effects = &facts.effects[inst.0 as usize];
    let from: Vec<usize> = steps(effects).filter(|(_, step)| does(step)).map(|(block, _)| block).collect();
    if from.is_empty() { BTreeSet::new() } else { reach(&facts.cfgs[inst.0 as usize].succs, from) }
}

/// Whether a step changes that, and does not only take out of it what there may be.
fn changes(step: &Step, work: &BTreeSet<LocId>) -> bool {
    match &step.action {
        Action::Access { touch, locs, .. } => {
            *touch != Touch::Read && step.only_if.is_none() && locs.iter().any(|loc| work.contains(loc))
        }
        _ => false,
    }
}

/// Whether a step looks at the flag, be it as it sets it another way.
fn asks(step: &Step, leaving: &Leaving) -> bool {
    let Action::Access { touch, locs, tracked, .. } = &step.action else { return false };
    let looks = match tracked {
        Some(Tracked::Set(value, Some(_))) => *value != leaving.stopped,
        Some(Tracked::Exchange(Some((old, _)), _)) => *old == leaving.stopped,
        _ => *touch == Touch::Read,
    };
    looks && locs.iter().any(|loc| leaving.flag.contains(loc))
}
