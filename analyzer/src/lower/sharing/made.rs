//! Accesses to what their own run of an event has made: another run has made another one, even where somebody else may have got hold
//! of either since.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Basis, Causes};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::lower::sharing::own::families;
use crate::world::actions::effects::Action;
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::InstId;
use crate::world::units::{UnitId, Units};

/// Marks these accesses in the bases, which are those of the search, in order.
pub(crate) fn mark(search: &Search<'_, '_>, units: &Units, list: &mut [Basis]) {
    let making = Making::new(search, units);
    if making.events.is_empty() {
        return;
    }
    let accesses: Vec<AccessAt> = search.ids.keys().copied().collect();
    let made: Vec<bool> =
        accesses.iter().zip(&*list).map(|(at, basis)| making.is_made(*at, basis, &accesses)).collect();
    for (basis, made) in list.iter_mut().zip(made) {
        basis.made = made;
    }
}

struct Making<'m, 's, 'a> {
    search: &'m Search<'s, 'a>,
    /// By instance: the events that it runs for, if each of them makes things of its own.
    events: FxHashMap<InstId, BTreeSet<UnitId>>,
    /// Where each event allocates, with its tasks.
    allocates: BTreeMap<UnitId, FxHashSet<(InstId, u32)>>,
    runs: BTreeMap<UnitId, FxHashSet<InstId>>,
    /// By object: what points to it or to a part of it.
    holders: FxHashMap<LocId, Vec<LocId>>,
}

impl<'m, 's, 'a> Making<'m, 's, 'a> {
    fn new(search: &'m Search<'s, 'a>, units: &Units) -> Self {
        let mut making = Making {
            search,
            events: FxHashMap::default(),
            allocates: BTreeMap::new(),
            runs: BTreeMap::new(),
            holders: FxHashMap::default(),
        };
        let families = families(units);
        let mut once: FxHashSet<InstId> = FxHashSet::default();
        for (number, visits) in units.visits.iter().enumerate() {
            let Some(&event) = families.get(&UnitId(number)) else {
                once.extend(visits.iter().map(|visit| visit.0));
                continue;
            };
            for visit in visits {
                making.events.entry(visit.0).or_default().insert(event);
                making.runs.entry(event).or_default().insert(visit.0);
                let blocks = search.facts.blocks(*visit).into_iter().map(|block| (visit.0, block as u32));
                making.allocates.entry(event).or_default().extend(blocks);
            }
        }
        making.events.retain(|inst, _| !once.contains(inst));
        let heap = &search.flow.heap;
        for holder in heap.ids() {
            for &target in &heap.get(holder).points_to {
                making.holders.entry(making.object(target)).or_default().push(holder);
            }
        }
        making
    }

    /// What a location is a part of.
    fn object(&self, loc: LocId) -> LocId {
        let flow = self.search.flow;
        let whole = |loc: LocId| flow.heap.within(loc).last().unwrap_or(loc);
        whole(self.search.sharing.same.of(flow, whole(loc)))
    }

    /// Whether an event makes an object, in each of its runs another one.
    fn makes(&self, event: UnitId, object: LocId) -> bool {
        match &*self.search.flow.heap.get(object).root {
            Root::Heap(inst, block) => {
                self.allocates.get(&event).is_some_and(|blocks| blocks.contains(&(*inst, *block)))
            }
            Root::Local(inst, _) => self.runs.get(&event).is_some_and(|runs| runs.contains(inst)),
            _ => false,
        }
    }

    /// Whether an access is to what its event has made, and did not come by it in any other way.
    fn is_made(&self, (inst, block, number): AccessAt, basis: &Basis, accesses: &[AccessAt]) -> bool {
        let (Some(events), Causes::These(causes)) = (self.events.get(&inst), &basis.data) else {
            return false;
        };
        let step = &self.search.facts.effects[inst.0 as usize][block][number];
        let Action::Access { locs, .. } = &step.action else { return false };
        let objects: BTreeSet<LocId> = locs.iter().map(|loc| self.object(*loc)).collect();
        let seen: BTreeSet<usize> = causes
            .iter()
            .filter_map(|cause| accesses.get(cause.index()))
            .flat_map(|at| self.search.vars(*at))
            .copied()
            .collect();
        !objects.is_empty() && events.iter().all(|event| self.is_only_made(*event, objects.clone(), &seen))
    }

    /// Whether objects are made by an event, and nothing that was seen leads to another run's.
    fn is_only_made(&self, event: UnitId, objects: BTreeSet<LocId>, seen: &BTreeSet<usize>) -> bool {
        let sharing = self.search.sharing;
        let mut known = objects.clone();
        let mut work: Vec<LocId> = objects.into_iter().collect();
        while let Some(object) = work.pop() {
            if !self.makes(event, object) {
                return false;
            }
            for &holder in self.holders.get(&object).into_iter().flatten() {
                let vars = sharing.among(self.search.flow, &[holder]);
                let whole = self.object(holder);
                if !vars.is_empty() {
                    if !vars.is_disjoint(seen) {
                        return false;
                    }
                } else if self.makes(event, whole) {
                    if known.insert(whole) {
                        work.push(whole);
                    }
                } else if sharing.outer.contains(&holder) {
                    return false;
                }
            }
        }
        true
    }
}
