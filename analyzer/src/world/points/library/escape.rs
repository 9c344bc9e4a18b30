//! What a library's callers get from it, they call it with again: what a public function returns and what the methods of
//! that type are called on is one object. So is what a constructor leaves with a thread that it starts, or a borrower of
//! another object holds.
//!
//! Locations that stand for one object hold the same ([`Flow::run`] sees to it) and are one lock or variable ([`Same`]). A
//! type that only the crate can name is called from outside, too, once a value of it is given out behind `dyn` or `impl`.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::TypeKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::mir::{BodyKind, Path, Rvalue, StatementKind, TerminatorKind, Ty, TyKind};

use crate::world::api::WORLD;
use crate::world::points::depths::Depths;
use crate::world::points::heap::{LocId, Part, Root};
use crate::world::points::points_to::{Flow, InstId};

use crate::world::points::types::{any_part, parts};
use crate::world::units::Unit;

/// What was looked at.
#[derive(Default)]
struct Seen {
    /// Pairs of locations whose contents have been compared: what was made, and what callers have.
    pairs: FxHashSet<(LocId, LocId)>,
    /// Locations that are given out, each as what.
    given: Depths<(LocId, Ty)>,
}

/// What is in what is given out is followed this deep.
const MAX_DEPTH: u32 = 6;

/// Locations that stand for one object.
#[derive(Debug, Default)]
pub(crate) struct Same {
    /// The one that stands for each of them; of what is not here, its own.
    first: BTreeMap<LocId, LocId>,
    /// Those that stand for the locks of the keys of a collection.
    of_keys: BTreeSet<LocId>,
}

impl Same {
    /// Of the pairs that were found, and of locks that are there for the keys of one collection.
    pub fn new(flow: &Flow<'_>) -> Self {
        let mut first: BTreeMap<LocId, LocId> = BTreeMap::new();
        let find = |first: &BTreeMap<LocId, LocId>, mut at: LocId| {
            while let Some(next) = first.get(&at).filter(|next| **next != at) {
                at = *next;
            }
            at
        };
        let locks = locks_of_keys(flow);
        for (a, b) in flow.same.iter().chain(&locks).copied() {
            let (a, b) = (find(&first, a), find(&first, b));
            if a != b {
                let (a, b) = if rank(flow, a) <= rank(flow, b) { (a, b) } else { (b, a) };
                first.insert(b, a);
            }
        }
        let all: Vec<LocId> = first.keys().copied().collect();
        let first: BTreeMap<LocId, LocId> = all.into_iter().map(|loc| (loc, find(&first, loc))).collect();
        let of_keys = locks.iter().map(|(lock, _)| first.get(lock).copied().unwrap_or(*lock)).collect();
        Same { first, of_keys }
    }

    /// Whether a location stands for the locks of the keys of a collection, of which each is another one.
    pub fn is_of_keys(&self, lock: LocId) -> bool {
        self.of_keys.contains(&lock)
    }

    /// The location that stands for this one.
    pub fn of(&self, flow: &Flow<'_>, loc: LocId) -> LocId {
        if self.first.is_empty() {
            return loc;
        }
        if let Some(first) = self.first.get(&loc) {
            return *first;
        }
        let Some((parent, field)) = &flow.heap.get(loc).parent else { return loc };
        let above = self.of(flow, *parent);
        if above == *parent {
            return loc;
        }
        flow.heap.get(above).children.get(field).copied().unwrap_or(loc)
    }

    /// Whether something else stands for the object that a location is a part of.
    pub fn is_other(&self, flow: &Flow<'_>, loc: LocId) -> bool {
        self.first.contains_key(&flow.heap.whole(loc))
    }
}

/// Locks of nothing that are elements of one collection, made in several places: whoever makes it, under one key there is one.
fn locks_of_keys(flow: &Flow<'_>) -> Vec<(LocId, LocId)> {
    let mut pairs = Vec::new();
    for id in flow.heap.ids() {
        let loc = flow.heap.get(id);
        // A collection in a lock has its elements in one place with that.
        let collects = |ty: &Ty| {
            any_part(ty, &mut |part| flow.model(part).is_some_and(|model| model.many))
                && !matches!(flow.kind(ty), Some(TypeKind::Pointer | TypeKind::Guard))
        };
        if !loc.ty.as_ref().is_some_and(collects) {
            continue;
        }
        let is_lock = |id: &LocId| {
            let loc = flow.heap.get(*id);
            let of_nothing = |ty: &Ty| {
                flow.kind(ty) == Some(TypeKind::Lock)
                    && parts(ty)
                        .iter()
                        .all(|part| matches!(&***part, TyKind::Tuple(parts) if parts.is_empty()))
            };
            matches!(*loc.root, Root::Heap(..) | Root::Outside(..))
                && loc.parent.is_none()
                && loc.ty.as_ref().is_some_and(of_nothing)
        };
        let locks: Vec<LocId> = loc.points_to.iter().copied().filter(is_lock).collect();
        pairs.extend(locks.windows(2).map(|two| (two[0], two[1])));
    }
    pairs
}

/// What callers name first names the object: what they call methods on, then what that holds.
fn rank(flow: &Flow<'_>, loc: LocId) -> (usize, LocId) {
    match &*flow.heap.get(loc).root {
        Root::Outside(path, _) => (path.matches('.').count() + path.matches('*').count(), loc),
        Root::Static(..) => (0, loc),
        _ => (usize::MAX, loc),
    }
}

/// Looks at what public functions return. Whether anything new was found.
pub(crate) fn find(flow: &mut Flow<'_>, units: &[Unit]) -> bool {
    // That a function has a result is nothing new.
    let results: Vec<LocId> = units.iter().map(|unit| flow.local(unit.inst, 0)).collect();
    let before = (flow.same.len(), flow.heap.version);
    let mut seen = Seen::default();
    for (unit, result) in units.iter().zip(results) {
        if flow.is_late() {
            break;
        }
        let Some(ty) = flow.local_ty(unit.inst, 0) else { continue };
        for ty in revealed(flow, unit.inst, ty) {
            given(flow, &[result], &ty, 0, &mut seen);
        }
    }
    take_places(flow, &mut seen);
    (flow.same.len(), flow.heap.version) != before
}

/// What a pointer of callers' object is given to point to takes the place of what it pointed to, if they have to have the object to
/// themselves for that: no lock or cell is around the pointer.
fn take_places(flow: &mut Flow<'_>, seen: &mut Seen) {
    let is_plain = |flow: &Flow<'_>, id: LocId| {
        let mut around = flow.heap.within(id).filter_map(|id| flow.kind_at(id));
        !around.any(|kind| matches!(kind, TypeKind::Lock | TypeKind::Cell | TypeKind::Atomic))
    };
    let is_outside = |flow: &Flow<'_>, id: LocId| matches!(*flow.heap.get(id).root, Root::Outside(..));
    // What only one has goes where that goes.
    let pointers = |id: &LocId| {
        let model = || flow.model(flow.heap.get(*id).ty.as_ref()?);
        is_outside(flow, *id) && model().is_some_and(|model| model.counted) && is_plain(flow, *id)
    };
    for pointer in flow.heap.ids().filter(pointers).collect::<Vec<_>>() {
        let (before, put): (Vec<LocId>, Vec<LocId>) =
            flow.heap.targets(pointer).into_iter().partition(|target| is_outside(flow, *target));
        // Of several, it is not known which.
        let [object] = before[..] else { continue };
        let made = |target: &LocId| matches!(*flow.heap.get(*target).root, Root::Heap(..));
        let put: Vec<LocId> = put.into_iter().filter(made).collect();
        for made in put {
            same(flow, made, object, 0, seen);
        }
    }
}

/// The types that an opaque result has in fact.
fn revealed(flow: &Flow<'_>, inst: InstId, ty: Ty) -> Vec<Ty> {
    if !matches!(&*ty, TyKind::Impl(_) | TyKind::Other(_)) {
        return vec![ty];
    }
    let body = flow.body_of(inst);
    let mut found = Vec::new();
    for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
        for statement in &block.statements {
            let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
            if place.as_local().is_some_and(|local| local.0 == 0)
                && let Rvalue::Use(operand) | Rvalue::Cast(_, operand, _) | Rvalue::Wrap(operand, _) = rvalue
                && let Some(local) = operand.place().and_then(|place| place.as_local())
            {
                found.extend(flow.local_ty(inst, local.0));
            }
        }
        if let TerminatorKind::Call(call) = &block.terminator.kind
            && call.dest.as_local().is_some_and(|local| local.0 == 0)
            && let Some(info) = flow.calls.get(&(inst, index as u32))
        {
            found.extend(info.callees.iter().filter_map(|callee| flow.local_ty(*callee, 0)));
        }
    }
    found
}

/// Locations with a value of this type are given out.
fn given(flow: &mut Flow<'_>, locs: &[LocId], ty: &Ty, depth: u32, seen: &mut Seen) {
    let locs: Vec<LocId> =
        locs.iter().copied().filter(|loc| seen.given.is_new((*loc, ty.clone()), depth)).collect();
    let locs = &locs[..];
    if depth > MAX_DEPTH || locs.is_empty() || flow.is_late() {
        return;
    }
    match flow.kind(ty) {
        Some(TypeKind::Pointer) => {
            let pointee = flow.pointee(ty);
            let targets: BTreeSet<LocId> = flow.heap.behind(locs).into_iter().collect();
            for target in targets {
                let known = flow.heap.get(target).ty.clone();
                let Some(ty) = known.or_else(|| pointee.clone()) else { continue };
                match object(flow, &ty) {
                    Some(object) => same(flow, target, object, depth, seen),
                    None => given(flow, &[target], &ty, depth + 1, seen),
                }
            }
        }
        Some(TypeKind::Guard | TypeKind::Handle | TypeKind::Nothing) => {}
        _ => match object(flow, ty) {
            Some(object) => {
                locs.iter().for_each(|loc| held(flow, *loc, object, depth, seen));
            }
            // Of something that callers call nothing on, a pair of ends, they get the fields.
            None if flow.code.has_fields(ty) => {
                let fields = locs.iter().flat_map(|loc| flow.heap.get(*loc).children.values().copied());
                for field in fields.collect::<Vec<_>>() {
                    if let Some(ty) = flow.heap.get(field).ty.clone() {
                        given(flow, &[field], &ty, depth + 1, seen);
                    }
                }
            }
            None => {
                for part in parts(ty).into_iter().cloned().collect::<Vec<_>>() {
                    given(flow, locs, &part, depth + 1, seen);
                }
            }
        },
    }
}

/// The object of a local type that callers have.
fn object(flow: &Flow<'_>, ty: &Ty) -> Option<LocId> {
    flow.code.has_fields(ty).then_some(())?;
    flow.heap.find(&Root::Outside(ty.to_string(), WORLD))
}

/// Two locations are the same object.
fn same(flow: &mut Flow<'_>, made: LocId, object: LocId, depth: u32, seen: &mut Seen) {
    if made == object || flow.same.contains(&(made, object)) || !may_be(flow, made, object) {
        return;
    }
    flow.same.insert((made, object));
    held(flow, made, object, depth, seen);
}

/// What two values hold is the same, as far as one was made by the crate and the other is known to callers only.
fn held(flow: &mut Flow<'_>, made: LocId, object: LocId, depth: u32, seen: &mut Seen) {
    if depth > MAX_DEPTH || !seen.pairs.insert((made, object)) || flow.is_late() {
        return;
    }
    let known = |flow: &Flow<'_>, loc: &LocId| matches!(*flow.heap.get(*loc).root, Root::Outside(..));
    let behind: Vec<LocId> = flow.heap.targets(object).into_iter().filter(|loc| known(flow, loc)).collect();
    let behind = ByType::new(flow, behind);
    let is_dyn = |ty: &Ty| any_part(ty, &mut |part| matches!(part, TyKind::Dyn(_)));
    let disguised = flow.heap.get(object).ty.as_ref().is_some_and(is_dyn);
    let guards = has_guard(flow, object);
    for target in flow.heap.targets(made) {
        for object in behind.candidates(flow, target) {
            same(flow, target, object, depth + 1, seen);
        }
        // What callers know by a trait only is one of all that was made to be known so.
        if disguised {
            flow.heap.point(object, target);
        }
        // The lock of a guard is nothing that callers have otherwise.
        if guards {
            locked_by(flow, object, target);
        }
    }
    sent(flow, made, object, depth, seen);
    let fields: Vec<(Part, LocId)> =
        flow.heap.get(made).children.iter().map(|(field, loc)| (field.clone(), *loc)).collect();
    for (field, made) in fields {
        let known = flow.heap.get(object).children.get(&field).copied();
        let guard = (known.is_none() && has_guard(flow, made)).then(|| {
            let ty = flow.heap.get(made).ty.clone();
            flow.heap.child(object, &field, ty.as_ref())
        });
        if let Some(object) = known.or(guard) {
            held(flow, made, object, depth + 1, seen);
        }
    }
}

/// What is sent by an end of a channel that callers have goes through the channel that was made, and what is sent through that arrives
/// where they have an end.
fn sent(flow: &mut Flow<'_>, made: LocId, object: LocId, depth: u32, seen: &mut Seen) {
    let mut channels = flow.heap.targets(made);
    channels.retain(|loc| is_channel(flow, made, *loc));
    for channel in channels {
        flow.heap.copy(object, channel);
        flow.heap.copy(channel, object);
        held(flow, channel, object, depth + 1, seen);
    }
}

/// Whether a location is a channel that a value has an end of: its type is that of an end, too, of a channel of the same.
pub(crate) fn is_channel(flow: &Flow<'_>, value: LocId, loc: LocId) -> bool {
    let is_end = |ty: &TyKind| flow.delivery(ty).is_some();
    let of = |ty: &TyKind| ty.as_path().map(|path| path.type_args().cloned().collect::<Vec<Ty>>());
    let (Some(value), Some(channel)) = (&flow.heap.get(value).ty, &flow.heap.get(loc).ty) else {
        return false;
    };
    is_end(channel) && any_part(value, &mut |part| is_end(part) && of(part) == of(channel))
}

/// A guard that a value is, or has in itself, is of this lock.
fn locked_by(flow: &mut Flow<'_>, loc: LocId, lock: LocId) {
    flow.heap.point(loc, lock);
    let parts: Vec<LocId> = flow.heap.get(loc).children.values().copied().collect();
    for part in parts.into_iter().filter(|part| *part > loc) {
        if has_guard(flow, part) {
            locked_by(flow, part, lock);
        }
    }
}

/// Whether a value is, or may have in itself, a guard, by its type or else by that of what it is a part of.
fn has_guard(flow: &Flow<'_>, loc: LocId) -> bool {
    let mut around = flow.heap.within(loc);
    let ty = around.find_map(|loc| flow.heap.get(loc).ty.as_ref());
    ty.is_some_and(|ty| any_part(ty, &mut |part| flow.kind(part) == Some(TypeKind::Guard)))
}

/// Locations by what their types are called; those of a type that may be any apart.
struct ByType {
    named: FxHashMap<String, Vec<LocId>>,
    open: Vec<LocId>,
}

impl ByType {
    fn new(flow: &Flow<'_>, locs: Vec<LocId>) -> Self {
        let mut all = ByType { named: FxHashMap::default(), open: Vec::new() };
        for loc in locs {
            match type_name(flow, loc) {
                Some(name) => all.named.entry(name).or_default().push(loc),
                None => all.open.push(loc),
            }
        }
        all
    }

    /// Those that may be of the type of a location.
    fn candidates(&self, flow: &Flow<'_>, loc: LocId) -> Vec<LocId> {
        let mut found: Vec<LocId> = match type_name(flow, loc) {
            Some(name) => self.named.get(&name).into_iter().flatten().copied().collect(),
            None => self.named.values().flatten().copied().collect(),
        };
        found.extend(&self.open);
        found.sort_unstable();
        found
    }
}

/// What the type of a location is called, without its module; `None` when it may be any.
fn type_name(flow: &Flow<'_>, loc: LocId) -> Option<String> {
    let ty = flow.heap.get(loc).ty.as_ref()?;
    let open = matches!(&**ty, TyKind::Impl(_)) || flow.code.types.param(ty).is_some();
    let name = || ty.as_path().map_or_else(|| ty.to_string(), |path| path.last().to_owned());
    (!open).then(name)
}

/// Whether two locations can be one: of one type, and not two parts of what callers have one of.
fn may_be(flow: &Flow<'_>, made: LocId, object: LocId) -> bool {
    let (a, b) = (flow.heap.get(made), flow.heap.get(object));
    let types = match (type_name(flow, made), type_name(flow, object)) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    };
    let head = |path: &str| path.split(['.', '*']).next().unwrap_or_default().to_owned();
    let apart = match (&*a.root, &*b.root) {
        (Root::Outside(a, _), Root::Outside(b, _)) => head(a) != head(b),
        (Root::Heap(..), _) => true,
        _ => false,
    };
    types && apart && a.parent.is_none()
}

/// Types of the crate that are given out behind `dyn` or `impl`, with the traits that they are known by.
pub(crate) fn behind_traits(flow: &mut Flow<'_>, units: &[Unit]) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for unit in units {
        let result = flow.local(unit.inst, 0);
        let Some(ty) = flow.local_ty(unit.inst, 0) else { continue };
        if let TyKind::Impl(bounds) = &*ty {
            let names: Vec<Path> = bounds.clone();
            for ty in revealed(flow, unit.inst, ty.clone()) {
                note(flow, &ty, &names, &mut found);
            }
        }
        disguised(flow, &[result], &ty, 0, &mut found);
        // The compiler tells which type `impl Trait` is. Callers know a type that they can name by all its traits anyway.
        any_part(&ty, &mut |part| {
            if let Some(path) = part.as_path().filter(|_| flow.code.has_fields(part)) {
                let name = path.last();
                found.extend(foreign_traits(flow, name).map(|tr| (name.to_owned(), tr.to_owned())));
            }
            false
        });
    }
    found
}

/// The traits of others that a type of the crates implements.
fn foreign_traits<'f>(flow: &'f Flow<'_>, name: &'f str) -> impl Iterator<Item = &'f str> {
    let implemented = flow.code.bodies.iter().filter_map(move |body| {
        let qself = body.path.qself.as_ref()?;
        let is_its = qself.ty.as_path().is_some_and(|path| path.last() == name);
        qself.tr.as_ref().filter(|_| is_its)
    });
    implemented.map(Path::last).filter(|tr| !flow.code.has_trait(tr))
}

fn note(flow: &Flow<'_>, ty: &Ty, traits: &[Path], found: &mut BTreeSet<(String, String)>) {
    if let Some(path) = ty.as_path().filter(|_| flow.code.has_fields(ty)) {
        let name = || path.last().to_owned();
        found.extend(traits.iter().map(|tr| (name(), tr.last().to_owned())));
        // Whoever gets it drops it.
        found.extend(
            foreign_traits(flow, path.last()).filter(|tr| *tr == "Drop").map(|tr| (name(), tr.to_owned())),
        );
    }
}

fn disguised(flow: &Flow<'_>, locs: &[LocId], ty: &Ty, depth: u32, found: &mut BTreeSet<(String, String)>) {
    if depth > MAX_DEPTH {
        return;
    }
    if flow.kind(ty) == Some(TypeKind::Pointer) {
        let Some(to) = flow.pointee(ty) else { return };
        let targets: BTreeSet<LocId> = flow.heap.behind(locs).into_iter().collect();
        let targets: Vec<LocId> = targets.into_iter().collect();
        if let TyKind::Dyn(traits) = &*to {
            for target in &targets {
                if let Some(ty) = &flow.heap.get(*target).ty {
                    note(flow, ty, traits, found);
                }
            }
        }
        disguised(flow, &targets, &to, depth + 1, found);
        return;
    }
    for part in parts(ty) {
        disguised(flow, locs, part, depth + 1, found);
    }
}

/// The methods that callers reach behind such a trait.
pub(crate) fn methods(
    flow: &Flow<'_>,
    (ty, tr): &(String, String),
) -> Vec<crate::world::points::bodies::BodyId> {
    let of = |body: &crate::mir::Body| {
        let Some(qself) = &body.path.qself else { return false };
        matches!(body.kind, BodyKind::Fn)
            && qself.ty.as_path().is_some_and(|path| path.last() == ty)
            && qself.tr.as_ref().is_some_and(|theirs| theirs.last() == tr)
    };
    let all = flow.code.bodies.iter().enumerate().filter(|(_, body)| of(body));
    all.map(|(number, _)| crate::world::points::bodies::BodyId(number as u32)).collect()
}
