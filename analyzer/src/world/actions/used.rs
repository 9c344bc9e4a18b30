//! What becomes of a call's result, and which values it puts where.

use std::collections::BTreeSet;

use robust_models::Value as ModelValue;

use crate::mir::{
    CallTarget, Local, Operand, Place, Projection, Rvalue, StatementKind, TerminatorKind, TyKind,
};

use crate::world::actions::cfg::Cfg;
use crate::world::actions::effects::Tracked;
use crate::world::points::given::number;
use crate::world::points::points_to::{Flow, InstId};

/// Whether nobody looks at a call's result, but for panicking unless it is as expected.
pub(crate) fn unused(flow: &Flow<'_>, cfg: &Cfg, inst: InstId, call: &CallTarget) -> bool {
    let Some(local) = call.dest.as_local() else { return false };
    let body = flow.body_of(inst);
    if body.locals.get(local.0 as usize).is_some_and(|decl| decl.ty.is_unit()) {
        return true;
    }
    // The result, and what is made of it.
    let mut known = BTreeSet::from([local]);
    loop {
        let before = known.len();
        for &index in &cfg.reached {
            let block = &body.blocks[index];
            for statement in &block.statements {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                let made_of = known.iter().any(|local| mentions(rvalue, *local));
                match place.as_local() {
                    Some(into) if made_of => _ = known.insert(into),
                    None if made_of || known.contains(&place.local) => return false,
                    _ => {}
                }
            }
            let is_known =
                |operand: &Operand| operand.place().is_some_and(|place| known.contains(&place.local));
            let used = match &block.terminator.kind {
                TerminatorKind::Call(call) => call.args.iter().any(is_known),
                TerminatorKind::SwitchInt { on, .. } => is_known(on) && cfg.succs[index].len() > 1,
                _ => false,
            };
            if used || known.contains(&Local::RETURN) {
                return false;
            }
        }
        if known.len() == before {
            return true;
        }
    }
}

/// Whether a call's result is never compared for equality: it names a turn, and any will do.
pub(crate) fn is_ticket(flow: &Flow<'_>, inst: InstId, call: &CallTarget) -> bool {
    let body = flow.body_of(inst);
    let mut known = BTreeSet::from([call.dest.local]);
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

/// Whether a value is made of a local.
pub(crate) fn mentions(rvalue: &Rvalue, local: Local) -> bool {
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

/// What a call does to a value that may be followed; `option`: it is asked of an option; `unused`: nobody looks at its result.
pub(crate) fn tracked(
    flow: &Flow<'_>,
    inst: InstId,
    call: &CallTarget,
    value: Option<ModelValue>,
    option: bool,
    unused: impl FnOnce() -> bool,
) -> Option<Tracked> {
    let dest = call.dest.as_local()?;
    let number = |at: usize| number(flow, inst, call.args.get(at)?);
    match value? {
        // A copy of an option, or of references to what is in it, has something if the option has.
        ModelValue::IsOk | ModelValue::Same | ModelValue::Copy if option => Some(Tracked::Tag(dest, true)),
        ModelValue::IsErr if option => Some(Tracked::Tag(dest, false)),
        ModelValue::New
        | ModelValue::IsOk
        | ModelValue::IsErr
        | ModelValue::Same
        | ModelValue::Fails
        | ModelValue::Asserts
        | ModelValue::Copy
        | ModelValue::IsEqual
        | ModelValue::IsDifferent
        | ModelValue::IsAmong
        | ModelValue::Confirms
        | ModelValue::Unique
        | ModelValue::Distinct
        | ModelValue::Time
        | ModelValue::Empty
        | ModelValue::Sum
        | ModelValue::Difference
        | ModelValue::Greater
        | ModelValue::Lesser => None,
        ModelValue::Take => Some(Tracked::Taken),
        ModelValue::Fill => Some(Tracked::SetTag(true)),
        ModelValue::Get => Some(Tracked::Get(dest)),
        ModelValue::Set => number(1).map(|value| Tracked::Set(value, None)),
        // Who asks nobody what was there does as a store does.
        ModelValue::Swap => number(1).map(|value| Tracked::Set(value, (!unused()).then_some(dest))),
        ModelValue::CompareExchange => {
            let values = number(1).zip(number(2));
            Some(Tracked::Exchange(values, dest))
        }
    }
}
