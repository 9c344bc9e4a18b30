//! Accesses between which their function is suspended, and that are made under guards which must not be kept meanwhile: a hint that says
//! so would be none.

use std::collections::{BTreeMap, BTreeSet};

use super::basis::Search;
use crate::ir::{Basis, BasisId};
use crate::world::actions::cfg::reach;
use crate::world::actions::effects::Action;
use crate::world::points::points_to::InstId;

impl Search<'_, '_> {
    /// Says of each access after which others of its function it may only come when the function was suspended.
    pub(super) fn resume(&self, list: &mut [Basis]) {
        let mut accesses: BTreeMap<InstId, Vec<(usize, usize, BasisId)>> = BTreeMap::new();
        for (&(inst, block, number), id) in &self.ids {
            let at = self.facts.effects[inst.0 as usize][block][number].at;
            accesses.entry(inst).or_default().push((block, at, *id));
        }
        for (inst, accesses) in accesses {
            let cfg = self.cfg(inst);
            let suspends: Vec<usize> =
                cfg.reached.iter().copied().filter(|block| self.awaits(inst, *block)).collect();
            if suspends.is_empty() {
                continue;
            }
            let behind: Vec<BTreeSet<usize>> =
                suspends.iter().map(|block| reach(&cfg.succs, cfg.succs[*block].iter().copied())).collect();
            let blocking = accesses.iter().filter(|(block, at, _)| self.blocks(inst, *block, *at));
            for &(block, _, id) in blocking {
                let before = |earlier: usize| {
                    let ahead = reach(&cfg.succs, cfg.succs[earlier].iter().copied());
                    let between = suspends.iter().zip(&behind);
                    between
                        .into_iter()
                        .any(|(suspends, behind)| ahead.contains(suspends) && behind.contains(&block))
                };
                let resumed = accesses.iter().filter(|(earlier, ..)| before(*earlier)).map(|(.., id)| *id);
                list[id.index()].resumed = resumed.collect();
            }
        }
    }

    /// Whether the end of a block polls something that is awaited.
    fn awaits(&self, inst: InstId, block: usize) -> bool {
        self.flow.calls.get(&(inst, block as u32)).is_some_and(|info| info.poll.is_some())
    }

    /// Whether the lock that was taken last before an access is one that a thread waits for.
    fn blocks(&self, inst: InstId, block: usize, at: usize) -> bool {
        let effects = &self.facts.effects[inst.0 as usize];
        let takes = |block: usize, up_to: usize| {
            effects[block].iter().any(|step| step.at < up_to && matches!(step.action, Action::Acquire { .. }))
        };
        let (mut seen, mut found) = (BTreeSet::new(), false);
        let mut work = vec![(block, at)];
        while let Some((block, up_to)) = work.pop() {
            if takes(block, up_to) {
                if self.awaits(inst, block) {
                    return false;
                }
                found = true;
                continue;
            }
            work.extend(
                self.cfg(inst).preds[block]
                    .iter()
                    .filter(|pred| seen.insert(**pred))
                    .map(|pred| (*pred, usize::MAX)),
            );
        }
        found
    }
}
