//! What becomes of a handle by the text alone: where pointers were not all followed, that nobody was seen to do something says
//! nothing, but that nobody can, does.

use std::collections::BTreeSet;

use crate::mir::{
    AggregateKind, Body, CallTarget, Callee, Local, Operand, Place, Rvalue, StatementKind, TerminatorKind,
};
use crate::world::points::heap::Field;
use crate::world::points::points_to::Flow;

use super::body::{Def, call_at, defs};
use super::parts::Parts;
use super::sites::{Site, Sites};

/// Calls of own functions are followed so deep.
const DEPTH: usize = 3;

/// Whether a task's handle stays where it is given, or in a field that no text looks at.
pub(crate) fn is_kept_to_itself(flow: &Flow<'_>, site: &Site) -> bool {
    let body = flow.code.body(site.key.0);
    let call = call_at(body, site.key.1 as usize);
    let Some(first) = call.filter(|_| !site.in_set).and_then(|call| call.dest.as_local()) else {
        return false;
    };
    let mut seen = vec![first];
    let mut kept = BTreeSet::new();
    let mut next = 0;
    while next < seen.len() {
        if seen[next] == Local::RETURN || !goes_on(flow, body, seen[next], &mut seen, &mut kept) {
            return false;
        }
        next += 1;
    }
    !flow.code.bodies.iter().any(|body| looks_at(body, &kept))
}

/// Follows what is done with a local; whether that is all that can be done with what it holds.
fn goes_on(
    flow: &Flow<'_>,
    body: &Body,
    local: Local,
    seen: &mut Vec<Local>,
    kept: &mut BTreeSet<(String, Field)>,
) -> bool {
    let is_it = |place: &Place| place.local == local;
    let uses = |operand: &Operand| operand.place().is_some_and(is_it);
    for block in body.blocks.iter().filter(|block| !block.cleanup) {
        for statement in &block.statements {
            let StatementKind::Assign(to, rvalue) = &statement.kind else { continue };
            match rvalue {
                Rvalue::Use(Operand::Move(from)) if from.as_local() == Some(local) => match to.as_local() {
                    Some(to) if seen.contains(&to) => {}
                    Some(to) => seen.push(to),
                    None => return false,
                },
                Rvalue::Aggregate(kind, operands) if operands.iter().any(uses) => {
                    let AggregateKind::Adt { path, .. } = &**kind else { return false };
                    if !flow.code.is_local(path) {
                        return false;
                    }
                    let number = operands.iter().position(uses).unwrap_or(0) as u32;
                    kept.insert((path.plain(), (crate::mir::Name::default(), number)));
                }
                _ if rvalue.places().into_iter().any(is_it) => return false,
                _ => {}
            }
        }
        if let TerminatorKind::Call(call) = &block.terminator.kind
            && let Some(number) = call.args.iter().position(uses)
            && !drops(flow, call, number)
        {
            return false;
        }
    }
    true
}

fn drops(flow: &Flow<'_>, call: &CallTarget, number: usize) -> bool {
    let Callee::Fn { path, .. } = &call.callee else { return false };
    flow.models.function(&path.plain()).is_some_and(|model| model.drops == Some(number))
}

fn looks_at(body: &Body, kept: &BTreeSet<(String, Field)>) -> bool {
    let mut looks = false;
    for place in body.places() {
        body.fields_in(place, &mut |owner, field, _| looks |= kept.contains(&(owner.plain(), field)));
    }
    looks
}

/// The `drop` functions that somebody wrote for a type, with the crates they are in: it is the type of what they are given that tells.
pub(crate) fn drops_of<'s>(
    sites: &'s Sites<'_, '_>,
    owner: &'s str,
) -> impl Iterator<Item = (usize, &'s Body)> {
    let code = &sites.flow.code;
    let is_drop = move |body: &Body, home: usize| {
        let given = body.inputs().next().and_then(|ty| ty.peel_refs().as_path());
        body.is_drop() && given.is_some_and(|path| sites.is_item(&path.plain(), home, owner))
    };
    let all = code.bodies.iter().zip(&code.home).enumerate();
    all.filter(move |(_, (body, home))| is_drop(body, **home)).map(|(number, (body, _))| (number, *body))
}

/// Whether the type's own `drop` ends, or waits for, the tasks the handles of which are in these fields.
pub(crate) fn ends_in_drop(sites: &Sites<'_, '_>, owner: &str, fields: &BTreeSet<Field>) -> bool {
    drops_of(sites, owner).any(|(number, body)| {
        let parts = Parts::new(sites.flow, body, sites.flow.code.home[number]);
        ends_in(sites, &parts, fields, DEPTH)
    })
}

fn ends_in(sites: &Sites<'_, '_>, parts: &Parts<'_, '_, '_>, fields: &BTreeSet<Field>, depth: usize) -> bool {
    let flow = sites.flow;
    let calls = parts.body.blocks.iter().filter_map(|block| match &block.terminator.kind {
        TerminatorKind::Call(call) if !block.cleanup => Some(call),
        _ => None,
    });
    calls.into_iter().any(|call| {
        let Callee::Fn { path, .. } = &call.callee else { return false };
        let cancels = flow.models.fate(&path.plain()).and_then(|fate| fate.cancels);
        let joins = parts.model(call).and_then(|model| model.join);
        let arg = |number: usize| call.args.get(number).and_then(Operand::place);
        if [cancels, joins]
            .into_iter()
            .flatten()
            .filter_map(arg)
            .any(|place| comes_from(parts, place, fields))
        {
            return true;
        }
        // A function that does it for `drop`.
        let gets_all = call.args.first().and_then(Operand::place).and_then(|place| parts.reach(place));
        let gets_all =
            gets_all.is_some_and(|reach| reach.part.local == Local(1) && reach.part.fields.is_empty());
        if !gets_all || depth == 0 || !flow.code.is_local(path) {
            return false;
        }
        let home = parts.home;
        flow.code.resolve(path, home).into_iter().any(|callee| {
            let home = flow.code.home[callee.0 as usize];
            ends_in(sites, &Parts::new(flow, flow.code.body(callee), home), fields, depth - 1)
        })
    })
}

/// Whether what is in a place comes from one of these fields of the first argument.
fn comes_from(parts: &Parts<'_, '_, '_>, place: &Place, fields: &BTreeSet<Field>) -> bool {
    let mut seen: Vec<Local> = Vec::new();
    let mut work: Vec<Place> = vec![place.clone()];
    while let Some(place) = work.pop() {
        if let Some(reach) = parts.reach(&place)
            && reach.part.local == Local(1)
            && reach.part.fields.first().is_some_and(|field| fields.contains(field))
        {
            return true;
        }
        if seen.contains(&place.local) {
            continue;
        }
        seen.push(place.local);
        for def in defs(parts.body, place.local) {
            match def {
                Def::Assign(rvalue) => work.extend(rvalue.places().into_iter().cloned()),
                Def::Call(block) => {
                    let args = call_at(parts.body, block).into_iter().flat_map(|call| &call.args);
                    work.extend(args.filter_map(Operand::place).cloned());
                }
            }
        }
    }
    false
}
