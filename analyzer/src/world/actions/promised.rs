//! What a function does, and then what comes of the future that it returns: whoever calls it awaits that.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::Order;

use crate::mir::{Local, StatementKind, TerminatorKind};

use crate::world::actions::effects::{Action, Effects, Step};
use crate::world::points::bodies::BodyId;
use crate::world::points::heap::Value;
use crate::world::points::points_to::{Flow, InstId};

/// A future that an instance returns and its caller awaits: what runs then, and the statements that make it, each
/// by its block and its number in it.
type Promised = (BTreeSet<InstId>, Vec<(usize, usize)>);

/// The futures that an instance returns and its caller awaits, by body.
pub(crate) fn promised(flow: &Flow<'_>, inst: InstId) -> BTreeMap<BodyId, Promised> {
    let mut found: BTreeMap<BodyId, Promised> = BTreeMap::new();
    if !flow.promises.contains(&inst) {
        return found;
    }
    for block in returns(flow, inst) {
        let info = flow.calls.get(&(inst, block as u32));
        for callee in info.into_iter().flat_map(|info| &info.callees) {
            let body = flow.instances[callee.0 as usize].body;
            found.entry(body).or_default().0.insert(*callee);
        }
    }
    for (body, (_, places)) in &mut found {
        *places = made(flow, inst, *body);
    }
    found
}

/// The blocks in which a body ends.
pub(crate) fn returns(flow: &Flow<'_>, inst: InstId) -> impl Iterator<Item = usize> {
    let blocks = flow.body_of(inst).blocks.iter().enumerate();
    let ends = blocks.filter(|(_, block)| matches!(block.terminator.kind, TerminatorKind::Return));
    ends.map(|(index, _)| index)
}

/// Where a local is given a future with this body.
fn made(flow: &Flow<'_>, inst: InstId, future: BodyId) -> Vec<(usize, usize)> {
    let has = |local: Option<Local>| {
        let root =
            local.and_then(|local| flow.heap.find(&crate::world::points::heap::Root::Local(inst, local.0)));
        root.is_some_and(|loc| {
            let mut values = flow.heap.get(loc).values.keys();
            values.any(|value| matches!(value, Value::Body(id, ..) if *id == future))
        })
    };
    let mut found = Vec::new();
    for (index, block) in flow.body_of(inst).blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
        for (at, statement) in block.statements.iter().enumerate() {
            if matches!(&statement.kind, StatementKind::Assign(place, _) if has(place.as_local())) {
                found.push((index, at));
            }
        }
        if matches!(&block.terminator.kind, TerminatorKind::Call(call) if has(call.dest.as_local())) {
            found.push((index, block.statements.len()));
        }
    }
    found
}

/// Adds to an instance's actions that what it returns is awaited: of several futures, that which was made on the way.
pub(crate) fn insert(flow: &Flow<'_>, inst: InstId, effects: &mut Effects) {
    let body = flow.body_of(inst);
    for (number, (callees, made)) in promised(flow, inst).into_values().enumerate() {
        // A local of its own says whether it was made.
        let flag = Local((body.locals.len() + number) as u32);
        for (block, at) in &made {
            let steps = &mut effects[*block];
            let before = steps.iter().take_while(|step| step.at <= *at).count();
            steps.insert(before, Step::new(Action::Flag(flag, true), *at));
        }
        if !made.is_empty()
            && let Some(first) = effects.first_mut()
        {
            first.insert(0, Step::new(Action::Flag(flag, false), 0));
        }
        for block in returns(flow, inst) {
            let call = Action::Call {
                callees: callees.clone(),
                times: Order::Once,
                scope: false,
                result: None,
                made: Vec::new(),
                given: Vec::new(),
            };
            let only_if = (!made.is_empty()).then_some((flag, true));
            effects[block].push(Step { only_if, ..Step::new(call, body.blocks[block].statements.len()) });
        }
    }
}
