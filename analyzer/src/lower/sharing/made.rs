//! Accesses to what their own run of an event has made, or the task that they are a round of: another run has made another one, even
//! where somebody else may have got hold of either since, and rounds of one task come one after the other.

use std::cell::{LazyCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Basis, BasisId, Causes};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::lower::sharing::had::{Had, Locs, Through, is_sender};
use crate::lower::sharing::publication::{Blocks, Made, Publication};
use crate::lower::sharing::received::Received;
use crate::world::points::heap::{LocId, Root};
use crate::world::points::object::allocator;
use crate::world::points::points_to::InstId;
use crate::world::units::{UnitId, Units};
use crate::world::values::access_path::accessed;
use crate::world::values::fresh::Fresh;
use crate::world::values::owned::{Owners, Places};

/// Says of each of these bases, which are those of the search, whose the object is that the access is to, and whether others may have got hold of it.
pub(crate) fn objects(
    search: &Search<'_, '_>,
    fresh: &Fresh<'_, '_, '_>,
    units: &Units,
    owners: &Owners<'_, '_>,
    list: &mut [Basis],
) {
    let mut making = Making {
        search,
        fresh,
        units,
        accesses: search.ids.keys().copied().collect(),
        families: BTreeMap::new(),
        holders: find_holders(search),
        had: RefCell::new(Had::new(search, units)),
        published: FxHashMap::default(),
        private: BTreeSet::new(),
    };
    let made: Vec<_> = making.accesses.iter().map(|at| (*at, making.places(*at))).collect();
    // What a look at what nobody else has leads to is its run's own, too.
    loop {
        let mut makers_of: FxHashMap<AccessAt, BTreeSet<UnitId>> = FxHashMap::default();
        let own = owners.own(made.clone(), |at, makers| {
            let only = makers.units.iter().all(|maker| making.is_only_made(at, list, *maker))
                && (!makers.started || making.is_the_one_made(at, makers.made));
            if only {
                makers_of.insert(at, makers.units.clone());
            }
            only
        });
        let mut more = false;
        for (number, own) in own.into_iter().enumerate() {
            let at = making.accesses[number];
            let private = own.is_some_and(|own| own.inside)
                && makers_of[&at].iter().all(|maker| making.is_private(at, *maker));
            (list[number].object, list[number].private) = (own, private);
            more |= private && making.private.insert(BasisId(number as u32));
        }
        if !more || search.flow.is_late() {
            break;
        }
    }
    let whole = |loc: LocId| search.flow.heap.whole(loc);
    let mut received = Received::new(search, units, &making.holders, &whole);
    for (basis, at) in list.iter_mut().zip(&making.accesses) {
        basis.received = basis.object.is_none() && received.has(*at, making.objects(*at).made);
    }
}

struct Making<'m, 's, 'a> {
    search: &'m Search<'s, 'a>,
    fresh: &'m Fresh<'m, 's, 'a>,
    units: &'m Units,
    accesses: Vec<AccessAt>,
    /// By unit, as far as anybody asked: what it runs, with all that it starts.
    families: BTreeMap<UnitId, Rc<Family>>,
    holders: Holders,
    had: RefCell<Had<'m, 's, 'a>>,
    /// By unit and objects that it makes: the blocks that may run when others have got hold of them.
    published: FxHashMap<(UnitId, BTreeSet<LocId>), Blocks>,
    /// Accesses to what nobody else has.
    private: BTreeSet<BasisId>,
}

/// By object: what points to it or to a part of it.
pub(super) type Holders = FxHashMap<LocId, Vec<LocId>>;

/// What an access is to.
struct Objects {
    made: BTreeSet<LocId>,
    /// What others call them, once they have them.
    once_given: BTreeSet<LocId>,
}

/// What a unit runs, with all that it starts.
#[derive(Default)]
struct Family {
    blocks: FxHashSet<(InstId, u32)>,
    instances: FxHashSet<InstId>,
}

impl Family {
    /// Whether it makes an access.
    fn runs(&self, at: AccessAt) -> bool {
        self.instances.contains(&at.0)
    }

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
    /// The objects that an access is to.
    fn objects(&self, at: AccessAt) -> Objects {
        let all = self.search.locs(at).iter().map(|loc| self.search.flow.heap.whole(*loc));
        let (had, made): (BTreeSet<LocId>, BTreeSet<LocId>) =
            all.partition(|object| matches!(*self.search.flow.heap.get(*object).root, Root::Outside(..)));
        // What others have may be what was made, by the time that they have it.
        let is_made = |had: &LocId| made.iter().any(|made| self.search.flow.same.contains(&(*made, *had)));
        match had.iter().all(is_made) {
            true => Objects { made, once_given: had },
            false => Objects { made: made.into_iter().chain(had).collect(), once_given: BTreeSet::new() },
        }
    }

    /// Where the objects that an access is to are made, if that is known of all of them.
    fn places(&self, at: AccessAt) -> Option<Places> {
        let heap = &self.search.flow.heap;
        let place = |object: LocId| match *heap.get(object).root {
            Root::Heap(inst, block) => Some((inst, block as usize)),
            Root::Local(inst, _) => Some((inst, 0)),
            _ => None,
        };
        let places: Places = self.objects(at).made.into_iter().map(place).collect::<Option<_>>()?;
        (!places.is_empty()).then_some(places)
    }

    /// Whether a run of what makes the objects of an access did not come by them in any other way.
    fn is_only_made(&mut self, at: AccessAt, list: &[Basis], maker: UnitId) -> bool {
        let family = self.family(maker);
        let Some(seen) = self.seen(at, list, &family) else { return false };
        let objects = self.objects(at);
        // Most accesses are to what nothing of others leads to.
        let through = || Through::These(seen.clone());
        let had = LazyCell::new(|| self.had.borrow_mut().by(maker, &family.instances, &through()));
        let is_had = |loc: LocId| had.contains(&loc);
        let leads = Leads { making: self, family: &family };
        !objects.once_given.iter().any(|object| is_had(*object))
            && leads.to_no_other(objects.made, &seen, &is_had)
    }

    /// Whether an access is to what was made last in one of these places, wherever else it is kept since.
    fn is_the_one_made(&self, at: AccessAt, made: &Places) -> bool {
        accessed(self.search, at).is_some_and(|(inst, place)| self.fresh.is_made_in(inst, place, made))
    }

    /// The variables that an access goes by; a look at what nobody else has goes by what was put there.
    fn seen(&self, at: AccessAt, list: &[Basis], family: &Family) -> Option<BTreeSet<usize>> {
        let mut seen = BTreeSet::new();
        let mut known = BTreeSet::new();
        let mut work = vec![*self.search.ids.get(&at)?];
        while let Some(access) = work.pop() {
            let Causes::These(causes) = &list[access.index()].data else { return None };
            for cause in causes.iter().copied().filter(|cause| known.insert(*cause)) {
                let vars = self.search.vars(self.accesses[cause.index()]);
                if !self.private.contains(&cause) {
                    seen.extend(vars);
                    continue;
                }
                let puts = self
                    .search
                    .ids
                    .iter()
                    .filter(|(at, _)| family.runs(**at) && !self.search.vars(**at).is_disjoint(vars));
                work.extend(puts.map(|(_, put)| *put));
            }
        }
        Some(seen)
    }

    /// Whether nobody else can have got hold of the objects of an access yet, which a run of this unit has made.
    fn is_private(&mut self, at: AccessAt, maker: UnitId) -> bool {
        let objects = self.objects(at).made;
        let asked = (maker, objects.clone());
        if !self.published.contains_key(&asked) {
            let family = self.family(maker);
            let had = self.had.borrow_mut().by(maker, &family.instances, &Through::All);
            let made = Leads { making: self, family: &family }.made(objects, &had);
            let object = |loc: LocId| self.search.flow.heap.whole(loc);
            let after = Publication::new(self.search, &object, &family.instances, &made).after();
            self.published.insert(asked.clone(), after);
        }
        !self.published[&asked].contains(&(at.0, at.1))
    }

    fn family(&mut self, maker: UnitId) -> Rc<Family> {
        if let Some(known) = self.families.get(&maker) {
            return Rc::clone(known);
        }
        let family = Rc::new(self.find_family(maker));
        self.families.insert(maker, Rc::clone(&family));
        family
    }

    fn find_family(&self, maker: UnitId) -> Family {
        let makers = BTreeSet::from([maker]);
        let mut family = Family::default();
        for visit in self.units.visits_below(&makers) {
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
    family: &'l Family,
}

impl Leads<'_, '_, '_, '_> {
    fn makes(&self, object: LocId) -> bool {
        self.family.makes(&self.making.search.flow.heap.get(object).root)
    }

    fn holders(&self, object: LocId) -> impl Iterator<Item = LocId> {
        self.making.holders.get(&object).into_iter().flatten().copied()
    }

    /// Whether nothing that was seen leads from the maker, which comes by this, to the objects of another run.
    fn to_no_other(
        &self,
        objects: BTreeSet<LocId>,
        seen: &BTreeSet<usize>,
        is_had: &dyn Fn(LocId) -> bool,
    ) -> bool {
        let sharing = self.making.search.sharing;
        let mut known = objects.clone();
        let mut work: Vec<LocId> = objects.into_iter().collect();
        while let Some(object) = work.pop() {
            for holder in self.holders(object) {
                let vars = sharing.among(self.making.search.flow, &[holder]);
                let whole = self.making.search.flow.heap.whole(holder);
                if !vars.is_empty() {
                    if !vars.is_disjoint(seen) {
                        return false;
                    }
                } else if self.makes(whole) {
                    if known.insert(whole) {
                        work.push(whole);
                    }
                } else if sharing.outer.contains(&holder)
                    && is_had(holder)
                    && !is_sender(self.making.search.flow, holder)
                {
                    return false;
                }
            }
        }
        true
    }

    /// These objects with all that the maker makes to hold them, and what holds any of that of what the maker has from others.
    fn made(&self, objects: BTreeSet<LocId>, had: &Locs) -> Made {
        let mut made = Made { own: objects.iter().copied().collect(), outer: FxHashSet::default() };
        let mut work: Vec<LocId> = objects.into_iter().collect();
        while let Some(object) = work.pop() {
            for holder in self.holders(object) {
                let whole = self.making.search.flow.heap.whole(holder);
                if self.makes(whole) {
                    if made.own.insert(whole) {
                        work.push(whole);
                    }
                } else if self.making.search.sharing.outer.contains(&holder) && had.contains(&holder) {
                    made.outer.insert(whole);
                }
            }
        }
        made
    }
}

fn find_holders(search: &Search<'_, '_>) -> Holders {
    let heap = &search.flow.heap;
    let mut holders = Holders::default();
    for holder in heap.ids() {
        for &target in &heap.get(holder).points_to {
            holders.entry(heap.whole(target)).or_default().push(holder);
        }
    }
    holders
}
