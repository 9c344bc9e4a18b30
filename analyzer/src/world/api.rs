//! The public API of a library: each function that outside code can call while others do is an event, on objects that all
//! calls share.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use robust_models::{On, TypeKind};
use rustc_hash::FxHashMap;

use crate::mir::{self, Body, BodyKind, TyKind};

use crate::world::actions::effects::Action;
use crate::world::callers::surely_called_by;
use crate::world::facts::Facts;
use crate::world::of_data::is_of_data;
use crate::world::points::bodies::BodyId;
use crate::world::points::calls::bind_self;
use crate::world::points::escape::{self, Same};
use crate::world::points::foreign_callers::ForeignCallers;
use crate::world::points::given::Given;
use crate::world::points::given_out::{self, Run};
use crate::world::points::heap::{Field, LocId, Root, Value};
use crate::world::points::outside::{outside, public_arguments};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::{Subst, any_part};
use crate::world::units::{Phase, Unit, Units, Visit};

/// The program that calls into libraries. `main`s have lower numbers.
pub(crate) const WORLD: u32 = u32::MAX;

/// An event for each function of the libraries that others can call, be it because it is public or because foreign code
/// knows it, those that are known already apart; and for each `drop` that callers bring about.
pub(crate) fn beginnings(
    flow: &mut Flow<'_>,
    crates: &[Arc<mir::Crate>],
    foreign: &ForeignCallers,
    known: impl Fn(BodyId) -> bool,
) -> Vec<Unit> {
    let mut begins = Vec::new();
    let dropped = dropped_with_others(flow, crates);
    for index in 0..flow.code.bodies.len() {
        let id = BodyId(index as u32);
        let body = flow.code.body(id);
        let why = foreign.why(id).or_else(|| body.public.then_some("public API of a library"));
        let why = why.or_else(|| dropped.contains(&id).then_some("dropped with what callers have"));
        let Some(why) = why.filter(|_| crates[flow.code.home[index]].is_library()) else { continue };
        if !known(id) && matches!(body.kind, BodyKind::Fn) && !says_nothing(flow, body) {
            for subst in with_own_types(flow, body) {
                begins.push(called(flow, (id, Rc::new(subst)), why));
            }
        }
    }
    begins
}

/// An event for each method of a type of the crate's own that callers get behind a trait. Whether there is any.
pub(crate) fn behind_traits(flow: &mut Flow<'_>, first: usize, begins: &mut Vec<Unit>) -> bool {
    let before = begins.len();
    let of_units = |begins: &[Unit], flow: &Flow<'_>| -> BTreeSet<BodyId> {
        begins.iter().map(|unit| flow.instances[unit.inst.0 as usize].body).collect()
    };
    let known = of_units(begins, flow);
    for given in escape::behind_traits(flow, &begins[first..]) {
        for id in escape::methods(flow, &given) {
            if !known.contains(&id) && !says_nothing(flow, flow.code.body(id)) {
                begins.push(called(flow, (id, Rc::default()), "a method of what a library gives out"));
            }
        }
    }
    begins.len() > before
}

/// An event for each `drop` of a type that only the crate can name, when a value of it is a part of what callers have.
fn dropped_with_others(flow: &Flow<'_>, crates: &[Arc<mir::Crate>]) -> Vec<BodyId> {
    let is_library = |index: usize| crates[flow.code.home[index]].is_library();
    let bodies = || flow.code.bodies.iter().enumerate().filter(|(index, _)| is_library(*index));
    let mut owned: BTreeSet<String> = BTreeSet::new();
    let mut work: Vec<mir::Ty> =
        bodies().filter(|(_, body)| body.public).filter_map(|(_, body)| receiver(body).cloned()).collect();
    while let Some(ty) = work.pop() {
        any_part(&ty, &mut |part| {
            if let Some(path) = part.as_path().filter(|_| flow.code.has_fields(part))
                && owned.insert(path.last().to_owned())
            {
                work.extend(flow.code.field_types(part).unwrap_or_default().into_iter().map(|(_, ty)| ty));
            }
            false
        });
    }
    let inner = bodies().filter(|(_, body)| !body.public && body.is_drop()).filter(|(_, body)| {
        let ty = body.path.qself.as_ref().and_then(|qself| qself.ty.as_path());
        ty.is_some_and(|ty| owned.contains(ty.last()))
    });
    inner.map(|(index, _)| BodyId(index as u32)).collect()
}

/// What the types in a public function are: a method that a trait provides is one of each of the crates' types that are known to implement the
/// trait and have none of their own instead; without such a type, it is one of whatever callers have.
fn with_own_types(flow: &Flow<'_>, body: &Body) -> Vec<Subst> {
    let whose = body.path.segments.iter().rev().nth(1).map(|segment| &*segment.name);
    let Some(tr) = whose.filter(|name| body.path.qself.is_none() && flow.code.has_trait(name)) else {
        return vec![Subst::default()];
    };
    // By name: the type, and whether it has such a method of its own.
    let mut types: BTreeMap<&str, (&mir::Ty, bool)> = BTreeMap::new();
    for other in &flow.code.bodies {
        let Some(qself) = &other.path.qself else { continue };
        let Some(name) = qself.ty.as_path().map(mir::Path::last) else { continue };
        if qself.tr.as_ref().is_some_and(|theirs| theirs.last() == tr) && flow.code.is_own(&qself.ty) {
            let (ty, own) = types.entry(name).or_insert((&qself.ty, false));
            *own |= other.path.last() == body.path.last();
            // Names of methods have the type without its modules, those of arguments with them.
            if let Some(to) =
                behind_receiver(other).filter(|of| of.as_path().is_some_and(|of| of.last() == name))
            {
                *ty = to;
            }
        }
    }
    if types.is_empty() {
        return vec![Subst::default()];
    }
    let inherit = types.into_values().filter(|(_, own)| !own);
    inherit.map(|(ty, _)| Subst::from([("Self".into(), ty.clone())])).collect()
}

/// The type of what a method is called on.
fn receiver(body: &Body) -> Option<&mir::Ty> {
    let first = body.locals.get(1).filter(|_| body.arg_count > 0);
    first.filter(|arg| arg.name.as_deref() == Some("self")).map(|arg| &arg.ty)
}

/// The same without references.
fn behind_receiver(body: &Body) -> Option<&mir::Ty> {
    let mut ty = receiver(body)?;
    while let TyKind::Ref { to, .. } = &**ty {
        ty = to;
    }
    Some(ty)
}

fn called(flow: &mut Flow<'_>, (id, subst): (BodyId, Rc<Subst>), why: &str) -> Unit {
    let inst = flow.instance(WORLD, id, Vec::new(), subst, None);
    begun(flow, inst, why)
}

/// What callers run, with what they give it.
fn begun(flow: &mut Flow<'_>, inst: InstId, why: &str) -> Unit {
    public_arguments(flow, inst);
    let body = flow.body_of(inst);
    Unit {
        inst,
        part: None,
        phase: Phase::Task,
        event: true,
        once: false,
        actor: false,
        // What one thread owns, one thread calls.
        on: match () {
            _ if is_of_actor(flow, body) => On::Actor,
            _ if on_one_thread(flow, body) => On::Local,
            _ => On::Any,
        },
        at: None,
        why: why.into(),
        parent: None,
        shared: false,
        given_by: None,
        idle: false,
        started: false,
    }
}

/// Whether a function is a method of a trait that actors implement.
fn is_of_actor(flow: &Flow<'_>, body: &Body) -> bool {
    let tr = body.path.qself.as_ref().and_then(|qself| qself.tr.as_ref());
    let known = tr.filter(|tr| !flow.code.is_own_trait(tr)).and_then(|tr| flow.models.tr(&tr.plain()));
    let event = known.and_then(|(name, tr)| Some((name, tr.event.as_ref()?)));
    event.is_some_and(|(name, event)| event.on == On::Actor && is_handler(body, name))
}

/// Whether a method takes something of the library of its trait: the names of actors' traits are those of many others.
pub(crate) fn is_handler(body: &Body, tr: &str) -> bool {
    let library = tr.split("::").next();
    let of_library = |ty: &TyKind| {
        let first =
            ty.as_path().filter(|path| path.segments.len() > 1).and_then(|path| path.segments.first());
        first.is_some_and(|first| Some(&*first.name) == library)
    };
    body.inputs().any(|ty| any_part(ty, &mut |part| of_library(part)))
}

/// Whether nobody notices when a function is called.
fn says_nothing(flow: &Flow<'_>, body: &Body) -> bool {
    describes(flow, body) || is_of_data(flow, body)
}

/// Whether a function writes about its receiver for readers (`Debug::fmt`), who ask for no more than that.
fn describes(flow: &Flow<'_>, body: &Body) -> bool {
    let args = body.inputs().filter(|ty| is_exclusive(flow, ty));
    args.filter_map(|ty| flow.model(ty.peel_refs())).any(|model| model.for_readers)
}

/// Whether the receiver is one that the call has to itself.
fn has_alone(flow: &Flow<'_>, body: &Body) -> bool {
    receiver(body).is_some_and(|ty| !is_shared_pointer(flow, ty))
}

/// Leaves out events whose receiver one caller has to itself, where they touch nothing that anyone else could have.
pub(crate) fn forget_private(flow: &Flow<'_>, facts: &Facts, units: &mut Units) {
    let shared = |loc: &LocId| {
        let loc = flow.heap.get(*loc);
        matches!(*loc.root, Root::Outside(..) | Root::Static(..) | Root::Heap(..))
    };
    let matters = |visits: &BTreeSet<Visit>| {
        visits.iter().any(|visit| {
            let blocks = facts.blocks(*visit).into_iter();
            blocks.flat_map(|block| &facts.effects[visit.0.0 as usize][block]).any(|step| {
                match &step.action {
                    Action::Access { locs, .. } => locs.iter().any(shared),
                    Action::Spawn { tasks, .. } => !tasks.is_empty(),
                    _ => false,
                }
            })
        })
    };
    for (unit, visits) in units.units.iter_mut().zip(&units.visits) {
        let called = unit.event && unit.parent.is_none() && flow.world_of(unit.inst) == WORLD;
        unit.idle = called && has_alone(flow, flow.body_of(unit.inst)) && !matters(visits);
    }
}

pub(crate) fn is_shared_pointer(flow: &Flow<'_>, ty: &TyKind) -> bool {
    match ty {
        TyKind::Ref { mutable, .. } => !mutable,
        _ => {
            let model = flow.model(ty);
            let pointer = model.is_some_and(|model| model.kind == Some(TypeKind::Pointer) && !model.unique);
            pointer || wrapped(flow, ty).is_some_and(|inner| is_shared_pointer(flow, inner))
        }
    }
}

fn is_exclusive(flow: &Flow<'_>, ty: &TyKind) -> bool {
    match ty {
        TyKind::Ref { mutable, .. } => *mutable,
        _ => wrapped(flow, ty).is_some_and(|inner| is_exclusive(flow, inner)),
    }
}

/// What a wrapper (`Pin`, `Option`) holds by value.
pub(crate) fn wrapped<'t>(flow: &Flow<'_>, ty: &'t TyKind) -> Option<&'t mir::Ty> {
    let path = ty.as_path().filter(|_| flow.kind(ty) == Some(TypeKind::Container))?;
    path.type_args().next()
}

/// Whether the receiver keeps something that is not `Sync`, as far as its fields were seen. A lock makes up for that; what has raw pointers
/// or bare cells beside it may say that it is `Sync` all the same.
fn on_one_thread(flow: &Flow<'_>, body: &Body) -> bool {
    let Some(receiver) = body.locals.get(1).filter(|_| body.arg_count > 0) else { return false };
    let mut seen: BTreeSet<mir::Ty> = BTreeSet::new();
    let mut work = vec![receiver.ty.clone()];
    let mut single = false;
    while let Some(ty) = work.pop() {
        if !seen.insert(ty.clone()) {
            continue;
        }
        let model = flow.model(&ty);
        match (&*ty, model.and_then(|model| model.kind)) {
            (TyKind::Ptr { .. }, _) => return false,
            _ if model.is_some_and(|model| model.raw) => return false,
            _ if model.is_some_and(|model| model.single_threaded) => single = true,
            (_, Some(TypeKind::Lock | TypeKind::Guard | TypeKind::Atomic | TypeKind::Handle)) => {}
            _ if flow.code.has_fields(&ty) => {
                work.extend(
                    flow.code.field_types(&ty).unwrap_or_default().into_iter().map(|(_, field)| field),
                );
            }
            _ => work.extend(crate::world::points::types::parts(&ty).into_iter().cloned()),
        }
    }
    single
}

/// What is called with cells inside, wherever these came from, is called on the one thread that has them: the compiler sees
/// to it. So are all who come to one cell.
pub(crate) fn keep_cells_on_one_thread(flow: &Flow<'_>, facts: &Facts, units: &mut Units) {
    // Many units run the same code.
    let mut known: FxHashMap<Visit, BTreeSet<LocId>> = FxHashMap::default();
    let cells_of = |visit: &Visit| {
        let blocks = facts.blocks(*visit).into_iter();
        let steps = blocks.flat_map(|block| &facts.effects[visit.0.0 as usize][block]);
        let touched = steps.flat_map(|step| match &step.action {
            Action::Access { locs, .. } => &locs[..],
            _ => &[],
        });
        touched.copied().filter(|loc| is_in_cell(flow, *loc)).collect()
    };
    let is_handed_over = |loc: &LocId| matches!(*flow.heap.get(*loc).root, Root::Outside(..));
    let mut of_unit = |(unit, visits): (&Unit, &BTreeSet<Visit>)| -> BTreeSet<LocId> {
        // Few have to do with cells.
        let run = LazyCell::new(|| surely_called_by(flow, unit.inst));
        let mut cells = BTreeSet::new();
        for visit in visits {
            let here = known.entry(*visit).or_insert_with(|| cells_of(visit)).iter();
            cells.extend(here.filter(|loc| is_handed_over(loc) || run.contains(&visit.0)));
        }
        cells
    };
    let cells: Vec<BTreeSet<LocId>> = units.units.iter().zip(&units.visits).map(&mut of_unit).collect();
    let mut users: FxHashMap<LocId, u32> = FxHashMap::default();
    cells.iter().flatten().for_each(|loc| *users.entry(*loc).or_default() += 1);
    for (unit, cells) in units.units.iter_mut().zip(&cells) {
        let called = unit.event && flow.world_of(unit.inst) == WORLD;
        let stays = |loc: &LocId| if is_handed_over(loc) { called } else { users[loc] > 1 };
        if unit.on == On::Any && unit.phase == Phase::Task && cells.iter().any(stays) {
            unit.on = On::Local;
        }
    }
}

/// Whether a location is inside of a cell, kept by no lock, of an object that one thread alone has.
fn is_in_cell(flow: &Flow<'_>, loc: LocId) -> bool {
    let around = || flow.heap.within(loc).filter_map(|id| flow.model(flow.heap.get(id).ty.as_ref()?));
    let is_cell = |model: &robust_models::Type| model.kind == Some(TypeKind::Cell) && model.single_threaded;
    // Each thread, or call, has its own, or all have one in spite of the compiler.
    let is_one = matches!(*flow.heap.get(loc).root, Root::Outside(..) | Root::Heap(..) | Root::Local(..));
    is_one && around().any(is_cell) && !around().any(|model| model.kind == Some(TypeKind::Lock))
}

/// An `async fn` only makes a future: what runs is the future's body. Other functions that return a future run themselves first.
/// Whether there was any.
pub(crate) fn run_futures(flow: &mut Flow<'_>, units: &mut [Unit]) -> bool {
    let mut any = false;
    for unit in units {
        let returned = flow.local(unit.inst, 0);
        let futures = given_out::futures(flow, returned);
        if let Some((holder, Value::Body(id, subst, maker, _))) = futures.into_iter().next() {
            let own = flow.body_of(unit.inst);
            if own.is_future() {
                continue;
            }
            let only_makes = own.blocks.iter().filter(|block| !block.cleanup).count() == 1;
            if !(only_makes && flow.code.body(id).is_future()) {
                any |= flow.promises.insert(unit.inst);
                continue;
            }
            let of = maker.map(|maker| maker.object);
            let future = flow.instance(flow.world_of(unit.inst), id, Vec::new(), subst, of);
            flow.futures.insert(future, std::mem::replace(&mut unit.inst, future));
            bind_self(flow, unit.inst, holder, maker);
            if maker.is_none_or(|maker| maker.field.is_none()) {
                // What the function is called with may turn out to be more, when it is known what callers are given.
                let own = flow.local(unit.inst, 1);
                flow.handed.insert((holder, own));
            }
            any = true;
        }
    }
    any
}

/// An event for each run of something that callers get with what these functions return. Whether there is any.
pub(crate) fn given_out(flow: &mut Flow<'_>, first: usize, begins: &mut Vec<Unit>) -> bool {
    let before = begins.len();
    let mut known: BTreeSet<BodyId> = BTreeSet::new();
    for number in first..before {
        for Run { holder, value, together } in given_out::runs(flow, begins[number].inst) {
            let Value::Body(id, subst, maker, captures) = value else { continue };
            if !known.insert(id) {
                continue;
            }
            let of = maker.map(|maker| maker.object);
            let given = Given::new(Vec::new(), &captures);
            let inst = flow.instance_given(WORLD, id, Vec::new(), (subst, given), of);
            bind_self(flow, inst, holder, maker);
            if together {
                flow.called_together.insert(inst);
            }
            begins.push(begun(flow, inst, "callers get it with what a function returns"));
        }
    }
    begins.len() > before
}

/// What objects from outside hold pointers to that the crate itself never stores there: whoever made the object did. Whether
/// there was any.
pub(crate) fn behind_pointers(flow: &mut Flow<'_>) -> bool {
    let mut any = false;
    for id in flow.heap.ids() {
        let loc = flow.heap.get(id);
        let Root::Outside(root, world) = &*loc.root else { continue };
        let Some(ty) = loc.ty.clone().filter(|ty| flow.model(ty).is_some_and(|model| model.holds_pointer))
        else {
            continue;
        };
        if !loc.points_to.is_empty() {
            continue;
        }
        let fields: Vec<LocId> = flow.heap.within(id).collect();
        let mut path = root.clone();
        for pair in fields.windows(2).rev() {
            if let Some((_, part)) = &flow.heap.get(pair[0]).parent {
                path = format!("{path}.{}", crate::world::points::names::field_name(flow, pair[1], part));
            }
        }
        let (world, pointer) = (*world, crate::world::points::transfer::held(flow, &ty));
        for ty in pointer {
            outside(flow, world, (id, &path), &ty, 0);
            any = true;
        }
    }
    any
}

/// The objects that all calls share begin as the crate makes them: their fields have the numbers that constructions put there.
pub(crate) fn initial_values(flow: &mut Flow<'_>) {
    let mut made: BTreeMap<(String, Field), BTreeSet<Value>> = BTreeMap::new();
    let mut shared: Vec<(LocId, (String, Field))> = Vec::new();
    for id in flow.heap.ids() {
        let loc = flow.heap.get(id);
        let mut numbers =
            loc.values.keys().filter(|v| matches!(v, Value::Initial(_) | Value::Unknown)).peekable();
        let is_shared = matches!(*loc.root, Root::Outside(..));
        if !is_shared && numbers.peek().is_none() {
            continue;
        }
        let Some(key) = field_of(flow, id) else { continue };
        if is_shared {
            shared.push((id, key));
        } else {
            made.entry(key).or_default().extend(numbers.cloned());
        }
    }
    for (id, key) in shared {
        for value in made.get(&key).into_iter().flatten() {
            flow.heap.add_value(id, value.clone());
        }
    }
}

/// The struct that a location is a field of, and which one.
pub(crate) fn field_of(flow: &Flow<'_>, id: LocId) -> Option<(String, Field)> {
    let (parent, part) = flow.heap.get(id).parent.clone()?;
    let ty = flow.heap.get(parent).ty.clone()?;
    let mut owner = None;
    any_part(&ty, &mut |ty| {
        let is_owner = |path: &&mir::Path| path.last() == &*part.owner && flow.code.has_fields(ty);
        owner = ty.as_path().filter(is_owner).map(mir::Path::plain);
        owner.is_some()
    });
    Some((owner?, part.field))
}

/// What a public function makes is nobody else's until it returns it, unless others could reach it before: what it does to
/// that itself counts for nothing.
pub(crate) fn forget_making(flow: &Flow<'_>, facts: &mut Facts, units: &Units, same: &Same) {
    let reached = crate::lower::sharing::share::reached_from_outside(flow);
    for (unit, visits) in units.units.iter().zip(&units.visits) {
        if !unit.event || unit.parent.is_some() || flow.world_of(unit.inst) != WORLD {
            continue;
        }
        let own: BTreeSet<_> = visits.iter().map(|visit| visit.0).collect();
        let made = |loc: &LocId| {
            matches!(&*flow.heap.get(*loc).root, Root::Heap(inst, _) if own.contains(inst))
                && same.is_other(flow, *loc)
                && !reached.contains(loc)
        };
        for inst in &own {
            for step in facts.effects[inst.0 as usize].iter_mut().flatten() {
                if let Action::Access { locs, .. } = &mut step.action {
                    locs.retain(|loc| !made(loc));
                }
            }
        }
    }
}
