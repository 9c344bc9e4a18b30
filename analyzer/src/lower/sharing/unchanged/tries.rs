//! Changes that are tries: they change nothing where things are so already, and tell which it was to their event, which asks.
//!
//! `word.fetch_or(bit) & bit == 0` is an exchange of one bit: what was seen of it before only said that it is worth trying.

use robust_models::Order;

use crate::ir::{Basis, BasisId, Causes, ELEMENTS};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::lower::sharing::receipts::sources;
use crate::mir::{BasicBlock, Local, Operand, Place, Rvalue, StatementKind, TerminatorKind};
use crate::world::actions::effects::{Action, Touch};
use crate::world::points::aggregates::only_definition;
use crate::world::points::points_to::InstId;
use crate::world::values::depend::{Outcomes, Way};

/// Copies from a local to what it was given.
const MOST_COPIES: usize = 6;

impl Search<'_, '_> {
    /// Says which changes are tries.
    pub(in crate::lower::sharing) fn tries(&self, list: &mut [Basis]) {
        for (&at, &id) in &self.ids {
            let asks = || {
                list[id.index()].settles && self.is_asked_for_its_bits(at) || self.leaves_it_to_a_closure(at)
            };
            list[id.index()].tries = !list[id.index()].keyed && asks();
        }
    }

    /// Whether a closure that nobody follows says, as something is changed, whether it is, and to what.
    fn leaves_it_to_a_closure(&self, (inst, block, number): AccessAt) -> bool {
        let at = self.facts.effects[inst.0 as usize][block][number].at;
        let model = self.flow.model_at(inst, block);
        at == self.flow.body_of(inst).blocks[block].statements.len()
            && model.is_some_and(|model| {
                model.checks && model.calls.as_ref().is_some_and(|calls| calls.times == Order::Never)
            })
    }

    /// Looks at the variable of a compare-exchange that what it stores is made of, where it expects what another look has found, with which nobody has
    /// compared that.
    pub(in crate::lower::sharing) fn unmet(&self, (inst, block, _): AccessAt, id: BasisId) -> Vec<BasisId> {
        let body = self.flow.body_of(inst);
        let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { return Vec::new() };
        let of = |operand: &Operand| {
            let mut outcomes = Outcomes::default();
            for node in operand.place().map(|place| self.nodes_in(inst, place)).unwrap_or_default() {
                outcomes.add(&self.depend.of(node), Way::Value);
            }
            match outcomes.data.without(id) {
                Causes::These(causes) => causes,
                Causes::Any => Vec::new(),
            }
        };
        let [_, expected, stored, ..] = &call.args[..] else { return Vec::new() };
        let made = sources(body, expected);
        let (expected, stored) = (of(expected), of(stored));
        // A look that is made again by the compare-exchange itself is no access any more.
        let is_look = |(block, data): (usize, &BasicBlock)| match &data.terminator.kind {
            TerminatorKind::Call(call) if made.contains(&call.dest.local) => {
                let steps = &self.facts.effects[inst.0 as usize][block];
                steps.iter().any(|step| matches!(step.action, Action::Access { touch: Touch::Read, .. }))
            }
            _ => false,
        };
        let looks = body.blocks.iter().enumerate().any(is_look);
        // Of many words, the two looks may be at two.
        let many = self.about[id.index()].iter().any(|var| self.sharing.vars[*var].name.contains(ELEMENTS));
        let same = |look: &&BasisId| !self.about[look.index()].is_disjoint(&self.about[id.index()]);
        let statements = body.blocks.iter().flat_map(|block| &block.statements);
        let compared = statements.filter_map(|statement| match &statement.kind {
            StatementKind::Assign(_, Rvalue::Binary(operator, operands))
                if matches!(&**operator, "Eq" | "Ne") =>
            {
                Some([&operands.0, &operands.1])
            }
            _ => None,
        });
        let compared: Vec<[&Operand; 2]> = compared.collect();
        let is_expected = |side: &Operand| !sources(body, side).is_disjoint(&made);
        let is_compared = |look: &BasisId| {
            compared.iter().any(|[a, b]| {
                is_expected(a) && of(b).contains(look) || is_expected(b) && of(a).contains(look)
            })
        };
        let unmet = |look: &&BasisId| same(look) && !expected.contains(look) && !is_compared(look);
        if looks && !many { stored.iter().filter(unmet).copied().collect() } else { Vec::new() }
    }

    /// Whether what a change gives back is put together with what it was given, and that is compared, or asked by a branch.
    fn is_asked_for_its_bits(&self, (inst, block, _): AccessAt) -> bool {
        let body = self.flow.body_of(inst);
        let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { return false };
        let (Some(result), Some(given)) = (call.dest.as_local(), call.args.get(1)) else { return false };
        let given = self.copied(inst, given);
        if given == Source::Unknown {
            return false;
        }
        let asks = |(a, b): (&Operand, &Operand)| {
            self.copied(inst, a) == Source::Local(result) && self.copied(inst, b) == given
        };
        let masks = |rvalue: &Rvalue| match rvalue {
            Rvalue::Binary(operator, operands) if &**operator == "BitAnd" => {
                asks((&operands.0, &operands.1)) || asks((&operands.1, &operands.0))
            }
            _ => false,
        };
        let blocks = || body.blocks.iter().filter(|block| !block.cleanup);
        let assigned = || {
            blocks().flat_map(|block| &block.statements).filter_map(|statement| match &statement.kind {
                StatementKind::Assign(place, rvalue) => Some((place, rvalue)),
                _ => None,
            })
        };
        assigned().filter(|(_, rvalue)| masks(rvalue)).filter_map(|(place, _)| place.as_local()).any(|bits| {
            let is_bits = |operand: &Operand| self.copied(inst, operand) == Source::Local(bits);
            let compared = assigned().any(|(_, rvalue)| match rvalue {
                Rvalue::Binary(operator, operands) if matches!(&**operator, "Eq" | "Ne") => {
                    is_bits(&operands.0) || is_bits(&operands.1)
                }
                _ => false,
            });
            let branches = blocks().any(|block| match &block.terminator.kind {
                TerminatorKind::SwitchInt { on, .. } => is_bits(on),
                _ => false,
            });
            compared || branches
        })
    }

    /// Where the value of an operand comes from by copies alone.
    fn copied(&self, inst: InstId, operand: &Operand) -> Source {
        let body = self.flow.body_of(inst);
        let mut source = operand.clone();
        for _ in 0..MOST_COPIES {
            let Some(local) = source.place().and_then(Place::as_local) else { break };
            match only_definition(body, local) {
                Some((place, Rvalue::Use(of))) if place.projection.is_empty() => source = of.clone(),
                _ => return Source::Local(local),
            }
        }
        match source {
            Operand::Const(constant) => Source::Constant(constant.to_string()),
            _ => Source::Unknown,
        }
    }
}

/// Where a value comes from.
#[derive(PartialEq)]
enum Source {
    Local(Local),
    Constant(String),
    Unknown,
}
