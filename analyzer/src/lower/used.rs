//! What becomes of a call's result, and which values it puts where.

use robust_models::Value as ModelValue;

use crate::mir::{
    CallTarget, Local, Operand, Place, Projection, Rvalue, StatementKind, TerminatorKind, TyKind,
};

use super::effects::Tracked;
use super::flow::{Flow, InstId};

/// Whether nobody looks at a call's result.
pub(super) fn unused(flow: &Flow<'_>, inst: InstId, call: &CallTarget) -> bool {
    let Some(local) = call.dest.as_local() else { return false };
    let body = flow.body_of(inst);
    if body.locals.get(local.0 as usize).is_some_and(|decl| decl.ty.is_unit()) {
        return true;
    }
    if local == Local::RETURN {
        return false;
    }
    !body.blocks.iter().any(|block| {
        let in_statement = block.statements.iter().any(|statement| match &statement.kind {
            StatementKind::Assign(place, rvalue) => {
                (place.local == local && !place.projection.is_empty()) || mentions(rvalue, local)
            }
            _ => false,
        });
        in_statement
            || match &block.terminator.kind {
                TerminatorKind::Call(call) => {
                    call.args.iter().any(|arg| arg.place().is_some_and(|place| place.local == local))
                }
                TerminatorKind::SwitchInt { on, .. } => on.place().is_some_and(|place| place.local == local),
                _ => false,
            }
    })
}

/// Whether a call's result is never compared for equality: it names a turn, and any will do.
pub(super) fn is_ticket(flow: &Flow<'_>, inst: InstId, call: &CallTarget) -> bool {
    let body = flow.body_of(inst);
    let mut known = std::collections::BTreeSet::from([call.dest.local]);
    loop {
        let before = known.len();
        for statement in body.blocks.iter().flat_map(|block| &block.statements) {
            let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
            if !known.iter().any(|local| mentions(rvalue, *local)) {
                continue;
            }
            match rvalue {
                Rvalue::Binary(operator, _) if matches!(&**operator, "Eq" | "Ne") => return false,
                _ => known.insert(place.local),
            };
        }
        if known.len() == before {
            break;
        }
    }
    body.blocks.iter().all(|block| match &block.terminator.kind {
        TerminatorKind::SwitchInt { on, .. } => {
            let place = on.place();
            // A switch on the number itself compares it with constants.
            !place.is_some_and(|place| known.contains(&place.local) && is_number(flow, inst, place))
        }
        _ => true,
    })
}

fn is_number(flow: &Flow<'_>, inst: InstId, place: &Place) -> bool {
    let ty = flow.place_ty(inst, place);
    ty.is_some_and(|ty| matches!(&*ty, TyKind::Prim(prim) if prim.as_str() != "bool"))
}

fn mentions(rvalue: &Rvalue, local: Local) -> bool {
    let is = |operand: &Operand| operand.place().is_some_and(|place| uses(place, local));
    match rvalue {
        Rvalue::Use(operand)
        | Rvalue::Repeat(operand, _)
        | Rvalue::Cast(_, operand, _)
        | Rvalue::Unary(_, operand)
        | Rvalue::Wrap(operand, _) => is(operand),
        Rvalue::Ref(_, place)
        | Rvalue::RawPtr { place, .. }
        | Rvalue::Discriminant(place)
        | Rvalue::Len(place)
        | Rvalue::CopyForDeref(place) => uses(place, local),
        Rvalue::Binary(_, operands) => is(&operands.0) || is(&operands.1),
        Rvalue::Aggregate(_, operands) => operands.iter().any(is),
        Rvalue::ThreadLocalRef(_) | Rvalue::Nullary(_) => false,
    }
}

fn uses(place: &Place, local: Local) -> bool {
    place.local == local
        || place.projection.iter().any(|step| matches!(step, Projection::Index(index) if *index == local))
}

fn constant(operand: Option<&Operand>) -> Option<i128> {
    match operand? {
        Operand::Const(constant) => match constant.kind {
            crate::mir::ConstKind::Int(value) => Some(value),
            crate::mir::ConstKind::Bool(value) => Some(value as i128),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn tracked(call: &CallTarget, value: Option<ModelValue>) -> Option<Tracked> {
    let dest = call.dest.as_local()?;
    match value? {
        ModelValue::New | ModelValue::IsOk | ModelValue::IsErr | ModelValue::Same | ModelValue::Asserts => {
            None
        }
        ModelValue::Take => Some(Tracked::Taken),
        ModelValue::Get => Some(Tracked::Get(dest)),
        ModelValue::Set => constant(call.args.get(1)).map(|value| Tracked::Set(value, None)),
        ModelValue::Swap => constant(call.args.get(1)).map(|value| Tracked::Set(value, Some(dest))),
        ModelValue::CompareExchange => {
            let values = constant(call.args.get(1)).zip(constant(call.args.get(2)));
            Some(Tracked::Exchange(values, dest))
        }
    }
}
