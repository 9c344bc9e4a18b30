//! What changes through exclusive references only: memory that is no lock, cell or atomic, nor in one.
//!
//! Rust lets nobody access it while somebody else does, and unsafe code that goes around this says that nobody does. So where an access to it holds
//! no lock around what leads there, nobody else has come by it: it may be somebody else's of its kind. What is in a lock itself is not said to be that: an
//! access to it holds that lock, though it may not be seen.

use robust_models::TypeKind;

use crate::mir::{Operand, Place, TerminatorKind, TyKind};
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::parts;

/// Whether a location, and all that it is a part of, is that: what it holds in the same place may be an atomic, or something of a library that nothing is
/// known of, as long as nobody gets there (see [`looks_into`]). Of what type the part of a library's value is goes by what that value is made of.
pub(super) fn is_plain(flow: &Flow<'_>, loc: LocId) -> bool {
    let is_one =
        |ty: &TyKind| (is_unknown(flow, ty) || changes_exclusively(flow, ty)) && !holds_lock(flow, ty);
    let mut within = flow.heap.within(loc).map(|loc| flow.heap.get(loc).ty.as_ref()).peekable();
    while let Some(ty) = within.next() {
        let around = within.peek().copied().flatten().filter(|ty| !flow.code.has_fields(ty));
        let is_plain = match (ty, around) {
            (Some(ty), _) => is_one(ty),
            (None, Some(around)) => {
                !parts(around).is_empty() && parts(around).into_iter().all(|ty| is_one(ty))
            }
            (None, None) => false,
        };
        if !is_plain {
            return false;
        }
    }
    true
}

/// Whether a type is a library's of which nothing is known.
fn is_unknown(flow: &Flow<'_>, ty: &TyKind) -> bool {
    matches!(ty, TyKind::Path(_)) && flow.kind(ty).is_none() && !flow.code.has_fields(ty)
}

/// Whether values of a type hold a lock or a cell in the same place as they are.
fn holds_lock(flow: &Flow<'_>, ty: &TyKind) -> bool {
    if flow.code.has_fields(ty) {
        return false;
    }
    match flow.kind(ty) {
        Some(TypeKind::Lock | TypeKind::Cell) => true,
        Some(TypeKind::Pointer | TypeKind::Guard | TypeKind::Handle) => false,
        _ => parts(ty).into_iter().any(|part| holds_lock(flow, part)),
    }
}

/// Whether a statement is a call that is lent something else than such memory, by which it gets at these locations.
pub(super) fn looks_into(flow: &Flow<'_>, (inst, block, at): (InstId, usize, usize), locs: &[LocId]) -> bool {
    let data = &flow.body_of(inst).blocks[block];
    let TerminatorKind::Call(call) = &data.terminator.kind else { return false };
    let whole = |loc: LocId| flow.heap.whole(loc);
    let leads = |place: &Place| {
        let Some(local) = flow.heap.find(&Root::Local(inst, place.local.0)) else { return true };
        // What is found in several steps may be anything.
        let targets = flow.heap.targets(local);
        targets.is_empty() || targets.iter().any(|to| locs.iter().any(|loc| whole(*to) == whole(*loc)))
    };
    let lent = |place: &Place| {
        let ty = flow.place_ty(inst, place);
        let other = ty.is_none_or(|ty| match &*ty {
            // Whoever has it alone has it from nobody else's lock.
            TyKind::Ref { mutable: true, to } if is_unknown(flow, to) => false,
            TyKind::Ref { to, .. } | TyKind::Ptr { to, .. } => !changes_exclusively(flow, to.peel_refs()),
            _ => false,
        });
        other && leads(place)
    };
    at == data.statements.len() && call.args.iter().filter_map(Operand::place).any(lent)
}

/// Whether values of a type change through exclusive references only, whatever they hold. Of what is known by a trait alone (`dyn Any`), a model of the
/// library has to say that its methods do nothing of their own: what is in it is somewhere else, once it is known what it is.
fn changes_exclusively(flow: &Flow<'_>, ty: &TyKind) -> bool {
    let is_data = match ty {
        TyKind::Prim(_) | TyKind::Slice(_) | TyKind::Array(..) => true,
        TyKind::Dyn(traits) => traits.first().is_some_and(|tr| {
            let known = flow.models.tr(&tr.plain()).filter(|_| !flow.code.is_own_trait(tr));
            known.is_some_and(|(_, known)| known.event.is_none())
        }),
        _ => false,
    };
    match flow.kind(ty) {
        Some(TypeKind::Cell | TypeKind::Atomic | TypeKind::Lock) => false,
        Some(TypeKind::Pointer | TypeKind::Guard | TypeKind::Handle | TypeKind::Container) => true,
        // Of a library's types those without a model may be anything.
        Some(TypeKind::Nothing) | None => is_data || flow.code.has_fields(ty),
    }
}
