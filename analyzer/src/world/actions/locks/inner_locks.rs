//! Locks within what a lock, or a concurrent container, guards: `Mutex<Vec<Mutex<u32>>>`. To the heap all of it is one location; to
//! those who wait, they are two locks.

use robust_models::TypeKind;

use crate::mir::{Ty, TyKind};

use crate::world::points::heap::{INNER, LocId, Part};
use crate::world::points::points_to::Flow;
use crate::world::points::types::parts;

/// Deeper types are not looked into.
const MAX_DEPTH: u32 = 8;

/// The lock at a location that is taken through a value of this type, or that a guard of this type is of.
pub(crate) fn inner_lock(flow: &mut Flow<'_>, loc: LocId, by: Option<&Ty>) -> LocId {
    let (Some(by), Some(whole)) = (by, flow.heap.get(loc).ty.clone()) else { return loc };
    let mut locks = Vec::new();
    collect(flow, &whole, &mut locks, 0);
    if locks.len() < 2 {
        return loc;
    }
    let at = locks.iter().position(|lock| is_of(flow, by, lock, 0));
    match at {
        None | Some(0) => loc,
        Some(at) => flow.heap.child(loc, &Part::beside(INNER, at as u32), Some(&locks[at].clone())),
    }
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
    // Atomic numbers are never taken.
    if matches!(kind, Some(TypeKind::Lock | TypeKind::Atomic)) && !parts.is_empty() && !locks.contains(ty) {
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
