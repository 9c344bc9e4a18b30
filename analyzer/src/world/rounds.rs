//! What tasks do in rounds: in a loop in which they wait, for others, for the outside, for the time.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::ENLIST;
use crate::world::actions::effects::{Action, Step, Touch};
use crate::world::callers::{Callers, instances};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::units::{Facts, Units};

/// Finds what is done in rounds.
pub(crate) struct Rounds<'r> {
    facts: &'r Facts,
    /// Instances that wait, or call one that does.
    waits: BTreeSet<InstId>,
    /// By instance: where it is called.
    sites: BTreeMap<InstId, Vec<(InstId, usize)>>,
    /// Where tasks and handlers begin.
    roots: BTreeSet<InstId>,
}

impl<'r> Rounds<'r> {
    pub fn new(flow: &Flow<'_>, facts: &'r Facts, units: &Units) -> Rounds<'r> {
        let mut sites: BTreeMap<InstId, Vec<(InstId, usize)>> = BTreeMap::new();
        let mut waiting = Vec::new();
        for (inst, effects) in instances(&facts.effects) {
            for (block, steps) in effects.iter().enumerate() {
                for step in steps {
                    if let Action::Call { callees, .. } = &step.action {
                        callees
                            .iter()
                            .for_each(|callee| sites.entry(*callee).or_default().push((inst, block)));
                    }
                }
            }
            if effects.iter().flatten().any(waits) {
                waiting.push(inst);
            }
        }
        let mut roots: BTreeSet<InstId> = units.units.iter().map(|unit| unit.inst).collect();
        roots.extend(
            flow.futures
                .iter()
                .filter(|(body, _)| roots.contains(body))
                .map(|(_, made)| *made)
                .collect::<Vec<_>>(),
        );
        Rounds { facts, waits: Callers::of(&facts.effects).with(waiting), sites, roots }
    }

    /// Whether each task that comes to a block is in a loop then in which it waits.
    pub fn has(&self, inst: InstId, block: usize) -> bool {
        let mut seen = BTreeSet::from([(inst, block)]);
        let mut work = vec![(inst, block)];
        while let Some((inst, block)) = work.pop() {
            if self.is_round(inst, block) {
                continue;
            }
            if self.roots.contains(&inst) {
                return false;
            }
            let sites = self.sites.get(&inst).into_iter().flatten();
            work.extend(sites.copied().filter(|site| seen.insert(*site)));
        }
        true
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
    match &step.action {
        Action::Yield { .. } | Action::Source { .. } | Action::Wait => true,
        Action::Access { touch: Touch::Update(class), .. } => class == ENLIST,
        _ => false,
    }
}
