//! Which element of a collection an access is about, as far as that is one that nobody else has the key of.

use std::collections::BTreeSet;

use crate::mir::{Local, Operand, Place, Rvalue, StatementKind, TerminatorKind};

use crate::lower::sharing::basis::{AccessAt, Search};
use crate::world::actions::effects::{Action, Touch};
use crate::world::points::points_to::InstId;
use crate::world::units::{Phase, Units};
use crate::world::values::value::{Known, Values};

/// Steps from an element to the call that found it.
const MAX_STEPS: u32 = 12;

/// Finds accesses to elements under keys that their event made for itself.
pub(crate) struct Keys<'k, 's, 'a> {
    search: &'k Search<'s, 'a>,
    values: &'k Values<'s, 'a>,
    /// Instances that run, at most once, as part of the straight line from `main`.
    straight: BTreeSet<InstId>,
}

impl<'k, 's, 'a> Keys<'k, 's, 'a> {
    pub fn new(search: &'k Search<'s, 'a>, values: &'k Values<'s, 'a>, units: &Units) -> Self {
        let visits = units.visits.iter().flatten();
        let straight = visits
            .filter(|(_, phase, part)| matches!(phase, Phase::Once | Phase::Repeated) && part.is_none())
            .map(|(inst, ..)| *inst)
            .collect();
        Keys { search, values, straight }
    }

    /// Whether an access is about an element under a new key.
    pub fn is_own(&self, (inst, block, number): AccessAt) -> bool {
        let step = &self.search.facts.effects[inst.0 as usize][block][number];
        let data = &self.search.flow.body_of(inst).blocks[block];
        let key = match (data.statements.get(step.at).map(|statement| &statement.kind), &data.terminator.kind)
        {
            (Some(StatementKind::Assign(place, rvalue)), _) => {
                let from = match rvalue {
                    _ if !place.projection.is_empty() => Some(place.local),
                    Rvalue::Use(operand) => operand.place().map(|place| place.local),
                    Rvalue::Discriminant(place) | Rvalue::CopyForDeref(place) | Rvalue::Ref(_, place) => {
                        Some(place.local)
                    }
                    _ => None,
                };
                from.and_then(|local| self.found_by(inst, local, MAX_STEPS))
            }
            (None, TerminatorKind::Call(call)) => self.key_of(inst, block).or_else(|| {
                let first = call.args.first().and_then(Operand::place)?;
                self.found_by(inst, first.local, MAX_STEPS)
            }),
            _ => None,
        };
        key.is_some_and(|key| self.is_new(&key))
    }

    /// The key that the call that ends a block is about.
    fn key_of(&self, inst: InstId, block: usize) -> Option<Known> {
        let TerminatorKind::Call(call) = &self.search.flow.body_of(inst).blocks[block].terminator.kind else {
            return None;
        };
        let at = self.search.flow.body_of(inst).blocks[block].statements.len();
        let key = self.search.modelled(inst, block, at).iter().find_map(|access| access.key)?;
        let operand = call.args.get(key)?;
        // Maps are asked by reference, and told by value.
        let behind = operand
            .place()
            .and_then(|place| self.search.flow.place_ty(inst, place))
            .is_some_and(|ty| matches!(&*ty, crate::mir::TyKind::Ref { .. }));
        if behind { self.values.behind(inst, operand) } else { self.values.operand(inst, operand) }
    }

    /// The key under which what a local refers to was found.
    fn found_by(&self, inst: InstId, local: Local, fuel: u32) -> Option<Known> {
        let fuel = fuel.checked_sub(1)?;
        let body = self.search.flow.body_of(inst);
        let mut found = None;
        for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
            for statement in &block.statements {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                if place.as_local() != Some(local) {
                    continue;
                }
                let from = match rvalue {
                    Rvalue::Use(operand) => operand.place(),
                    Rvalue::Ref(_, place) | Rvalue::CopyForDeref(place) => Some(place),
                    _ => None,
                };
                let key = from.and_then(|place| self.found_by(inst, place.local, fuel));
                if found.replace(key?).is_some() {
                    return None;
                }
            }
            let TerminatorKind::Call(call) = &block.terminator.kind else { continue };
            if call.dest.as_local() == Some(local) {
                // What lends an element of what it is given lends that element.
                let passes = || {
                    let info = self.search.flow.calls.get(&(inst, index as u32))?;
                    let foreign = info.foreign.is_some() && info.callees.is_empty();
                    let first = call.args.first().filter(|_| foreign).and_then(Operand::place)?;
                    self.found_by(inst, first.local, fuel)
                };
                let key = self.key_of(inst, index).or_else(passes);
                if found.replace(key?).is_some() {
                    return None;
                }
            }
        }
        found
    }

    /// Whether a value is made by each run of its event anew, and by no other.
    fn is_new(&self, key: &Known) -> bool {
        let Known::Of(inst, local) = key else { return false };
        let body = self.search.flow.body_of(*inst);
        let facts = self.search.facts;
        for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
            let made = block.statements.iter().any(|statement| match &statement.kind {
                StatementKind::Assign(place, Rvalue::Use(operand)) if place.as_local() == Some(*local) => {
                    operand.place().and_then(Place::as_local).is_some_and(|from| self.counts(*inst, from))
                }
                _ => false,
            });
            let drawn = matches!(&block.terminator.kind, TerminatorKind::Call(call) if call.dest.as_local() == Some(*local))
                && self.is_unique(*inst, index);
            if made || drawn {
                let events = facts.event_loops(*inst);
                return events.iter().any(|(_, blocks)| blocks.contains(&index))
                    || !self.straight.contains(inst);
            }
        }
        false
    }

    /// Whether the call that ends a block gives what it gives nobody else.
    fn is_unique(&self, inst: InstId, block: usize) -> bool {
        let model = self.search.flow.model_at(inst, block);
        model.is_some_and(|model| model.value == Some(robust_models::Value::Unique))
            && self.search.steps_of(inst, block).all(|vars| self.only_grows(vars))
    }

    /// Whether all that is ever done to variables is to add something to them.
    fn only_grows(&self, vars: &BTreeSet<usize>) -> bool {
        self.search.ids.keys().filter(|at| !self.search.vars(**at).is_disjoint(vars)).all(|at| {
            let (inst, block, number) = *at;
            let step = &self.search.facts.effects[inst.0 as usize][block][number];
            let grows = || {
                let (amount, less) = self.search.amount(inst, block, step.at)?;
                Some(!less && !matches!(self.values.operand(inst, amount)?, Known::Number(0)))
            };
            matches!(step.action, Action::Access { touch: Touch::Read, .. }) || grows() == Some(true)
        })
    }

    /// Whether a local is a counter of the rounds of a loop that waits: it begins with a number and only ever grows by one.
    fn counts(&self, inst: InstId, local: Local) -> bool {
        let body = self.search.flow.body_of(inst);
        let cfg = &self.search.facts.cfgs[inst.0 as usize];
        let events = self.search.facts.event_loops(inst);
        let (mut begins, mut grows) = (0, 0);
        for &index in &cfg.reached {
            let block = &body.blocks[index];
            for statement in &block.statements {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                if let Rvalue::Ref(crate::mir::BorrowKind::Mut, of) = rvalue
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
                    Rvalue::Use(operand) if round && self.is_next(inst, operand, local) => grows += 1,
                    _ => return false,
                }
            }
            if matches!(&block.terminator.kind, TerminatorKind::Call(call) if call.dest.local == local) {
                return false;
            }
        }
        begins == 1 && grows == 1
    }

    /// Whether an operand is a counter's next value.
    fn is_next(&self, inst: InstId, operand: &Operand, counter: Local) -> bool {
        let Some(from) = operand.place().map(|place| place.local) else { return false };
        let body = self.search.flow.body_of(inst);
        body.blocks.iter().flat_map(|block| &block.statements).any(|statement| match &statement.kind {
            StatementKind::Assign(place, Rvalue::Binary(operator, operands)) => {
                let sum = crate::world::actions::updates::direction(operator) == Some(crate::world::actions::updates::Direction::More);
                let one = matches!(&operands.1, Operand::Const(constant) if matches!(constant.kind, crate::mir::ConstKind::Int(1)));
                place.local == from && sum && one && operands.0.place().and_then(Place::as_local) == Some(counter)
            }
            _ => false,
        })
    }
}
