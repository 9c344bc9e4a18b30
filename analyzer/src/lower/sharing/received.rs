//! Objects that are handed over: whoever makes one sends it once, through a channel where one receives it. Two runs that have received one
//! have two.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use robust_models::Delivery;
use rustc_hash::FxHashSet;

use crate::lower::sharing::basis::{AccessAt, Search};
use crate::lower::sharing::had::is_sender;
use crate::lower::sharing::made::Holders;
use crate::lower::sharing::publication::{Made, Publication};
use crate::mir::{Operand, Place, TerminatorKind};
use crate::world::actions::cfg::reach_through;
use crate::world::points::heap::{LocId, Root};
use crate::world::points::object::allocator;
use crate::world::points::points_to::{CallInfo, Flow, InstId};
use crate::world::points::types::any_part;
use crate::world::units::{UnitId, Units};

/// Where objects are made: an instance that they are named after, and its block.
type MadeAt = (InstId, u32);

/// Finds who has received what it has to do with.
pub(super) struct Received<'r, 's, 'a> {
    search: &'r Search<'s, 'a>,
    units: &'r Units,
    holders: &'r Holders,
    /// What a location is a part of.
    object: &'r dyn Fn(LocId) -> LocId,
    /// Where something may be sent by an end of a channel.
    sends: OnceCell<Vec<(InstId, usize)>>,
    /// By objects: what runs where they are made, if each of them is handed over.
    makers: BTreeMap<BTreeSet<LocId>, Option<FxHashSet<InstId>>>,
}

impl<'r, 's, 'a> Received<'r, 's, 'a> {
    pub fn new(
        search: &'r Search<'s, 'a>,
        units: &'r Units,
        holders: &'r Holders,
        object: &'r dyn Fn(LocId) -> LocId,
    ) -> Self {
        Received { search, units, holders, object, sends: OnceCell::new(), makers: BTreeMap::new() }
    }

    /// Whether an access to these objects, which are all that it may be to, is to one that its run has received.
    pub fn has(&mut self, at: AccessAt, objects: BTreeSet<LocId>) -> bool {
        if !self.makers.contains_key(&objects) {
            let makers = self.makers(&objects);
            self.makers.insert(objects.clone(), makers);
        }
        self.makers[&objects].as_ref().is_some_and(|makers| !makers.contains(&at.0))
    }

    /// What runs in, and below, the events that make these objects; none unless each is sent once, and is nowhere else.
    fn makers(&self, objects: &BTreeSet<LocId>) -> Option<FxHashSet<InstId>> {
        let flow = self.search.flow;
        let places = |loc: &LocId| match *flow.heap.get(*loc).root {
            Root::Heap(inst, block) => Some((inst, block)),
            _ => None,
        };
        let places: BTreeSet<MadeAt> = objects.iter().map(places).collect::<Option<_>>()?;
        if places.is_empty() || !self.is_sent_once(&places, &self.on_its_way(objects)?) {
            return None;
        }
        let makes = |unit: &UnitId| {
            let named = |inst: InstId| places.iter().any(|place| place.0 == allocator(flow, inst));
            self.units.visits[unit.0].iter().any(|visit| named(visit.0))
        };
        let all = (0..self.units.units.len()).map(UnitId);
        let events: BTreeSet<UnitId> = all.filter(makes).map(|unit| self.units.event_of(unit)).collect();
        Some(self.units.visits_below(&events).map(|visit| visit.0).collect())
    }

    /// The objects with all that has them in itself, and the channels that they go through; none if they are somewhere else, too, but in
    /// locals.
    fn on_its_way(&self, objects: &BTreeSet<LocId>) -> Option<Made> {
        let flow = self.search.flow;
        let mut made = Made { own: objects.iter().copied().collect(), outer: FxHashSet::default() };
        let mut work: Vec<LocId> = objects.iter().copied().collect();
        while let Some(object) = work.pop() {
            for &holder in self.holders.get(&object).into_iter().flatten() {
                let whole = (self.object)(holder);
                match *flow.heap.get(whole).root {
                    Root::Local(..) => {}
                    Root::Heap(..) if delivery(flow, whole) == Some(Delivery::One) => {
                        made.outer.insert(whole);
                    }
                    Root::Heap(..) if !is_sender(flow, holder) => {
                        if made.own.insert(whole) {
                            work.push(whole);
                        }
                    }
                    _ if is_sender(flow, holder) && delivery(flow, holder) == Some(Delivery::One) => {
                        made.outer.insert(whole);
                    }
                    _ => return None,
                }
            }
        }
        (!made.outer.is_empty()).then_some(made)
    }

    /// Whether one call alone sends them, once for each that is made.
    fn is_sent_once(&self, places: &BTreeSet<MadeAt>, made: &Made) -> bool {
        let flow = self.search.flow;
        let all = FxHashSet::default();
        let publication = Publication::new(self.search, self.object, &all, made);
        let mut text = None;
        for &(inst, block) in self.sends.get_or_init(|| self.sends()) {
            let mut given = arguments(flow, inst, block);
            let by_end = given.next().is_some_and(|end| publication.leads_out(inst, end));
            if !by_end || !given.any(|sent| publication.holds(inst, sent.local)) {
                continue;
            }
            let here = (flow.instances[inst.0 as usize].body, block);
            if *text.get_or_insert(here) != here || !self.makes_before(places, inst, block) {
                return false;
            }
        }
        text.is_some()
    }

    /// The blocks that end with a call of a library's function of an end of a channel.
    fn sends(&self) -> Vec<(InstId, usize)> {
        let flow = self.search.flow;
        let is_of_end = |inst: InstId, block: usize| {
            let runs_here = flow.calls.get(&(inst, block as u32)).is_some_and(CallInfo::runs_here);
            let end = arguments(flow, inst, block).next().filter(|_| !runs_here);
            let ty = end.and_then(|end| flow.place_ty(inst, end));
            ty.is_some_and(|ty| flow.delivery(ty.peel_refs()).is_some())
        };
        let instances = (0..flow.instances.len() as u32).map(InstId);
        let blocks =
            instances.flat_map(|inst| self.search.cfg(inst).reached.iter().map(move |block| (inst, *block)));
        blocks.filter(|(inst, block)| is_of_end(*inst, *block)).collect()
    }

    /// Whether a block is not come to again in its function but behind where another object is made.
    fn makes_before(&self, places: &BTreeSet<MadeAt>, inst: InstId, block: usize) -> bool {
        let flow = self.search.flow;
        let makes = |at: usize| {
            let made_in = |inst: InstId| places.iter().any(|place| place.0 == allocator(flow, inst));
            let info = flow.calls.get(&(inst, at as u32));
            places.contains(&(allocator(flow, inst), at as u32))
                || info.is_some_and(|info| info.callees.iter().any(|callee| made_in(*callee)))
        };
        let cfg = self.search.cfg(inst);
        cfg.reached.iter().any(|at| makes(*at))
            && !reach_through(&cfg.succs, cfg.succs[block].iter().copied(), |at| !makes(at)).contains(&block)
    }
}

/// The places that the call at the end of a block is given, if there is one.
fn arguments<'f>(flow: &'f Flow<'_>, inst: InstId, block: usize) -> impl Iterator<Item = &'f Place> {
    let args = match &flow.body_of(inst).blocks[block].terminator.kind {
        TerminatorKind::Call(call) => &call.args[..],
        _ => &[],
    };
    args.iter().filter_map(Operand::place)
}

/// Who gets what is sent by an end of a channel that is in a location, in locks and the like.
fn delivery(flow: &Flow<'_>, loc: LocId) -> Option<Delivery> {
    let mut found = None;
    any_part(flow.heap.get(loc).ty.as_ref()?, &mut |part| {
        found = flow.delivery(part);
        found.is_some()
    });
    found
}
