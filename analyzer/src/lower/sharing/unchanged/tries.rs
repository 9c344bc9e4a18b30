//! Changes that are tries: they change nothing where things are so already, and tell which it was to their event, which asks.
//!
//! `word.fetch_or(bit) & bit == 0` is an exchange of one bit: what was seen of it before only said that it is worth trying.

use crate::ir::Basis;
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{Local, Operand, Place, Rvalue, StatementKind, TerminatorKind};
use crate::world::points::aggregates::only_definition;
use crate::world::points::points_to::InstId;

/// Copies from a local to what it was given.
const MOST_COPIES: usize = 6;

impl Search<'_, '_> {
    /// Says which changes are tries.
    pub(in crate::lower::sharing) fn tries(&self, list: &mut [Basis]) {
        for (&at, &id) in &self.ids {
            list[id.index()].tries =
                list[id.index()].settles && !list[id.index()].keyed && self.is_asked_for_its_bits(at);
        }
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
