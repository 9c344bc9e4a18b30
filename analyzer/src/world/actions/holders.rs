//! How many hold what a counted pointer points to, where that is asked: it is a number beside what is pointed to. Whoever takes
//! another pointer from a place where others find it, too, adds to it, and whoever gives one back that is a part of what is dropped takes one off. That
//! those who have one make more for themselves says nothing to who asks whether there are others.

use std::collections::BTreeSet;

use robust_models::{Holders, TypeKind};

use crate::mir::{TerminatorKind, Ty, TyKind};

use crate::world::points::heap::{HOLDERS, LocId, Part, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::parts;

/// Types nest no deeper.
const MAX_DEPTH: u32 = 6;

/// Whether a location is such a number.
pub(crate) fn is_number(flow: &Flow<'_>, loc: LocId) -> bool {
    flow.heap.get(loc).parent.as_ref().is_some_and(|(_, part)| is_of_holders(part))
}

/// Whether a part is such a number.
pub(crate) fn is_of_holders(part: &Part) -> bool {
    &*part.owner == HOLDERS
}

/// Who asks how many hold something. To each of them it is a number of its own.
#[derive(Clone, Copy)]
enum Asker {
    /// Whoever finds a pointer to it where others find that, too: who comes by there matters.
    Anybody,
    /// One of them, by its own pointer, which it gives back later: who leaves matters, too.
    Holder,
}

/// What is pointed to of which somebody asks how many hold it.
#[derive(Default)]
pub(crate) struct HolderCounts {
    asked: BTreeSet<LocId>,
}

impl HolderCounts {
    pub fn find(flow: &mut Flow<'_>) -> HolderCounts {
        let asks = |(at, info): (&(InstId, u32), _)| {
            (flow.model_of(info)?.holders == Some(Holders::Asks)).then_some(*at)
        };
        let places: BTreeSet<(InstId, u32)> = flow.calls.iter().filter_map(asks).collect();
        let mut asked = BTreeSet::new();
        for (inst, block) in places {
            let body = flow.body_of(inst);
            let TerminatorKind::Call(call) = &body.blocks[block as usize].terminator.kind else { continue };
            let Some(arg) = call.args.first() else { continue };
            let (locs, _) = flow.operand(inst, arg);
            asked.extend(flow.heap.behind(&flow.heap.behind(&locs)));
        }
        HolderCounts { asked }
    }

    pub fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }

    /// The numbers that a call which asks is about, given the locations of its argument.
    pub fn asked(&self, flow: &mut Flow<'_>, arg: &[LocId]) -> Vec<LocId> {
        let (found, own): (Vec<LocId>, Vec<LocId>) =
            flow.heap.behind(arg).into_iter().partition(|place| is_found_there(flow, *place));
        let [found, own] = [found, own].map(|places| flow.heap.behind(&places));
        [self.numbers(flow, found, Asker::Anybody), self.numbers(flow, own, Asker::Holder)].concat()
    }

    /// The numbers that grow where a pointer is copied that an argument of this type leads to.
    pub fn added(&self, flow: &mut Flow<'_>, (arg, ty): (&[LocId], Option<&Ty>)) -> Vec<LocId> {
        if self.is_empty() || !ty.is_some_and(|ty| copies(flow, ty, 0)) {
            return Vec::new();
        }
        let mut places = flow.heap.behind(arg);
        places.retain(|place| is_found_there(flow, *place));
        let held = flow.heap.behind(&places);
        [Asker::Anybody, Asker::Holder].map(|asker| self.numbers(flow, held.clone(), asker)).concat()
    }

    /// The numbers that shrink where a value of this type is dropped.
    pub fn left(&self, flow: &mut Flow<'_>, (locs, ty): (&[LocId], &Ty)) -> Vec<LocId> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut held = BTreeSet::new();
        owned(flow, (locs, ty), 0, &mut held);
        self.numbers(flow, held.into_iter().collect(), Asker::Holder)
    }

    /// The numbers that shrink when a body returns that is the `drop` of a type: its fields are dropped then.
    pub fn left_behind(&self, flow: &mut Flow<'_>, inst: InstId) -> Vec<LocId> {
        if self.is_empty() || !flow.body_of(inst).is_drop() {
            return Vec::new();
        }
        let dropped = flow.local(inst, 1);
        let mut held = BTreeSet::new();
        for loc in flow.heap.behind(&[dropped]) {
            fields(flow, loc, 0, &mut held);
        }
        self.numbers(flow, held.into_iter().collect(), Asker::Holder)
    }

    fn numbers(&self, flow: &mut Flow<'_>, mut held: Vec<LocId>, asker: Asker) -> Vec<LocId> {
        held.retain(|loc| self.asked.contains(loc));
        let part = Part::beside(HOLDERS, asker as u32);
        held.iter().map(|loc| flow.heap.child(*loc, &part, None)).filter(|loc| !held.contains(loc)).collect()
    }
}

/// Whether a counted pointer is what a reference to this type, or this option of a reference, leads to.
fn copies(flow: &Flow<'_>, ty: &TyKind, depth: u32) -> bool {
    let counted = flow.model(ty).is_some_and(|model| model.counted);
    counted
        || depth < MAX_DEPTH
            && match ty {
                TyKind::Ref { to, .. } => copies(flow, to, depth + 1),
                TyKind::Path(_) => {
                    flow.kind(ty) == Some(TypeKind::Container)
                        && parts(ty).into_iter().any(|part| copies(flow, part, depth + 1))
                }
                _ => false,
            }
}

/// Whether others find what is in a location there: it is in a lock, or in what is one itself, or in a static.
fn is_found_there(flow: &Flow<'_>, loc: LocId) -> bool {
    let is_lock = |id: LocId| {
        let ty = flow.heap.get(id).ty.as_ref();
        matches!(ty.and_then(|ty| flow.kind(ty)), Some(TypeKind::Lock | TypeKind::Atomic | TypeKind::Cell))
    };
    matches!(*flow.heap.get(loc).root, Root::Static(..)) || flow.heap.within(loc).any(is_lock)
}

/// What the counted pointers that are a part of a value point to; what those point to is others', too.
fn owned(flow: &Flow<'_>, (locs, ty): (&[LocId], &Ty), depth: u32, held: &mut BTreeSet<LocId>) {
    let model = flow.model(ty);
    if depth > MAX_DEPTH || locs.is_empty() || model.is_some_and(|model| model.forgets) {
        return;
    }
    match flow.kind(ty) {
        Some(TypeKind::Pointer) if model.is_some_and(|model| model.counted) => {
            held.extend(flow.heap.behind(locs));
            return;
        }
        Some(TypeKind::Pointer | TypeKind::Guard | TypeKind::Handle | TypeKind::Nothing) => return,
        _ => {}
    }
    match &**ty {
        // Its own `drop` says so as it returns.
        TyKind::Path(path) if flow.code.has_fields(ty) && flow.code.droppers.contains(path.last()) => {}
        TyKind::Path(_) if !flow.code.has_fields(ty) => {
            parts(ty).into_iter().for_each(|part| owned(flow, (locs, part), depth + 1, held));
        }
        TyKind::Path(_) | TyKind::Tuple(_) | TyKind::Closure { .. } | TyKind::Coroutine(_) => {
            locs.iter().for_each(|loc| fields(flow, *loc, depth, held));
        }
        _ => {}
    }
}

fn fields(flow: &Flow<'_>, loc: LocId, depth: u32, held: &mut BTreeSet<LocId>) {
    for child in flow.heap.get(loc).children.values() {
        if let Some(ty) = &flow.heap.get(*child).ty {
            owned(flow, (&[*child], ty), depth + 1, held);
        }
    }
}
