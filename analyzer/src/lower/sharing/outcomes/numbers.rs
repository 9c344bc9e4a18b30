//! Looks that find a number: how many there are, or how much.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::ir::{Basis, BasisId, Number};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{Place, Rvalue, StatementKind, TerminatorKind, TyKind};
use crate::world::points::points_to::InstId;
use crate::world::units::Units;

/// How a number is held against another one.
const COMPARISONS: [&str; 6] = ["Eq", "Ne", "Lt", "Le", "Gt", "Ge"];

impl Search<'_, '_> {
    /// Says of each look that finds a number what becomes of that, if an event that returns something makes the look.
    pub(in crate::lower::sharing) fn find_numbers(
        &self,
        units: &Units,
        insts: &BTreeSet<InstId>,
        list: &mut [Basis],
    ) {
        let returning: BTreeSet<InstId> = self.returning(units).collect();
        let events =
            units.visits.iter().filter(|visits| visits.iter().any(|(inst, ..)| returning.contains(inst)));
        let telling: BTreeSet<InstId> = events.flatten().map(|(inst, ..)| *inst).collect();
        let finds = self.ids.iter().filter(|(at, _)| telling.contains(&at.0) && self.finds_number(**at));
        let finds: Vec<BasisId> = finds.map(|(_, id)| *id).collect();
        if finds.is_empty() {
            return;
        }
        let compared = self.compared_numbers(insts);
        for id in finds {
            let basis = &mut list[id.index()];
            basis.number = Some(if compared.contains(&id) { Number::Compared } else { Number::Plain });
        }
    }

    /// Whether a look gives an integer.
    fn finds_number(&self, at: AccessAt) -> bool {
        let (inst, block, number) = at;
        let data = &self.flow.body_of(inst).blocks[block];
        let statement = data.statements.get(self.facts.effects[inst.0 as usize][block][number].at);
        let into: Option<&Place> = match (statement.map(|statement| &statement.kind), &data.terminator.kind) {
            (Some(StatementKind::Assign(place, Rvalue::Use(_))), _) => Some(place),
            (None, TerminatorKind::Call(call)) => Some(&call.dest),
            _ => None,
        };
        let ty = into.and_then(|place| self.flow.place_ty(inst, place));
        self.looks(at) && ty.is_some_and(|ty| matches!(&*ty, TyKind::Prim(prim) if prim.is_integer()))
    }

    /// The looks whose outcome is held against a number.
    fn compared_numbers(&self, insts: &BTreeSet<InstId>) -> FxHashSet<BasisId> {
        let mut found = FxHashSet::default();
        for &inst in insts {
            let body = self.flow.body_of(inst);
            for &block in &self.cfg(inst).reached {
                for statement in &body.blocks[block].statements {
                    let StatementKind::Assign(_, Rvalue::Binary(op, operands)) = &statement.kind else {
                        continue;
                    };
                    if COMPARISONS.contains(&&**op) {
                        found.extend(self.seen_in(inst, &operands.0));
                        found.extend(self.seen_in(inst, &operands.1));
                    }
                }
            }
        }
        found
    }
}
