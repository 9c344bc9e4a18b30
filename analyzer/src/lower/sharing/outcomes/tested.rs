//! Looks that only ask: all that is done with the number they find is to hold it against constants.

use std::collections::BTreeMap;

use crate::ir::{OneOf, Test};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{Block, Local, Operand, Place, Prim, Rvalue, StatementKind, TerminatorKind, TyKind};
use crate::world::actions::effects::{Action, Touch, Tracked};
use crate::world::actions::used::mentions;
use crate::world::points::given::number;
use crate::world::points::points_to::InstId;

/// More copies of a number than these are not followed.
const MOST_COPIES: usize = 6;

impl Search<'_, '_> {
    /// All that a look asks of the number that it finds; `None` if something else is done with that, too, or is not followed.
    pub(in crate::lower::sharing) fn tested(&self, (inst, block, at): AccessAt) -> Option<Vec<Test>> {
        let step = &self.facts.effects[inst.0 as usize][block][at];
        let Action::Access { touch: Touch::Read, tracked: Some(Tracked::Get(local)), .. } = &step.action
        else {
            return None;
        };
        let mut tests = Vec::new();
        let mut copies = vec![*local];
        let mut next = 0;
        while let Some(&local) = copies.get(next) {
            next += 1;
            self.tests_of(inst, local, &mut tests, &mut copies)?;
        }
        Some(tests)
    }

    /// What is asked of a local, and where it is copied to; `None` if something else is done with it.
    fn tests_of(
        &self,
        inst: InstId,
        local: Local,
        tests: &mut Vec<Test>,
        copies: &mut Vec<Local>,
    ) -> Option<()> {
        if local == Local::RETURN || copies.len() > MOST_COPIES {
            return None;
        }
        let body = self.flow.body_of(inst);
        let is_it = |operand: &Operand| operand.place().is_some_and(|place| place.local == local);
        for &index in &self.cfg(inst).reached {
            let block = &body.blocks[index];
            for statement in &block.statements {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                if place.local == local && !place.projection.is_empty() {
                    return None;
                }
                if mentions(rvalue, local) {
                    match (rvalue, place.as_local()) {
                        (Rvalue::Use(from), Some(into)) if is_it(from) => {
                            copies.extend(Some(into).filter(|into| !copies.contains(into)));
                        }
                        _ => tests.push(self.comparison(inst, local, rvalue)?),
                    }
                }
            }
            match &block.terminator.kind {
                TerminatorKind::SwitchInt { on, targets, otherwise } if is_it(on) => {
                    tests.extend(branches(targets, *otherwise)?);
                }
                TerminatorKind::Call(call) if call.args.iter().any(is_it) => return None,
                TerminatorKind::Assert { cond, .. } if is_it(cond) => return None,
                TerminatorKind::Yield { value, .. } if is_it(value) => return None,
                _ => {}
            }
        }
        Some(())
    }

    /// What a comparison of a local with a constant asks.
    fn comparison(&self, inst: InstId, local: Local, rvalue: &Rvalue) -> Option<Test> {
        let is_bool = || self.flow.local_ty(inst, local.0).is_some_and(|ty| *ty == TyKind::Prim(Prim::Bool));
        if matches!(rvalue, Rvalue::Unary(operator, _) if &**operator == "Not" && is_bool()) {
            return Some(Test::Is(OneOf::These(vec![0])));
        }
        let Rvalue::Binary(operator, operands) = rvalue else { return None };
        let (left, right) = &**operands;
        let is_it = |operand: &Operand| operand.place().and_then(Place::as_local) == Some(local);
        let (bound, turned) = match (is_it(left), is_it(right)) {
            (true, false) => (number(self.flow, inst, right)?, false),
            (false, true) => (number(self.flow, inst, left)?, true),
            _ => return None,
        };
        match (&**operator, turned) {
            ("Eq" | "Ne", _) => Some(Test::Is(OneOf::These(vec![bound]))),
            ("Lt" | "Ge", false) | ("Gt" | "Le", true) => Some(Test::Below(bound)),
            ("Le" | "Gt", false) | ("Ge" | "Lt", true) => Some(Test::Below(bound + 1)),
            _ => None,
        }
    }
}

/// What a branch asks: for each way but the one that all other numbers take, whether it is one of those that lead there.
fn branches(targets: &[(u128, Block)], otherwise: Option<Block>) -> Option<Vec<Test>> {
    let mut to: BTreeMap<Block, Vec<i128>> = BTreeMap::new();
    for (value, target) in targets.iter().filter(|(_, target)| Some(*target) != otherwise) {
        // The bits of a negative number are those of a large one.
        let value = i64::try_from(*value).ok()?;
        to.entry(*target).or_default().push(value.into());
    }
    Some(to.into_values().map(|values| Test::Is(OneOf::These(values))).collect())
}
