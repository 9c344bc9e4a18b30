//! Publication: when what an event makes is first given to others. Until then its accesses to it are nobody else's business, although
//! others find it later.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::lower::sharing::basis::Search;
use crate::mir::{CallTarget, Local, Operand, Place, Projection, StatementKind, TerminatorKind};
use crate::world::actions::effects::{Action, Step};
use crate::world::points::drops::Dropped;
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::{CallInfo, InstId};

/// Blocks of instances.
pub(super) type Blocks = FxHashSet<(InstId, usize)>;

/// What one run of an event has made, and what others keep it in.
pub(super) struct Made {
    /// The objects, and what the event has made to hold them.
    pub own: FxHashSet<LocId>,
    /// What others have, too, and any of that may be put into.
    pub outer: FxHashSet<LocId>,
}

/// Finds where something may have been given to others.
pub(super) struct Publication<'p, 's, 'a> {
    search: &'p Search<'s, 'a>,
    /// What a location is a part of.
    object: &'p dyn Fn(LocId) -> LocId,
    /// What the event runs.
    instances: &'p FxHashSet<InstId>,
    made: &'p Made,
}

impl<'p, 's, 'a> Publication<'p, 's, 'a> {
    pub fn new(
        search: &'p Search<'s, 'a>,
        object: &'p dyn Fn(LocId) -> LocId,
        instances: &'p FxHashSet<InstId>,
        made: &'p Made,
    ) -> Self {
        Publication { search, object, instances, made }
    }

    /// The blocks that may run when others have got hold of what was made: all that come after a block that publishes it, in the tasks that
    /// the event starts, too. Who calls a function is not told apart.
    pub fn after(&self) -> Blocks {
        let flow = self.search.flow;
        let mut callers: FxHashMap<InstId, Vec<(InstId, usize)>> = FxHashMap::default();
        for (&(caller, block), info) in
            flow.calls.iter().filter(|((caller, _), _)| self.instances.contains(caller))
        {
            let dropped = info.drops.iter().filter_map(|dropped| match dropped {
                Dropped::Run { run, .. } => Some(run),
                _ => None,
            });
            for callee in info.callees.iter().chain(&info.spawned).chain(dropped) {
                callers.entry(*callee).or_default().push((caller, block as usize));
            }
        }
        let mut callees: FxHashMap<(InstId, usize), Vec<InstId>> = FxHashMap::default();
        for (callee, sites) in &callers {
            sites.iter().for_each(|site| callees.entry(*site).or_default().push(*callee));
        }
        let mut after = Blocks::default();
        let mut work: Vec<(InstId, usize)> = Vec::new();
        let behind = |(inst, block): (InstId, usize), work: &mut Vec<(InstId, usize)>| {
            let cfg = self.search.cfg(inst);
            work.extend(cfg.succs[block].iter().map(|next| (inst, *next)));
            if cfg.succs[block].is_empty() {
                work.extend(callers.get(&inst).into_iter().flatten().flat_map(|&(caller, block)| {
                    self.search.cfg(caller).succs[block].iter().map(move |next| (caller, *next))
                }));
            }
        };
        for &inst in self.instances {
            for &block in &self.search.cfg(inst).reached {
                match self.publishes(inst, block) {
                    Some(Published::Within) => work.push((inst, block)),
                    Some(Published::AtItsEnd) => {
                        behind((inst, block), &mut work);
                        work.extend(callees.get(&(inst, block)).into_iter().flatten().map(|inst| (*inst, 0)));
                    }
                    None => {}
                }
            }
        }
        while let Some(at) = work.pop() {
            if self.instances.contains(&at.0) && after.insert(at) {
                behind(at, &mut work);
                work.extend(callees.get(&at).into_iter().flatten().map(|inst| (*inst, 0)));
            }
        }
        after
    }

    /// Whether a block gives any of it to others.
    fn publishes(&self, inst: InstId, block: usize) -> Option<Published> {
        let data = &self.search.flow.body_of(inst).blocks[block];
        let steps = &self.search.facts.effects[inst.0 as usize][block];
        let info = self.search.flow.calls.get(&(inst, block as u32));
        let starts = |step: &Step| matches!(step.action, Action::Spawn { .. });
        if steps.iter().any(starts) || info.is_some_and(|info| !info.events.is_empty()) {
            return Some(Published::Within);
        }
        let stores = data.statements.iter().any(|statement| match &statement.kind {
            StatementKind::Assign(place, rvalue) => {
                place.projection.contains(&Projection::Deref)
                    && self.leads_out(inst, place)
                    && rvalue.places().into_iter().any(|of| self.holds(inst, of.local))
            }
            _ => false,
        });
        if stores {
            return Some(Published::Within);
        }
        match &data.terminator.kind {
            TerminatorKind::Call(call) if self.hands_out(inst, block, call) => Some(Published::AtItsEnd),
            _ => None,
        }
    }

    /// Whether a function without a body here is given any of it, and something of others to put it into.
    fn hands_out(&self, inst: InstId, block: usize, call: &CallTarget) -> bool {
        let runs_here = self.search.flow.calls.get(&(inst, block as u32)).is_some_and(CallInfo::runs_here);
        let places = || call.args.iter().filter_map(Operand::place);
        !runs_here
            && places().any(|place| self.holds(inst, place.local))
            && places().chain([&call.dest]).any(|place| self.leads_out(inst, place))
    }

    /// Whether a local leads to what others keep such things in.
    pub fn leads_out(&self, inst: InstId, place: &Place) -> bool {
        self.reaches(inst, place.local, &self.made.outer)
    }

    /// Whether a local has any of it, or points to it.
    pub fn holds(&self, inst: InstId, local: Local) -> bool {
        self.reaches(inst, local, &self.made.own)
    }

    /// Whether a local holds or points to one of these objects, by itself or through what other locals hold.
    fn reaches(&self, inst: InstId, local: Local, objects: &FxHashSet<LocId>) -> bool {
        let flow = self.search.flow;
        let mut seen = BTreeSet::new();
        let mut work: Vec<LocId> = flow.heap.find(&Root::Local(inst, local.0)).into_iter().collect();
        while let Some(loc) = work.pop() {
            if !seen.insert(loc) {
                continue;
            }
            let held = flow.heap.get(loc);
            work.extend(held.children.values());
            for &target in &held.points_to {
                let whole = (self.object)(target);
                if objects.contains(&whole) {
                    return true;
                }
                if matches!(*flow.heap.get(whole).root, Root::Local(..)) {
                    work.push(target);
                }
            }
        }
        false
    }
}

/// Where in a block something is given to others.
enum Published {
    Within,
    AtItsEnd,
}
