//! What an attempt that fails has seen: that it failed, where something is changed because of that.
//!
//! A compare-exchange that fails, or a swap that stores what is there already, changes nothing: whoever only tries again, or
//! leaves it at that, has seen nothing that matters. Who goes on to change the same variable goes by what was there:
//! `if state.compare_exchange(IDLE, BUSY, ..).is_err() { state.store(AGAIN, ..) }`.

use std::collections::BTreeSet;

use crate::ir::{BinOp, Block, Expr, LocalId, PlaceId, StmtKind, Value, VarId};
use crate::mir::TerminatorKind;

use crate::lower::emit::emitter::{Build, Emitter};
use crate::world::actions::cfg::reach_through;
use crate::world::actions::effects::{Action, Touch, Tracked};
use crate::world::points::points_to::InstId;

impl Emitter<'_, '_> {
    /// The statements of the attempt of a block to change the variable of that index where it fails. `told` is the local that
    /// tells how it went, and what it is then; `seen` is what is so where it fails, if that is known.
    pub fn failed(
        &mut self,
        build: &Build,
        block: usize,
        index: usize,
        (told, seen): ((LocalId, bool), Option<Expr>),
        place: Option<PlaceId>,
    ) -> Block {
        let (local, failed) = told;
        let mut out = vec![self.stmt(place, StmtKind::SetLocal(local, Expr::Const(Value::Bool(failed))))];
        if self.goes_on_to_change(build, block, index, told) {
            out.insert(0, self.stmt(place, StmtKind::Read(VarId(index as u32))));
        } else if let Some(seen) = seen.filter(|_| self.facts.leaving.contains_key(&(build.inst, block))) {
            out.insert(0, self.stmt(place, StmtKind::Assume(seen)));
            out = self.atomic(index, place, out);
        }
        out
    }

    /// Whether the variable is changed on a way that is only taken where the attempt failed.
    fn goes_on_to_change(&self, build: &Build, block: usize, index: usize, told: (LocalId, bool)) -> bool {
        let cfg = &self.facts.cfgs[build.inst.0 as usize];
        // Who comes back there makes another attempt.
        let mut behind = reach_through(&cfg.succs, self.only_if_failed(build, told), |at| at != block);
        behind.remove(&block);
        let mut called = BTreeSet::new();
        behind.into_iter().any(|at| self.changes_in(build.inst, at, index, &mut called))
    }

    /// The blocks that branches lead to if the attempt failed, and only then.
    fn only_if_failed(&self, build: &Build, (local, failed): (LocalId, bool)) -> Vec<usize> {
        let body = self.flow.body_of(build.inst);
        let mut found = Vec::new();
        for &block in &self.facts.cfgs[build.inst.0 as usize].reached {
            let TerminatorKind::SwitchInt { on, targets, otherwise } = &body.blocks[block].terminator.kind
            else {
                continue;
            };
            let on = on.place().and_then(|place| place.as_local());
            let Some((value, true)) = on.and_then(|on| self.value(build, on, 0)) else { continue };
            let leads = |outcome: bool| {
                let value = decided(&value, local, outcome)?;
                let branch = targets.iter().find(|(number, _)| (*number != 0) == value);
                branch.map(|(_, to)| *to).or(*otherwise)
            };
            let (when_failed, when_done) = (leads(failed), leads(!failed));
            found.extend(when_failed.filter(|_| when_failed != when_done).map(|to| to.0 as usize));
        }
        found
    }

    /// Whether a block changes the variable, or something that it calls and that was not `called` before.
    fn changes_in(&self, inst: InstId, block: usize, index: usize, called: &mut BTreeSet<InstId>) -> bool {
        self.facts.effects[inst.0 as usize][block].iter().any(|step| match &step.action {
            // Another attempt looks for itself.
            Action::Access { tracked: Some(Tracked::Exchange(..)), .. } => false,
            Action::Access { touch, locs, .. } => {
                *touch != Touch::Read && self.sharing.among(self.flow, locs).contains(&index)
            }
            Action::Call { callees, .. } => callees.iter().any(|callee| {
                let reached = &self.facts.cfgs[callee.0 as usize].reached;
                called.insert(*callee)
                    && reached.iter().any(|block| self.changes_in(*callee, *block, index, called))
            }),
            _ => false,
        })
    }
}

/// A condition's value where one local is known, if it depends on no other.
fn decided(condition: &Expr, local: LocalId, known: bool) -> Option<bool> {
    match condition {
        Expr::Local(id) => (*id == local).then_some(known),
        Expr::Const(Value::Bool(value)) => Some(*value),
        Expr::Not(inner) => decided(inner, local, known).map(|value| !value),
        Expr::Binary(BinOp::Eq, a, b) => Some(decided(a, local, known)? == decided(b, local, known)?),
        _ => None,
    }
}
