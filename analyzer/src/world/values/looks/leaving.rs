//! What decides at the end of a block: what was looked at, or a function of the program.

use crate::mir::{Body, Local, Operand, Rvalue, StatementKind, TerminatorKind};
use crate::world::actions::effects::{Action, Touch};
use crate::world::facts::Facts;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::{Flow, InstId};

/// A value is followed through so many locals to where it comes from.
const MOVES: usize = 8;

/// What decides.
pub(crate) enum Decider<'f> {
    /// What is in these locations, which is only looked at, or not (`changed`).
    Access { locs: &'f [LocId], changed: bool },
    /// What a function of the program says.
    Function,
    /// Something that the program does not have, or that was not followed so far.
    Other,
}

/// What decides at the end of a block of an instance.
pub(crate) fn decider<'f>(flow: &Flow<'_>, facts: &'f Facts, inst: InstId, block: usize) -> Decider<'f> {
    let body = flow.body_of(inst);
    let TerminatorKind::SwitchInt { on, .. } = &body.blocks[block].terminator.kind else {
        return Decider::Other;
    };
    let mut local = on.place().map(|place| place.local);
    for _ in 0..MOVES {
        let Some(((block, at), from)) = local.and_then(|local| made_at(body, local)) else { break };
        let here = facts.effects[inst.0 as usize][block].iter().filter(|step| step.at == at);
        let mut access = here.filter_map(|step| match &step.action {
            Action::Access { touch, locs, .. } if !locs.is_empty() => Some((touch, locs)),
            _ => None,
        });
        if let Some((touch, locs)) = access.next() {
            return Decider::Access { locs, changed: *touch != Touch::Read };
        }
        let is_call = at == body.blocks[block].statements.len();
        if is_call && flow.calls.get(&(inst, block as u32)).is_some_and(|info| !info.callees.is_empty()) {
            return Decider::Function;
        }
        local = from;
    }
    Decider::Other
}

/// The statement, or the call at the end of a block, that makes the value of a local, and the one local that it is made of.
fn made_at(body: &Body, local: Local) -> Option<((usize, usize), Option<Local>)> {
    for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
        for (at, statement) in block.statements.iter().enumerate() {
            let StatementKind::Assign(to, rvalue) = &statement.kind else { continue };
            if to.as_local() == Some(local) {
                let from = match rvalue {
                    Rvalue::Use(operand) | Rvalue::Unary(_, operand) => operand.place(),
                    Rvalue::Ref(_, place) | Rvalue::Discriminant(place) | Rvalue::CopyForDeref(place) => {
                        Some(place)
                    }
                    _ => None,
                };
                return Some(((index, at), from.map(|place| place.local)));
            }
        }
        if let TerminatorKind::Call(call) = &block.terminator.kind
            && call.dest.as_local() == Some(local)
        {
            let from = call.args.first().and_then(Operand::place);
            return Some(((index, block.statements.len()), from.map(|place| place.local)));
        }
    }
    None
}
