//! Accesses to what their own run of an event has made, or the task that they are a round of: another run has made another one, even
//! where somebody else may have got hold of either since, and rounds of one task come one after the other.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Basis, Causes};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::lower::sharing::publication::{Blocks, Made, Publication};
use crate::world::points::heap::{LocId, Root};
use crate::world::points::object::allocator;
use crate::world::points::points_to::InstId;
use crate::world::units::{UnitId, Units};
use crate::world::values::owned::{Owners, Places};

/// Says of each of these bases, which are those of the search, whose the object is that the access is to, and whether others may have got hold of it.
pub(crate) fn objects(search: &Search<'_, '_>, units: &Units, owners: &Owners<'_, '_>, list: &mut [Basis]) {
    let mut making = Making {
        search,
        units,
        accesses: search.ids.keys().copied().collect(),
        families: BTreeMap::new(),
        holders: None,
        published: FxHashMap::default(),
    };
    let made = making.accesses.iter().map(|at| (*at, making.places(*at))).collect();
    let mut makers_of: FxHashMap<AccessAt, BTreeSet<UnitId>> = FxHashMap::default();
    let own = owners.own(made, |at, makers| {
        let basis = &list[search.ids[&at].index()];
        let only = makers.iter().all(|maker| making.is_only_made(at, basis, *maker));
        if only {
            makers_of.insert(at, makers.clone());
        }
        only
    });
    for ((basis, own), (at, _)) in list.iter_mut().zip(own).zip(&search.ids) {
        basis.object = own;
        basis.private = own.is_some_and(|own| own.inside)
            && makers_of[at].iter().all(|maker| making.is_private(*at, *maker));
    }
}

struct Making<'m, 's, 'a> {
    search: &'m Search<'s, 'a>,
    units: &'m Units,
    accesses: Vec<AccessAt>,
    /// By unit, as far as anybody asked: what it runs, with all that it starts.
    families: BTreeMap<UnitId, Family>,
    /// By object: what points to it or to a part of it.
    holders: Option<FxHashMap<LocId, Vec<LocId>>>,
    /// By unit and objects that it makes: the blocks that may run when others have got hold of them.
    published: FxHashMap<(UnitId, BTreeSet<LocId>), Blocks>,
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
    /// What a location is a part of, as its maker knows it, whoever else knows it by another name.
    fn object(&self, loc: LocId) -> LocId {
        self.search.flow.heap.within(loc).last().unwrap_or(loc)
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

    /// Whether nobody else can have got hold of the objects of an access yet, which a run of this unit has made.
    fn is_private(&mut self, at: AccessAt, maker: UnitId) -> bool {
        let objects = self.objects(at);
        let asked = (maker, objects.clone());
        if !self.published.contains_key(&asked) {
            let holders = self.holders.take().unwrap_or_else(|| self.find_holders());
            let family = self.families.remove(&maker).unwrap_or_else(|| self.find_family(maker));
            let seen = BTreeSet::new();
            let made = Leads { making: self, maker, family: &family, holders: &holders, seen }.made(objects);
            let object = |loc: LocId| self.object(loc);
            let after = Publication::new(self.search, &object, &family.instances, &made).after();
            self.families.insert(maker, family);
            self.holders = Some(holders);
            self.published.insert(asked.clone(), after);
        }
        !self.published[&asked].contains(&(at.0, at.1))
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
            let named = allocator(self.search.flow, visit.0);
            let blocks = self.search.facts.blocks(*visit);
            family.blocks.extend(blocks.into_iter().map(|block| (named, block as u32)));
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

    /// These objects with all that the maker makes to hold them, and what of others holds any of that.
    fn made(&self, objects: BTreeSet<LocId>) -> Made {
        let mut made = Made { own: objects.iter().copied().collect(), outer: FxHashSet::default() };
        let mut work: Vec<LocId> = objects.into_iter().collect();
        while let Some(object) = work.pop() {
            for holder in self.holders(object) {
                let whole = self.making.object(holder);
                if self.makes(whole) {
                    if made.own.insert(whole) {
                        work.push(whole);
                    }
                } else if self.making.search.sharing.outer.contains(&holder) {
                    made.outer.insert(whole);
                }
            }
        }
        made
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
