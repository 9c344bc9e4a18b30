//! Whose lock it is: the lock of an object, of an element, of a call, of a thread is one lock here, whichever object it is. It keeps everybody
//! away from what hangs on the same object; from what many such objects share, it keeps nobody away who holds the lock of another one.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::lower::sharing::share::{Sharing, collection_of, is_made_often, straight};
use crate::mir::{AggregateKind, Path, Rvalue, StatementKind, TerminatorKind, TyKind};
use crate::world::actions::effects::{Action, Step, Touch};
use crate::world::api::is_shared_pointer;
use crate::world::exclusive::{SharedFields, cloned, reach, shared_fields};
use crate::world::facts::Facts;
use crate::world::points::heap::{LocId, Root};
use crate::world::points::object::allocator;
use crate::world::points::points_to::{Flow, InstId};
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
    /// The variables that are looked at, by number.
    locations: Vec<Option<LocId>>,
    /// By root: what it leads to, but for such fields; and all that it leads to.
    led_to: RefCell<FxHashMap<(LocId, bool), FxHashSet<LocId>>>,
}

/// How many locks a location stands for.
#[derive(Clone, Debug)]
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
    OfObjects(LocId),
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
            locations: (0..sharing.vars.len()).map(|var| sharing.loc_of(var)).collect(),
            led_to: RefCell::default(),
        }
    }

    /// Whether two runs of events may hold this lock, each another one, and be at one and the same variable.
    pub fn is_other(&self, unit: UnitId, lock: LocId, var: usize) -> bool {
        let Some(var) = self.locations[var].filter(|_| self.sharing.vars[var].own.is_none()) else {
            return false;
        };
        let heap = &self.flow.heap;
        let (object, owner) = (self.root(lock), self.root(var));
        if heap.within(var).any(|loc| self.sharing.same.of(self.flow, loc) == lock) {
            return false;
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
            Many::OfObjects(ty_of) => self.is_beyond((object, owner), ty_of, var),
        }
    }

    /// Whether each of the objects that callers have of a type has a lock of its own there.
    pub fn is_of_objects(&self, lock: LocId) -> bool {
        matches!(self.many(lock), Many::OfObjects(_))
    }

    /// What a location is a part of.
    fn root(&self, loc: LocId) -> LocId {
        self.flow.heap.within(loc).last().unwrap_or(loc)
    }

    fn many(&self, lock: LocId) -> Many {
        let flow = self.flow;
        let root = self.root(lock);
        if let Some(collection) = collection_of(flow, lock) {
            return Many::OfElements(collection);
        }
        match &*flow.heap.get(root).root {
            Root::ThreadLocal(_) | Root::Alone(..) => Many::OfThreads,
            Root::Heap(..) | Root::Local(..) if is_made_often(flow, self.facts, &self.once, lock) => {
                Many::Made
            }
            Root::Outside(..) => Many::OfObjects(root),
            _ => Many::One,
        }
    }

    /// Whether what a location is a part of is made again and again, or is an element: which one it is may go with the lock.
    fn is_of_runs(&self, var: LocId) -> bool {
        let root = &*self.flow.heap.get(self.root(var)).root;
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
    fn is_beyond(&self, (object, owner): (LocId, LocId), of: LocId, var: LocId) -> bool {
        let flow = self.flow;
        if object == owner || self.leads(object, false, var) {
            return false;
        }
        if matches!(*flow.heap.get(owner).root, Root::Static(..)) {
            let ty = flow.heap.get(of).ty.as_ref().and_then(|ty| Some(ty.as_path()?.plain()));
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
        let root = self.root(lock);
        let takes = |step: &&Step| {
            let same = |loc: &LocId| self.sharing.same.of(self.flow, *loc) == lock;
            matches!(&step.action, Action::Acquire { locks, .. } if locks.iter().any(same))
        };
        let members = (0..self.units.units.len()).map(UnitId);
        let members = members.filter(|member| self.units.event_of(*member) == unit);
        for (inst, phase, part) in members.flat_map(|member| self.units.visits[member.0].iter().copied()) {
            for block in self.facts.blocks((inst, phase, part)) {
                for step in self.facts.effects[inst.0 as usize][block].iter().filter(takes) {
                    let terminator = &self.flow.body_of(inst).blocks[block].terminator.kind;
                    let TerminatorKind::Call(call) = terminator else { return false };
                    if step.from.is_some() {
                        return false;
                    }
                    let places = call.args.iter().filter_map(|arg| arg.place());
                    let mut leading =
                        places.filter(|place| self.may_be(inst, place.local.0, root)).peekable();
                    let mut seen = FxHashSet::default();
                    if leading.peek().is_none()
                        || !leading.all(|place| self.is_made_here(inst, place.local.0, root, &mut seen))
                    {
                        return false;
                    }
                }
            }
        }
        true
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
        let root = &*self.flow.heap.get(object).root;
        if !seen.insert((inst, local)) || *root == Root::Local(inst, local) {
            return true;
        }
        let body = self.flow.body_of(inst);
        if (1..=body.arg_count).contains(&local) {
            return false;
        }
        let mut any = false;
        for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
            for statement in &block.statements {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                if place.local.0 != local {
                    continue;
                }
                for from in rvalue.places().into_iter().map(|place| place.local.0) {
                    if self.may_be(inst, from, object) {
                        any = true;
                        if !self.is_made_here(inst, from, object, seen) {
                            return false;
                        }
                    }
                }
            }
            let TerminatorKind::Call(call) = &block.terminator.kind else { continue };
            if call.dest.local.0 != local || !self.facts.cfgs[inst.0 as usize].reached.contains(&index) {
                continue;
            }
            if *root == Root::Heap(allocator(self.flow, inst), index as u32) {
                any = true;
                continue;
            }
            let looks =
                |step: &Step| matches!(&step.action, Action::Access { touch, .. } if *touch != Touch::Write);
            if self.facts.effects[inst.0 as usize][index].iter().any(looks) {
                return false;
            }
            let callees = self.flow.calls.get(&(inst, index as u32)).map(|info| &info.callees);
            for callee in callees.into_iter().flatten().filter(|callee| self.may_be(**callee, 0, object)) {
                any = true;
                if !self.is_made_here(*callee, 0, object, seen) {
                    return false;
                }
            }
            for from in call.args.iter().filter_map(|arg| arg.place()).map(|place| place.local.0) {
                if self.may_be(inst, from, object) {
                    any = true;
                    if !self.is_made_here(inst, from, object, seen) {
                        return false;
                    }
                }
            }
        }
        any
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
