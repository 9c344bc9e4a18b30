//! What functions that are called from outside are given: one object per type, and one per field behind it.

use robust_models::TypeKind;

use crate::mir::{BodyKind, Ty};

use super::flow::{Flow, InstId};
use super::foreign::copy_all;
use super::heap::{LocId, Root};
use super::types::parts;

/// Binds the parameters of a function that is called from outside to one object per type.
pub(super) fn outside_arguments(flow: &mut Flow<'_>, inst: InstId) {
    let body = flow.body_of(inst);
    let skip = if matches!(body.kind, BodyKind::Closure { .. } | BodyKind::Coroutine { .. }) { 1 } else { 0 };
    for number in skip..body.arg_count {
        let local = flow.local(inst, number + 1);
        if let Some(ty) = flow.local_ty(inst, number + 1) {
            outside(flow, flow.world_of(inst), (local, ""), &ty, 0);
        }
    }
}

pub(super) fn outside(flow: &mut Flow<'_>, world: u32, (loc, path): (LocId, &str), ty: &Ty, level: u32) {
    if level > 4 {
        return;
    }
    if let Some(given) = flow.provided.get(&ty.to_string()).cloned() {
        copy_all(flow, &given.into_iter().collect::<Vec<_>>(), &[loc]);
        return;
    }
    match flow.kind(ty) {
        Some(TypeKind::Pointer) => {
            let Some(to) = flow.pointee(ty) else { return };
            if let Some(given) = flow.provided.get(&to.to_string()).cloned() {
                given.into_iter().for_each(|given| flow.heap.point(loc, given));
                return;
            }
            let known = ty.as_path().and_then(|path| super::types::model(flow.models, path));
            if path.is_empty() && known.is_some_and(|known| known.unique) {
                // Given away: nobody else has it.
                return;
            }
            // One object per type of parameter; one per field behind it.
            let path = if path.is_empty() { to.to_string() } else { format!("{path}*") };
            let object = flow.heap.root(Root::Outside(path.clone(), world), || Some(to.clone()));
            flow.heap.point(loc, object);
            outside(flow, world, (object, &path), &to, level + 1);
        }
        Some(TypeKind::Lock | TypeKind::Container | TypeKind::Cell) | None if !flow.code.has_fields(ty) => {
            for part in parts(ty).into_iter().cloned().collect::<Vec<_>>() {
                outside(flow, world, (loc, path), &part, level + 1);
            }
        }
        Some(_) => {}
        None => {
            let Some(fields) = flow.field_types(ty) else { return };
            for (field, ty) in fields {
                let child = flow.heap.child(loc, &field, Some(&ty));
                if child != loc {
                    let path = format!("{path}.{}", super::names::field_name(flow, loc, &field));
                    outside(flow, world, (child, &path), &ty, level + 1);
                }
            }
        }
    }
}
