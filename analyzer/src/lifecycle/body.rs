//! Looking at one body: which library function a call is of, where a local comes from.

use robust_models::Function;

use crate::mir::{
    AggregateKind, Body, CallTarget, Callee, Local, Operand, Path, Place, Rvalue, StatementKind,
    TerminatorKind, TyKind,
};
use crate::world::points::heap::Field;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::substitute_path;

/// The call that ends a block.
pub(crate) fn call_at(body: &Body, block: usize) -> Option<&CallTarget> {
    match &body.blocks.get(block)?.terminator.kind {
        TerminatorKind::Call(call) => Some(call),
        _ => None,
    }
}

/// The last field on the way to a place that is one of an own type, and whether the place is all of that field.
pub(crate) fn own_field(flow: &Flow<'_>, body: &Body, place: &Place) -> Option<((String, Field), bool)> {
    let mut found = None;
    let mut after = 0;
    body.fields_in(place, &mut |owner, field, _| {
        after += 1;
        if flow.code.is_local(owner) {
            found = Some((owner.plain(), field));
            after = 0;
        }
    });
    found.map(|field| (field, after == 0))
}

/// What models say of the function that ends a block, as far as tasks and their results go.
pub(crate) fn fate<'a>(flow: &Flow<'a>, inst: InstId, block: usize) -> Option<&'a Function> {
    let Callee::Fn { path, .. } = &call_at(flow.body_of(inst), block)?.callee else { return None };
    let first = path.segments.first().map_or("", |segment| &*segment.name);
    if !flow.models.may_have_fate(first, path.last()) {
        return None;
    }
    let path = substitute_path(path, &flow.subst_of(inst));
    let own = path.qself.as_ref().and_then(|qself| match qself.ty.peel_refs() {
        TyKind::Dyn(traits) => traits.first(),
        ty => ty.as_path(),
    });
    let own = own.map(|ty| format!("{}::{}", ty.plain(), path.last()));
    let plain = path.plain();
    [own, Some(plain)].into_iter().flatten().find_map(|name| flow.models.fate(&name))
}

/// The path of the function that ends a block, as a reader would name it.
pub(crate) fn callee_path(flow: &Flow<'_>, inst: InstId, block: usize) -> Option<Path> {
    match &call_at(flow.body_of(inst), block)?.callee {
        Callee::Fn { path, .. } => Some(substitute_path(path, &flow.subst_of(inst))),
        Callee::Value(_) => None,
    }
}

/// How a local gets its value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Def<'b> {
    Assign(&'b Rvalue),
    Call(usize),
}

/// All ways in which a local gets its value as a whole.
pub(crate) fn defs(body: &Body, local: Local) -> Vec<Def<'_>> {
    let mut found = Vec::new();
    for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
        for statement in &block.statements {
            if let StatementKind::Assign(place, rvalue) = &statement.kind
                && place.as_local() == Some(local)
            {
                found.push(Def::Assign(rvalue));
            }
        }
        if let TerminatorKind::Call(call) = &block.terminator.kind
            && call.dest.as_local() == Some(local)
        {
            found.push(Def::Call(index));
        }
    }
    found
}

/// Whether a body may end with an error: whether it returns anything but an `Ok`.
pub(crate) fn may_fail(body: &Body) -> bool {
    let mut seen = vec![Local(0)];
    let mut next = 0;
    while next < seen.len() {
        let all = defs(body, seen[next]);
        // A body that never returns gives nothing.
        if all.is_empty() && next > 0 {
            return true;
        }
        for def in all {
            let from = match def {
                Def::Assign(Rvalue::Aggregate(kind, operands)) => match (variant(kind), &operands[..]) {
                    (Some("Ok" | "Pending"), _) => continue,
                    (Some("Ready"), [inner]) => inner.place(),
                    _ => None,
                },
                Def::Assign(Rvalue::Use(operand)) => operand.place(),
                _ => None,
            };
            let Some(from) = from.and_then(Place::as_local) else { return true };
            if !seen.contains(&from) {
                seen.push(from);
            }
        }
        next += 1;
    }
    false
}

fn variant(kind: &AggregateKind) -> Option<&str> {
    match kind {
        AggregateKind::Adt { path, .. } => Some(path.last()),
        _ => None,
    }
}

/// The blocks of the calls that a local's value comes from, through moves, borrows, variants and tests.
pub(crate) fn sources(body: &Body, local: Local) -> Vec<usize> {
    let mut seen = vec![local];
    let mut next = 0;
    let mut found = Vec::new();
    while next < seen.len() {
        for def in defs(body, seen[next]) {
            let from: Vec<&Place> = match def {
                Def::Call(block) => {
                    found.push(block);
                    continue;
                }
                Def::Assign(
                    Rvalue::Use(operand) | Rvalue::Cast(_, operand, _) | Rvalue::Unary(_, operand),
                ) => operand.place().into_iter().collect(),
                Def::Assign(
                    Rvalue::Ref(_, place) | Rvalue::CopyForDeref(place) | Rvalue::Discriminant(place),
                ) => vec![place],
                Def::Assign(Rvalue::Binary(_, both)) => {
                    [&both.0, &both.1].into_iter().filter_map(Operand::place).collect()
                }
                Def::Assign(_) => Vec::new(),
            };
            for place in from {
                if !seen.contains(&place.local) {
                    seen.push(place.local);
                }
            }
        }
        next += 1;
    }
    found
}

/// What a call on a block's way is given, by place.
pub(crate) fn arg_places(call: &CallTarget) -> impl Iterator<Item = (usize, &Place)> {
    call.args.iter().enumerate().filter_map(|(number, arg)| Some((number, arg.place()?)))
}

/// `Ok` and `Err` types of a type that is a `Result`.
pub(crate) fn result_parts(ty: &TyKind) -> Option<(&crate::mir::Ty, &crate::mir::Ty)> {
    let path = ty.as_path().filter(|path| path.last() == "Result")?;
    let mut args = path.type_args();
    Some((args.next()?, args.next()?))
}
