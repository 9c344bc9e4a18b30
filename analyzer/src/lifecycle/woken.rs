//! Whether whoever answers "not ready" has arranged to be woken: a way through a hand-written `poll` that returns `Pending`
//! and never uses the context is one after which nobody polls again.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Class, Finding, Level, Role};
use crate::mir::{
    AggregateKind, Block, Body, BodyKind, ConstKind, Local, Operand, Place, Rvalue, Statement, StatementKind,
    TerminatorKind, TyKind,
};
use crate::world::coverage::source_place;
use crate::world::points::types::any_part;

use super::describe::{Describe, Violation};
use super::sites::Sites;

/// So many states of a body are looked at; a body with more is left out.
const STATES: usize = 20_000;

/// All ways of polling that leave nobody to wake.
pub(crate) fn findings(sites: &Sites<'_, '_>, describe: &Describe<'_, '_>) -> Vec<Finding> {
    let bodies = sites.flow.code.bodies.iter().zip(&sites.flow.code.home);
    let shipped = bodies.filter(|(_, home)| sites.is_shipped(**home));
    let all = shipped.filter_map(|(body, _)| forgotten(body));
    all.map(|violation| describe.finding(violation)).collect()
}

fn forgotten(body: &Body) -> Option<Violation> {
    let context = context(body)?;
    if !matches!(body.kind, BodyKind::Fn | BodyKind::Closure { .. }) || body.span.is_foreign() {
        return None;
    }
    let ways = ways(body, context)?;
    let [without, with] = [false, true].map(|used| ways.iter().find(|way| way.used == used));
    let without = without?;
    // Whoever is never ready is meant to wait for ever.
    if !ways_out(body) || without.foreign {
        return None;
    }
    let name = body.name.to_string();
    let all = with.is_none();
    let declared = source_place(&body.span);
    let at = source_place(body.user_span(Block(without.block as u32), without.statement));
    Some(Violation {
        class: Class::NeverWoken,
        level: if all { Level::Deny } else { Level::Warn },
        property: "ResumeIfNeeded",
        message: match all {
            true => format!("`{name}` answers that it is not ready, and nothing wakes its task when it is"),
            false => format!(
                "`{name}` answers that it is not ready on a way on which nothing is asked to wake its task"
            ),
        },
        subject: name.clone(),
        hint: "Keep `cx.waker().clone()` where whoever makes it ready wakes it, before looking whether it is ready",
        excuse: if all {
            ""
        } else {
            "an earlier poll may have arranged it, if the task has not moved since"
        },
        lanes: vec![(name, declared.clone())],
        steps: vec![
            (0, Role::Start, "is polled".to_owned(), declared),
            (0, Role::Offence, "is not ready, and has not used its context".to_owned(), at),
        ],
    })
}

/// The argument that is the context of a poll.
fn context(body: &Body) -> Option<Local> {
    let polls = any_part(body.output(), &mut |part| part.as_path().is_some_and(|path| path.last() == "Poll"));
    let is_context =
        |ty: &TyKind| ty.as_path().is_some_and(|path| path.last() == "Context" && path.segments.len() > 1);
    let at =
        body.inputs().position(|ty| matches!(&**ty, TyKind::Ref { .. }) && is_context(ty.peel_refs()))?;
    polls.then(|| Local(at as u32 + 1))
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

/// A way to an answer that it is not ready.
struct Way {
    block: usize,
    statement: usize,
    used: bool,
    /// A macro of a library answers.
    foreign: bool,
}

/// What is known at a point: where it is, whether the context was used, the values of truth values and small numbers, whether and
/// where it was said that it is not ready.
type State = (usize, bool, BTreeMap<Local, i128>, Option<(usize, usize)>);

/// All ways to such an answer; none if there are too many.
fn ways(body: &Body, context: Local) -> Option<Vec<Way>> {
    let aliases = aliases(body, context);
    let around = around(body, &aliases);
    let mut found: BTreeMap<(usize, usize, bool), Way> = BTreeMap::new();
    let mut seen: BTreeSet<State> = BTreeSet::new();
    let mut work: Vec<State> = vec![(0, false, BTreeMap::new(), None)];
    while let Some(state) = work.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        if seen.len() > STATES {
            return None;
        }
        let (at, mut used, mut known, mut pending) = state;
        used |= around.contains(&at);
        let block = &body.blocks[at];
        for (number, statement) in block.statements.iter().enumerate() {
            let StatementKind::Assign(to, rvalue) = &statement.kind else { continue };
            if is_pending(statement) && body.locals[to.local.0 as usize].ty == *body.output() {
                pending = Some((at, number));
            } else if to.as_local() == Some(Local::RETURN) && !is_copy(rvalue) {
                pending = None;
            }
            // What only borrows the context again has not used it yet; what stores it has.
            used |= mentions(rvalue, &aliases) && !to.as_local().is_some_and(|to| aliases.contains(&to));
            learn(&mut known, to, rvalue);
        }
        let next: Vec<usize> = match &block.terminator.kind {
            TerminatorKind::Return => {
                if let Some((block, statement)) = pending {
                    let foreign = body.blocks[block].statements[statement].source.span.is_foreign();
                    found.entry((block, statement, used)).or_insert(Way { block, statement, used, foreign });
                }
                Vec::new()
            }
            TerminatorKind::Call(call) => {
                used |=
                    call.args.iter().filter_map(Operand::place).any(|place| aliases.contains(&place.local));
                known.remove(&call.dest.local);
                if call.dest.local == Local::RETURN {
                    pending = None;
                }
                call.target.iter().map(|to| to.0 as usize).collect()
            }
            TerminatorKind::SwitchInt { on, targets, otherwise } => {
                let value = match on {
                    Operand::Copy(place) | Operand::Move(place) => {
                        place.as_local().and_then(|local| known.get(&local).copied())
                    }
                    Operand::Const(constant) => number(&constant.kind),
                };
                match value {
                    Some(value) => {
                        let to = targets.iter().find(|(bits, _)| *bits as i128 == value).map(|(_, to)| *to);
                        to.or(*otherwise).into_iter().map(|to| to.0 as usize).collect()
                    }
                    None => {
                        targets.iter().map(|(_, to)| *to).chain(*otherwise).map(|to| to.0 as usize).collect()
                    }
                }
            }
            TerminatorKind::Goto(to) | TerminatorKind::FalseEdge(to) => vec![to.0 as usize],
            TerminatorKind::Drop { target, .. } => target.iter().map(|to| to.0 as usize).collect(),
            TerminatorKind::Assert { target, .. } => vec![target.0 as usize],
            _ => Vec::new(),
        };
        work.extend(next.into_iter().map(|to| (to, used, known.clone(), pending)));
    }
    Some(found.into_values().collect())
}

/// The blocks of loops that use the context: it may be that a loop is never left before its first round.
fn around(body: &Body, aliases: &BTreeSet<Local>) -> BTreeSet<usize> {
    let succs: Vec<Vec<usize>> = body
        .blocks
        .iter()
        .map(|block| crate::world::actions::cfg::successors(&block.terminator.kind))
        .collect();
    let all = (0..body.blocks.len()).filter(|block| !body.blocks[*block].cleanup).collect();
    let uses = |block: &usize| match &body.blocks[*block].terminator.kind {
        TerminatorKind::Call(call) => {
            call.args.iter().filter_map(Operand::place).any(|place| aliases.contains(&place.local))
        }
        _ => false,
    };
    let loops = crate::world::actions::cfg::components(&succs, &all);
    loops.into_iter().filter(|blocks| blocks.iter().any(uses)).flatten().collect()
}

/// Locals that are the context, or a borrow of it.
fn aliases(body: &Body, context: Local) -> BTreeSet<Local> {
    let mut found = BTreeSet::from([context]);
    loop {
        let before = found.len();
        for statement in body.blocks.iter().flat_map(|block| &block.statements) {
            if let StatementKind::Assign(to, rvalue) = &statement.kind
                && let Some(to) = to.as_local()
                && mentions(rvalue, &found)
            {
                found.insert(to);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn mentions(rvalue: &Rvalue, locals: &BTreeSet<Local>) -> bool {
    let operand = |operand: &Operand| operand.place().is_some_and(|place| locals.contains(&place.local));
    match rvalue {
        Rvalue::Use(from) | Rvalue::Cast(_, from, _) | Rvalue::Wrap(from, _) => operand(from),
        Rvalue::Ref(_, place) | Rvalue::CopyForDeref(place) | Rvalue::RawPtr { place, .. } => {
            locals.contains(&place.local)
        }
        Rvalue::Aggregate(_, operands) => operands.iter().any(operand),
        _ => false,
    }
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

fn is_copy(rvalue: &Rvalue) -> bool {
    matches!(rvalue, Rvalue::Use(Operand::Move(_) | Operand::Copy(_)))
}

fn learn(known: &mut BTreeMap<Local, i128>, to: &Place, rvalue: &Rvalue) {
    let Some(local) = to.as_local() else {
        known.remove(&to.local);
        return;
    };
    let value = match rvalue {
        Rvalue::Use(Operand::Const(constant)) => number(&constant.kind),
        Rvalue::Use(Operand::Copy(place) | Operand::Move(place)) => {
            place.as_local().and_then(|from| known.get(&from).copied())
        }
        _ => None,
    };
    match value {
        Some(value) => _ = known.insert(local, value),
        None => _ = known.remove(&local),
    }
}

fn number(kind: &ConstKind) -> Option<i128> {
    match kind {
        ConstKind::Bool(value) => Some(i128::from(*value)),
        ConstKind::Int(value) => Some(*value),
        _ => None,
    }
}
