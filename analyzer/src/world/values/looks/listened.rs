//! Who listens before it waits. A future that is told from when it is made on what happens can be made before a look, and awaited after it:
//! nothing is missed then, and the look before it was made decides nothing.

use std::collections::BTreeSet;

use crate::world::actions::cfg::Cfg;
use crate::world::actions::effects::{Action, Effects, Step, Touch};
use crate::world::points::heap::LocId;
use crate::world::points::points_to::InstId;

/// Leaves out the beginnings of waits behind which a task looks at something that may change before it waits. `shows` tells of a block
/// whether what it listens to shows how things are: who hands that out may look later. `looking`: instances that look at what may change.
pub(crate) fn leave_out(
    cfg: &Cfg,
    effects: &mut Effects,
    (changing, looking): (&BTreeSet<LocId>, &BTreeSet<InstId>),
    shows: &dyn Fn(usize) -> bool,
) {
    let ends = |action: &Action| is_wait(action, changing, looking);
    let listens = |(block, steps): (usize, &Vec<Step>)| {
        let begins = steps.iter().find(|step| step.enlists())?.at;
        // Who gives a lock back waits there and then.
        let waits =
            steps.iter().any(|step| step.at == begins && matches!(step.action, Action::Release { .. }));
        (!waits).then_some(block)
    };
    let listening: Vec<usize> = effects.iter().enumerate().filter_map(listens).collect();
    for block in listening {
        if !waits_first(cfg, effects, &ends, block, !shows(block)) {
            effects[block].retain(|step| !step.enlists());
        }
    }
}

/// Whether some way from a block comes to a wait before it comes to a look, or gives out what is told from then on, without one, if that is
/// as good as a `wait`.
fn waits_first(
    cfg: &Cfg,
    effects: &Effects,
    ends: &dyn Fn(&Action) -> Option<bool>,
    block: usize,
    wait: bool,
) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = cfg.succs[block].clone();
    while let Some(at) = work.pop() {
        if !seen.insert(at) {
            continue;
        }
        let steps = &effects[at];
        let found = (0..steps.len()).find_map(|index| match steps[index..] {
            // Who waits for a lock to look under it has not begun to wait for what it listens to.
            [Step { action: Action::Yield { .. }, .. }, Step { action: Action::Acquire { .. }, .. }, ..] => {
                None
            }
            _ => ends(&steps[index].action),
        });
        match found {
            Some(true) => return true,
            Some(false) => {}
            None if cfg.succs[at].is_empty() && wait => return true,
            None => work.extend(&cfg.succs[at]),
        }
    }
    false
}

/// Whether an action waits, or looks; none if it does neither.
fn is_wait(action: &Action, changing: &BTreeSet<LocId>, looking: &BTreeSet<InstId>) -> Option<bool> {
    match action {
        Action::Yield { .. }
        | Action::Wait
        | Action::Source { .. }
        | Action::Expect { .. }
        | Action::Receive { .. }
        | Action::Join { .. } => Some(true),
        Action::Access { touch: Touch::Read | Touch::Write, locs, .. } => {
            locs.iter().any(|loc| changing.contains(loc)).then_some(false)
        }
        Action::Call { callees, .. } => (!callees.is_disjoint(looking)).then_some(false),
        _ => None,
    }
}
