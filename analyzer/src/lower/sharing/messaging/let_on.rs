//! What a task does only when it has received something on a channel that its starter has made: before the starter lets the other end out,
//! nobody else can send, and nobody has let it go either.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::Basis;
use crate::lower::sharing::basis::Search;
use crate::lower::sharing::receipts::expected_at;
use crate::world::actions::cfg::reach_through;
use crate::world::actions::effects::Action;
use crate::world::answers::called_by;
use crate::world::callers::instances;
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::InstId;

impl Search<'_, '_> {
    /// Says of the accesses of tasks whether they come behind such a message alone.
    pub(in crate::lower::sharing) fn let_on(&self, list: &mut [Basis]) {
        let mut behind: BTreeMap<InstId, BTreeSet<usize>> = BTreeMap::new();
        for (starter, steps) in instances(&self.facts.effects) {
            for step in steps.iter().flatten() {
                let Action::Spawn { tasks, .. } = &step.action else { continue };
                let own = called_by(self.facts, starter);
                tasks.iter().for_each(|task| self.behind_messages(&own, *task, &mut behind));
            }
        }
        for (at, basis) in self.ids.keys().zip(list) {
            basis.let_on = behind.get(&at.0).is_some_and(|blocks| blocks.contains(&at.1));
        }
    }

    /// The blocks that a task comes to behind such a message alone.
    fn behind_messages(
        &self,
        own: &BTreeSet<InstId>,
        task: InstId,
        behind: &mut BTreeMap<InstId, BTreeSet<usize>>,
    ) {
        let is_made = |loc: &LocId| match &*self.flow.heap.get(*loc).root {
            Root::Heap(by, _) => own.contains(by),
            _ => false,
        };
        let run = called_by(self.facts, task);
        let waits = |inst: InstId, block: usize| {
            let steps = &self.facts.effects[inst.0 as usize][block];
            let mut expected = steps.iter().filter_map(expected_at).peekable();
            expected.peek().is_some() && expected.all(|locs| locs.iter().any(is_made))
        };
        let waiting: BTreeSet<(InstId, usize)> = run
            .iter()
            .flat_map(|inst| self.cfg(*inst).reached.iter().map(|block| (*inst, *block)))
            .filter(|(inst, block)| waits(*inst, *block))
            .collect();
        // Several tasks may run the same function.
        if waiting.is_empty() {
            behind.extend(run.into_iter().map(|inst| (inst, BTreeSet::new())));
            return;
        }
        // What is called on the way there may come to its end, and to whatever is in it, before.
        let mut free: BTreeMap<InstId, BTreeSet<usize>> = BTreeMap::new();
        let mut open = vec![task];
        while let Some(inst) = open.pop() {
            if free.contains_key(&inst) {
                continue;
            }
            let passes = |block: usize| !waiting.contains(&(inst, block));
            let before = reach_through(&self.cfg(inst).succs, [0], passes);
            for step in before.iter().flat_map(|block| &self.facts.effects[inst.0 as usize][*block]) {
                if let Action::Call { callees, .. } = &step.action {
                    open.extend(callees);
                }
            }
            free.insert(inst, before);
        }
        for inst in run {
            let blocks = &self.cfg(inst).reached;
            let before = free.remove(&inst).unwrap_or_default();
            behind
                .entry(inst)
                .and_modify(|known| known.retain(|block| !before.contains(block)))
                .or_insert_with(|| blocks.difference(&before).copied().collect());
        }
    }
}
