//! Who replaces a collection, or empties it, does so to the atomics in it, which have locations of their own. Who takes one out has it to
//! himself from then on.

use robust_models::{Change, TypeKind};

use crate::world::actions::effects::{Action, Step, Touch};
use crate::world::facts::Facts;
use crate::world::points::heap::{INNER, LocId};
use crate::world::points::points_to::{Flow, InstId};

/// Fields within fields are looked at this deep.
const MAX_DEPTH: u32 = 4;

/// Adds these changes behind those of what they are in.
pub(crate) fn insert(flow: &Flow<'_>, facts: &mut Facts) {
    for (number, blocks) in facts.effects.iter_mut().enumerate() {
        let inst = InstId(number as u32);
        for (block, steps) in blocks.iter_mut().enumerate() {
            let found: Vec<Vec<LocId>> =
                steps.iter().map(|step| replaced(flow, (inst, block), step)).collect();
            if found.iter().all(Vec::is_empty) {
                continue;
            }
            for (step, locs) in std::mem::take(steps).into_iter().zip(found) {
                let within = (!locs.is_empty()).then(|| {
                    let touch = Touch::Write;
                    let action =
                        Action::Access { touch, locs, tracked: None, checks: false, provisional: None };
                    Step { action, ..step.clone() }
                });
                steps.push(step);
                steps.extend(within);
            }
        }
    }
}

/// The atomics in the collections that an action replaces as a whole.
fn replaced(flow: &Flow<'_>, (inst, block): (InstId, usize), step: &Step) -> Vec<LocId> {
    let mut found = Vec::new();
    let Action::Access { touch: Touch::Write, locs, .. } = &step.action else { return found };
    let called = step.at == flow.body_of(inst).blocks[block].statements.len();
    let model = flow.model_at(inst, block).filter(|_| called);
    let mut accesses = model.and_then(|model| model.access.as_ref()).into_iter().flatten();
    let of_one = |change: Change| !matches!(change, Change::Clear);
    if !accesses.any(|access| access.change.is_some_and(of_one)) {
        locs.iter().for_each(|loc| atomics(flow, *loc, 0, &mut found));
    }
    found
}

fn atomics(flow: &Flow<'_>, loc: LocId, depth: u32, found: &mut Vec<LocId>) {
    for (part, child) in flow.heap.get(loc).children.iter() {
        if &*part.owner == INNER {
            found.extend((flow.kind_at(*child) == Some(TypeKind::Atomic)).then_some(*child));
        } else if depth < MAX_DEPTH && *child > loc && flow.kind_at(*child) != Some(TypeKind::Lock) {
            atomics(flow, *child, depth + 1, found);
        }
    }
}
