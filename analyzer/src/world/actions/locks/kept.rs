//! Guards that are kept in an option: in a field, or in one that is lent. There is a guard in it exactly if its task has the lock,
//! since nobody takes a lock twice.

use robust_models::TypeKind;

use crate::mir::{GenericArg, Local, Operand, Place, Rvalue, StatementKind, TerminatorKind, Ty, TyKind};

use crate::world::actions::effects::{Action, Step};
use crate::world::actions::guards::guards;
use crate::world::actions::of_callers::is_given;
use crate::world::actions::optional::Optional;
use crate::world::actions::outcome;
use crate::world::points::aggregates::only_definition;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::{Flow, InstId};

/// An option with a guard, or none.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    /// The locks that the guard may be of.
    pub locks: Vec<LocId>,
    /// Whether it may be another one's option, in which there may be a guard already.
    lent: bool,
}

impl Kept {
    /// A local becomes whether there is a guard, or (`is` is false) whether there is none.
    pub fn told_by(self, local: Local, is: bool) -> Action {
        Action::Holds { local, is, locks: self.locks, lent: self.lent }
    }
}

/// The option in a place, unless it is a local that is followed, or known by the call that gives it.
pub(crate) fn in_place(
    flow: &mut Flow<'_>,
    inst: InstId,
    place: &Place,
    optional: &Optional,
) -> Option<Kept> {
    if place.as_local().is_some_and(|local| !optional.is_filled_by_others(local)) {
        return None;
    }
    let (locs, ty) = flow.place(inst, place);
    kept(flow, &locs, &ty?)
}

/// The option that a local is, whatever is known of it otherwise.
pub(crate) fn in_local(flow: &mut Flow<'_>, inst: InstId, local: Local) -> Option<Kept> {
    let (loc, ty) = (flow.local(inst, local.0), flow.local_ty(inst, local.0)?);
    kept(flow, &[loc], &ty)
}

/// The option that an operand refers to.
pub(crate) fn lent_by(
    flow: &mut Flow<'_>,
    inst: InstId,
    operand: &Operand,
    optional: &Optional,
) -> Option<Kept> {
    if let Some(of) = referred_to(flow, inst, operand)
        && !optional.is_filled_by_others(of)
    {
        return None;
    }
    let (locs, ty) = flow.operand(inst, operand);
    let TyKind::Ref { to: of, .. } = &*ty? else { return None };
    let locs = flow.heap.behind(&locs);
    kept(flow, &locs, of)
}

/// The local that an operand is made as a reference to.
pub(crate) fn referred_to(flow: &Flow<'_>, inst: InstId, operand: &Operand) -> Option<Local> {
    match only_definition(flow.body_of(inst), operand.place()?.as_local()?)?.1 {
        Rvalue::Ref(_, place) => place.as_local(),
        _ => None,
    }
}

fn kept(flow: &mut Flow<'_>, locs: &[LocId], ty: &Ty) -> Option<Kept> {
    let segment = ty.as_path().filter(|path| path.last() == "Option")?.segments.last()?;
    let Some(GenericArg::Ty(of)) = segment.args.first() else { return None };
    if flow.kind(of) != Some(TypeKind::Guard) {
        return None;
    }
    let locks: Vec<LocId> = guards(flow, locs, ty, 0).into_iter().collect();
    let lent = locs.iter().any(|loc| is_given(flow, *loc));
    (!locks.is_empty()).then_some(Kept { locks, lent })
}

/// Takes back that what a place held is released at the end of a block, if there is a guard of the same lock in what the place gets right
/// behind that: whoever was given that one had none.
pub(crate) fn exchanged(flow: &mut Flow<'_>, inst: InstId, block: usize, steps: &mut [Step]) {
    let body = flow.body_of(inst);
    let TerminatorKind::Drop { place, target: Some(next), .. } = &body.blocks[block].terminator.kind else {
        return;
    };
    let next = body.blocks[next.0 as usize].statements.first();
    let Some(StatementKind::Assign(to, rvalue @ Rvalue::Use(Operand::Move(from)))) =
        next.map(|next| &next.kind)
    else {
        return;
    };
    let Some(ty) = flow.place_ty(inst, from).filter(|_| to == place && from.as_local().is_some()) else {
        return;
    };
    let is_guard = flow.kind(&ty) == Some(TypeKind::Guard);
    if !is_guard && outcome::of(outcome::source(body, rvalue)) != Some(true) {
        return;
    }
    let (locs, _) = flow.place(inst, from);
    let taken = guards(flow, &locs, &ty, 0);
    let at = body.blocks[block].statements.len();
    for step in steps.iter_mut().filter(|step| step.at == at) {
        if let Action::Release { locks } = &mut step.action {
            locks.retain(|lock| !taken.contains(lock));
        }
    }
}
