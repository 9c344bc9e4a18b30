//! What a task makes before it waits for the outside in a loop is shared by the rounds of that loop, and by the tasks that these start,
//! wherever the task was started itself; and so is what a function makes for the handlers that it gives to a library, and for the rounds
//! of the tasks that it starts. Several such tasks keep several such things; one of them stands for all.

use std::collections::{BTreeMap, BTreeSet};

use crate::world::facts::Facts;
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::units::{Phase, UnitId, Units};

/// What is kept, and who shares it.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    of: BTreeMap<LocId, UnitId>,
    users: BTreeMap<UnitId, BTreeSet<(InstId, Phase)>>,
}

impl Kept {
    /// Of what is not shared anyway (`outer`).
    pub fn find(flow: &Flow<'_>, facts: &Facts, units: &Units, outer: &BTreeSet<LocId>) -> Self {
        let mut kept = Kept { users: users(units), ..Kept::default() };
        let keepers: Vec<UnitId> = kept.users.keys().copied().collect();
        if keepers.is_empty() {
            return kept;
        }
        let mut made: BTreeMap<InstId, Vec<LocId>> = BTreeMap::new();
        for id in flow.heap.ids() {
            match &*flow.heap.get(id).root {
                Root::Heap(inst, block) if facts.cfgs[inst.0 as usize].loop_of(*block as usize).is_none() => {
                    made.entry(*inst).or_default().push(id);
                }
                _ => {}
            }
        }
        for keeper in keepers {
            let own: BTreeSet<InstId> = units.visits[keeper.0].iter().map(|visit| visit.0).collect();
            if flow.is_late() {
                // It is too late for what is made of this, too.
                break;
            }
            let mut work: Vec<LocId> =
                own.iter().filter_map(|inst| made.get(inst)).flatten().copied().collect();
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

    /// Whether some task keeps a location.
    pub fn has(&self, loc: LocId) -> bool {
        self.of.contains_key(&loc)
    }

    /// Whether a location is what some task keeps for others than an instance that runs in this phase.
    pub fn is_for_others(&self, loc: LocId, inst: InstId, phase: Phase) -> bool {
        let users = self.of.get(&loc).and_then(|keeper| self.users.get(keeper));
        users.is_some_and(|users| !users.contains(&(inst, phase)))
    }
}

/// By task: what the events run that it leads to. Of a task that there is one of, all is shared anyway.
fn users(units: &Units) -> BTreeMap<UnitId, BTreeSet<(InstId, Phase)>> {
    let keeps = |unit: &UnitId| {
        let unit = &units.units[unit.0];
        !unit.once && unit.part.is_none() && unit.phase == Phase::Task
    };
    let givers = units.givers();
    // Many tasks are parts of one event.
    let mut above: BTreeMap<UnitId, BTreeSet<UnitId>> = BTreeMap::new();
    let mut users: BTreeMap<UnitId, BTreeSet<(InstId, Phase)>> = BTreeMap::new();
    for (number, visits) in units.visits.iter().enumerate() {
        let event = units.event_of(UnitId(number));
        let above = above.entry(event).or_insert_with(|| units.above(event, &givers));
        for &keeper in above.iter().filter(|keeper| keeps(keeper) && units.event_of(**keeper) != event) {
            users.entry(keeper).or_default().extend(visits.iter().map(|(inst, phase, _)| (*inst, *phase)));
        }
    }
    users
}
