//! Values that counted pointers point to, and that their last owner drops: what is done because of that is done when nobody else has them any
//! more, nor a part of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::Basis;
use crate::lower::sharing::basis::Search;
use crate::world::actions::effects::Action;
use crate::world::callers::Callers;
use crate::world::points::drops::Dropped;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::{Flow, InstId};

/// By instance: the values that have ended wherever it runs.
type Ends = BTreeMap<InstId, BTreeSet<LocId>>;

impl Search<'_, '_> {
    /// Says of each of these bases, which are those of the search, which values end with it, and of which of these it is about a part.
    pub(super) fn end(&self, list: &mut [Basis]) {
        let ends = ends(self);
        let all: BTreeSet<LocId> = ends.values().flatten().copied().collect();
        if all.is_empty() {
            return;
        }
        for (basis, at) in list.iter_mut().zip(self.ids.keys()) {
            let numbers = |locs: &BTreeSet<LocId>| locs.iter().map(|loc| loc.0).collect::<Vec<u32>>();
            basis.outlived = ends.get(&at.0).map_or(Vec::new(), numbers);
            let parts = self.locs(*at).iter().map(|loc| {
                let within: BTreeSet<LocId> = self.flow.heap.within(*loc).collect();
                &within & &all
            });
            let parts: Vec<BTreeSet<LocId>> = parts.collect();
            if parts.iter().all(|part| !part.is_empty()) {
                basis.part_of = numbers(&parts.into_iter().flatten().collect());
            }
        }
    }
}

/// What has ended where an instance runs: on each way to it, the drop of a last owner.
fn ends(search: &Search<'_, '_>) -> Ends {
    let mut ends = direct(search.flow);
    ends.retain(|_, values| !values.is_empty());
    if ends.is_empty() {
        return ends;
    }
    let callers = Callers::of(&search.facts.effects);
    // Who is called by others, too, is in no such drop.
    let mut work: Vec<InstId> = ends.keys().copied().collect();
    while let Some(inst) = work.pop() {
        for step in search.facts.effects[inst.0 as usize].iter().flatten() {
            let Action::Call { callees, .. } = &step.action else { continue };
            for callee in callees {
                let ended = |caller: &InstId| ends.get(caller).cloned().unwrap_or_default();
                let above = callers.of_callee(*callee).iter();
                let common = above.map(ended).reduce(|common, ended| &common & &ended);
                let known = ends.contains_key(callee);
                if let Some(common) = common.filter(|common| !known && !common.is_empty()) {
                    ends.insert(*callee, common);
                    work.push(*callee);
                }
            }
        }
    }
    ends
}

/// What the drops that run at the end of a block end, with whatever else is known to be the same value.
fn direct(flow: &Flow<'_>) -> Ends {
    let mut same: BTreeMap<LocId, BTreeSet<LocId>> = BTreeMap::new();
    for (made, had) in &flow.same {
        same.entry(*made).or_default().insert(*had);
        same.entry(*had).or_default().insert(*made);
    }
    let mut found = Ends::new();
    for dropped in flow.calls.values().flat_map(|info| &info.drops) {
        let Dropped::Run { run, last, .. } = dropped else { continue };
        let others = last.iter().filter_map(|value| same.get(value)).flatten();
        let values: BTreeSet<LocId> = last.iter().chain(others).copied().collect();
        found.entry(*run).and_modify(|known| *known = &*known & &values).or_insert(values);
    }
    found
}
