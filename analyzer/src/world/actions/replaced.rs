//! Who replaces a collection, or takes something out of it, does so to the atomics in it, which have locations of their own.

use robust_models::TypeKind;

use crate::world::actions::effects::{Action, Step, Touch};
use crate::world::facts::Facts;
use crate::world::points::heap::{INNER, LocId};
use crate::world::points::points_to::Flow;

/// Fields within fields are looked at this deep.
const MAX_DEPTH: u32 = 4;

/// Adds these changes behind those of what they are in.
pub(crate) fn insert(flow: &Flow<'_>, facts: &mut Facts) {
    for steps in facts.effects.iter_mut().flatten() {
        if !steps.iter().any(|step| !replaced(flow, step).is_empty()) {
            continue;
        }
        let all = std::mem::take(steps);
        for step in all {
            let locs = replaced(flow, &step);
            let action =
                Action::Access { touch: Touch::Write, locs, tracked: None, checks: false, provisional: None };
            let within = Step { action, ..step.clone() };
            let any = matches!(&within.action, Action::Access { locs, .. } if !locs.is_empty());
            steps.push(step);
            steps.extend(any.then_some(within));
        }
    }
}

/// The atomics in the collections that an action changes.
fn replaced(flow: &Flow<'_>, step: &Step) -> Vec<LocId> {
    let mut found = Vec::new();
    if let Action::Access { touch: Touch::Write, locs, .. } = &step.action {
        locs.iter().for_each(|loc| atomics(flow, *loc, 0, &mut found));
    }
    found
}

fn atomics(flow: &Flow<'_>, loc: LocId, depth: u32, found: &mut Vec<LocId>) {
    for (part, child) in flow.heap.get(loc).children.iter() {
        let of = |kind| flow.heap.get(*child).ty.as_ref().is_some_and(|ty| flow.kind(ty) == Some(kind));
        if &*part.owner == INNER {
            found.extend(of(TypeKind::Atomic).then_some(*child));
        } else if depth < MAX_DEPTH && *child > loc && !of(TypeKind::Lock) {
            atomics(flow, *child, depth + 1, found);
        }
    }
}
