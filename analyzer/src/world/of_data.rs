//! Functions of data: methods of other crates' traits (`Clone`, `Eq`, `Hash`, `Default`), derived mostly, that nothing which is shared, waits or
//! runs can be reached from. Calls of them are no events: nobody notices when they are made.

use rustc_hash::FxHashSet;

use robust_models::TypeKind;

use crate::mir::{
    AllocKind, Body, Callee, ConstKind, Operand, Rvalue, StatementKind, TerminatorKind, Ty, TyKind,
};
use crate::world::points::points_to::Flow;
use crate::world::points::served::is_standard_path;
use crate::world::points::types::parts;

/// Whether a function is one of data.
pub(crate) fn is_of_data(flow: &Flow<'_>, body: &Body) -> bool {
    let tr = body.path.qself.as_ref().and_then(|qself| qself.tr.as_ref());
    let mut seen = FxHashSet::default();
    tr.is_some_and(|tr| !flow.code.is_own_trait(tr))
        && body.locals.iter().all(|local| is_data(flow, &local.ty, Unknown::Data, &mut seen))
        && body.blocks.iter().all(|block| {
            block.statements.iter().all(|statement| is_quiet(&statement.kind))
                && ends_quietly(flow, &block.terminator.kind)
        })
}

/// Whether a value of this type leads to data alone, and it is known what that is.
pub(crate) fn is_known_data(flow: &Flow<'_>, ty: &Ty) -> bool {
    is_data(flow, ty, Unknown::Anything, &mut FxHashSet::default())
}

/// What types are taken for that nothing is known of: libraries' without a model, and what whoever calls chooses.
#[derive(Clone, Copy, PartialEq)]
enum Unknown {
    /// Nothing is done to them but by methods of traits.
    Data,
    Anything,
}

/// Whether a value of this type leads to data alone.
fn is_data(flow: &Flow<'_>, ty: &Ty, unknown: Unknown, seen: &mut FxHashSet<Ty>) -> bool {
    match &**ty {
        TyKind::Prim(_) | TyKind::Never => true,
        _ if seen.contains(ty) => true,
        TyKind::Ref { to, .. } | TyKind::Slice(to) | TyKind::Array(to, _) => is_data(flow, to, unknown, seen),
        TyKind::Tuple(parts) => parts.iter().all(|part| is_data(flow, part, unknown, seen)),
        TyKind::Path(path) if path.qself.is_some() || flow.code.types.param(ty).is_some() => {
            unknown == Unknown::Data
        }
        TyKind::Path(path) if flow.code.is_own(ty) => {
            seen.insert(ty.clone());
            let fields = flow.code.field_types(ty).unwrap_or_default();
            !flow.code.droppers.contains(path.last())
                && fields.iter().all(|(_, field)| is_data(flow, field, unknown, seen))
        }
        TyKind::Path(path) => {
            let model = flow.model(ty);
            if unknown == Unknown::Anything && model.is_none() && !is_standard_path(&path.plain()) {
                return false;
            }
            let plain = model.is_none_or(|model| {
                let inert =
                    model.plain || matches!(model.kind, None | Some(TypeKind::Container | TypeKind::Pointer));
                let quiet = model.input.is_none() && model.awaits.is_none() && model.event.is_none();
                inert && quiet && !model.raw && !model.thread_local && !model.wakes
            });
            plain && parts(ty).into_iter().all(|part| is_data(flow, part, unknown, seen))
        }
        _ => false,
    }
}

fn is_quiet(statement: &StatementKind) -> bool {
    match statement {
        StatementKind::Assign(_, Rvalue::ThreadLocalRef(_)) => false,
        StatementKind::Assign(_, rvalue) => !rvalue.operands().into_iter().any(is_static),
        StatementKind::CopyNonOverlapping { .. } => false,
        _ => true,
    }
}

fn is_static(operand: &Operand) -> bool {
    let Operand::Const(constant) = operand else { return false };
    matches!(constant.kind, ConstKind::Alloc { what: AllocKind::Static(_) | AllocKind::ExternStatic(_), .. })
}

/// Whether all that is called is a method of another crate's trait, or a function that nothing is known of.
fn ends_quietly(flow: &Flow<'_>, end: &TerminatorKind) -> bool {
    let TerminatorKind::Call(call) = end else {
        return !matches!(end, TerminatorKind::Yield { .. });
    };
    let Callee::Fn { path, .. } = &call.callee else { return false };
    let of_trait = path.qself.as_ref().and_then(|qself| qself.tr.as_ref());
    let quiet = match of_trait {
        Some(tr) => !flow.code.is_own_trait(tr),
        None => {
            path.qself.is_none()
                && path.segments.len() > 1
                && !flow.code.is_local(path)
                && flow.models.function(&path.plain()).is_none()
                && flow.models.effect(&path.plain()).is_none()
        }
    };
    quiet && !call.args.iter().any(is_static)
}
