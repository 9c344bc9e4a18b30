//! What a function tells its caller: `true` or `false`, something or nothing.

use crate::mir::{AggregateKind, Body, ConstKind, Local, Operand, Rvalue, StatementKind, TyKind};

/// Whether a body returns a truth value or an option, and says which somewhere.
pub(super) fn tells(body: &Body) -> bool {
    let Some(decl) = body.locals.first() else { return false };
    let is_bool = matches!(&*decl.ty, TyKind::Prim(crate::mir::Prim::Bool));
    let is_option = decl.ty.as_path().is_some_and(|path| path.last() == "Option");
    let says = |kind: &StatementKind| match kind {
        StatementKind::Assign(place, rvalue) => {
            place.as_local() == Some(Local::RETURN) && of(rvalue).is_some()
        }
        _ => false,
    };
    let blocks = || body.blocks.iter().filter(|block| !block.cleanup);
    (is_bool || is_option)
        && blocks().flat_map(|block| &block.statements).any(|statement| says(&statement.kind))
}

/// What is told by a constant, or by making an option.
pub(super) fn of(rvalue: &Rvalue) -> Option<bool> {
    match rvalue {
        Rvalue::Use(Operand::Const(constant)) => match constant.kind {
            ConstKind::Bool(value) => Some(value),
            _ => None,
        },
        Rvalue::Aggregate(kind, _) => match &**kind {
            AggregateKind::Adt { path, .. } => match path.last() {
                "Some" => Some(true),
                "None" => Some(false),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
