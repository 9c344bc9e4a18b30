//! Where code goes that has asked whether something is there, and was told that it is not.

use std::collections::BTreeSet;

use crate::mir::{CallTarget, Local, Operand, Place, Rvalue, TerminatorKind};
use crate::world::actions::cfg::{Cfg, reach};
use crate::world::actions::outcome::asked_for;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::values::value::given;

/// The number of the variant that is a failure.
const ERR: u128 = 1;

/// The blocks that are reached only where the result of a call is a failure: behind a branch on that, and not behind its other side.
pub(super) fn where_it_fails(flow: &Flow<'_>, inst: InstId, cfg: &Cfg, call: &CallTarget) -> BTreeSet<usize> {
    let body = flow.body_of(inst);
    let result = call.dest.as_local().filter(|local| {
        let path = body.locals.get(local.0 as usize).and_then(|decl| decl.ty.as_path());
        path.is_some_and(|path| path.last() == "Result")
    });
    let Some(result) = result else { return BTreeSet::new() };
    let mut found = BTreeSet::new();
    for &block in &cfg.reached {
        let TerminatorKind::SwitchInt { on, targets, otherwise } = &body.blocks[block].terminator.kind else {
            continue;
        };
        let Some(fails) = on.place().and_then(Place::as_local).and_then(|on| failure(flow, inst, on, result))
        else {
            continue;
        };
        let explicit = targets.iter().find(|(bits, _)| *bits == fails).map(|(_, to)| *to);
        let Some(failed) = explicit.or(*otherwise).map(|to| to.0 as usize) else { continue };
        let others = cfg.succs[block].iter().copied().filter(|to| *to != failed);
        let good = reach(&cfg.succs, others);
        found.extend(reach(&cfg.succs, [failed]).into_iter().filter(|block| !good.contains(block)));
    }
    found
}

/// For which value of a local that a branch goes by a result is a failure, if it tells that.
fn failure(flow: &Flow<'_>, inst: InstId, on: Local, result: Local) -> Option<u128> {
    let body = flow.body_of(inst);
    let is_result = |place: &Place| place.local == result && place.as_local().is_some();
    match given(body, on) {
        Some(Rvalue::Discriminant(of)) if is_result(of) => Some(ERR),
        Some(_) => None,
        // `is_ok` and `is_err` are given a reference.
        None => body.blocks.iter().enumerate().find_map(|(index, block)| match &block.terminator.kind {
            TerminatorKind::Call(call) if call.dest.as_local() == Some(on) => {
                let reference = call.args.first().and_then(Operand::place).and_then(Place::as_local)?;
                let is_lent = matches!(given(body, reference), Some(Rvalue::Ref(_, of)) if is_result(of));
                let told = asked_for(flow, inst, index).filter(|_| is_lent)?;
                Some(u128::from(!told))
            }
            _ => None,
        }),
    }
}
