//! What library functions lend of what they are given: references into a collection, and what is put there meanwhile.

use robust_models::TypeKind;

use crate::mir::{Ty, TyKind};

use crate::world::points::calls::Site;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::Flow;
use crate::world::points::transfer::{
    View, fresh, is_opaque_data, is_open, may_be, see_through, transfer, within,
};
use crate::world::points::types::{carries, parts};

/// Types nest no deeper.
const MAX_DEPTH: u32 = 6;

/// Whether a reference of type `d` that comes of the pointer `a` refers to what that points to, which has such a value in
/// itself: then it refers to nothing behind that.
pub(crate) fn lends(flow: &Flow<'_>, a: &TyKind, d: &TyKind) -> bool {
    let (TyKind::Ref { to, .. } | TyKind::Ptr { to, .. }) = d else { return false };
    !is_open(flow, to) && pointees(flow, a).iter().any(|whole| has_in_itself(flow, whole, to, 0))
}

/// What a pointer may point to: a guard of an entry lends a key and a value.
fn pointees(flow: &Flow<'_>, ty: &TyKind) -> Vec<Ty> {
    match ty {
        TyKind::Path(_) if flow.kind(ty) == Some(TypeKind::Guard) => parts(ty).into_iter().cloned().collect(),
        _ => flow.pointee(ty).into_iter().collect(),
    }
}

/// Whether a value has one of this type in itself, not behind a pointer.
fn has_in_itself(flow: &Flow<'_>, whole: &Ty, ty: &Ty, depth: u32) -> bool {
    if whole == ty {
        return true;
    }
    let parts = match &**whole {
        TyKind::Tuple(parts) => parts.to_vec(),
        _ => see_through(flow, whole).unwrap_or_default(),
    };
    depth < MAX_DEPTH && parts.iter().any(|part| has_in_itself(flow, part, ty, depth + 1))
}

/// Whether `d` is a view of locks, cells or atomics that the pointer `a` leads to: these stay where they are, so it points to them.
pub(crate) fn is_view_of_shared(flow: &Flow<'_>, a: &TyKind, d: &TyKind) -> bool {
    matches!(a, TyKind::Ref { .. } | TyKind::Ptr { .. })
        && is_foreign(flow, d)
        && parts(d).into_iter().any(|part| {
            is_shared(flow, part) && pointees(flow, a).iter().any(|whole| has_in_itself(flow, whole, part, 0))
        })
}

/// Whether a value of this type is, or is a tuple with, something that changes through `&`. What is awaited is run, wherever it is.
fn is_shared(flow: &Flow<'_>, ty: &TyKind) -> bool {
    match ty {
        TyKind::Tuple(parts) => parts.iter().any(|part| is_shared(flow, part)),
        _ => {
            let is_awaited = flow.model(ty).is_some_and(|model| model.awaits.is_some());
            matches!(flow.kind(ty), Some(TypeKind::Lock | TypeKind::Cell | TypeKind::Atomic)) && !is_awaited
        }
    }
}

/// Whether this is a type of a library of which no model says what it is.
pub(crate) fn is_foreign(flow: &Flow<'_>, ty: &TyKind) -> bool {
    matches!(ty, TyKind::Path(_)) && flow.kind(ty).is_none() && !flow.code.has_fields(ty)
}

/// Whether a reference is one to just such values as a view is of.
pub(crate) fn is_to(flow: &Flow<'_>, d: &TyKind, a: &Ty) -> bool {
    flow.pointee(d).is_some_and(|to| to == *a)
}

/// What a view lends of the values that it is of. It may point to what other values point to as well, which is not meant.
pub(crate) fn of_view(flow: &mut Flow<'_>, (from, a): (&[LocId], &Ty), into: &[LocId]) {
    for &from in from {
        let mut meant = flow.heap.targets(from);
        meant.retain(|target| may_be(flow, *target, a) && !is_lock_around(flow, *target, a));
        into.iter().for_each(|&into| flow.heap.copy_some(from, into, |target| meant.contains(&target)));
    }
}

/// Whether a location is a lock or a cell of just this, or an atomic number.
fn is_lock_around(flow: &Flow<'_>, loc: LocId, ty: &Ty) -> bool {
    let Some(whole) = &flow.heap.get(loc).ty else { return false };
    let shared = matches!(flow.kind(whole), Some(TypeKind::Lock | TypeKind::Cell | TypeKind::Atomic));
    shared && whole != ty && parts(whole).iter().all(|part| *part == ty)
}

/// Whether a value that is given away may be, or hold, a pointer of type `d`: plain data does not, nor does what the pointer
/// would point to.
pub(crate) fn may_be_pointer(flow: &Flow<'_>, a: &Ty, d: &Ty) -> bool {
    is_open(flow, a) || carries(a) && !is_opaque_data(flow, a) && !is_to(flow, d, a)
}

/// What is given by value may be what the result then lends (`or_insert`).
pub(crate) fn into_result(flow: &mut Flow<'_>, site: &Site) {
    let Some(TyKind::Ref { mutable: true, to }) = site.dest.1.as_deref() else { return };
    if is_open(flow, to) {
        return;
    }
    let targets = flow.heap.behind(&site.dest.0);
    for (from, ty) in &site.args {
        if let Some(ty) = ty.as_ref().filter(|ty| is_given(flow, ty)) {
            transfer(flow, site, (from, ty), (&targets, to), View::None, 0);
        }
    }
}

/// Whether a value of this type is given away as what it is: no reference, no closure, no view.
fn is_given(flow: &Flow<'_>, ty: &TyKind) -> bool {
    let refers =
        matches!(ty, TyKind::Ref { .. } | TyKind::Ptr { .. } | TyKind::Closure { .. } | TyKind::FnDef(..));
    !refers && !is_lender(flow, ty)
}

/// Whether values of a type are views or guards, through which what they are of can be changed.
fn is_lender(flow: &Flow<'_>, ty: &TyKind) -> bool {
    flow.kind(ty) == Some(TypeKind::Guard) || flow.model(ty).is_some_and(|model| model.holds_pointer)
}

/// The flow of a function that lends what it may have to put there first: other arguments, or something new.
pub(crate) fn filled(flow: &mut Flow<'_>, site: &Site) {
    within(flow, site);
    let (targets, types) = room(flow, site);
    if site.args.len() == 1 {
        types.iter().for_each(|ty| fresh(flow, site, &targets, ty, 0));
    }
    for (from, ty) in site.args.iter().skip(1) {
        if let Some(ty) = ty {
            put(flow, site, (from, ty), (&targets, &types));
        }
    }
}

/// What a closure returns is put where the function that calls it lends from.
pub(crate) fn fill_with(flow: &mut Flow<'_>, site: &Site, (from, ty): (LocId, &Ty)) {
    let (targets, types) = room(flow, site);
    put(flow, site, (&[from], ty), (&targets, &types));
}

/// A value goes where values of its type are, if there are any.
fn put(flow: &mut Flow<'_>, site: &Site, (from, ty): (&[LocId], &Ty), (into, types): (&[LocId], &[Ty])) {
    let whole = types.contains(ty);
    for to in types.iter().filter(|to| !whole || *to == ty) {
        transfer(flow, site, (from, ty), (into, to), View::None, 0);
    }
}

/// What the first argument refers to, by way of a view or a guard, and the types of what can be put there.
fn room(flow: &Flow<'_>, site: &Site) -> (Vec<LocId>, Vec<Ty>) {
    let Some((locs, Some(ty))) = site.args.first() else { return Default::default() };
    let contents = |ty: &TyKind| parts(ty).into_iter().cloned().collect::<Vec<_>>();
    match &**ty {
        TyKind::Ref { to, .. } if is_lender(flow, to) => {
            (flow.heap.behind(&flow.heap.behind(locs)), contents(to))
        }
        TyKind::Ref { to, .. } => (flow.heap.behind(locs), contents(to)),
        ty if is_lender(flow, ty) => (flow.heap.behind(locs), contents(ty)),
        _ => Default::default(),
    }
}
