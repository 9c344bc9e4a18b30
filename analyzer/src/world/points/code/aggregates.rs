//! What enums, options and numbers are made as.

use robust_models::Value as ModelValue;

use crate::mir::{
    AggregateKind, Body, CallTarget, ConstKind, Local, Name, Operand, Place, Projection, Rvalue,
    StatementKind, TerminatorKind, TyKind,
};

use crate::world::points::given;
use crate::world::points::points_to::{CallInfo, Flow, InstId};

/// Whether a type is an `Option`: there is something, or there is not.
pub(crate) fn is_option(ty: &TyKind) -> bool {
    ty.peel_refs().as_path().is_some_and(|path| path.last() == "Option")
}

/// The discriminant of the variant that is made.
pub(crate) fn variant_made(variants: &[(Name, i128)], rvalue: &Rvalue) -> Option<i128> {
    let Rvalue::Aggregate(kind, _) = rvalue else { return None };
    let AggregateKind::Adt { path, .. } = &**kind else { return None };
    variants.iter().find(|(name, _)| **name == *path.last()).map(|(_, number)| *number)
}

/// The number that a constant is; 0 and 1 for truth values.
pub(crate) fn number(operand: Option<&Operand>) -> Option<i128> {
    match operand? {
        Operand::Const(constant) => match constant.kind {
            ConstKind::Int(value) => Some(value),
            ConstKind::Bool(value) => Some(value as i128),
            _ => None,
        },
        _ => None,
    }
}

/// What an enum, an option or a number is that an operand has: its discriminant, whether there is something, its value.
pub(in crate::world::points) fn made_as(flow: &Flow<'_>, inst: InstId, operand: &Operand) -> Option<i128> {
    let Some(place) = operand.place() else { return number(Some(operand)) };
    let ty = flow.place_ty(inst, place)?;
    if matches!(&*ty, TyKind::Prim(_)) {
        return given::number(flow, inst, operand);
    }
    let rvalue = Rvalue::Use(operand.clone());
    let made = made(flow, inst, &rvalue)?;
    match flow.code.variants(&ty) {
        Some(variants) => variant_made(variants, made),
        None => {
            let Rvalue::Aggregate(kind, _) = made else { return None };
            let AggregateKind::Adt { path, .. } = &**kind else { return None };
            is_option(&ty).then(|| i128::from(path.last() == "Some"))
        }
    }
}

/// The number of the variant that something is compared with that a reference points to: a constant of the text.
pub(in crate::world::points) fn compared_with(
    flow: &Flow<'_>,
    inst: InstId,
    reference: &Operand,
    ty: &TyKind,
) -> Option<i128> {
    let (variants, body) = (flow.code.variants(ty)?, flow.body_of(inst));
    let mut reference = reference;
    // It may be lent on.
    for _ in 0..4 {
        let rvalue = match reference {
            Operand::Const(constant) => {
                let ConstKind::Named(path) = &constant.kind else { return None };
                let made = flow.code.body(flow.code.promoted(body, path)?);
                let mut statements = made.blocks.iter().flat_map(|block| &block.statements);
                return statements.find_map(|statement| match &statement.kind {
                    StatementKind::Assign(_, rvalue) => variant_made(variants, rvalue),
                    _ => None,
                });
            }
            Operand::Copy(place) | Operand::Move(place) => only_made(body, place.as_local()?)?,
        };
        reference = match rvalue {
            Rvalue::Use(operand) => operand,
            Rvalue::Ref(_, to) if to.projection.is_empty() => {
                return variant_made(variants, made_in(body, only_made(body, to.local)?)?);
            }
            Rvalue::Ref(_, to) if to.projection == [Projection::Deref] => match only_made(body, to.local)? {
                Rvalue::Use(operand) => operand,
                _ => return None,
            },
            _ => return None,
        };
    }
    None
}

/// The variant of the text with which a call compares an enum, and whether it says that it is that one, if that is all that it does.
pub(crate) fn comparison(
    flow: &Flow<'_>,
    inst: InstId,
    call: &CallTarget,
    info: &CallInfo,
) -> Option<(i128, bool)> {
    let [held, other] = &call.args[..] else { return None };
    let ty = flow.place_ty(inst, held.place()?)?;
    let TyKind::Ref { to, .. } = &*ty else { return None };
    let variant = compared_with(flow, inst, other, to)?;
    let is = match flow.model_of(info).and_then(|model| model.value) {
        Some(ModelValue::IsEqual) => true,
        Some(ModelValue::IsDifferent) => false,
        _ => {
            let callee = info.callees.first().filter(|_| info.callees.len() == 1);
            let body = flow.body_of(*callee?);
            let is_eq = body.path.qself.is_some() && body.path.last() == "eq";
            if !is_eq || !compares_variants(body) {
                return None;
            }
            true
        }
    };
    (info.foreign.is_none() || flow.code.is_compared_by_variant(to)).then_some((variant, is))
}

/// Whether the function that compares two enums is the one that is derived for those that have nothing in them: it looks which variants
/// they are, and that is all.
pub(in crate::world::points) fn compares_variants(body: &Body) -> bool {
    let blocks = || body.blocks.iter().filter(|block| !block.cleanup);
    let looks = blocks()
        .flat_map(|block| &block.statements)
        .filter(|statement| matches!(&statement.kind, StatementKind::Assign(_, Rvalue::Discriminant(_))));
    looks.count() == 2
        && blocks()
            .all(|block| matches!(block.terminator.kind, TerminatorKind::Return | TerminatorKind::Goto(_)))
}

fn only_made(body: &Body, local: Local) -> Option<&Rvalue> {
    only_definition(body, local).map(|(_, made)| made)
}

/// The construction that what is stored comes from.
pub(crate) fn made<'r>(flow: &'r Flow<'_>, inst: InstId, rvalue: &'r Rvalue) -> Option<&'r Rvalue> {
    made_in(flow.body_of(inst), rvalue)
}

fn made_in<'r>(body: &'r Body, rvalue: &'r Rvalue) -> Option<&'r Rvalue> {
    let mut rvalue = rvalue;
    // What is stored was mostly made just before.
    for _ in 0..4 {
        match rvalue {
            Rvalue::Aggregate(..) => return Some(rvalue),
            Rvalue::Use(operand) => rvalue = only_made(body, operand.place().and_then(Place::as_local)?)?,
            _ => return None,
        }
    }
    None
}

/// The one statement that assigns to a local or a part of it, if there is just one.
pub(crate) fn only_definition(body: &Body, local: Local) -> Option<(&Place, &Rvalue)> {
    let blocks = body.blocks.iter().filter(|block| !block.cleanup);
    let mut definitions =
        blocks.flat_map(|block| &block.statements).filter_map(|statement| match &statement.kind {
            StatementKind::Assign(place, rvalue) if place.local == local => Some((place, rvalue)),
            _ => None,
        });
    definitions.next().filter(|_| definitions.next().is_none())
}
