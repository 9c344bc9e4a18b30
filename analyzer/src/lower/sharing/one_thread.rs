//! What only one thread has: what is behind an `Rc`. Events that are never suspended come to it one after the other, whatever else
//! they do at the same time.

use robust_models::TypeKind;
use rustc_hash::FxHashSet;

use crate::mir::BodyKind;
use crate::world::actions::effects::Action;
use crate::world::facts::Facts;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::Flow;
use crate::world::units::{UnitId, Units};

/// What is behind pointers that stay on their thread.
pub(super) struct OneThread(FxHashSet<LocId>);

impl OneThread {
    pub fn new(flow: &Flow<'_>) -> OneThread {
        let stays = |id: &LocId| {
            let ty = flow.heap.get(*id).ty.as_ref();
            let model = ty.and_then(|ty| flow.model(ty));
            model.is_some_and(|model| model.single_threaded && model.kind == Some(TypeKind::Pointer))
        };
        let pointers = flow.heap.ids().filter(stays);
        OneThread(pointers.flat_map(|id| flow.heap.get(id).points_to.iter().copied()).collect())
    }

    /// Whether only one thread has a location, and all who use it are events that are done with it before another one begins there.
    pub fn is_used_in_turn<'u>(
        &self,
        (flow, facts, units): (&Flow<'_>, &Facts, &Units),
        loc: LocId,
        mut users: impl Iterator<Item = &'u UnitId>,
    ) -> bool {
        flow.heap.within(loc).any(|id| self.0.contains(&id))
            && users.all(|user| units.units[user.0].event && !is_suspended((flow, facts, units), *user))
    }
}

/// Whether something that a unit runs may be suspended, or waits in a way that may be that. Who polls by hand is not: it returns.
fn is_suspended((flow, facts, units): (&Flow<'_>, &Facts, &Units), id: UnitId) -> bool {
    units.visits[id.0].iter().any(|visit| {
        let coroutine = matches!(flow.body_of(visit.0).kind, BodyKind::Coroutine { .. });
        let steps = facts.blocks(*visit).into_iter();
        let mut steps = steps.flat_map(|block| &facts.effects[visit.0.0 as usize][block]);
        steps.any(|step| {
            use Action::{Expect, Receive, Source, Wait, Yield};
            match step.action {
                Yield { .. } => coroutine,
                Source { .. } | Wait | Expect { .. } | Receive { .. } => true,
                _ => false,
            }
        })
    })
}
