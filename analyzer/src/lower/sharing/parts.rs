//! Locals that are made of parts and taken apart again: `let (a, b) = { .. (x, y) }`. What goes into one part says nothing of the
//! others.

use std::collections::BTreeSet;

use crate::mir::{
    AggregateKind, Body, Local, Operand, Place, Projection, Rvalue, StatementKind, TerminatorKind,
};

/// The locals of a body, its arguments and result apart, that get their value as tuples of their parts only, and of which only
/// parts are used.
pub(crate) fn taken_apart(body: &Body) -> BTreeSet<Local> {
    let (mut made, mut whole) = (BTreeSet::new(), BTreeSet::new());
    let mut used = |place: &Place| {
        if !matches!(place.projection.first(), Some(Projection::Field(..))) {
            whole.insert(place.local);
        }
    };
    let mut others = BTreeSet::new();
    for block in body.blocks.iter().filter(|block| !block.cleanup) {
        for statement in &block.statements {
            let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
            let tuple = matches!(rvalue, Rvalue::Aggregate(kind, _) if **kind == AggregateKind::Tuple);
            match place.as_local() {
                Some(local) if tuple => _ = made.insert(local),
                _ => _ = others.insert(place.local),
            }
            rvalue.places().into_iter().for_each(&mut used);
        }
        match &block.terminator.kind {
            TerminatorKind::Call(call) => {
                call.args.iter().filter_map(Operand::place).for_each(&mut used);
                others.insert(call.dest.local);
            }
            TerminatorKind::SwitchInt { on, .. } => on.place().into_iter().for_each(&mut used),
            TerminatorKind::Assert { cond, .. } => cond.place().into_iter().for_each(&mut used),
            TerminatorKind::Yield { value, .. } => value.place().into_iter().for_each(&mut used),
            _ => {}
        }
    }
    let is_own = |local: &Local| local.0 > body.arg_count;
    made.into_iter()
        .filter(|local| is_own(local) && !whole.contains(local) && !others.contains(local))
        .collect()
}
