//! Whose lock it is: the lock of an object, of an element, of a call, of a thread is one lock here, whichever object it is. It keeps everybody
//! away from what hangs on the same object; from what many such objects share, it keeps nobody away who holds the lock of another one.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;

use robust_models::{Change, Holders};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lower::sharing::share::{Sharing, collection_of, is_made_often, straight};
use crate::mir::{AggregateKind, Path, Place, Rvalue, StatementKind, TerminatorKind, TyKind};
use crate::world::actions::effects::{Action, Step, Touch};
use crate::world::api::is_shared_pointer;
use crate::world::exclusive::{SharedFields, cloned, reach, shared_fields};
use crate::world::facts::Facts;
use crate::world::points::heap::{LocId, Root};
use crate::world::points::object::allocator;
use crate::world::points::points_to::{CallInfo, Flow, InstId};
use crate::world::points::types::{any_part, parts};
use crate::world::units::{UnitId, Units};

/// Which locks may be several, and what they do not guard then.
pub(crate) struct Whose<'w, 'a> {
    flow: &'w Flow<'a>,
    facts: &'w Facts,
    units: &'w Units,
    sharing: &'w Sharing,
    /// What runs at most once.
    once: BTreeSet<InstId>,
    /// Fields that many values of a type hold the same in, by the crates' own doing.
    shared: SharedFields,
    /// By path: the types of which values are made, but for those of which a static is one.
    made: BTreeSet<String>,
    /// Those of the variables.
    locations: Vec<LocId>,
    /// By root: what it leads to, but for such fields; and all that it leads to.
    led_to: RefCell<FxHashMap<(LocId, bool), FxHashSet<LocId>>>,
    /// By event and lock: whether each of its runs makes that.
    own: RefCell<FxHashMap<(UnitId, LocId), bool>>,
    /// Locks that are taken out of a collection while somebody may have them.
    forgotten: OnceCell<FxHashSet<LocId>>,
}

/// How many locks a location stands for.
enum Many {
    /// One.
    One,
    /// Each thread has one.
    OfThreads,
    /// One for each element of this collection.
    OfElements(LocId),
    /// Calls or tasks make one each.
    Made,
    /// The callers' objects of a type have one each.
    OfObjects,
}

impl<'w, 'a> Whose<'w, 'a> {
    pub fn new(flow: &'w Flow<'a>, facts: &'w Facts, units: &'w Units, sharing: &'w Sharing) -> Self {
        let begin = units.units.iter().filter(|unit| unit.event && unit.part.is_none());
        let from_outside: BTreeSet<InstId> = begin.map(|unit| unit.inst).collect();
        let counts =
            |inst: InstId, ty: &str| !from_outside.contains(&inst) || !is_for_callers(flow, inst, ty);
        Whose {
            flow,
            facts,
            units,
            sharing,
            once: straight(units),
            shared: shared_fields(flow, &cloned(flow), counts),
            made: made(flow),
            locations: sharing.locations(),
            led_to: RefCell::default(),
            own: RefCell::default(),
            forgotten: OnceCell::new(),
        }
    }

    /// Whether two runs of events may hold this lock, each another one, and be at one and the same variable.
    pub fn is_other(&self, unit: UnitId, lock: LocId, var: usize) -> bool {
        let is_own = self.sharing.vars[var].own.is_some();
        let (heap, var) = (&self.flow.heap, self.locations[var]);
        if is_own || heap.within(var).any(|loc| self.sharing.same.of(self.flow, loc) == lock) {
            return false;
        }
        if self.is_forgotten(lock) {
            return true;
        }
        match self.many(lock) {
            Many::One => false,
            Many::OfThreads => !self.is_of_runs(var),
            Many::OfElements(collection) => {
                let is_beside = heap.within(var).any(|loc| loc == collection);
                !is_beside && !self.is_of_runs(var) && !self.is_by_key(var)
            }
            Many::Made if self.is_of_runs(var) => false,
            Many::Made => !self.is_by_key(var) || self.is_own_of(unit, lock),
            Many::OfObjects => self.is_beyond(self.flow.heap.whole(lock), var),
        }
    }

    /// Whether a lock is taken out of a collection by somebody who does not look whether others have it still: who comes next under its key
    /// makes another one.
    fn is_forgotten(&self, lock: LocId) -> bool {
        self.forgotten.get_or_init(|| self.find_forgotten()).contains(&lock)
    }

    /// What is in the collections out of which something is taken like that.
    fn find_forgotten(&self) -> FxHashSet<LocId> {
        let (heap, same) = (&self.flow.heap, &self.sharing.same);
        let mut emptied: FxHashSet<LocId> = FxHashSet::default();
        for (inst, blocks) in self.facts.effects.iter().enumerate() {
            let inst = InstId(inst as u32);
            let removing = blocks.iter().enumerate().filter(|(block, _)| self.removes(inst, *block));
            let changed = removing.flat_map(|(_, steps)| steps).filter_map(|step| match &step.action {
                Action::Access { touch, locs, .. } if *touch != Touch::Read => Some(locs),
                _ => None,
            });
            let changed: Vec<LocId> = changed.flatten().map(|loc| same.of(self.flow, *loc)).collect();
            if !changed.is_empty() && !self.counts_holders(inst) {
                emptied.extend(changed);
            }
        }
        let is_many = |ty: &TyKind| self.flow.model(ty).is_some_and(|model| model.many);
        let collects = |loc: &LocId| {
            let ty = heap.get(*loc).ty.as_ref();
            emptied.contains(&same.of(self.flow, *loc))
                && ty.is_some_and(|ty| any_part(ty, &mut |part| is_many(part)))
        };
        let elements = heap.ids().filter(collects).flat_map(|loc| heap.targets(loc));
        elements.map(|element| same.of(self.flow, element)).collect()
    }

    /// Whether the library function whose call ends a block takes something out of a collection.
    fn removes(&self, inst: InstId, block: usize) -> bool {
        let model = self.flow.model_at(inst, block);
        let accesses = model.into_iter().flat_map(|model| model.access.iter().flatten());
        accesses
            .filter_map(|access| access.change)
            .any(|change| matches!(change, Change::Remove | Change::Clear))
    }

    /// Whether a function, or a closure that it hands on, asks how many have something.
    fn counts_holders(&self, inst: InstId) -> bool {
        let calls = |inst: InstId| {
            let blocks = 0..self.flow.body_of(inst).blocks.len() as u32;
            blocks.filter_map(move |block| self.flow.calls.get(&(inst, block)))
        };
        let asks = |info: &CallInfo| {
            self.flow.model_of(info).is_some_and(|model| model.holders == Some(Holders::Asks))
        };
        calls(inst).any(|info| asks(info) || info.callees.iter().any(|callee| calls(*callee).any(asks)))
    }

    /// Whether each of the objects that callers have of a type has a lock of its own there.
    pub fn is_of_objects(&self, lock: LocId) -> bool {
        matches!(self.many(lock), Many::OfObjects)
    }

    fn many(&self, lock: LocId) -> Many {
        let flow = self.flow;
        if let Some(collection) = collection_of(flow, lock) {
            return Many::OfElements(collection);
        }
        match &*flow.heap.get(lock).root {
            Root::ThreadLocal(_) | Root::Alone(..) => Many::OfThreads,
            Root::Heap(..) | Root::Local(..) if is_made_often(flow, self.facts, &self.once, lock) => {
                Many::Made
            }
            _ if self.sharing.same.is_of_keys(lock) => Many::Made,
            Root::Outside(..) => Many::OfObjects,
            _ => Many::One,
        }
    }

    /// Whether what a location is a part of is made again and again, or is an element: which one it is may go with the lock.
    fn is_of_runs(&self, var: LocId) -> bool {
        let root = &*self.flow.heap.get(var).root;
        matches!(root, Root::ThreadLocal(_) | Root::Alone(..))
            || collection_of(self.flow, var).is_some()
            || is_made_often(self.flow, self.facts, &self.once, var)
    }

    /// Whether there is a collection in a location, of which an access may be to the element that goes with the lock.
    fn is_by_key(&self, var: LocId) -> bool {
        let collects = |ty: &TyKind| self.flow.model(ty).is_some_and(|model| model.many);
        self.flow.heap.get(var).ty.as_ref().is_none_or(|ty| any_part(ty, &mut |part| collects(part)))
            || !self.flow.heap.get(var).children.is_empty()
    }

    /// Whether many objects with a lock each share a variable: they hold something that leads there in fields that others have the same in.
    fn is_beyond(&self, object: LocId, var: LocId) -> bool {
        let (heap, owner) = (&self.flow.heap, self.flow.heap.whole(var));
        if object == owner || self.leads(object, false, var) {
            return false;
        }
        if matches!(*heap.get(owner).root, Root::Static(..)) {
            let ty = heap.get(object).ty.as_ref().and_then(|ty| Some(ty.as_path()?.plain()));
            return ty.is_some_and(|ty| self.made.contains(&ty));
        }
        self.leads(object, true, var)
    }

    /// Whether an object leads to a location; `all`: by fields, too, in which others have the same.
    fn leads(&self, object: LocId, all: bool, to: LocId) -> bool {
        let mut known = self.led_to.borrow_mut();
        let found = known.entry((object, all)).or_insert_with(|| {
            let mut found = FxHashSet::default();
            let none = SharedFields::new();
            reach(self.flow, object, if all { &none } else { &self.shared }, &mut found);
            let same = found.iter().map(|loc| self.sharing.same.of(self.flow, *loc));
            same.chain(found.iter().copied()).collect::<FxHashSet<LocId>>()
        });
        found.contains(&to)
    }

    /// Whether each run of an event makes the lock that it takes, wherever it takes it.
    fn is_own_of(&self, unit: UnitId, lock: LocId) -> bool {
        let known = self.own.borrow().get(&(unit, lock)).copied();
        known.unwrap_or_else(|| {
            let is_own = self.find_own(unit, lock);
            self.own.borrow_mut().insert((unit, lock), is_own);
            is_own
        })
    }

    fn find_own(&self, unit: UnitId, lock: LocId) -> bool {
        let same = |loc: &LocId| self.sharing.same.of(self.flow, *loc) == lock;
        let takes =
            |step: &&Step| matches!(&step.action, Action::Acquire { locks, .. } if locks.iter().any(same));
        let members = (0..self.units.units.len()).map(UnitId);
        let members = members.filter(|member| self.units.event_of(*member) == unit);
        let mut visits = members.flat_map(|member| self.units.visits[member.0].iter().copied());
        visits.all(|visit| {
            self.facts.blocks(visit).into_iter().all(|block| {
                let mut taken = self.facts.effects[visit.0.0 as usize][block].iter().filter(takes);
                taken.all(|step| {
                    step.from.is_none()
                        && self.is_taken_where_made(visit.0, block, self.flow.heap.whole(lock))
                })
            })
        })
    }

    /// Whether the call that ends a block is given an object from where it is made, and from nowhere else.
    fn is_taken_where_made(&self, inst: InstId, block: usize, object: LocId) -> bool {
        let TerminatorKind::Call(call) = &self.flow.body_of(inst).blocks[block].terminator.kind else {
            return false;
        };
        let locals = call.args.iter().filter_map(|arg| arg.place()).map(|place| place.local.0);
        let mut leading = locals.filter(|local| self.may_be(inst, *local, object)).peekable();
        let mut seen = FxHashSet::default();
        leading.peek().is_some() && leading.all(|local| self.is_made_here(inst, local, object, &mut seen))
    }

    /// Whether a local leads to an object.
    fn may_be(&self, inst: InstId, local: u32, object: LocId) -> bool {
        let local = self.flow.heap.find(&Root::Local(inst, local));
        local.is_some_and(|local| local == object || self.leads(local, true, object))
    }

    /// Whether a local has an object from where the very call makes it, and from nowhere else.
    fn is_made_here(
        &self,
        inst: InstId,
        local: u32,
        object: LocId,
        seen: &mut FxHashSet<(InstId, u32)>,
    ) -> bool {
        let is_it = *self.flow.heap.get(object).root == Root::Local(inst, local);
        if !seen.insert((inst, local)) || is_it {
            return true;
        }
        let Some(origins) = self.origins(inst, local, object) else { return false };
        let any = !origins.is_empty();
        any && origins.into_iter().flatten().all(|(inst, local)| self.is_made_here(inst, local, object, seen))
    }

    /// The locals that a local may have an object from; nothing stands for the call that makes it. `None`: it is looked up, or given by
    /// callers.
    fn origins(&self, inst: InstId, local: u32, object: LocId) -> Option<Vec<Option<(InstId, u32)>>> {
        let body = self.flow.body_of(inst);
        if (1..=body.arg_count).contains(&local) {
            return None;
        }
        let leads = |(inst, local): &(InstId, u32)| self.may_be(*inst, *local, object);
        let here = |place: &Place| (inst, place.local.0);
        let mut origins = Vec::new();
        for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
            for statement in &block.statements {
                if let StatementKind::Assign(place, rvalue) = &statement.kind
                    && place.local.0 == local
                {
                    origins.extend(rvalue.places().into_iter().map(here).filter(leads).map(Some));
                }
            }
            let TerminatorKind::Call(call) = &block.terminator.kind else { continue };
            if call.dest.local.0 != local || !self.facts.cfgs[inst.0 as usize].reached.contains(&index) {
                continue;
            }
            if *self.flow.heap.get(object).root == Root::Heap(allocator(self.flow, inst), index as u32) {
                origins.push(None);
                continue;
            }
            let looks =
                |step: &Step| matches!(&step.action, Action::Access { touch, .. } if *touch != Touch::Write);
            if self.facts.effects[inst.0 as usize][index].iter().any(looks) {
                return None;
            }
            let callees = self.flow.calls.get(&(inst, index as u32)).map(|info| &info.callees);
            let results = callees.into_iter().flatten().map(|callee| (*callee, 0));
            let given = call.args.iter().filter_map(|arg| arg.place()).map(here);
            origins.extend(results.chain(given).filter(leads).map(Some));
        }
        Some(origins)
    }
}

/// Whether callers decide what the values of a type have in common that a function makes, which they call: it is the type's constructor,
/// or it is given that for itself.
fn is_for_callers(flow: &Flow<'_>, inst: InstId, ty: &str) -> bool {
    let body = flow.body_of(inst);
    let Some(first) = body.locals.get(1).filter(|_| body.arg_count > 0) else { return true };
    let name = ty.rsplit("::").next().unwrap_or(ty);
    let is_of = |of: &TyKind| of.as_path().is_some_and(|path| path.last() == name);
    let is_constructor = body.path.segments.iter().rev().nth(1).is_some_and(|of| &*of.name == name)
        && !any_part(&first.ty, &mut |part| is_of(part));
    let is_lent = matches!(&*first.ty, TyKind::Ref { .. }) || is_shared_pointer(flow, &first.ty);
    is_constructor || !is_lent
}

/// The paths of own types of which values are made in the text, but for those of which there is one in a static.
fn made(flow: &Flow<'_>) -> BTreeSet<String> {
    let mut made = BTreeSet::new();
    for index in 0..flow.instances.len() {
        let inst = InstId(index as u32);
        for statement in flow.body_of(inst).blocks.iter().flat_map(|block| &block.statements) {
            let StatementKind::Assign(place, Rvalue::Aggregate(kind, _)) = &statement.kind else { continue };
            if matches!(&**kind, AggregateKind::Adt { .. }) {
                let ty = flow.place_ty(inst, place).filter(|ty| flow.code.has_fields(ty));
                made.extend(ty.and_then(|ty| ty.as_path().map(Path::plain)));
            }
        }
    }
    for root in flow.heap.ids().map(|id| flow.heap.get(id)) {
        if let (Root::Static(..), None, Some(ty)) = (&*root.root, &root.parent, &root.ty) {
            forget_single(flow, ty, &mut made);
        }
    }
    made
}

/// Leaves out types of which a static of this type has one value.
fn forget_single(flow: &Flow<'_>, ty: &TyKind, made: &mut BTreeSet<String>) {
    if flow.model(ty).is_some_and(|model| model.many) {
        return;
    }
    if let Some(path) = ty.as_path() {
        made.remove(&path.plain());
    }
    parts(ty).into_iter().for_each(|part| forget_single(flow, part, made));
}
