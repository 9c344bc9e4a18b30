//! Which outcomes changes go by: of which variables, and of what nobody can tell the order of, too.

use std::collections::BTreeSet;

use crate::ir::{Basis, Causes};
use crate::lifecycle::fate;
use crate::lower::sharing::basis::Search;
use crate::world::actions::effects::{Action, Step, Touch};
use crate::world::points::points_to::InstId;
use crate::world::values::depend::{Outcomes, Set};

impl Search<'_, '_> {
    /// Says on which accesses changes depend.
    pub fn decisive(&self, list: &mut [Basis]) {
        let changes = self.ids.iter().filter(|((inst, block, number), _)| {
            let step = &self.facts.effects[inst.0 as usize][*block][*number];
            matches!(&step.action, Action::Access { touch, .. } if *touch != Touch::Read)
        });
        let (mut decisive, mut beyond) = (vec![false; list.len()], vec![false; list.len()]);
        for (_, id) in changes {
            let basis = &list[id.index()];
            for causes in [&basis.data, &basis.branch] {
                match causes {
                    Causes::These(causes) => causes.iter().map(|cause| cause.index()).for_each(|cause| {
                        decisive[cause] = true;
                        beyond[cause] |= self.about[cause].is_disjoint(&self.about[id.index()]);
                    }),
                    Causes::Any => {
                        decisive.fill(true);
                        beyond.fill(true);
                    }
                }
            }
        }
        let mut unseen = vec![false; list.len()];
        for outcomes in self.outcomes_beyond() {
            for set in [&outcomes.data, &outcomes.branch] {
                match set {
                    Set::Some(causes) => causes.iter().for_each(|cause| unseen[cause.index()] = true),
                    Set::Any => unseen.fill(true),
                }
            }
        }
        for (at, basis) in list.iter_mut().enumerate() {
            basis.decides = decisive[at];
            basis.decides_unseen = unseen[at];
            basis.decides_beyond = beyond[at] || unseen[at];
        }
    }

    /// What decides about changes of what others have, too, but which nobody can tell the order of: it is only added to.
    fn outcomes_beyond(&self) -> Vec<Outcomes> {
        let insts: BTreeSet<InstId> = self.ids.keys().map(|(inst, ..)| *inst).collect();
        let blocks = insts.iter().flat_map(|inst| {
            let all = self.facts.effects[inst.0 as usize].iter().enumerate();
            all.map(move |(block, steps)| (*inst, block, steps))
        });
        let beyond = |(_, _, steps): &(InstId, usize, &Vec<Step>)| {
            steps.iter().any(|step| match &step.action {
                Action::Access { touch, locs, .. } if *touch != Touch::Read => {
                    self.sharing.among(self.flow, locs).is_empty()
                        && self.sharing.is_had_by_others(self.flow, locs)
                }
                _ => false,
            })
        };
        // Nobody can tell when a task ends either that is told to.
        let ends_tasks = |(inst, block, _): &(InstId, usize, &Vec<Step>)| {
            fate(self.flow, *inst, *block).is_some_and(|fate| fate.cancels.is_some())
        };
        let decided = blocks.filter(|at| beyond(at) || ends_tasks(at)).map(|(inst, block, _)| {
            let mut outcomes = Outcomes::default();
            self.decisions(inst, block, &mut outcomes);
            outcomes
        });
        decided.collect()
    }
}
