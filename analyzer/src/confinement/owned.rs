//! What is in a value: the guards that a struct keeps, and what is dropped with it.

use robust_models::TypeKind;

use crate::mir::{Ty, TyKind};
use crate::world::points::points_to::Flow;
use crate::world::points::types::parts;

/// Types within types are looked at this deep.
const MAX_DEPTH: u32 = 6;

/// Whether a value of this type has in itself, or may have, what the test is looking for: as itself, as an argument of its type, as a
/// field of the crates' own structs. What is behind a reference is not in it.
pub(crate) fn has(flow: &Flow<'_>, ty: &TyKind, test: &mut dyn FnMut(&TyKind) -> bool) -> bool {
    within(flow, ty, test, 0)
}

fn within(flow: &Flow<'_>, ty: &TyKind, test: &mut dyn FnMut(&TyKind) -> bool, depth: u32) -> bool {
    if depth > MAX_DEPTH || matches!(ty, TyKind::Ref { .. } | TyKind::Ptr { .. }) {
        return false;
    }
    if test(ty) {
        return true;
    }
    let fields = fields(flow, ty);
    parts(ty).into_iter().any(|part| within(flow, part, test, depth + 1))
        || fields.iter().any(|field| within(flow, field, test, depth + 1))
}

/// The types of what is certainly dropped when a value of this type is: itself, the fields of the crates' own structs, what is in a
/// tuple or a box. An `Option` may be empty by then, and of an enum not all variants are there.
pub(crate) fn dropped(flow: &Flow<'_>, ty: &Ty) -> Vec<Ty> {
    let mut found = Vec::new();
    let mut work = vec![(ty.clone(), 0)];
    while let Some((ty, depth)) = work.pop() {
        let model = flow.model(&ty);
        if depth > MAX_DEPTH || model.is_some_and(|model| model.forgets) {
            continue;
        }
        let inner = match &*ty {
            TyKind::Tuple(parts) => parts.to_vec(),
            TyKind::Path(_)
                if model.is_some_and(|model| model.unique && model.kind == Some(TypeKind::Pointer)) =>
            {
                parts(&ty).into_iter().take(1).cloned().collect()
            }
            TyKind::Path(_) => fields(flow, &ty),
            _ => Vec::new(),
        };
        found.push(ty);
        work.extend(inner.into_iter().map(|ty| (ty, depth + 1)));
    }
    found
}

/// The fields of a struct of the crates' own.
fn fields(flow: &Flow<'_>, ty: &TyKind) -> Vec<Ty> {
    if !matches!(ty, TyKind::Path(_)) || flow.kind(ty).is_some() || !flow.code.has_fields(ty) {
        return Vec::new();
    }
    let fields = flow.code.field_types(ty).unwrap_or_default();
    // Variants have names.
    fields.into_iter().filter(|((variant, _), _)| variant.is_empty()).map(|(_, ty)| ty).collect()
}
