//! Which locks and which tasks a value stands for.

use std::collections::BTreeSet;

use robust_models::TypeKind;
use rustc_hash::FxHashSet;

use crate::mir::{
    Body, BorrowKind, GenericArg, Local, Operand, Place, Projection, Rvalue, StatementKind, Ty, TyKind,
};

use crate::world::points::heap::{LocId, Value};
use crate::world::points::inner_locks::inner_lock;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::{any_part, parts};

/// Fields within fields are looked at this deep.
const MAX_DEPTH: usize = 3;

/// Whether a value of this type has a lock guard in it, be it in a field of one of the crate's own types.
pub(crate) fn holds_guard(flow: &Flow<'_>, ty: &Ty) -> bool {
    if let Some(known) = flow.holds_guard.borrow().get(ty) {
        return *known;
    }
    let holds = finds_guard(flow, ty);
    flow.holds_guard.borrow_mut().insert(ty.clone(), holds);
    holds
}

/// Looks for a guard level by level, at each type once: types that consist of one another have no end.
fn finds_guard(flow: &Flow<'_>, ty: &Ty) -> bool {
    let (mut level, mut seen) = (vec![ty.clone()], FxHashSet::from_iter([ty.clone()]));
    for depth in 0..=MAX_DEPTH {
        let mut next = Vec::new();
        let found = level.iter().any(|ty| {
            any_part(ty, &mut |part| {
                if depth < MAX_DEPTH {
                    next.extend(flow.code.field_types(part).into_iter().flatten().map(|(_, field)| field));
                }
                flow.kind(part) == Some(TypeKind::Guard)
            })
        });
        if found {
            return true;
        }
        next.retain(|field| seen.insert(field.clone()));
        level = next;
    }
    false
}

/// The locks that the guards in a value of this type hold.
pub(crate) fn guards(flow: &mut Flow<'_>, locs: &[LocId], ty: &Ty, level: u32) -> BTreeSet<LocId> {
    let mut found = BTreeSet::new();
    if level > 4 {
        return found;
    }
    match &**ty {
        TyKind::Ref { .. } | TyKind::Ptr { .. } => {}
        _ if flow.kind(ty) == Some(TypeKind::Guard) => {
            for loc in locs {
                for lock in flow.heap.targets(*loc) {
                    found.insert(inner_lock(flow, lock, Some(ty)));
                }
            }
        }
        _ if flow.kind(ty) == Some(TypeKind::Pointer) => {}
        of if flow.code.has_fields(ty) || matches!(of, TyKind::Path(_)) => {
            let is_wrapper = !flow.code.has_fields(ty);
            let wrapped = parts(ty).into_iter().filter(|_| is_wrapper);
            let wrapped: Vec<Ty> = wrapped.cloned().collect();
            let fields = locs.iter().flat_map(|loc| flow.heap.get(*loc).children.values().copied());
            for field in fields.collect::<Vec<_>>() {
                // A field of what a library wraps has not always a type of its own.
                let own = flow.heap.get(field).ty.clone();
                for ty in own.map_or_else(|| wrapped.clone(), |ty| vec![ty]) {
                    found.extend(guards(flow, &[field], &ty, level + 1));
                }
            }
            // What it wraps may be in the same place.
            for part in wrapped {
                found.extend(guards(flow, locs, &part, level + 1));
            }
        }
        _ => {}
    }
    found.retain(|loc| is_lock(flow, *loc));
    found
}

/// Whether the location is (or, its type unknown, may be) a lock.
pub(crate) fn is_lock(flow: &Flow<'_>, loc: LocId) -> bool {
    let ty = flow.heap.get(loc).ty.clone();
    // Concurrent containers lend entries under locks of their own.
    let locks = |ty: &TyKind| matches!(flow.kind(ty), Some(TypeKind::Lock | TypeKind::Atomic));
    // What an associated type is, only who calls knows.
    let is_unknown = |ty: &TyKind| ty.as_path().is_some_and(|path| path.qself.is_some());
    ty.is_none_or(|ty| {
        is_unknown(&ty)
            || any_part(&ty, &mut |ty| {
                let model =
                    ty.as_path().and_then(|path| crate::world::points::types::model(flow.models, path));
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

/// The locks that a `&Mutex`, or an `Arc` of one, points to, or else an iterator over what is in them.
pub(crate) fn locks_behind(flow: &Flow<'_>, (locs, _): &(Vec<LocId>, Option<Ty>)) -> Vec<LocId> {
    let behind = |locs: &BTreeSet<LocId>| locs.iter().flat_map(|loc| flow.heap.targets(*loc)).collect();
    let locks = |locs: &BTreeSet<LocId>| locs.iter().copied().filter(|loc| is_lock(flow, *loc)).collect();
    let found: BTreeSet<LocId> = behind(&locs.iter().copied().collect());
    let here: Vec<LocId> = locks(&found);
    if here.is_empty() { locks(&behind(&found)) } else { here }
}

pub(crate) fn handles(flow: &Flow<'_>, locs: &[LocId]) -> Vec<(InstId, u32)> {
    let values = locs.iter().flat_map(|loc| flow.heap.get(*loc).values.keys());
    let found: BTreeSet<(InstId, u32)> = values
        .filter_map(|value| match value {
            Value::Handle(inst, block) => Some((*inst, *block)),
            _ => None,
        })
        .collect();
    found.into_iter().collect()
}

/// Whether a part of something is there only after a panic: the error of a poisoned lock.
pub(crate) fn is_after_panic(flow: &Flow<'_>, part: &Place) -> bool {
    matches!(part.projection.last(), Some(Projection::Field(_, ty)) if exists_after_panic(flow, ty))
}

/// Whether a call with a result of this type fails only after a panic.
pub(crate) fn fails_after_panic(flow: &Flow<'_>, result: &TyKind) -> bool {
    let path = result.as_path().filter(|path| path.last() == "Result");
    let error = path.and_then(|path| path.segments.last()?.args.get(1));
    matches!(error, Some(GenericArg::Ty(error)) if exists_after_panic(flow, error))
}

fn exists_after_panic(flow: &Flow<'_>, ty: &TyKind) -> bool {
    let model = ty.as_path().and_then(|path| crate::world::points::types::model(flow.models, path));
    model.is_some_and(|model| model.after_panic)
}

/// The local that a call is lent through this argument, to be changed.
pub(crate) fn lent(body: &Body, arg: &Operand) -> Option<Local> {
    let temporary = arg.place()?.as_local()?;
    let statements = body.blocks.iter().filter(|block| !block.cleanup).flat_map(|block| &block.statements);
    let mut lent = statements.filter_map(|statement| match &statement.kind {
        StatementKind::Assign(place, Rvalue::Ref(BorrowKind::Mut, of))
            if place.as_local() == Some(temporary) =>
        {
            of.as_local()
        }
        _ => None,
    });
    lent.next()
}
