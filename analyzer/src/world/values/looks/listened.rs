//! Who listens before it waits. A future that is told from when it is made on what happens can be made before a look, and awaited after it:
//! nothing is missed then, and the look before it was made decides nothing.

use std::collections::BTreeSet;

use crate::world::actions::cfg::Cfg;
use crate::world::actions::effects::{Action, Effects, Step, Touch};
use crate::world::points::heap::LocId;

/// Leaves out the beginnings of waits behind which a task looks at something that may change before it waits.
pub(crate) fn leave_out(cfg: &Cfg, effects: &mut Effects, changing: &BTreeSet<LocId>) {
    let listens = |(block, steps): (usize, &Vec<Step>)| {
        let begins = steps.iter().find(|step| step.enlists())?.at;
        // Who gives a lock back waits there and then.
        let waits =
            steps.iter().any(|step| step.at == begins && matches!(step.action, Action::Release { .. }));
        (!waits).then_some(block)
    };
    let listening: Vec<usize> = effects.iter().enumerate().filter_map(listens).collect();
    for block in listening {
        if !waits_first(cfg, effects, changing, block) {
            effects[block].retain(|step| !step.enlists());
        }
    }
}

/// Whether some way from a block comes to a wait before it comes to a look, or gives out what is told from then on, without one.
fn waits_first(cfg: &Cfg, effects: &Effects, changing: &BTreeSet<LocId>, block: usize) -> bool {
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
            _ => is_wait(&steps[index].action, changing),
        });
        match found {
            Some(true) => return true,
            Some(false) => {}
            None if cfg.succs[at].is_empty() => return true,
            None => work.extend(&cfg.succs[at]),
        }
    }
    false
}

/// Whether an action waits, or looks; none if it does neither.
fn is_wait(action: &Action, changing: &BTreeSet<LocId>) -> Option<bool> {
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
        Action::Call { .. } => Some(false),
        _ => None,
    }
}
