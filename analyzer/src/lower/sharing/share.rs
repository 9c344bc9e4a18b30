//! Which locations are shared, and which shared variable each of them is.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::TypeKind;
use rustc_hash::FxHashMap;

use crate::ir::ELEMENTS;
use crate::mir::{StatementKind, Ty, TyKind};

use crate::lower::sharing::followed::{Followed, is_one_place, is_one_truth_value, raised};
use crate::lower::sharing::one_thread::OneThread;
use crate::lower::sharing::own;
use crate::lower::sharing::plain::{is_plain, looks_into};
use crate::world::actions::by_hand::ByHand;
use crate::world::actions::effects::{Action, Touch, Tracked};
use crate::world::actions::holders;
use crate::world::actions::tags::{self, is_outer_tag};
use crate::world::facts::Facts;
use crate::world::points::aggregates::is_option;
use crate::world::points::callbacks::holds_function;
use crate::world::points::escape::Same;
use crate::world::points::heap::{LocId, Root};
use crate::world::points::kept::Kept;
use crate::world::points::names::{Names, name, unique};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::parts;
use crate::world::units::{Phase, UnitId, Units, Visit};

/// A shared variable to be.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub name: String,
    /// Values, when they are followed.
    pub domain: Option<Followed>,
    /// Some operation reads and writes it at once, so that tracking needs a lock around the two.
    pub exchanged: bool,
    /// A truth value that is not followed, but is only ever changed to this one: a flag. Its changes commute.
    pub raised: Option<bool>,
    /// What is followed is only whether there is something, or a truth value that is no atomic one: a look may be disregarded.
    pub tag: bool,
    /// Some read of it is compared with a later one, and nobody may write in between when both agree.
    pub compared: bool,
    /// The event that makes it for its tasks and itself.
    pub own: Option<UnitId>,
    /// Each run of that event makes one.
    pub one: bool,
    /// It is made again and again, by whoever, and kept where others find it.
    pub recurring: bool,
    /// It changes through exclusive references only.
    pub plain: bool,
    /// What it is a part of, without a pointer in between.
    pub object: LocId,
    /// What it holds is one function, which is called.
    pub handler: bool,
}

/// All shared variables.
#[derive(Debug, Default)]
pub(crate) struct Sharing {
    pub vars: Vec<Shared>,
    /// Whether there was no time to find out what is shared: then nothing is known of anybody.
    pub cut: bool,
    by_loc: BTreeMap<LocId, usize>,
    /// What locks and variables are called.
    pub names: Names,
    /// The location that stands for each accessed one.
    represented: BTreeMap<LocId, LocId>,
    /// Which locations are one object.
    pub same: Same,
    /// What tasks make for the tasks that they start.
    kept: Kept,
    /// What outlives a single event.
    pub outer: BTreeSet<LocId>,
}

#[derive(Default)]
struct Uses {
    units: BTreeSet<UnitId>,
    writes: bool,
    reads: bool,
    classes: BTreeSet<String>,
    /// Some update is of the location itself, not of what is in an option.
    updated: bool,
}

impl Sharing {
    /// `guards` names variables that events wait for: these are shared whoever else uses them.
    pub fn find(
        flow: &Flow<'_>,
        facts: &Facts,
        units: &Units,
        (by_hand, same): (&ByHand, Same),
        guards: &[String],
    ) -> Self {
        let changing = changing(flow);
        let outlives = outer(flow, facts, units);
        let mut outer: BTreeSet<LocId> = outlives.intersection(&changing).copied().collect();
        outer.retain(|loc| !by_hand.contains_key(loc));
        let kept = Kept::find(flow, facts, units, &outer);
        outer.extend(kept.locs().filter(|loc| changing.contains(loc)));
        let mut own = own::find(flow, facts, units, &changing, &outer);
        own.retain(|loc, _| !by_hand.contains_key(loc));
        outer.extend(own.keys());
        let mut touched: BTreeMap<LocId, Uses> = BTreeMap::new();
        let mut tracked: BTreeMap<LocId, Vec<Option<Tracked>>> = BTreeMap::new();
        let mut compared: BTreeSet<LocId> = BTreeSet::new();
        let mut looked_into: BTreeSet<LocId> = BTreeSet::new();
        // Many units run the same code.
        let mut visitors: BTreeMap<Visit, Vec<UnitId>> = BTreeMap::new();
        for (number, visits) in units.visits.iter().enumerate() {
            let id = thread(units, UnitId(number));
            visits.iter().for_each(|visit| visitors.entry(*visit).or_default().push(id));
        }
        for (visit, visitors) in visitors {
            if flow.is_late() {
                return Sharing { same, kept, outer: outlives, cut: true, ..Sharing::default() };
            }
            for block in facts.blocks(visit) {
                for step in &facts.effects[visit.0.0 as usize][block] {
                    let Action::Access { touch, locs: accessed, tracked: value, provisional, .. } =
                        &step.action
                    else {
                        continue;
                    };
                    let locs = accessed.iter().map(|loc| same.of(flow, *loc));
                    let locs = locs.filter(|loc| !kept.is_for_others(*loc, visit.0, visit.1));
                    let looks_into = looks_into(flow, (visit.0, block, step.at), accessed);
                    for loc in &locs.filter(|loc| outer.contains(loc)).collect::<Vec<_>>() {
                        if looks_into {
                            looked_into.insert(*loc);
                        }
                        if provisional.is_some_and(|read| read.agrees == Some(true)) {
                            compared.insert(*loc);
                        }
                        let uses = touched.entry(*loc).or_default();
                        uses.units.extend(visitors.iter().copied());
                        match touch {
                            Touch::Read => uses.reads = true,
                            Touch::Write => uses.writes = true,
                            Touch::Update(class) => {
                                uses.classes.insert(class.clone());
                                uses.updated |= *value != Some(Tracked::Inside);
                            }
                        }
                        if *touch != Touch::Read || value.is_some() {
                            let values = tracked.entry(*loc).or_default();
                            if !values.contains(value) {
                                values.push(value.clone());
                            }
                        }
                    }
                }
            }
        }
        let mut sharing = Sharing { same, kept, outer: outlives, ..Sharing::default() };
        let mut merged: BTreeMap<LocId, Uses> = BTreeMap::new();
        let mut stored: BTreeMap<LocId, Vec<Option<Tracked>>> = BTreeMap::new();
        for (loc, uses) in &touched {
            let top = represent(flow, *loc, &touched);
            sharing.represented.insert(*loc, top);
            let all = merged.entry(top).or_default();
            all.units.extend(uses.units.iter().copied());
            all.writes |= uses.writes;
            all.reads |= uses.reads;
            // What is a part of what is in an option leaves it there.
            let inside = tags::is_inside(flow, *loc);
            all.updated |= uses.updated && !inside;
            for value in tracked.get(loc).into_iter().flatten() {
                let value = if inside { Some(Tracked::Inside) } else { value.clone() };
                let values = stored.entry(top).or_default();
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            all.classes.extend(uses.classes.iter().cloned());
        }
        let mut taken: BTreeMap<String, u32> = BTreeMap::new();
        let locks = locks(facts, units).into_iter().map(|loc| sharing.same.of(flow, loc));
        let all = merged.keys().copied().chain(locks);
        let names = Names::new(flow, &all.collect());
        let once = straight(units);
        let one_thread = OneThread::new(flow);
        let is_fenced = |part: &LocId| looked_into.contains(part) || !is_plain(flow, *part);
        let parts = sharing.represented.iter().filter(|(part, _)| is_fenced(part));
        let fenced: BTreeSet<LocId> = parts.map(|(_, top)| *top).collect();
        for (loc, uses) in merged {
            let many = |unit: &UnitId| {
                let unit = &units.units[unit.0];
                !unit.once && !unit.actor
            };
            let several = uses.units.len() > 1 || uses.units.iter().any(many);
            let kinds = uses.classes.len() + usize::from(uses.reads);
            let guards = crate::world::event_config::is_wanted(guards, &name(flow, loc));
            let several = several || guards;
            if !several || !(uses.writes || (kinds > 1 && !uses.classes.is_empty())) {
                continue;
            }
            if one_thread.is_used_in_turn((flow, facts, units), loc, uses.units.iter()) {
                continue;
            }
            let element = if is_element(flow, loc) { ELEMENTS } else { "" };
            let name = unique(&mut taken, names.of(flow, loc) + element);
            let values = stored.get(&loc).map_or(&[][..], |values| values);
            let own = own.get(&loc).copied();
            let recurring = own.is_none() && !sharing.kept.has(loc) && is_made_often(flow, facts, &once, loc);
            let followed = || Followed::find(flow, loc, values, guards, recurring);
            let domain = if uses.updated { None } else { followed() };
            let swaps = |value: &Option<Tracked>| {
                matches!(value, Some(Tracked::Set(_, Some(_)) | Tracked::Exchange(..)))
            };
            let exchanged = domain.is_some() && (values.iter().any(swaps) || is_one_place(flow, loc, values));
            sharing.by_loc.insert(loc, sharing.vars.len());
            let compared = compared.iter().any(|part| sharing.represented.get(part) == Some(&loc));
            let untracked = domain.is_none() && uses.classes.is_empty();
            let raised = if untracked { raised(flow, loc, values) } else { None };
            let tag = matches!(domain, Some(Followed::Presence { .. } | Followed::Variant { .. }))
                || is_one_truth_value(flow, loc);
            let (own, one) = (own.map(|(event, _)| event), own.is_some_and(|(_, one)| one));
            let plain = !fenced.contains(&loc);
            let object = sharing.object(flow, loc);
            let handler = flow.heap.get(loc).ty.as_ref().is_some_and(|ty| holds_function(flow, ty));
            sharing.vars.push(Shared {
                name,
                domain,
                exchanged,
                raised,
                tag,
                compared,
                own,
                one,
                recurring,
                plain,
                object,
                handler,
            });
        }
        sharing.names = names;
        sharing
    }

    /// Of these locations those that are not kept for others than this instance.
    pub fn meant(&self, locs: &[LocId], inst: InstId, phase: Phase) -> Vec<LocId> {
        locs.iter().copied().filter(|loc| !self.kept.is_for_others(*loc, inst, phase)).collect()
    }

    /// Which variant a variable is where these locations, parts of it, are; `None` if that is not sure.
    pub fn variant_of(&self, flow: &Flow<'_>, locs: &[LocId], var: usize) -> Option<i128> {
        let mut found = locs.iter().map(|loc| self.same.of(flow, *loc)).filter_map(|loc| {
            let top = *self.represented.get(&loc)?;
            (self.by_loc.get(&top) == Some(&var)).then(|| tags::variant_of(flow, top, loc))
        });
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)?
    }

    /// Whether those of these locations that are this variable are parts of what is in an option, or of a variant.
    pub fn is_inside(&self, flow: &Flow<'_>, locs: &[LocId], var: usize) -> bool {
        let is = |loc: &LocId| self.among(flow, &[*loc]).contains(&var);
        let mut own = locs.iter().filter(|loc| is(loc)).peekable();
        own.peek().is_some() && own.all(|loc| tags::is_inside(flow, self.same.of(flow, *loc)))
    }

    /// Whether those of these locations that are this variable are all of it, and no part.
    pub fn is_all_of(&self, flow: &Flow<'_>, locs: &[LocId], var: usize) -> bool {
        self.all_of(flow, locs, var, |loc, top| loc == top)
    }

    /// Whether those of these locations that are this variable are in its entries, as fields of these or as the collection, of this type, that
    /// an entry is: the variable is a collection itself.
    pub fn is_in_entry(&self, flow: &Flow<'_>, locs: &[LocId], var: usize, of: Option<&Ty>) -> bool {
        let collects = |ty: &TyKind| {
            flow.kind(ty) == Some(TypeKind::Container) && !is_option(ty) && !flow.code.has_fields(ty)
        };
        self.all_of(flow, locs, var, |loc, top| {
            let Some(ty) = tags::held(flow, top).filter(|ty| collects(ty)) else { return false };
            let within = flow.heap.within(loc).take_while(|loc| *loc != top);
            let part = within.last().and_then(|loc| flow.heap.get(loc).parent.as_ref());
            // What is in a collection is in the same place as that.
            let nested = |of: &&Ty| loc == top && collects(of) && parts(&ty).contains(of);
            part.is_some_and(|(_, part)| part.is_field()) || of.filter(nested).is_some()
        })
    }

    fn all_of(&self, flow: &Flow<'_>, locs: &[LocId], var: usize, is: impl Fn(LocId, LocId) -> bool) -> bool {
        let locs = locs.iter().map(|loc| self.same.of(flow, *loc));
        let own = locs.filter_map(|loc| {
            let top = *self.represented.get(&loc)?;
            (self.by_loc.get(&top) == Some(&var)).then_some((loc, top))
        });
        let mut own = own.peekable();
        own.peek().is_some() && own.all(|(loc, top)| is(loc, top))
    }

    /// Whether others can have one of these locations, too, be it no variable that matters to anybody.
    pub fn is_had_by_others(&self, flow: &Flow<'_>, locs: &[LocId]) -> bool {
        locs.iter().any(|loc| self.represented.contains_key(&self.same.of(flow, *loc)))
    }

    /// The shared variables among locations.
    pub fn among(&self, flow: &Flow<'_>, locs: &[LocId]) -> BTreeSet<usize> {
        locs.iter()
            .filter_map(|loc| self.represented.get(&self.same.of(flow, *loc)))
            .filter_map(|top| self.by_loc.get(top).copied())
            .collect()
    }
}

impl Sharing {
    /// What a location is a part of, without a pointer in between.
    pub fn object(&self, flow: &Flow<'_>, loc: LocId) -> LocId {
        self.same.of(flow, flow.heap.whole(loc))
    }

    /// The locations of the variables, by number.
    pub fn locations(&self) -> Vec<LocId> {
        let mut by_number: Vec<(usize, LocId)> = self.by_loc.iter().map(|(loc, var)| (*var, *loc)).collect();
        by_number.sort_unstable();
        by_number.into_iter().map(|(_, loc)| loc).collect()
    }

    /// The locks that variables are in, the innermost of each: what is in a lock is accessed by whoever holds it, or by nobody else.
    pub fn guards<'s>(&'s self, flow: &'s Flow<'_>) -> impl Iterator<Item = (usize, LocId)> + 's {
        self.by_loc.iter().filter_map(|(loc, index)| {
            let is_lock = |id: &LocId| flow.kind_at(*id) == Some(TypeKind::Lock);
            Some((*index, self.same.of(flow, flow.heap.within(*loc).find(is_lock)?)))
        })
    }
}

/// The locks that units take.
fn locks(facts: &Facts, units: &Units) -> Vec<LocId> {
    let visited: BTreeSet<InstId> = units.visits.iter().flatten().map(|(inst, ..)| *inst).collect();
    let steps = visited.iter().flat_map(|inst| facts.effects[inst.0 as usize].iter().flatten());
    let locks = steps.filter_map(|step| match &step.action {
        Action::Acquire { locks, .. } => Some(locks),
        _ => None,
    });
    locks.flatten().copied().collect()
}

/// A loop that handles one thing after the other is part of the one task it is in.
fn thread(units: &Units, id: UnitId) -> UnitId {
    let unit = &units.units[id.0];
    match unit.parent {
        Some(parent) if unit.actor => parent,
        _ => id,
    }
}

/// Whether a location stands for all elements of something whose elements are each shared on their own: see [`collection_of`].
fn is_element(flow: &Flow<'_>, loc: LocId) -> bool {
    collection_of(flow, loc).is_some()
}

/// What a location stands for all elements of, if these are each shared on their own: shards with a lock each, an array of counters. What one
/// lock around all of it protects is not.
pub(super) fn collection_of(flow: &Flow<'_>, loc: LocId) -> Option<LocId> {
    let is_lock = |id: LocId| flow.kind_at(id) == Some(TypeKind::Lock);
    let mut shared = false;
    flow.heap.within(loc).find(|id| {
        let Some(ty) = &flow.heap.get(*id).ty else { return false };
        let many = match &**ty {
            TyKind::Slice(_) | TyKind::Array(..) => true,
            // Where it locks its elements itself, it is shared as a whole.
            other => {
                flow.model(other).is_some_and(|model| model.many && model.kind != Some(TypeKind::Atomic))
            }
        };
        let own = has_shared(flow, ty, 0);
        shared |= own && !many;
        many && (own || shared) && !flow.heap.within(*id).any(is_lock)
    })
}

/// Whether a value of the type has something in itself that is shared.
pub(crate) fn has_shared(flow: &Flow<'_>, ty: &TyKind, depth: u32) -> bool {
    match flow.kind(ty) {
        Some(TypeKind::Lock | TypeKind::Atomic | TypeKind::Cell) => true,
        Some(TypeKind::Pointer | TypeKind::Guard | TypeKind::Handle | TypeKind::Nothing) => false,
        _ => depth < 6 && parts(ty).into_iter().any(|part| has_shared(flow, part, depth + 1)),
    }
}

/// What runs on the straight line of `main`, at most once.
pub(super) fn straight(units: &Units) -> BTreeSet<InstId> {
    let visits = units.visits.iter().flatten();
    visits
        .filter(|(_, phase, part)| *phase == Phase::Once && part.is_none())
        .map(|(inst, _, _)| *inst)
        .collect()
}

/// Whether what a location is a part of is made in the text, and not once (`once` is what runs at most once).
pub(super) fn is_made_often(flow: &Flow<'_>, facts: &Facts, once: &BTreeSet<InstId>, loc: LocId) -> bool {
    match &*flow.heap.get(loc).root {
        Root::Heap(inst, block) => {
            !once.contains(inst) || facts.cfgs[inst.0 as usize].loop_of(*block as usize).is_some()
        }
        Root::Local(inst, local) => !once.contains(inst) || lives_in_loop(flow, facts, *inst, *local),
        _ => false,
    }
}

/// What outlives a single event: statics, what is handed in from outside, what was made on the straight line of `main`, what closures
/// have captured that callers get and call at once, and all that can be reached from there. What an event makes for itself is only
/// shared when it is stored in one of these.
fn outer(flow: &Flow<'_>, facts: &Facts, units: &Units) -> BTreeSet<LocId> {
    let once = straight(units);
    let mut outer = BTreeSet::new();
    let mut work = Vec::new();
    for id in flow.heap.ids() {
        let loc = flow.heap.get(id);
        if loc.parent.is_some() {
            continue;
        }
        let is = match &*loc.root {
            Root::Static(..) | Root::Outside(..) => true,
            Root::ThreadLocal(_) | Root::Alone(..) | Root::Item(..) => false,
            Root::Heap(..) | Root::Local(..) => !is_made_often(flow, facts, &once, id),
        };
        if is {
            work.push(id);
        }
    }
    for inst in &flow.called_together {
        let own: Vec<LocId> = flow.heap.find(&Root::Local(*inst, 1)).into_iter().collect();
        let closures = flow.heap.behind(&own);
        let roots: BTreeSet<&Root> = closures.iter().map(|id| &*flow.heap.get(*id).root).collect();
        // What they have by value goes with them.
        let is_theirs = |id: &LocId| {
            let root = &*flow.heap.get(*id).root;
            matches!(root, Root::Heap(..)) || roots.contains(root)
        };
        outer.extend(reached(flow, closures).into_iter().filter(is_theirs));
    }
    let of_a_thread = |id: LocId| {
        let ty = flow.heap.get(id).ty.as_ref();
        ty.and_then(|ty| flow.model(ty.peel_refs())).is_some_and(|model| model.thread_local)
    };
    // What borrows a local does not outlive it, and what is outer outlives an event.
    let of_an_event = |id: LocId| match &*flow.heap.get(id).root {
        Root::Local(inst, _) => !once.contains(inst),
        Root::Alone(..) | Root::Item(..) => true,
        _ => false,
    };
    while let Some(id) = work.pop() {
        if !outer.contains(&id) && !of_a_thread(id) && !of_an_event(id) {
            outer.insert(id);
            let loc = flow.heap.get(id);
            work.extend(loc.children.values());
            work.extend(loc.points_to.iter());
        }
    }
    outer
}

/// What statics and objects of callers lead to.
pub(crate) fn reached_from_outside(flow: &Flow<'_>) -> BTreeSet<LocId> {
    let is_root = |id: &LocId| {
        let loc = flow.heap.get(*id);
        loc.parent.is_none() && matches!(*loc.root, Root::Static(..) | Root::Outside(..))
    };
    reached(flow, flow.heap.ids().filter(is_root).collect())
}

/// Locations, what is inside of them, and what they point to, on and on.
fn reached(flow: &Flow<'_>, mut work: Vec<LocId>) -> BTreeSet<LocId> {
    let mut found = BTreeSet::new();
    while let Some(id) = work.pop() {
        if found.insert(id) {
            let loc = flow.heap.get(id);
            work.extend(loc.children.values());
            work.extend(loc.points_to.iter());
        }
    }
    found
}

/// What can change while it is shared: all inside of locks, cells and atomics, and all that is reached from there. Anything
/// else is changed through exclusive references only, and Rust sees to it that nobody else has one meanwhile.
pub(crate) fn changing(flow: &Flow<'_>) -> BTreeSet<LocId> {
    // Many locations have one type.
    let mut known: FxHashMap<&Ty, bool> = FxHashMap::default();
    let mut may_change = |ty| *known.entry(ty).or_insert_with(|| may_change_shared(flow, ty, 8));
    let is_root = |id: &LocId| {
        let loc = flow.heap.get(*id);
        matches!(*loc.root, Root::Static(..)) || loc.ty.as_ref().is_none_or(&mut may_change)
    };
    reached(flow, flow.heap.ids().filter(is_root).collect())
}

/// Whether a value of this type has, in itself, something that changes through `&`; true when the type does not tell.
fn may_change_shared(flow: &Flow<'_>, ty: &TyKind, fuel: u32) -> bool {
    if fuel == 0 {
        return true;
    }
    match flow.kind(ty) {
        Some(TypeKind::Lock | TypeKind::Cell | TypeKind::Atomic) => return true,
        Some(TypeKind::Pointer | TypeKind::Guard | TypeKind::Handle | TypeKind::Nothing) => return false,
        Some(TypeKind::Container) | None => {}
    }
    match ty {
        TyKind::Prim(_) | TyKind::Never => false,
        // Fields have locations of their own.
        TyKind::Closure { .. } | TyKind::Coroutine(_) | TyKind::Tuple(_) => false,
        _ if flow.code.types.param(ty).is_some() => true,
        TyKind::Path(path) if path.qself.is_none() => {
            !flow.code.has_fields(ty)
                && crate::world::points::types::parts(ty)
                    .into_iter()
                    .any(|part| may_change_shared(flow, part, fuel - 1))
        }
        TyKind::Slice(of) | TyKind::Array(of, _) => may_change_shared(flow, of, fuel - 1),
        TyKind::FnDef(..) | TyKind::FnPtr(_) => false,
        _ => true,
    }
}

pub(super) fn lives_in_loop(flow: &Flow<'_>, facts: &Facts, inst: InstId, local: u32) -> bool {
    let body = flow.body_of(inst);
    let cfg = &facts.cfgs[inst.0 as usize];
    body.blocks.iter().enumerate().any(|(index, block)| {
        cfg.loop_of(index).is_some()
            && block.statements.iter().any(
                |statement| matches!(statement.kind, StatementKind::StorageLive(live) if live.0 == local),
            )
    })
}

/// The topmost accessed location above this one that is still within the same lock, cell or atomic.
fn represent(flow: &Flow<'_>, loc: LocId, touched: &BTreeMap<LocId, Uses>) -> LocId {
    let mut top = loc;
    let mut at = loc;
    loop {
        let here = flow.heap.get(at);
        if touched.contains_key(&at) {
            top = at;
        }
        let boundary = here.ty.as_ref().is_some_and(|ty| keeps_apart(flow, ty));
        match &here.parent {
            // Whether there is a lock says nothing of what it guards.
            Some((_, part)) if is_outer_tag(part) || holders::is_of_holders(part) => return top,
            Some((parent, _)) if !boundary => at = *parent,
            _ => return top,
        }
    }
}

/// Whether what is in a value of this type is guarded by the value itself: it is a lock, a cell or an atomic, or an option of one.
fn keeps_apart(flow: &Flow<'_>, ty: &TyKind) -> bool {
    match flow.kind(ty) {
        Some(TypeKind::Lock | TypeKind::Cell | TypeKind::Atomic) => true,
        _ if is_option(ty) => {
            ty.as_path().and_then(|path| path.type_args().next()).is_some_and(|of| keeps_apart(flow, of))
        }
        _ => false,
    }
}
