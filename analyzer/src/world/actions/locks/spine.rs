//! What holds locks (or cells, or atomics) is not what they protect: looking at a `&[Mutex<T>]` is no access to a `T`.

use robust_models::TypeKind;

use crate::mir::TyKind;

use crate::world::points::heap::LocId;
use crate::world::points::points_to::Flow;
use crate::world::points::types::parts;

/// Types nest no deeper.
const MAX_DEPTH: usize = 8;

/// Whether looking at a value of type `ty` in this location through a shared reference sees nothing that can change
/// meanwhile: it holds what changes through `&` and is not itself in such a thing.
pub(crate) fn is_spine(flow: &Flow<'_>, loc: LocId, ty: &TyKind) -> bool {
    let seen = layers(flow, ty, 0);
    seen > 0 && flow.heap.get(loc).ty.as_ref().is_some_and(|whole| layers(flow, whole, 0) <= seen)
}

/// How many locks and cells a value of the type nests within each other.
fn layers(flow: &Flow<'_>, ty: &TyKind, depth: usize) -> u32 {
    let kind = flow.kind(ty);
    let is_pointer = matches!(kind, Some(TypeKind::Pointer | TypeKind::Guard | TypeKind::Handle));
    if depth > MAX_DEPTH || is_pointer {
        return 0;
    }
    let own = u32::from(matches!(kind, Some(TypeKind::Lock | TypeKind::Cell | TypeKind::Atomic)));
    own + parts(ty).into_iter().map(|part| layers(flow, part, depth + 1)).max().unwrap_or(0)
}
