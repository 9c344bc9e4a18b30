//! What a function tells its caller: `true` or `false`, something or nothing, success or failure.

use crate::mir::{
    AggregateKind, BasicBlock, Body, Local, Operand, Rvalue, StatementKind, TerminatorKind, TyKind,
};

use crate::world::actions::decided;
use crate::world::points::points_to::{Flow, InstId};

/// Through so many functions what one of them tells is handed on.
const FORWARDED: usize = 4;

/// Whether an instance returns a truth value, an option or a result, and says which somewhere, or what it calls for that does.
pub(crate) fn tells(flow: &Flow<'_>, inst: InstId) -> bool {
    tells_within(flow, inst, FORWARDED)
}

fn tells_within(flow: &Flow<'_>, inst: InstId, fuel: usize) -> bool {
    let body = flow.body_of(inst);
    let Some(decl) = body.locals.first() else { return false };
    let is_bool = matches!(&*decl.ty, TyKind::Prim(crate::mir::Prim::Bool));
    let is_option = decl.ty.as_path().is_some_and(|path| matches!(path.last(), "Option" | "Result"));
    let says = |kind: &StatementKind| match kind {
        StatementKind::Assign(place, rvalue) => {
            place.as_local() == Some(Local::RETURN) && of(rvalue).is_some()
        }
        _ => false,
    };
    let asks = |(index, block): (usize, &BasicBlock)| match &block.terminator.kind {
        TerminatorKind::Call(call) => {
            let asks = || {
                asked_for(flow, inst, index).is_some()
                    || fails(flow, inst, index)
                    || depends(flow, inst, index)
                    || forwards(flow, inst, index, fuel)
            };
            call.dest.as_local() == Some(Local::RETURN) && asks()
        }
        _ => false,
    };
    let blocks = || body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup);
    let told = || {
        blocks().any(|(index, block)| {
            block.statements.iter().any(|statement| says(&statement.kind)) || asks((index, block))
        })
    };
    (is_bool || is_option) && (told() || decided::returns_what_was_asked(body))
}

/// Whether the call that ends a block is of functions of the program that tell.
fn forwards(flow: &Flow<'_>, inst: InstId, block: usize, fuel: usize) -> bool {
    let Some(fuel) = fuel.checked_sub(1) else { return false };
    let info =
        flow.calls.get(&(inst, block as u32)).filter(|info| info.foreign.is_none() && info.poll.is_none());
    info.is_some_and(|info| {
        !info.callees.is_empty() && info.callees.iter().all(|callee| tells_within(flow, *callee, fuel))
    })
}

/// What the call that ends a block tells of its argument: whether it is a success (`is_ok`, or `ok`), or whether it is none
/// (`is_err`).
pub(crate) fn asked_for(flow: &Flow<'_>, inst: InstId, block: usize) -> Option<bool> {
    match flow.model_at(inst, block)?.value? {
        robust_models::Value::IsOk | robust_models::Value::Same => Some(true),
        robust_models::Value::IsErr => Some(false),
        _ => None,
    }
}

/// Whether the call that ends a block makes an error, or nothing, whatever it is given.
pub(crate) fn fails(flow: &Flow<'_>, inst: InstId, block: usize) -> bool {
    flow.model_at(inst, block).is_some_and(|model| model.value == Some(robust_models::Value::Fails))
}

/// Whether what the call that ends a block does depends on whether it succeeds.
fn depends(flow: &Flow<'_>, inst: InstId, block: usize) -> bool {
    flow.model_at(inst, block).is_some_and(may_fail)
}

/// Whether what a library function does depends on whether it succeeds.
pub(crate) fn may_fail(model: &robust_models::Function) -> bool {
    use robust_models::When;
    let tries = model.acquire.as_ref().is_some_and(|acquire| matches!(acquire.when, When::Try | When::Found));
    tries || model.access.iter().flatten().any(|access| access.otherwise.is_some())
}

/// What is told by a constant, or by making an option or a result.
pub(crate) fn of(rvalue: &Rvalue) -> Option<bool> {
    match rvalue {
        Rvalue::Use(operand) => operand.truth(),
        Rvalue::Aggregate(kind, _) => match &**kind {
            AggregateKind::Adt { path, .. } => match path.last() {
                "Some" | "Ok" => Some(true),
                "None" | "Err" => Some(false),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// What a value that is only moved was before.
pub(crate) fn source<'b>(body: &'b Body, rvalue: &'b Rvalue) -> &'b Rvalue {
    let Rvalue::Use(Operand::Move(place)) = rvalue else { return rvalue };
    let Some(local) = place.as_local() else { return rvalue };
    let blocks = body.blocks.iter().filter(|block| !block.cleanup);
    let mut made = blocks.flat_map(|block| &block.statements).filter_map(|statement| match &statement.kind {
        StatementKind::Assign(place, made) if place.local == local => Some(made),
        _ => None,
    });
    made.next().filter(|_| made.next().is_none()).unwrap_or(rvalue)
}
