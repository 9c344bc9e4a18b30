//! Waits that nobody ends: all that is ever done at a condition is to wait at it. By the text alone: it is a field of a type of one's own, and each
//! mention of that field is the receiver of a function that waits.

use std::collections::BTreeMap;

use crate::finding::{Class, Finding, Level, Role};
use crate::mir::{Block, Body, Callee, Local, Name, Operand, Place, Rvalue, StatementKind};
use crate::world::coverage::source_place;
use crate::world::points::points_to::Flow;

use super::super::body::{call_at, own_field};
use super::super::describe::{Describe, Violation, Who};
use super::super::owners::short;
use super::super::sites::Sites;
use super::super::witness::Witness;

/// A field of a type: its path, the variant and the number.
type Part = (String, (Name, u32));

/// A call that waits.
#[derive(Clone, Copy)]
struct Call {
    block: usize,
    /// It has waited when it returns; another one returns a future that waits.
    at_once: bool,
}

/// A call that waits, with its body and the number of that one's crate.
type Wait<'b> = (&'b Body, usize, Call);

/// What `.await` makes of a value first.
const INTO_FUTURE: &str = "into_future";

/// All waits at a condition at which nobody does anything else.
pub(super) fn findings(sites: &Sites<'_, '_>, describe: &Describe<'_, '_>) -> Vec<Finding> {
    let flow = sites.flow;
    let all = || flow.code.bodies.iter().copied().zip(flow.code.home.iter().copied());
    let mut waits: BTreeMap<Part, Vec<Wait<'_>>> = BTreeMap::new();
    let mut waiting: Vec<&Place> = Vec::new();
    for (body, home) in all() {
        for (place, call) in receivers(flow, body) {
            if let Some((part, true)) = own_field(flow, body, place) {
                waits.entry(part).or_default().push((body, home, call));
                waiting.push(place);
            }
        }
    }
    if waits.is_empty() {
        return Vec::new();
    }
    for (body, _) in all() {
        let others = body.places().filter(|place| !waiting.iter().any(|at| std::ptr::eq(*at, *place)));
        for (part, _) in others.filter_map(|place| own_field(flow, body, place)) {
            waits.remove(&part);
        }
    }
    let found = waits.into_iter().filter_map(|((owner, _), waits)| {
        let wait = waits.into_iter().find(|(body, home, call)| {
            sites.is_shipped(*home) && !body.span.is_foreign() && waits_alone(body, *call)
        })?;
        describe.finding(violation(sites, &owner, wait))
    });
    found.collect()
}

/// The places to which references are made that functions which wait there are given, and that nothing else is done with.
fn receivers<'b>(flow: &Flow<'_>, body: &'b Body) -> Vec<(&'b Place, Call)> {
    let waits = |block: usize| {
        let call = call_at(body, block)?;
        let Callee::Fn { path, .. } = &call.callee else { return None };
        let model = flow.models.function(&path.plain())?;
        let call_here = Call { block, at_once: model.acquire.is_some() };
        let given = call.args.first()?.place()?.as_local()?;
        (model.waits && model.enlists == Some(0)).then_some((given, call_here))
    };
    let calls: Vec<(Local, Call)> = (0..body.blocks.len()).filter_map(waits).collect();
    if calls.is_empty() {
        return Vec::new();
    }
    let statements = body.blocks.iter().filter(|block| !block.cleanup).flat_map(|block| &block.statements);
    let receiver = statements.filter_map(|statement| {
        let StatementKind::Assign(to, Rvalue::Ref(_, place)) = &statement.kind else { return None };
        let (given, call) = calls.iter().find(|(given, _)| to.as_local() == Some(*given))?;
        // Where it is made, and where it is used.
        let uses = body.places().filter(|place| place.local == *given).count();
        (uses == 2).then_some((place, *call))
    });
    receiver.collect()
}

/// Whether nothing else ends a wait: it is the call itself, or its future is awaited as it is, not beside another one.
fn waits_alone(body: &Body, call: Call) -> bool {
    let Some(made) = call_at(body, call.block).and_then(|made| made.dest.as_local()) else { return false };
    let mut held = vec![made];
    let mut next = 0;
    while let Some(&local) = held.get(next) {
        next += 1;
        let moves = body.blocks.iter().flat_map(|block| &block.statements).filter_map(|statement| {
            match &statement.kind {
                StatementKind::Assign(to, Rvalue::Use(Operand::Move(from)))
                    if from.as_local() == Some(local) =>
                {
                    to.as_local()
                }
                _ => None,
            }
        });
        held.extend(moves.filter(|to| !held.contains(to)).collect::<Vec<_>>());
    }
    let is_held = |operand: &Operand| {
        operand.place().and_then(Place::as_local).is_some_and(|local| held.contains(&local))
    };
    let awaited = |block: usize| {
        let Some(call) = call_at(body, block) else { return false };
        let awaits = matches!(&call.callee, Callee::Fn { path, .. } if path.last() == INTO_FUTURE);
        awaits && call.args.first().is_some_and(is_held)
    };
    call.at_once || (0..body.blocks.len()).any(awaited)
}

fn violation(sites: &Sites<'_, '_>, owner: &str, (body, home, call): Wait<'_>) -> Violation {
    let name = body.reader_name().to_string();
    let of = short(owner);
    let at = source_place(body.user_span(Block(call.block as u32), body.blocks[call.block].statements.len()));
    let own = sites.is_executable(home);
    Violation {
        class: Class::NeverWoken,
        level: if own { Level::Deny } else { Level::Warn },
        property: "ResumeIfNeeded",
        message: format!("`{name}` waits at a condition of `{of}`, and nobody ever wakes who waits there"),
        subject: of,
        hint: "Call what wakes who waits where what it waits for comes about: `notify_one`, `notify_waiters`, `notify_all`",
        excuse: if own { "" } else { "callers may get at the condition, if its field is public" },
        lanes: vec![Who::runs(body)],
        witness: Witness::FORGOTTEN,
        steps: vec![
            (0, Role::Start, "begins".to_owned(), source_place(&body.span)),
            (0, Role::Offence, "waits, and all that is ever done there is to wait".to_owned(), at),
        ],
    }
}
