//! Accesses to what their own run of an event has made, or the task that they are a round of: another run has made another one, even
//! where somebody else may have got hold of either since, and rounds of one task come one after the other.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Basis, Causes, Own};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::InstId;
use crate::world::units::{UnitId, Units};
use crate::world::values::owned::{Owners, Places};

/// Whose the objects are that accesses are to, in the order of the bases, which are those of the search.
pub(crate) fn objects(
    search: &Search<'_, '_>,
    units: &Units,
    owners: &Owners<'_, '_>,
    list: &[Basis],
) -> Vec<Option<Own>> {
    let mut making = Making {
        search,
        units,
        accesses: search.ids.keys().copied().collect(),
        families: BTreeMap::new(),
        holders: None,
    };
    let made = making.accesses.iter().map(|at| (*at, making.places(*at))).collect();
    owners.own(made, |at, makers| {
        let basis = &list[search.ids[&at].index()];
        makers.iter().all(|maker| making.is_only_made(at, basis, *maker))
    })
}

struct Making<'m, 's, 'a> {
    search: &'m Search<'s, 'a>,
    units: &'m Units,
    accesses: Vec<AccessAt>,
    /// By unit, as far as anybody asked: what it runs, with all that it starts.
    families: BTreeMap<UnitId, Family>,
    /// By object: what points to it or to a part of it.
    holders: Option<FxHashMap<LocId, Vec<LocId>>>,
}

/// What a unit runs, with all that it starts.
#[derive(Default)]
struct Family {
    blocks: FxHashSet<(InstId, u32)>,
    instances: FxHashSet<InstId>,
}

impl Family {
    /// Whether it makes an object, in each of its runs another one.
    fn makes(&self, root: &Root) -> bool {
        match root {
            Root::Heap(inst, block) => self.blocks.contains(&(*inst, *block)),
            Root::Local(inst, _) => self.instances.contains(inst),
            _ => false,
        }
    }
}

impl<'m, 's, 'a> Making<'m, 's, 'a> {
    /// What a location is a part of.
    fn object(&self, loc: LocId) -> LocId {
        let flow = self.search.flow;
        let whole = |loc: LocId| flow.heap.within(loc).last().unwrap_or(loc);
        whole(self.search.sharing.same.of(flow, whole(loc)))
    }

    /// The objects that an access is to.
    fn objects(&self, at: AccessAt) -> BTreeSet<LocId> {
        self.search.locs(at).iter().map(|loc| self.object(*loc)).collect()
    }

    /// Where the objects that an access is to are made, if that is known of all of them.
    fn places(&self, at: AccessAt) -> Option<Places> {
        let heap = &self.search.flow.heap;
        let place = |object: LocId| match *heap.get(object).root {
            Root::Heap(inst, block) => Some((inst, block as usize)),
            Root::Local(inst, _) => Some((inst, 0)),
            _ => None,
        };
        let places: Places = self.objects(at).into_iter().map(place).collect::<Option<_>>()?;
        (!places.is_empty()).then_some(places)
    }

    /// Whether a run of what makes the objects of an access did not come by them in any other way.
    fn is_only_made(&mut self, at: AccessAt, basis: &Basis, maker: UnitId) -> bool {
        let Causes::These(causes) = &basis.data else { return false };
        let seen: BTreeSet<usize> = causes
            .iter()
            .filter_map(|cause| self.accesses.get(cause.index()))
            .flat_map(|at| self.search.vars(*at))
            .copied()
            .collect();
        let holders = self.holders.take().unwrap_or_else(|| self.find_holders());
        let family = self.families.remove(&maker).unwrap_or_else(|| self.find_family(maker));
        let leads = Leads { making: self, maker, family: &family, holders: &holders, seen };
        let only = leads.to_no_other(self.objects(at));
        self.families.insert(maker, family);
        self.holders = Some(holders);
        only
    }

    fn find_holders(&self) -> FxHashMap<LocId, Vec<LocId>> {
        let heap = &self.search.flow.heap;
        let mut holders: FxHashMap<LocId, Vec<LocId>> = FxHashMap::default();
        for holder in heap.ids() {
            for &target in &heap.get(holder).points_to {
                holders.entry(self.object(target)).or_default().push(holder);
            }
        }
        holders
    }

    fn find_family(&self, maker: UnitId) -> Family {
        let makers = BTreeSet::from([maker]);
        let mut family = Family::default();
        let below =
            (0..self.units.units.len()).map(UnitId).filter(|unit| self.units.is_below(*unit, &makers));
        for visit in below.flat_map(|unit| &self.units.visits[unit.0]) {
            family.instances.insert(visit.0);
            family
                .blocks
                .extend(self.search.facts.blocks(*visit).into_iter().map(|block| (visit.0, block as u32)));
        }
        family
    }
}

/// What leads to an object that a unit makes.
struct Leads<'l, 'm, 's, 'a> {
    making: &'l Making<'m, 's, 'a>,
    maker: UnitId,
    family: &'l Family,
    holders: &'l FxHashMap<LocId, Vec<LocId>>,
    /// The variables that the access goes by.
    seen: BTreeSet<usize>,
}

impl Leads<'_, '_, '_, '_> {
    fn makes(&self, object: LocId) -> bool {
        self.family.makes(&self.making.search.flow.heap.get(object).root)
    }

    fn holders(&self, object: LocId) -> impl Iterator<Item = LocId> {
        self.holders.get(&object).into_iter().flatten().copied()
    }

    /// Whether nothing that was seen leads from the maker to the objects of another run.
    fn to_no_other(&self, objects: BTreeSet<LocId>) -> bool {
        let sharing = self.making.search.sharing;
        let mut known = objects.clone();
        let mut work: Vec<LocId> = objects.into_iter().collect();
        while let Some(object) = work.pop() {
            for holder in self.holders(object) {
                let vars = sharing.among(self.making.search.flow, &[holder]);
                let whole = self.making.object(holder);
                if !vars.is_empty() {
                    if !vars.is_disjoint(&self.seen) {
                        return false;
                    }
                } else if self.makes(whole) {
                    if known.insert(whole) {
                        work.push(whole);
                    }
                } else if sharing.outer.contains(&holder) && self.are_had_from(whole) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether the maker may come by what another's object holds, without a look at a variable that was not seen.
    fn are_had_from(&self, object: LocId) -> bool {
        let (flow, units) = (self.making.search.flow, self.making.units);
        // What is in a local is got at by its own function, by those that it hands it to, and through what points to it.
        let Root::Local(owner, _) = *flow.heap.get(object).root else { return true };
        let parent = units.units[self.maker.0].parent;
        if parent.is_some_and(|parent| units.visits[parent.0].iter().any(|visit| visit.0 == owner)) {
            return true;
        }
        let mut known = FxHashSet::from_iter([object]);
        let mut work = vec![object];
        while let Some(object) = work.pop() {
            for holder in self.holders(object) {
                let vars = self.making.search.sharing.among(flow, &[holder]);
                let whole = self.making.object(holder);
                let is_local = matches!(*flow.heap.get(whole).root, Root::Local(..));
                if vars.is_empty() && (!is_local || self.makes(whole)) || !vars.is_disjoint(&self.seen) {
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
