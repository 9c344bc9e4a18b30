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
    let mut making = Making::new(search, units);
    let accesses: Vec<AccessAt> = search.ids.keys().copied().collect();
    let made: Vec<bool> = accesses.iter().map(|at| making.is_to_made(*at)).collect();
    if !made.contains(&true) {
        return;
    }
    making.note_holders();
    let only: Vec<bool> = (accesses.iter().zip(&*list).zip(made))
        .map(|((at, basis), made)| made && making.is_only_made(*at, basis, &accesses))
        .collect();
    for (basis, only) in list.iter_mut().zip(only) {
        basis.made = only;
    }
}

struct Making<'m, 's, 'a> {
    search: &'m Search<'s, 'a>,
    units: &'m Units,
    /// By instance: the events that it runs for, if each of them makes things of its own.
    events: FxHashMap<InstId, BTreeSet<UnitId>>,
    /// Where each event allocates, with its tasks.
    allocates: BTreeMap<UnitId, FxHashSet<(InstId, u32)>>,
    runs: BTreeMap<UnitId, FxHashSet<InstId>>,
    /// By object: what points to it or to a part of it.
    holders: FxHashMap<LocId, Vec<LocId>>,
}

impl<'m, 's, 'a> Making<'m, 's, 'a> {
    fn new(search: &'m Search<'s, 'a>, units: &'m Units) -> Self {
        let mut making = Making {
            search,
            units,
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
        making
    }

    fn note_holders(&mut self) {
        let heap = &self.search.flow.heap;
        for holder in heap.ids() {
            for &target in &heap.get(holder).points_to {
                self.holders.entry(self.object(target)).or_default().push(holder);
            }
        }
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

    /// The objects that an access is to.
    fn objects(&self, (inst, block, number): AccessAt) -> BTreeSet<LocId> {
        match &self.search.facts.effects[inst.0 as usize][block][number].action {
            Action::Access { locs, .. } => locs.iter().map(|loc| self.object(*loc)).collect(),
            _ => BTreeSet::new(),
        }
    }

    /// Whether an access is to objects that each event makes that it is a part of.
    fn is_to_made(&self, at: AccessAt) -> bool {
        let Some(events) = self.events.get(&at.0) else { return false };
        let objects = self.objects(at);
        let made = |event: &UnitId| objects.iter().all(|object| self.makes(*event, *object));
        !objects.is_empty() && events.iter().all(made)
    }

    /// Whether the event of such an access did not come by the objects in any other way.
    fn is_only_made(&self, at: AccessAt, basis: &Basis, accesses: &[AccessAt]) -> bool {
        let (Some(events), Causes::These(causes)) = (self.events.get(&at.0), &basis.data) else {
            return false;
        };
        let objects = self.objects(at);
        let seen: BTreeSet<usize> = causes
            .iter()
            .filter_map(|cause| accesses.get(cause.index()))
            .flat_map(|at| self.search.vars(*at))
            .copied()
            .collect();
        events.iter().all(|event| self.leads_to_no_other(*event, objects.clone(), &seen))
    }

    /// Whether nothing that was seen leads from an event to the objects of another run.
    fn leads_to_no_other(&self, event: UnitId, objects: BTreeSet<LocId>, seen: &BTreeSet<usize>) -> bool {
        let sharing = self.search.sharing;
        let mut known = objects.clone();
        let mut work: Vec<LocId> = objects.into_iter().collect();
        while let Some(object) = work.pop() {
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
                } else if sharing.outer.contains(&holder) && self.comes_by(event, whole, seen) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether an event may come by what another's object holds, without a look at a variable that it has not seen.
    fn comes_by(&self, event: UnitId, object: LocId, seen: &BTreeSet<usize>) -> bool {
        let flow = self.search.flow;
        // What is in a local is got at by its own function, by those that it hands it to, and through what points to it.
        let Root::Local(owner, _) = *flow.heap.get(object).root else { return true };
        let parent = self.units.units[event.0].parent;
        if parent.is_some_and(|parent| self.units.visits[parent.0].iter().any(|visit| visit.0 == owner)) {
            return true;
        }
        let mut known = FxHashSet::from_iter([object]);
        let mut work = vec![object];
        while let Some(object) = work.pop() {
            for &holder in self.holders.get(&object).into_iter().flatten() {
                let vars = self.search.sharing.among(flow, &[holder]);
                let whole = self.object(holder);
                let is_local = matches!(*flow.heap.get(whole).root, Root::Local(..));
                if vars.is_empty() && (!is_local || self.makes(event, whole)) || !vars.is_disjoint(seen) {
                    return true;
                }
                if vars.is_empty() && known.insert(whole) {
                    work.push(whole);
                }
            }
        }
        false
    }
}
