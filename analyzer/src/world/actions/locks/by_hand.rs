//! Synchronisation written by hand. A type that keeps data in an unsafe cell or behind a raw pointer answers for it with
//! `unsafe`: its atomics are a protocol of its own that stands for a lock, and are no shared state in the sense of this
//! analysis. They are left out, and said to be. So are the locks that a crate makes for a library's wrapper, and types that
//! wait at an address of their own.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::TypeKind;

use rustc_hash::FxHashMap;

use crate::mir::{Path, Ty, TyKind};

use crate::world::actions::effects::Action;
use crate::world::facts::Facts;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::{CallInfo, Flow};
use crate::world::points::types::parts;

/// The locations that are left out, with the type that answers for each.
pub(crate) type ByHand = BTreeMap<LocId, String>;

/// Types nest no deeper.
const MAX_DEPTH: usize = 8;

/// Finds the cells and atomics of such types; where there is no time for that, it is too late for what is made of them, too.
pub(crate) fn find(flow: &Flow<'_>) -> ByHand {
    let mut found = ByHand::new();
    // Trimmed to their names, traits of others look like own ones.
    let is_lock = |tr: &Path| {
        let others = tr.segments.len() == 1 || !flow.code.is_local(tr);
        others && flow.models.tr(&tr.plain()).is_some_and(|(_, tr)| tr.lock)
    };
    let mut locks = flow.code.implementors(is_lock);
    locks.extend(waiting(flow));
    let answers = |ty: &Ty| {
        // What it is an element of has the same location.
        let ty = ty.element();
        let path = ty.as_path().filter(|_| flow.code.has_fields(ty))?;
        let fields = flow.code.field_types(ty).unwrap_or_default();
        let answers = locks.contains(path.last()) || fields.iter().any(|(_, field)| is_raw(flow, field, 0));
        answers.then(|| path.last().to_owned())
    };
    // Many locations have one type.
    let mut known: FxHashMap<Ty, Option<String>> = FxHashMap::default();
    for id in flow.heap.ids() {
        if flow.is_late() {
            break;
        }
        let Some(ty) = flow.heap.get(id).ty.as_ref() else { continue };
        if let Some(owner) = known.entry(ty.clone()).or_insert_with(|| answers(ty)) {
            leave_out(flow, id, owner, &mut found);
        }
    }
    found
}

/// The types with a method that waits at an address.
fn waiting(flow: &Flow<'_>) -> Vec<String> {
    let waits = |info: &CallInfo| flow.model_of(info).is_some_and(|model| model.waits_at_address);
    let methods = flow.calls.iter().filter(|(_, info)| waits(info)).map(|((inst, _), _)| *inst);
    let receivers = methods.filter_map(|inst| flow.local_ty(inst, 1));
    receivers.filter_map(|ty| Some(ty.peel_refs().as_path()?.last().to_owned())).collect()
}

/// The types whose protocols the program runs.
pub(crate) fn types(found: &ByHand, facts: &Facts) -> BTreeSet<String> {
    let steps = facts.effects.iter().flatten().flatten();
    let locs = steps.filter_map(|step| match &step.action {
        Action::Access { locs, .. } => Some(locs),
        _ => None,
    });
    locs.flatten().filter_map(|loc| found.get(loc)).cloned().collect()
}

/// Whether the type is, or is made of, something that only `unsafe` code gets to the inside of. A struct around one such
/// thing is another name for it.
fn is_raw(flow: &Flow<'_>, ty: &TyKind, depth: usize) -> bool {
    let known = ty
        .as_path()
        .filter(|path| path.qself.is_none())
        .and_then(|path| crate::world::points::types::model(flow.models, path));
    if matches!(ty, TyKind::Ptr { .. }) || known.is_some_and(|known| known.raw) {
        return true;
    }
    if depth < MAX_DEPTH
        && flow.code.has_fields(ty)
        && let Some([(_, only)]) = flow.code.field_types(ty).as_deref()
    {
        return is_raw(flow, only, depth + 1);
    }
    depth < MAX_DEPTH
        && known.is_none_or(|known| known.kind != Some(TypeKind::Nothing))
        && parts(ty).into_iter().any(|part| is_raw(flow, part, depth + 1))
}

/// Leaves out the cells and atomics of a location, with all that is in such a cell, and those behind its raw pointers.
fn leave_out(flow: &Flow<'_>, id: LocId, owner: &str, found: &mut ByHand) {
    let mut seen = BTreeSet::from([id]);
    let mut work = vec![(id, false)];
    while let Some((id, within)) = work.pop() {
        for child in flow.heap.get(id).children.values() {
            let loc = flow.heap.get(*child);
            let Some(ty) = &loc.ty else { continue };
            let raw = is_raw(flow, ty, 0);
            let is_atomic = || {
                crate::world::points::types::any_part(ty, &mut |ty| flow.kind(ty) == Some(TypeKind::Atomic))
            };
            if within || raw || is_atomic() {
                found.insert(*child, owner.to_owned());
            }
            let behind = loc.points_to.iter().filter(|_| raw).map(|behind| (*behind, false));
            let next = behind.chain([(*child, within || raw)]);
            work.extend(next.filter(|(next, _)| seen.insert(*next)));
        }
    }
}
