//! Locks that callers have: who calls a method of what has a guard in itself has that guard's lock meanwhile, and who is given such a value
//! has it from then on.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::TypeKind;

use crate::ir::Mode;
use crate::mir::{CallTarget, Path, Place, Projection, TerminatorKind, Ty, TyKind};
use crate::world::actions::effects::Action;
use crate::world::actions::guards::guards;
use crate::world::facts::Facts;
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::{any_part, parts};
use crate::world::units::Units;

/// Values within values are looked at this deep.
const MAX_DEPTH: u32 = 6;

/// By the instance of an event that callers bring about.
#[derive(Debug, Default)]
pub(crate) struct OfCallers {
    /// The locks that whoever calls it has, and how nobody else can have them meanwhile.
    pub held: BTreeMap<InstId, Vec<(LocId, Mode)>>,
    /// The locks whose guards may be in what it returns.
    pub given: BTreeMap<InstId, Vec<LocId>>,
}

impl OfCallers {
    /// Looks at what the events of a library are called with, and what they return.
    pub fn find(flow: &mut Flow<'_>, facts: &Facts, units: &Units) -> OfCallers {
        let mut found = OfCallers::default();
        let mut modes: BTreeMap<(LocId, Ty), Mode> = BTreeMap::new();
        for unit in
            units.units.iter().filter(|unit| unit.event && unit.parent.is_none() && unit.part.is_none())
        {
            let called = flow.function_of(unit.inst);
            if flow.world_of(called) != crate::world::api::WORLD {
                continue;
            }
            let mut held = Vec::new();
            for number in 1..=flow.body_of(called).arg_count {
                let Some(ty) = flow.local_ty(called, number) else { continue };
                let value = Lent { locs: vec![flow.local(called, number)], ty, shared: false };
                certain(flow, value, 0, &mut held);
            }
            let held = held.into_iter().map(|(lock, guard, shared)| match shared {
                true => (lock, Mode::Shared),
                false => {
                    let mode = || mode_of(flow, facts, lock, &guard);
                    (lock, *modes.entry((lock, guard.clone())).or_insert_with(mode))
                }
            });
            let held: Vec<(LocId, Mode)> = held.collect();
            if !held.is_empty() {
                found.held.insert(unit.inst, held);
            }
            if let Some(ty) = flow.local_ty(called, 0) {
                let result = flow.local(unit.inst, 0);
                let given = guards(flow, &[result], &ty, 0);
                if !given.is_empty() {
                    found.given.insert(unit.inst, given.into_iter().collect());
                }
            }
        }
        found
    }
}

/// What a function is given.
struct Lent {
    locs: Vec<LocId>,
    ty: Ty,
    /// Whether others may be given it at the same time.
    shared: bool,
}

/// The locks of the guards that are in a value in any case (in its fields, not in one variant of several), the types of these, and whether others may
/// be given them at the same time.
fn certain(flow: &mut Flow<'_>, value: Lent, depth: u32, held: &mut Vec<(LocId, Ty, bool)>) {
    let Lent { locs, ty, shared } = value;
    if depth > MAX_DEPTH || locs.is_empty() {
        return;
    }
    let kind = flow.kind(&ty);
    match (&*ty, kind) {
        (_, Some(TypeKind::Guard)) => {
            let locks = guards(flow, &locs, &ty, 0);
            // Of locks that are one thing, made in several places, it is the one of which the guard is, whichever that is.
            let kinds: BTreeSet<Option<&Ty>> =
                locks.iter().map(|lock| flow.heap.get(*lock).ty.as_ref()).collect();
            if kinds.len() == 1 {
                held.extend(locks.into_iter().map(|lock| (lock, ty.clone(), shared)));
            }
        }
        (TyKind::Ref { mutable, to }, _) => {
            let value = Lent { locs: flow.heap.behind(&locs), ty: to.clone(), shared: shared || !mutable };
            certain(flow, value, depth + 1, held);
        }
        (_, Some(TypeKind::Pointer)) => {
            let unique = flow.model(&ty).is_some_and(|model| model.unique);
            if let Some(to) = flow.pointee(&ty) {
                let value = Lent { locs: flow.heap.behind(&locs), ty: to, shared: shared || !unique };
                certain(flow, value, depth + 1, held);
            }
        }
        // What changes behind shared references, one has at a time.
        (_, Some(TypeKind::Cell)) => {
            for part in parts(&ty).into_iter().cloned().collect::<Vec<_>>() {
                certain(flow, Lent { locs: locs.clone(), ty: part, shared }, depth + 1, held);
            }
        }
        _ if flow.code.variants(&ty).is_some_and(|variants| variants.len() > 1) => {}
        _ if flow.code.has_fields(&ty) => {
            for (part, ty) in flow.code.field_types(&ty).unwrap_or_default() {
                let fields = locs.iter().flat_map(|loc| {
                    let children = &flow.heap.get(*loc).children;
                    children.iter().filter(|(of, _)| of.field == part).map(|(_, child)| *child)
                });
                let value = Lent { locs: fields.collect(), ty, shared };
                certain(flow, value, depth + 1, held);
            }
        }
        _ => {}
    }
}

/// How a lock is held by guards of this type: alone, unless such a guard is one of several.
fn mode_of(flow: &Flow<'_>, facts: &Facts, lock: LocId, guard: &Ty) -> Mode {
    let is_it = |ty: &TyKind| ty.as_path().map(Path::plain) == guard.as_path().map(Path::plain);
    let mut shared = false;
    for (inst, blocks) in facts.effects.iter().enumerate() {
        let inst = InstId(inst as u32);
        for (block, steps) in blocks.iter().enumerate() {
            let takes = steps.iter().any(|step| {
                matches!(&step.action, Action::Acquire { locks, mode: Mode::Shared } if locks.contains(&lock))
            });
            if !takes {
                continue;
            }
            let TerminatorKind::Call(call) = &flow.body_of(inst).blocks[block].terminator.kind else {
                continue;
            };
            // Of a future, the guard comes later.
            let ty = flow.place_ty(inst, &call.dest);
            shared |= ty.is_none_or(|ty| {
                let other =
                    any_part(&ty, &mut |part| flow.kind(part) == Some(TypeKind::Guard) && !is_it(part));
                !other || any_part(&ty, &mut |part| is_it(part))
            });
        }
    }
    if shared { Mode::Shared } else { Mode::Exclusive }
}

/// The lock that is held where a place is used: the place is, or is in, a guard in one variant of what another function left. `None`, too, where
/// it may be one of several.
pub(crate) fn held_for(flow: &mut Flow<'_>, inst: InstId, place: &Place) -> Option<LocId> {
    let guard = place.projection.windows(2).position(|two| match two {
        [Projection::Downcast(_), Projection::Field(_, ty)] => flow.kind(ty) == Some(TypeKind::Guard),
        _ => false,
    })?;
    let part = Place { local: place.local, projection: place.projection[..guard + 2].into() };
    let (locs, ty) = flow.place(inst, &part);
    only_lock(flow, &locs, &ty?)
}

/// The lock of a guard that a call gives a reference to, which was there before (`option.as_mut().unwrap()`).
pub(crate) fn held_by_result(flow: &mut Flow<'_>, inst: InstId, call: &CallTarget) -> Option<LocId> {
    let (locs, ty) = flow.place(inst, &call.dest);
    let TyKind::Ref { to, .. } = &*ty? else { return None };
    if flow.kind(to) != Some(TypeKind::Guard) {
        return None;
    }
    let locs = flow.heap.behind(&locs);
    only_lock(flow, &locs, to)
}

/// The lock of guards that were there before the function that has them, if it is one.
fn only_lock(flow: &mut Flow<'_>, locs: &[LocId], guard: &Ty) -> Option<LocId> {
    let given = !locs.is_empty() && locs.iter().all(|loc| is_given(flow, *loc));
    let mut locks = BTreeSet::new();
    for loc in locs {
        // What wraps a guard may be one with it.
        let ty = flow.heap.get(*loc).ty.clone().unwrap_or_else(|| guard.clone());
        locks.extend(guards(flow, &[*loc], &ty, 0));
    }
    locks.pop_first().filter(|_| given && locks.is_empty())
}

/// Whether a value was there before the function that has it: no local of a function, or what one is given.
pub(crate) fn is_given(flow: &Flow<'_>, loc: LocId) -> bool {
    match *flow.heap.get(loc).root {
        Root::Local(of, local) => (1..=flow.body_of(of).arg_count).contains(&local),
        _ => true,
    }
}
