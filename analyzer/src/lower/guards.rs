//! Which locks and which tasks a value stands for.

use std::collections::BTreeSet;

use robust_models::TypeKind;

use crate::mir::{Ty, TyKind};

use super::flow::{Flow, InstId};
use super::heap::{LocId, Value};
use super::types::any_part;

/// Whether a value of this type has a lock guard in it, be it in a field of one of the crate's own types.
pub(super) fn holds_guard(flow: &Flow<'_>, ty: &Ty, depth: u32) -> bool {
    any_part(ty, &mut |ty| {
        let fields = || flow.field_types(ty).unwrap_or_default();
        flow.kind(ty) == Some(TypeKind::Guard)
            || (depth < 3 && fields().iter().any(|(_, field)| holds_guard(flow, field, depth + 1)))
    })
}

/// The locks that the guards in a value of this type hold.
pub(super) fn guards(flow: &mut Flow<'_>, locs: &[LocId], ty: &Ty, level: u32) -> BTreeSet<LocId> {
    let mut found = BTreeSet::new();
    if level > 4 {
        return found;
    }
    match &**ty {
        TyKind::Ref { .. } | TyKind::Ptr { .. } => {}
        _ if flow.kind(ty) == Some(TypeKind::Guard) => {
            for loc in locs {
                found.extend(flow.heap.targets(*loc));
            }
        }
        _ if flow.kind(ty) == Some(TypeKind::Pointer) => {}
        _ if flow.code.has_fields(ty) => {
            for loc in locs {
                let children: Vec<(LocId, Option<Ty>)> = flow
                    .heap
                    .get(*loc)
                    .children
                    .values()
                    .map(|child| (*child, flow.heap.get(*child).ty.clone()))
                    .collect();
                for (child, ty) in children {
                    if let Some(ty) = ty {
                        found.extend(guards(flow, &[child], &ty, level + 1));
                    }
                }
            }
        }
        TyKind::Path(_) => {
            for part in super::types::parts(ty).into_iter().cloned().collect::<Vec<_>>() {
                found.extend(guards(flow, locs, &part, level + 1));
            }
        }
        _ => {}
    }
    found.retain(|loc| is_lock(flow, *loc));
    found
}

/// Whether the location is (or, its type unknown, may be) a lock.
pub(super) fn is_lock(flow: &Flow<'_>, loc: LocId) -> bool {
    let ty = flow.heap.get(loc).ty.clone();
    // Concurrent containers lend entries under locks of their own.
    let locks = |ty: &TyKind| matches!(flow.kind(ty), Some(TypeKind::Lock | TypeKind::Atomic));
    ty.is_none_or(|ty| {
        any_part(&ty, &mut |ty| {
            let model = ty.as_path().and_then(|path| super::types::model(flow.models, path));
            let one = model.is_some_and(|model| model.one_permit);
            locks(ty) && (!one || has_one_permit(flow, loc))
        })
    })
}

/// Whether a semaphore is made with one permit wherever it is made.
fn has_one_permit(flow: &Flow<'_>, loc: LocId) -> bool {
    let mut values = flow.heap.get(loc).values.keys().peekable();
    values.peek().is_some() && values.all(|value| *value == Value::Initial(1))
}

/// The locks that a `&Mutex`, or an `Arc` of one, points to.
pub(super) fn locks_behind(flow: &Flow<'_>, (locs, _): &(Vec<LocId>, Option<Ty>)) -> Vec<LocId> {
    let found: BTreeSet<LocId> = locs.iter().flat_map(|loc| flow.heap.targets(*loc)).collect();
    found.into_iter().filter(|loc| is_lock(flow, *loc)).collect()
}

pub(super) fn handles(flow: &Flow<'_>, locs: &[LocId]) -> Vec<(InstId, u32)> {
    let values = locs.iter().flat_map(|loc| flow.heap.get(*loc).values.keys());
    let found: BTreeSet<(InstId, u32)> = values
        .filter_map(|value| match value {
            Value::Handle(inst, block) => Some((*inst, *block)),
            _ => None,
        })
        .collect();
    found.into_iter().collect()
}
