//! Loops that go through what is there: each round takes one of so many elements, so all rounds are one piece of work.

use std::collections::BTreeSet;

use crate::mir::{TerminatorKind, TyKind};
use crate::world::actions::cfg::{Cfg, components};
use crate::world::points::points_to::{CallInfo, Flow, InstId};
use crate::world::points::served::is_standard_path;
use crate::world::points::types::parts;

/// Whether each way around a loop on which it waits takes the next of so many elements, or there is none and the loop ends.
pub(crate) fn goes_through_them(
    flow: &Flow<'_>,
    inst: InstId,
    cfg: &Cfg,
    round: &BTreeSet<usize>,
    waits: &dyn Fn(usize) -> bool,
) -> bool {
    let goes_on =
        |block: &usize| !waits(*block) && takes_next(flow, inst, *block) && ends_with(cfg, round, *block);
    let rest: BTreeSet<usize> = round.iter().copied().filter(|block| !goes_on(block)).collect();
    let goes_through = |inner: &BTreeSet<usize>| {
        !inner.iter().any(|block| waits(*block)) || goes_through_them(flow, inst, cfg, inner, waits)
    };
    rest.len() < round.len() && components(&cfg.succs, &rest).iter().all(goes_through)
}

/// Whether a loop may end with what the first branch behind a block goes by.
fn ends_with(cfg: &Cfg, round: &BTreeSet<usize>, mut block: usize) -> bool {
    for _ in round {
        match cfg.succs[block][..] {
            [next] if round.contains(&next) => block = next,
            _ => break,
        }
    }
    cfg.succs[block].iter().any(|next| !round.contains(next))
}

/// Whether a block ends with a call that takes the next of so many elements.
fn takes_next(flow: &Flow<'_>, inst: InstId, block: usize) -> bool {
    let is_next = flow.calls.get(&(inst, block as u32)).is_some_and(is_next);
    let TerminatorKind::Call(call) = &flow.body_of(inst).blocks[block].terminator.kind else {
        return false;
    };
    let iterator = || flow.place_ty(inst, call.args.first()?.place()?);
    is_next && iterator().is_some_and(|ty| ends(flow, ty.peel_refs()))
}

/// Whether a call asks an iterator for what comes next.
pub(crate) fn is_next(call: &CallInfo) -> bool {
    call.foreign.as_deref().is_some_and(|path| path.ends_with("Iterator::next"))
}

/// Whether an iterator of this type ends: it is one of the standard library, and none that is known to go on for ever is in it.
fn ends(flow: &Flow<'_>, ty: &TyKind) -> bool {
    let is_endless = |ty: &TyKind| flow.model(ty).is_some_and(|model| model.endless);
    let is_pointer = |ty: &TyKind| flow.model(ty).is_some_and(|model| model.kind.is_some());
    fn within(ty: &TyKind, is: &dyn Fn(&TyKind) -> bool) -> bool {
        is(ty) || parts(ty).into_iter().any(|part| within(part, is))
    }
    let standard = ty.as_path().is_some_and(|path| path.qself.is_none() && is_standard_path(&path.plain()));
    standard && !is_pointer(ty) && !within(ty, &is_endless)
}
