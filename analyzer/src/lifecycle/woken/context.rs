//! Where a body uses the context that it is polled with.

use std::collections::BTreeSet;

use crate::mir::{Body, Local, Operand, Rvalue, StatementKind, TerminatorKind};
use crate::world::actions::cfg::components;

/// The blocks of loops that may be left before they use the context, and use it in the end: it may be that such a loop is never left before its
/// first round.
pub(super) fn around(body: &Body, aliases: &BTreeSet<Local>) -> BTreeSet<usize> {
    let succs: Vec<Vec<usize>> = body.blocks.iter().map(|block| block.terminator.kind.successors()).collect();
    let all = (0..body.blocks.len()).filter(|block| !body.blocks[*block].cleanup).collect();
    let uses = |block: &usize| match &body.blocks[*block].terminator.kind {
        TerminatorKind::Call(call) => {
            call.args.iter().filter_map(Operand::place).any(|place| aliases.contains(&place.local))
        }
        _ => false,
    };
    let left_before = |blocks: &BTreeSet<usize>| {
        let entered = |block: &&usize| {
            **block == 0
                || (0..succs.len()).any(|from| !blocks.contains(&from) && succs[from].contains(block))
        };
        let mut work: Vec<usize> = blocks.iter().filter(entered).copied().collect();
        let mut seen: BTreeSet<usize> = work.iter().copied().collect();
        while let Some(at) = work.pop() {
            if uses(&at) {
                continue;
            }
            for &to in &succs[at] {
                if !body.blocks[to].cleanup && !blocks.contains(&to) {
                    return true;
                }
                if blocks.contains(&to) && seen.insert(to) {
                    work.push(to);
                }
            }
        }
        false
    };
    let loops = components(&succs, &all);
    let meant = loops.into_iter().filter(|blocks| blocks.iter().any(uses) && left_before(blocks));
    meant.flatten().collect()
}

/// Locals that are the context, or a borrow of it.
pub(super) fn aliases(body: &Body, context: Local) -> BTreeSet<Local> {
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

/// Whether something is made of one of these.
pub(super) fn mentions(rvalue: &Rvalue, locals: &BTreeSet<Local>) -> bool {
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
