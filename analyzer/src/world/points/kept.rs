//! What a task makes before it waits for the outside in a loop is shared by the rounds of that loop, and by the tasks that these start,
//! wherever the task was started itself; and so is what a function makes for the handlers that it gives to a library, and for the rounds
//! of the tasks that it starts. Several such tasks keep several such things; one of them stands for all.

use std::collections::{BTreeMap, BTreeSet};

use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::units::{Facts, Phase, UnitId, Units};

/// What is kept, and who shares it.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    of: BTreeMap<LocId, UnitId>,
    users: BTreeMap<UnitId, BTreeSet<(InstId, Phase)>>,
}

impl Kept {
    /// Of what is not shared anyway (`outer`).
    pub fn find(flow: &Flow<'_>, facts: &Facts, units: &Units, outer: &BTreeSet<LocId>) -> Self {
        let mut kept = Kept::default();
        for number in 0..units.units.len() {
            let keeper = UnitId(number);
            let users = users(units, keeper);
            if !users.is_empty() {
                kept.users.insert(keeper, users);
            }
        }
        let keepers: Vec<UnitId> = kept.users.keys().copied().collect();
        for keeper in keepers {
            let own: BTreeSet<InstId> = units.visits[keeper.0].iter().map(|visit| visit.0).collect();
            let made = |id: &LocId| match &*flow.heap.get(*id).root {
                Root::Heap(inst, block) => {
                    own.contains(inst) && facts.cfgs[inst.0 as usize].loop_of(*block as usize).is_none()
                }
                _ => false,
            };
            let mut work: Vec<LocId> = flow.heap.ids().filter(made).collect();
            while let Some(id) = work.pop() {
                let local =
                    matches!(*flow.heap.get(id).root, Root::Local(..) | Root::Alone(..) | Root::Item(..));
                if !outer.contains(&id) && !local && kept.of.insert(id, keeper).is_none() {
                    let loc = flow.heap.get(id);
                    work.extend(loc.children.values());
                    work.extend(loc.points_to.iter());
                }
            }
        }
        kept
    }

    /// The locations.
    pub fn locs(&self) -> impl Iterator<Item = LocId> + '_ {
        self.of.keys().copied()
    }

    /// Whether a location is what some task keeps for others than an instance that runs in this phase.
    pub fn is_for_others(&self, loc: LocId, inst: InstId, phase: Phase) -> bool {
        let users = self.of.get(&loc).and_then(|keeper| self.users.get(keeper));
        users.is_some_and(|users| !users.contains(&(inst, phase)))
    }
}

/// What the events run that a task leads to. Of a task that there is one of, all is shared anyway.
fn users(units: &Units, keeper: UnitId) -> BTreeSet<(InstId, Phase)> {
    let unit = &units.units[keeper.0];
    if unit.once || unit.part.is_some() || unit.phase != Phase::Task {
        return BTreeSet::new();
    }
    let event = |unit: UnitId| {
        let mut at = unit;
        while let Some(parent) = units.units[at.0].parent.filter(|_| !units.units[at.0].event) {
            at = parent;
        }
        at
    };
    let whole = event(keeper);
    let led_to = |unit: &UnitId| {
        let event = event(*unit);
        event != whole && units.above(event).contains(&keeper)
    };
    let led_to = (0..units.units.len()).map(UnitId).filter(led_to);
    led_to.flat_map(|unit| &units.visits[unit.0]).map(|(inst, phase, _)| (*inst, *phase)).collect()
}
