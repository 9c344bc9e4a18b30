//! Whether whoever answers "not ready" has arranged to be woken: a way through a hand-written `poll` that returns `Pending`
//! and never uses the context is one after which nobody polls again.
//!
//! Each way through a body is looked at ([`ways`]). Who was given the context and is not ready wakes the task; who is ready does not: it has
//! to be asked again. Three kinds of ways are none, or are meant: those on which variants contradict each other, those that need a future
//! that there never is ([`always`]), and those that depend on nothing but what the future has to itself ([`own`]): the next poll
//! would answer the same, so there is nothing to be woken for.
//!
//! At a condition, one of those who wait may be woken where all may go on ([`one_of_many`]), or nobody ever ([`nobody`]).

mod always;
mod asked;
mod context;
mod nobody;
mod one_of_many;
mod own;
mod ways;

use crate::finding::{Class, Finding, Level, Role};
use crate::mir::{
    AggregateKind, BasicBlock, Block, Body, BodyKind, Callee, ConstKind, Local, Operand, Rvalue, Statement,
    StatementKind, TerminatorKind, TyKind,
};
use crate::world::coverage::source_place;
use crate::world::points::points_to::Flow;
use crate::world::points::types::{any_part, kind};
use crate::world::units::Units;

use super::describe::{Describe, Violation, Who};
use super::parts::Parts;
use super::sites::Sites;
use super::witness::Witness;
use ways::{Way, Ways};

/// All ways of polling that leave nobody to wake, and all calls that wake one of many who may go on.
pub(crate) fn findings(sites: &Sites<'_, '_>, units: &Units, describe: &Describe<'_, '_>) -> Vec<Finding> {
    let bodies = sites.flow.code.bodies.iter().zip(&sites.flow.code.home);
    let shipped = bodies.filter(|(_, home)| sites.is_shipped(**home));
    let all = shipped.filter_map(|(body, home)| forgotten(sites.flow, body, *home));
    let forgotten = all.filter_map(|violation| describe.finding(violation));
    let forgotten = forgotten.chain(one_of_many::findings(sites, units, describe));
    forgotten.chain(nobody::findings(sites, describe)).collect()
}

fn forgotten(flow: &Flow<'_>, body: &Body, home: usize) -> Option<Violation> {
    let context = context(body)?;
    if !matches!(body.kind, BodyKind::Fn | BodyKind::Closure { .. }) || body.span.is_foreign() {
        return None;
    }
    // Whoever is never ready is meant to wait for ever.
    if !ways_out(body) {
        return None;
    }
    let parts = Parts::new(flow, body, home);
    let ways = Ways::new(&parts, Some(context)).pending()?;
    let future = future(body);
    let is_meant = |way: &Way| way.own && !future.is_some_and(|future| is_locked(flow, future));
    let is_never = |way: &Way| future.is_some_and(|future| always::never(flow, future, &way.assumed));
    let mut without = ways.iter().filter(|way| !way.used && !way.foreign && !is_meant(way));
    let without = without.find(|way| !is_never(way))?;
    // Whoever was ready would have woken the task otherwise.
    let all = without.ready.is_none() && !ways.iter().any(|way| way.used);
    let maybe = all && is_of_generator(flow, body);
    Some(violation(body, without, all, maybe))
}

/// Whether a closure is polled by an `async fn` that has taken a lock before: it may have left something there for whoever polls it, who comes back
/// for more, as one who asks for the next element does.
fn is_of_generator(flow: &Flow<'_>, body: &Body) -> bool {
    let is_made = |statement: &Statement| {
        let StatementKind::Assign(_, Rvalue::Aggregate(kind, _)) = &statement.kind else { return false };
        matches!(&**kind, AggregateKind::Closure { body: made, .. } if *made == body.def)
    };
    let makes = |maker: &Body| {
        matches!(maker.kind, BodyKind::Coroutine { .. })
            && maker.blocks.iter().flat_map(|block| &block.statements).any(is_made)
    };
    let locks = |block: &BasicBlock| {
        let TerminatorKind::Call(call) = &block.terminator.kind else { return false };
        let Callee::Fn { path, .. } = &call.callee else { return false };
        flow.models.function(&path.plain()).is_some_and(|model| model.acquire.is_some())
    };
    matches!(body.kind, BodyKind::Closure { .. })
        && flow.code.bodies.iter().any(|maker| makes(maker) && maker.blocks.iter().any(locks))
}

/// The type that is polled.
fn future(body: &Body) -> Option<&TyKind> {
    let ty = body.inputs().next()?.peel_refs();
    let within = match ty.as_path() {
        Some(path) if path.last() == "Pin" => path.type_args().next()?.peel_refs(),
        _ => ty,
    };
    within.as_path().map(|_| within)
}

/// Whether somewhere a value of the type is in a lock: whoever takes the lock can change it while the task sleeps.
fn is_locked(flow: &Flow<'_>, future: &TyKind) -> bool {
    let Some(name) = future.as_path().map(crate::mir::Path::plain) else { return false };
    let is_it = |part: &TyKind| part.as_path().is_some_and(|path| path.plain() == name);
    let locks = |ty: &TyKind| {
        let mut is_lock = |part: &TyKind| {
            kind(flow.models, part) == Some(robust_models::TypeKind::Lock) && any_part(part, &mut { is_it })
        };
        any_part(ty, &mut is_lock)
    };
    let mut locals = flow.code.bodies.iter().flat_map(|body| &body.locals);
    locals.any(|decl| locks(&decl.ty))
}

/// `all`: no way is woken. `maybe`: it may be polled again all the same.
fn violation(body: &Body, way: &Way, all: bool, maybe: bool) -> Violation {
    let name = body.name.to_string();
    let declared = source_place(&body.span);
    let at = source_place(body.user_span(Block(way.block as u32), way.statement));
    let message = match (all, way.ready) {
        (true, _) => format!("`{name}` answers that it is not ready, and nothing wakes its task when it is"),
        (false, Some(_)) => format!(
            "`{name}` answers that it is not ready although what it waits for was ready, and does not ask to be woken"
        ),
        (false, None) => {
            format!(
                "`{name}` answers that it is not ready on a way on which nothing is asked to wake its task"
            )
        }
    };
    let mut steps = vec![(0, Role::Start, "is polled".to_owned(), declared.clone())];
    if let Some(block) = way.ready {
        let asked = &body.blocks[block];
        let at = source_place(body.user_span(Block(block as u32), asked.statements.len()));
        steps.push((0, Role::Hop, "is told that this is ready, which wakes nobody".to_owned(), at));
    }
    let end = "is not ready, and has not used its context";
    steps.push((0, Role::Offence, end.to_owned(), at));
    Violation {
        class: Class::NeverWoken,
        level: if all && !maybe { Level::Deny } else { Level::Warn },
        property: "ResumeIfNeeded",
        message,
        subject: name.clone(),
        hint: match way.ready {
            Some(_) => "Poll again until it is not ready, or call `cx.waker().wake_by_ref()` first",
            None => {
                "Keep `cx.waker().clone()` where whoever makes it ready wakes it, before looking whether it is ready"
            }
        },
        excuse: match (all, way.ready) {
            (true, _) if maybe => {
                "whoever polls what is around it may take what it has left, and poll it again for more"
            }
            (true, _) => "",
            (false, Some(_)) => "whoever was ready may wake the task again unasked",
            (false, None) => "an earlier poll may have arranged it, if the task has not moved since",
        },
        lanes: vec![Who::runs(body)],
        witness: Witness::FORGOTTEN,
        steps,
    }
}

/// The argument that is the context of a poll.
fn context(body: &Body) -> Option<Local> {
    let polls = any_part(body.output(), &mut |part| is_poll(part));
    let is_context =
        |ty: &TyKind| ty.as_path().is_some_and(|path| path.last() == "Context" && path.segments.len() > 1);
    let at =
        body.inputs().position(|ty| matches!(&**ty, TyKind::Ref { .. }) && is_context(ty.peel_refs()))?;
    polls.then(|| Local(at as u32 + 1))
}

/// Whether a type is that of an answer to a poll.
fn is_poll(ty: &TyKind) -> bool {
    ty.as_path().is_some_and(|path| path.last() == "Poll")
}

/// Whether it is ever ready.
fn ways_out(body: &Body) -> bool {
    let of_output = body.output();
    let blocks = body.blocks.iter().filter(|block| !block.cleanup);
    let mut others = blocks.clone().flat_map(|block| &block.statements).filter(|statement| {
        let StatementKind::Assign(to, _) = &statement.kind else { return false };
        let is_output = body.locals.get(to.local.0 as usize).is_some_and(|decl| decl.ty == *of_output);
        is_output && !is_pending(statement)
    });
    let calls = || {
        blocks.clone().any(|block| match &block.terminator.kind {
            TerminatorKind::Call(call) => {
                body.locals.get(call.dest.local.0 as usize).is_some_and(|decl| decl.ty == *of_output)
            }
            _ => false,
        })
    };
    others.next().is_some() || calls()
}

fn is_pending(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Assign(_, Rvalue::Aggregate(kind, _)) => {
            matches!(&**kind, AggregateKind::Adt { path, .. } if path.last() == "Pending")
        }
        StatementKind::Assign(_, Rvalue::Use(Operand::Const(constant))) => match &constant.kind {
            ConstKind::Named(path) => path.last() == "Pending",
            ConstKind::Other(text) => text.as_str().ends_with("::Pending"),
            _ => false,
        },
        _ => false,
    }
}
