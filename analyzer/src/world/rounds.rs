//! What tasks do in rounds: in a loop in which they wait, for others, for the outside, for the time.

use std::collections::BTreeSet;

use crate::world::actions::effects::{Action, Step};
use crate::world::callers::doing;
use crate::world::facts::Facts;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::units::Units;

/// Finds what is done in rounds.
pub(crate) struct Rounds<'r> {
    facts: &'r Facts,
    /// Instances that wait, or call one that does.
    waits: BTreeSet<InstId>,
    /// Instances that some task or handler comes to without being in such a loop.
    straight: BTreeSet<InstId>,
}

impl<'r> Rounds<'r> {
    pub fn new(flow: &Flow<'_>, facts: &'r Facts, units: &Units) -> Rounds<'r> {
        let roots: BTreeSet<InstId> = units.units.iter().map(|unit| unit.inst).collect();
        let made = flow.futures.iter().filter(|(body, _)| roots.contains(body)).map(|(_, made)| *made);
        let straight: BTreeSet<InstId> = made.chain(roots.iter().copied()).collect();
        let mut work: Vec<InstId> = straight.iter().copied().collect();
        let mut rounds = Rounds { facts, waits: doing(&facts.effects, waits), straight };
        while let Some(inst) = work.pop() {
            for (block, steps) in facts.effects[inst.0 as usize].iter().enumerate() {
                if rounds.is_round(inst, block) {
                    continue;
                }
                for step in steps {
                    let Action::Call { callees, .. } = &step.action else { continue };
                    work.extend(callees.iter().filter(|callee| rounds.straight.insert(**callee)));
                }
            }
        }
        rounds
    }

    /// Whether each task that comes to a block is in a loop then in which it waits.
    pub fn has(&self, inst: InstId, block: usize) -> bool {
        self.is_round(inst, block) || !self.straight.contains(&inst)
    }

    /// Whether a block is in a loop of its instance in which that waits.
    fn is_round(&self, inst: InstId, block: usize) -> bool {
        let Some(around) = self.facts.cfgs[inst.0 as usize].loop_of(block) else { return false };
        let blocks = &self.facts.cfgs[inst.0 as usize].loops[around];
        let effects = &self.facts.effects[inst.0 as usize];
        blocks.iter().flat_map(|block| &effects[*block]).any(|step| match &step.action {
            Action::Call { callees, .. } => callees.iter().any(|callee| self.waits.contains(callee)),
            _ => waits(step),
        })
    }
}

/// Whether others have their turn before what comes next.
fn waits(step: &Step) -> bool {
    step.enlists() || matches!(step.action, Action::Yield { .. } | Action::Source { .. } | Action::Wait)
}
