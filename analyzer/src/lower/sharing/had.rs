//! What a run of an event or task comes by: what its arguments, captures and statics lead to, through what nobody changes and through those
//! variables that it looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::lower::sharing::basis::Search;
use crate::mir::BodyKind;
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::parts;
use crate::world::units::{UnitId, Units};

/// Locations that a run comes by.
pub(super) type Locs = Rc<FxHashSet<LocId>>;

/// The variables that a run goes through.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Through {
    All,
    These(BTreeSet<usize>),
}

/// Finds what is had, and keeps it.
pub(super) struct Had<'h, 's, 'a> {
    search: &'h Search<'s, 'a>,
    units: &'h Units,
    statics: Vec<LocId>,
    /// By unit and the variables that it goes through.
    known: BTreeMap<(UnitId, Through), Locs>,
    /// By location: the variables that it is, as far as anybody asked.
    vars: FxHashMap<LocId, BTreeSet<usize>>,
}

impl<'h, 's, 'a> Had<'h, 's, 'a> {
    pub fn new(search: &'h Search<'s, 'a>, units: &'h Units) -> Self {
        let is_static = |id: &LocId| {
            let loc = search.flow.heap.get(*id);
            loc.parent.is_none() && matches!(&*loc.root, Root::Static(..) | Root::ThreadLocal(_))
        };
        let statics = search.flow.heap.ids().filter(is_static).collect();
        Had { search, units, statics, known: BTreeMap::new(), vars: FxHashMap::default() }
    }

    /// What a run of this unit, of which these instances are, comes by through these variables.
    pub fn by(&mut self, unit: UnitId, instances: &FxHashSet<InstId>, through: &Through) -> Locs {
        let asked = (unit, through.clone());
        if let Some(known) = self.known.get(&asked) {
            return Rc::clone(known);
        }
        let mut had = FxHashSet::default();
        let mut work = self.beginnings(unit, instances);
        while let Some(loc) = work.pop() {
            if !had.insert(loc) || !self.is_passed(loc, through) {
                continue;
            }
            let held = self.search.flow.heap.get(loc);
            work.extend(held.children.values());
            work.extend(&held.points_to);
        }
        let had = Rc::new(had);
        self.known.insert(asked, Rc::clone(&had));
        had
    }

    /// What a run has from the beginning, or is handed by others.
    fn beginnings(&self, unit: UnitId, instances: &FxHashSet<InstId>) -> Vec<LocId> {
        let flow = self.search.flow;
        let first = self.units.units[unit.0].inst;
        let arguments = |inst: InstId, from: u32| {
            let count = flow.body_of(inst).arg_count;
            (from..=count).filter_map(move |local| flow.heap.find(&Root::Local(inst, local)))
        };
        // A library may hand a closure anything. What a closure captures it has from who makes it.
        let closures =
            instances.iter().filter(|inst| matches!(flow.body_of(**inst).kind, BodyKind::Closure { .. }));
        let handed = closures.flat_map(|inst| arguments(*inst, 2));
        arguments(first, 1).chain(self.statics.iter().copied()).chain(handed).collect()
    }

    fn is_passed(&mut self, loc: LocId, through: &Through) -> bool {
        let Through::These(seen) = through else { return true };
        let search = self.search;
        let vars = self.vars.entry(loc).or_insert_with(|| search.sharing.among(search.flow, &[loc]));
        match vars.is_empty() {
            true => !is_sender(search.flow, loc),
            false => !vars.is_disjoint(seen),
        }
    }
}

/// Whether what is in a location is the sending end of a channel, in locks and the like, and not the channel: nobody gets at what was sent
/// by that.
pub(super) fn is_sender(flow: &Flow<'_>, loc: LocId) -> bool {
    let held = flow.heap.get(loc);
    if held.parent.is_none() && matches!(*held.root, Root::Heap(..)) {
        return false;
    }
    let mut ty = held.ty.as_ref();
    while let Some(around) = ty {
        if flow.is_sending_end(around) {
            return true;
        }
        ty = match (flow.code.has_fields(around), &parts(around)[..]) {
            (false, [only]) => Some(*only),
            _ => None,
        };
    }
    false
}
