//! Whether there is something in an option, which variant an enum is, what a number is that is kept under a lock: who looks, who decides
//! it, and who is past it.

use robust_models::TypeKind;

use crate::mir::{Operand, Place, Prim, Projection, Rvalue, Ty, TyKind};

use crate::world::actions::effects::Tracked;
use crate::world::actions::outcome;
use crate::world::actions::spine::is_spine;
use crate::world::points::aggregates::{is_option, made, variant_made};
use crate::world::points::given;
use crate::world::points::heap::{LocId, Part, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::{any_part, parts};

/// Of such locations, whose type is this, the part that says whether there is something; of one's own variables nobody else asks
/// that. Whether there is a lock is another matter than whether there is something in it; an end of a channel has nothing in it, and whether
/// there is one is what the lock around it guards.
pub(crate) fn tags(flow: &mut Flow<'_>, inst: InstId, locs: &[LocId], ty: Option<&TyKind>) -> Vec<LocId> {
    let own =
        |flow: &Flow<'_>, loc: LocId| matches!(*flow.heap.get(loc).root, Root::Local(of, _) if of == inst);
    let others: Vec<LocId> = locs.iter().copied().filter(|loc| !own(flow, *loc)).collect();
    let ty = ty.filter(|ty| crate::lower::sharing::share::has_shared(flow, ty, 0));
    let tag = |flow: &Flow<'_>, loc: LocId| match ty {
        Some(ty) if has_content(flow, ty, 0) || !is_guarded(flow, loc, ty) => OUTER_TAG,
        _ => TAG,
    };
    let parts: Vec<(LocId, Part)> =
        others.into_iter().map(|loc| (loc, Part::beside(tag(flow, loc), 0))).collect();
    parts.iter().map(|(loc, part)| flow.heap.child(*loc, part, None)).collect()
}

/// Types nest no deeper.
const MAX_DEPTH: usize = 6;

/// Whether a value of this type has something shared in itself that others get at there; they do not at an end of a channel.
fn has_content(flow: &Flow<'_>, ty: &TyKind, depth: usize) -> bool {
    match flow.kind(ty) {
        Some(TypeKind::Lock | TypeKind::Atomic | TypeKind::Cell) => !flow.is_sending_end(ty),
        Some(TypeKind::Pointer | TypeKind::Guard | TypeKind::Handle | TypeKind::Nothing) => false,
        _ => depth < MAX_DEPTH && parts(ty).into_iter().any(|part| has_content(flow, part, depth + 1)),
    }
}

/// Whether what is in a location, a value of this type, is itself in a lock or in a cell.
fn is_guarded(flow: &Flow<'_>, loc: LocId, ty: &TyKind) -> bool {
    let guards = |of: LocId| {
        let kind = flow.heap.get(of).ty.as_ref().and_then(|ty| flow.kind(ty));
        matches!(kind, Some(TypeKind::Lock | TypeKind::Cell))
    };
    flow.heap.get(loc).ty.is_some() && !is_spine(flow, loc, ty) || flow.heap.within(loc).skip(1).any(guards)
}

/// The part of an `Option` that says whether there is something.
const TAG: &str = "tag";

/// The same, of one with a lock, a cell or an atomic in it.
const OUTER_TAG: &str = "outer tag";

/// Whether a part is the one that says whether there is a lock, a cell or an atomic.
pub(crate) fn is_outer_tag(part: &Part) -> bool {
    &*part.owner == OUTER_TAG
}

/// Whether a part is the one that says whether there is something.
pub(crate) fn is_tag(part: &Part) -> bool {
    matches!(&*part.owner, TAG | OUTER_TAG)
}

/// The location of which this one is the part that says whether there is something, unless that is guarded apart from it.
pub(crate) fn whole(flow: &Flow<'_>, loc: LocId) -> Option<LocId> {
    let (of, part) = flow.heap.get(loc).parent.as_ref()?;
    (is_tag(part) && !is_outer_tag(part)).then_some(*of)
}

/// Whether a value of this type either has something in it or has not.
pub(crate) fn has_presence(ty: &TyKind) -> bool {
    let path = ty.peel_refs().as_path();
    is_option(ty) || path.is_some_and(|path| matches!(path.last(), "Result" | "ControlFlow"))
}

/// What a look at whether there is something in an option gives.
pub(super) fn tag_read(flow: &Flow<'_>, inst: InstId, place: &Place, rvalue: &Rvalue) -> Option<Tracked> {
    if let Rvalue::Use(Operand::Copy(of)) = rvalue {
        let local = place.as_local()?;
        if is_number(flow, inst, of) {
            return Some(Tracked::Get(local));
        }
        let option =
            || flow.place_ty(inst, of).is_some_and(|ty| matches!(&*ty, TyKind::Path(_)) && is_option(&ty));
        return match is_truth_value(flow, inst, of) {
            true => Some(Tracked::Get(local)),
            false => option().then_some(Tracked::Tag(local, true)),
        };
    }
    let Rvalue::Discriminant(of) = rvalue else { return None };
    if of.projection.contains(&Projection::Deref)
        && flow.place_ty(inst, of).is_some_and(|ty| flow.code.variants(&ty).is_some())
    {
        return place.as_local().map(Tracked::Get);
    }
    let local = place.as_local().filter(|_| flow.place_ty(inst, of).is_some_and(|ty| is_option(&ty)))?;
    Some(Tracked::Tag(local, true))
}

/// Whether there is something in an option once this is stored there.
pub(super) fn tag_stored(flow: &Flow<'_>, inst: InstId, place: &Place, rvalue: &Rvalue) -> Option<Tracked> {
    if let Rvalue::Use(operand) = rvalue
        && let Some(value) = operand.truth()
        && is_truth_value(flow, inst, place)
    {
        return Some(Tracked::Set(i128::from(value), None));
    }
    if let Rvalue::Use(constant @ Operand::Const(_)) = rvalue
        && is_number(flow, inst, place)
        && let Some(value) = given::number(flow, inst, constant)
    {
        return Some(Tracked::Set(value, None));
    }
    let ty = flow.place_ty(inst, place)?;
    let variants = flow.code.variants(&ty).filter(|_| place.projection.contains(&Projection::Deref));
    if variants.is_none() && !is_option(&ty) {
        return None;
    }
    match (made(flow, inst, rvalue)?, variants) {
        (made, None) => outcome::of(made).map(Tracked::SetTag),
        (made, Some(variants)) => variant_made(variants, made).map(|number| Tracked::Set(number, None)),
    }
}

/// Whether a place is a truth value behind a pointer.
fn is_truth_value(flow: &Flow<'_>, inst: InstId, place: &Place) -> bool {
    place.projection.contains(&Projection::Deref)
        && flow.place_ty(inst, place).is_some_and(|ty| matches!(&*ty, TyKind::Prim(Prim::Bool)))
}

/// Whether a place is a number behind a pointer.
fn is_number(flow: &Flow<'_>, inst: InstId, place: &Place) -> bool {
    let number = |ty: &TyKind| matches!(ty, TyKind::Prim(prim) if prim.is_integer());
    place.projection.contains(&Projection::Deref) && flow.place_ty(inst, place).is_some_and(|ty| number(&ty))
}

/// What a change of something of this type, in these locations, does to whether there is something: nothing where they are options, and it is
/// in what is there.
pub(super) fn changed_inside(flow: &Flow<'_>, locs: &[LocId], ty: Option<&TyKind>) -> Option<Tracked> {
    let ty = ty?.peel_refs();
    let inside = |loc: &LocId| {
        let held = held(flow, *loc);
        held.is_some_and(|held| is_option(&held) && !any_part(ty, &mut |part| *part == *held))
    };
    (!locs.is_empty() && locs.iter().all(inside)).then_some(Tracked::Inside)
}

/// Whether a location is a part of what is in an option, or of a variant of an enum, without a lock, a cell or an atomic in between.
pub(crate) fn is_inside(flow: &Flow<'_>, loc: LocId) -> bool {
    let is_tag = flow.heap.get(loc).parent.as_ref().is_some_and(|(_, part)| is_tag(part));
    let is_apart = |of: &LocId| {
        let ty = flow.heap.get(*of).ty.as_ref();
        let kind = ty.and_then(|ty| flow.kind(ty));
        matches!(kind, Some(TypeKind::Lock | TypeKind::Cell | TypeKind::Atomic))
    };
    let has_parts =
        |of: LocId| held(flow, of).is_some_and(|ty| is_option(&ty) || flow.code.variants(&ty).is_some());
    if is_tag || is_apart(&loc) {
        return false;
    }
    for of in flow.heap.within(loc).skip(1) {
        if has_parts(of) || is_apart(&of) {
            return has_parts(of);
        }
    }
    false
}

/// The discriminant of the variant that a location, of this type, has where this part of it is.
pub(crate) fn variant_of(flow: &Flow<'_>, loc: LocId, part: LocId) -> Option<i128> {
    let held = held(flow, loc)?;
    let parts: Vec<LocId> = flow.heap.within(part).take_while(|at| *at != loc).collect();
    let (_, first) = flow.heap.get(*parts.last()?).parent.as_ref()?;
    let variants = flow.code.variants(&held)?;
    variants.iter().find(|(name, _)| *name == first.field.0).map(|(_, number)| *number)
}

/// The type of what is in a location, without locks and cells around it.
pub(crate) fn held(flow: &Flow<'_>, loc: LocId) -> Option<Ty> {
    let mut ty = flow.heap.get(loc).ty.clone();
    while let Some(TypeKind::Lock | TypeKind::Cell) = ty.as_ref().and_then(|ty| flow.kind(ty)) {
        // Where it also says how it locks (`lock_api::Mutex<R, T>`), it says that first.
        ty = ty.as_ref().and_then(|ty| ty.as_path()).and_then(|path| path.type_args().last().cloned());
    }
    ty
}
