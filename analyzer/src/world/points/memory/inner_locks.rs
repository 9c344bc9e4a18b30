//! Locks and atomics within what a lock, or a concurrent container, guards: `Mutex<Vec<Mutex<u32>>>`, or a map of counters in it. To the
//! heap all of it is one location; to those who wait they are two locks, and what the inner one guards is nothing that the outer one does.

use robust_models::TypeKind;

use crate::mir::{Ty, TyKind};

use crate::world::points::heap::{INNER, LocId, Part};
use crate::world::points::points_to::Flow;
use crate::world::points::types::parts;

/// Deeper types are not looked into.
const MAX_DEPTH: u32 = 8;

/// The lock at a location that is taken through a value of this type, or that a guard of this type is of; or the atomic that is used by it.
pub(crate) fn inner_lock(flow: &mut Flow<'_>, loc: LocId, by: Option<&Ty>) -> LocId {
    let (Some(by), Some(whole)) = (by, flow.heap.get(loc).ty.clone()) else { return loc };
    let mut locks = Vec::new();
    collect(flow, &whole, &mut locks, 0);
    let Some(at) = locks.iter().position(|lock| is_of(flow, by, lock, 0)) else { return loc };
    if at == 0 && (locks[0] == whole || !is_in_collection(flow, loc, &whole)) {
        return loc;
    }
    flow.heap.child(loc, &Part::beside(INNER, at as u32), Some(&locks[at].clone()))
}

/// What a guard of an inner lock leads to: whatever is in the whole may be in that, and the other way round.
pub(crate) fn guarded(flow: &mut Flow<'_>, loc: LocId, by: Option<&Ty>) -> LocId {
    let inner = inner_lock(flow, loc, by);
    let part = flow.heap.get(inner).parent.clone().filter(|(whole, _)| *whole == loc && inner != loc);
    if let Some((whole, part)) = part {
        flow.heap.copy_but(whole, inner, Some(&part));
        flow.heap.copy(inner, whole);
    }
    inner
}

/// Whether a value is a collection that some lock guards as a whole, with whatever it is a part of.
fn is_in_collection(flow: &Flow<'_>, loc: LocId, ty: &Ty) -> bool {
    let is_lock = |loc: LocId| flow.kind_at(loc) == Some(TypeKind::Lock);
    flow.model(ty).is_some_and(|model| model.many) && flow.heap.within(loc).skip(1).any(is_lock)
}

/// The types of locks in a value of a type that have its location, the outer ones first.
fn collect(flow: &Flow<'_>, ty: &Ty, locks: &mut Vec<Ty>, depth: u32) {
    let kind = flow.kind(ty);
    if depth > MAX_DEPTH
        || matches!(kind, Some(TypeKind::Pointer | TypeKind::Guard | TypeKind::Handle))
        || flow.code.has_fields(ty)
    {
        return;
    }
    let parts = parts(ty);
    if matches!(kind, Some(TypeKind::Lock | TypeKind::Atomic)) && !locks.contains(ty) {
        locks.push(ty.clone());
    }
    parts.into_iter().for_each(|part| collect(flow, part, locks, depth + 1));
}

/// Whether a value is such a lock, a pointer to one, or a guard of one.
fn is_of(flow: &Flow<'_>, ty: &Ty, lock: &Ty, depth: u32) -> bool {
    if ty == lock {
        return true;
    }
    match (&**ty, flow.kind(ty)) {
        _ if depth > MAX_DEPTH => false,
        (_, Some(TypeKind::Guard)) => {
            let (lent, held) = (parts(ty), parts(lock));
            !lent.is_empty() && lent.len() <= held.len() && lent.iter().all(|part| held.contains(part))
        }
        (TyKind::Ref { to, .. } | TyKind::Ptr { to, .. }, _) => is_of(flow, to, lock, depth + 1),
        (TyKind::Path(path), kind) if !matches!(kind, Some(TypeKind::Lock | TypeKind::Atomic)) => {
            path.type_args().any(|part| is_of(flow, part, lock, depth + 1))
        }
        _ => false,
    }
}
