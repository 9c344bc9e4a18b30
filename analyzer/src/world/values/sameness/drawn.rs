//! Where values come from that nobody else has: numbers that are drawn, random names, rounds that are counted.

use std::collections::BTreeSet;

use robust_models::Value as ModelValue;

use crate::mir::{
    Body, BorrowKind, CallTarget, Local, Operand, Place, Rvalue, StatementKind, TerminatorKind, TyKind,
};

use crate::world::actions::effects::{Action, Touch};
use crate::world::actions::updates;
use crate::world::points::heap::Value;
use crate::world::points::points_to::InstId;
use crate::world::values::fresh::Fresh;
use crate::world::values::value::{Known, given};

impl Fresh<'_, '_, '_> {
    /// Whether the call that ends a block gives what it gives nobody else, in each run of its event anew.
    pub(in crate::world::values) fn is_drawn(&self, inst: InstId, block: usize) -> bool {
        let unique = |value: Option<ModelValue>| value == Some(ModelValue::Unique);
        let model = self.search.flow.model_at(inst, block);
        // What is awaited is what its future was made by.
        let awaited = || {
            let polled =
                self.search.flow.calls.get(&(inst, block as u32)).and_then(|info| info.poll.as_ref());
            polled.is_some_and(|leaves| {
                !leaves.is_empty()
                    && leaves.iter().all(|leaf| match leaf {
                        Value::Future(path) => {
                            unique(self.search.flow.models.function(path).and_then(|model| model.value))
                        }
                        _ => false,
                    })
            })
        };
        (unique(model.and_then(|model| model.value)) || awaited())
            && self.search.steps_of(inst, block).all(|vars| self.only_grows(vars))
            && self.is_made_anew(inst, block)
    }

    /// Whether what is made in a block is made by each run of an event, not once before them.
    fn is_made_anew(&self, inst: InstId, block: usize) -> bool {
        let events = self.search.facts.event_loops(inst);
        events.iter().any(|(_, blocks)| blocks.contains(&block)) || !self.straight.contains(&inst)
    }

    /// Whether all that is ever done to variables is to add something to them.
    fn only_grows(&self, vars: &BTreeSet<usize>) -> bool {
        if let Some(&known) = self.grow.borrow().get(vars) {
            return known;
        }
        let grow = self.search.ids.keys().filter(|at| !self.search.vars(**at).is_disjoint(vars)).all(|at| {
            let (inst, block, number) = *at;
            let step = &self.search.facts.effects[inst.0 as usize][block][number];
            matches!(step.action, Action::Access { touch: Touch::Read, .. })
                || self.adds(inst, block, step.at)
        });
        self.grow.borrow_mut().insert(vars.clone(), grow);
        grow
    }

    /// Whether a statement adds something that is not nothing.
    fn adds(&self, inst: InstId, block: usize, at: usize) -> bool {
        let amount = self.search.amount(inst, block, at).filter(|(_, less)| !less);
        let known = amount.and_then(|(amount, _)| self.values.operand(inst, amount));
        known.is_some_and(|known| !matches!(known, Known::Number(0)))
    }

    /// Whether a statement reads a counter that is increased under the same guard: that number nobody else reads so.
    pub fn is_ticket(&self, inst: InstId, block: usize, at: usize) -> bool {
        let steps = &self.search.facts.effects[inst.0 as usize][block];
        let mut vars = steps.iter().enumerate().filter(|(_, step)| {
            step.at == at && matches!(step.action, Action::Access { touch: Touch::Read, .. })
        });
        let Some(vars) = vars.next().map(|(number, _)| self.search.vars((inst, block, number))) else {
            return false;
        };
        !vars.is_empty()
            && self.only_grows(vars)
            && self.is_made_anew(inst, block)
            && (self.always_grows(inst, (block, at), vars, false)
                || self.always_grows(inst, (block, at), vars, true))
    }

    /// Whether all ways from a statement (or, `before`, to it) pass one that increases variables while the same locks are held.
    fn always_grows(
        &self,
        inst: InstId,
        (block, at): (usize, usize),
        vars: &BTreeSet<usize>,
        before: bool,
    ) -> bool {
        let cfg = self.search.cfg(inst);
        let mut seen = BTreeSet::new();
        let mut work = vec![(block, Some(at))];
        while let Some((block, from)) = work.pop() {
            let mut steps: Vec<(usize, &crate::world::actions::effects::Step)> =
                self.search.facts.effects[inst.0 as usize][block].iter().enumerate().collect();
            if before {
                steps.reverse();
            }
            let there = |number: usize| match from {
                Some(at) if before => number < at,
                Some(at) => number > at,
                None => true,
            };
            let mut grown = None;
            for (number, step) in steps.into_iter().filter(|(_, step)| there(step.at)) {
                grown = match &step.action {
                    Action::Access { touch: Touch::Read, .. } => None,
                    Action::Access { .. } if self.search.vars((inst, block, number)) == vars => {
                        Some(self.adds(inst, block, step.at))
                    }
                    Action::Acquire { .. }
                    | Action::Release { .. }
                    | Action::Yield { .. }
                    | Action::Source { .. } => Some(false),
                    _ => None,
                };
                if grown.is_some() {
                    break;
                }
            }
            match grown {
                Some(true) => continue,
                Some(false) => return false,
                None => {}
            }
            let next = if before { &cfg.preds[block] } else { &cfg.succs[block] };
            if next.is_empty() {
                return false;
            }
            work.extend(next.iter().filter(|next| seen.insert(**next)).map(|next| (*next, None)));
        }
        true
    }

    /// Whether the call that ends a block takes the next number out of an iterator over numbers, in each round of a loop another one.
    pub(in crate::world::values) fn is_numbered(
        &self,
        inst: InstId,
        block: usize,
        call: &CallTarget,
        way: &[u32],
    ) -> bool {
        let (flow, body) = (self.search.flow, self.search.flow.body_of(inst));
        let takes =
            flow.model_at(inst, block).is_some_and(|model| model.flow == Some(robust_models::Flow::Take));
        let Some(iterator) = call.args.first().and_then(Operand::place).filter(|_| takes) else {
            return false;
        };
        let Some(ty) = flow.place_ty(inst, iterator) else { return false };
        let numbers = flow.model(ty.peel_refs()).is_some_and(|model| model.numbers);
        // What is found is in the variant that says that there is something; a number in front is the first part of that.
        let is_number =
            match ty.peel_refs().as_path().and_then(|path| path.type_args().next()).map(|ty| &**ty) {
                Some(TyKind::Prim(_)) => way == [0],
                _ => way == [0, 0],
            };
        let cfg = self.search.cfg(inst);
        let made_outside = given(body, iterator.local).is_some_and(|made| match made {
            Rvalue::Ref(BorrowKind::Mut, of) => {
                let places = self.definitions(inst);
                let made = places.get(of.local.0 as usize).into_iter().flatten();
                let mut values = made.filter(|(index, at)| !lends(body, *index, *at));
                values.all(|(index, _)| cfg.loop_of(*index).is_none())
            }
            _ => false,
        });
        numbers && is_number && made_outside && cfg.loop_of(block).is_some()
    }

    /// Whether a local is a counter of the rounds of a loop that waits: it begins with a number and only ever grows by one.
    pub(in crate::world::values) fn counts(&self, inst: InstId, local: Local) -> bool {
        let body = self.search.flow.body_of(inst);
        let cfg = &self.search.facts.cfgs[inst.0 as usize];
        let events = self.search.facts.event_loops(inst);
        let (mut begins, mut grows) = (0, 0);
        for &index in &cfg.reached {
            let block = &body.blocks[index];
            for statement in &block.statements {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                if let Rvalue::Ref(BorrowKind::Mut, of) = rvalue
                    && of.local == local
                {
                    return false;
                }
                if place.local != local {
                    continue;
                }
                let round = events.iter().any(|(_, blocks)| blocks.contains(&index));
                match rvalue {
                    Rvalue::Use(Operand::Const(_)) if !round => begins += 1,
                    Rvalue::Use(operand) if round && is_next(body, operand, local) => grows += 1,
                    _ => return false,
                }
            }
            if matches!(&block.terminator.kind, TerminatorKind::Call(call) if call.dest.local == local) {
                return false;
            }
        }
        begins == 1 && grows == 1
    }
}

/// Whether an operand is a counter's next value.
fn is_next(body: &Body, operand: &Operand, counter: Local) -> bool {
    let Some(from) = operand.place().map(|place| place.local) else { return false };
    body.blocks.iter().flat_map(|block| &block.statements).any(|statement| match &statement.kind {
        StatementKind::Assign(place, Rvalue::Binary(operator, operands)) => {
            let sum = updates::direction(operator) == Some(updates::Direction::More);
            let one = matches!(&operands.1, Operand::Const(constant) if matches!(constant.kind, crate::mir::ConstKind::Int(1)));
            place.local == from && sum && one && operands.0.place().and_then(Place::as_local) == Some(counter)
        }
        _ => false,
    })
}

/// Whether a statement only lends what is in a local.
fn lends(body: &Body, block: usize, at: usize) -> bool {
    let statement = body.blocks[block].statements.get(at).map(|statement| &statement.kind);
    matches!(statement, Some(StatementKind::Assign(_, Rvalue::Ref(..))))
}
