//! Functions without a body: what their models say, or else what their types allow.

use std::collections::BTreeSet;
use std::rc::Rc;

use robust_models::{Flow as ModelFlow, Models, On, Order, Spawn, TypeKind, When};

use crate::mir::{Path, TerminatorKind, Ty, TyKind};

use crate::world::points::aggregates::made_as;
use crate::world::points::bodies::BodyId;
use crate::world::points::calls::{Site, bind_self, code_in, is_open};
use crate::world::points::drops;
use crate::world::points::given::Given;
use crate::world::points::given_away::{self, GivenAway};
use crate::world::points::heap::{LocId, Part, Root, Value};
use crate::world::points::inner_locks::guarded;
use crate::world::points::lent;
use crate::world::points::library::callbacks::{callbacks, gives_output, is_future};
use crate::world::points::object::{self};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::served;
use crate::world::points::streams;
use crate::world::points::through;
use crate::world::points::transfer::{View, by_types, taken, transfer, within};
use crate::world::points::types::carries;

/// The trait of futures, by its name.
pub(super) const FUTURE: &str = "Future";

/// A function without a body: what its model says, or else what its types allow.
pub(crate) fn foreign(flow: &mut Flow<'_>, site: &Site, path: &Path, plain: String) {
    let models = flow.models;
    let key = model_key(models, path, &plain);
    let model = models.function(&key);
    let methods = through::methods(models, path, &plain);
    let is_unknown = model.is_none() && given_away::is_unknown(flow, path, &plain);
    {
        let info = flow.info(site.inst, site.block);
        info.foreign = Some(plain);
        info.model = model.map(|_| key.clone());
    }
    if let Some(spawn) = model.and_then(|model| model.spawn.as_ref()) {
        spawned(flow, site, spawn);
        return;
    }
    if let Some(task) = model.is_none().then(|| left_to_callers(flow, site, path)).flatten() {
        spawned(flow, site, &beside(task));
        return;
    }
    let away = if is_unknown { give_away(flow, site) } else { Vec::new() };
    if model.is_some_and(|model| model.event.is_some()) {
        (0..site.args.len()).for_each(|number| registered(flow, site, number, false));
    }
    if let Some(number) = model.and_then(|model| model.provides) {
        provided(flow, site, number);
    }
    let apart = flow.heap.keep_apart(model.is_some_and(|model| model.stream.is_some()));
    carry(flow, site, model);
    let later = model.is_some_and(|model| {
        model.source
            || model.time
            || model.waits
            || model.expects.is_some()
            || model.yields
            || model.acquire.is_some()
            || model.join.is_some()
    });
    if later || models.effect(&key).is_some_and(|effect| effect.polled.is_some()) {
        for dest in &site.dest.0 {
            flow.heap.add_value(*dest, Value::Future(key.clone()));
        }
    }
    if let Some(model) = model {
        // A lock, or a cell, is made with what is in it.
        let guarded = model.flow == Some(robust_models::Flow::Wrap)
            && site
                .dest
                .1
                .as_ref()
                .and_then(|ty| flow.kind(ty))
                .is_some_and(|kind| matches!(kind, TypeKind::Lock | TypeKind::Cell));
        if guarded || matches!(model.value, Some(robust_models::Value::New)) {
            initial(flow, site);
        }
    }
    if let Some((locs, Some(ty))) =
        model.and_then(|model| model.drops).and_then(|number| site.args.get(number))
    {
        let at = drops::At { inst: site.inst, block: site.block };
        let dropped = drops::of_argument(flow, at, locs, ty);
        flow.info(site.inst, site.block).drops = dropped;
    }
    let times = model.and_then(|model| model.calls.as_ref()).map(|calls| calls.times);
    // What is made of what it is given keeps that, code as well: it is called later, if at all.
    let keeps = times.is_none()
        && model.is_some_and(|model| matches!(model.flow, Some(ModelFlow::New | ModelFlow::Wrap)));
    if times != Some(Order::Never) && !keeps {
        callbacks(flow, site, times, model, &away);
    }
    flow.heap.keep_apart(apart);
    streams::made(flow, site, model);
    if !methods.is_empty() {
        through::through(flow, site, methods);
    }
    if !served::is_standard_path(&key) {
        let place = models.effect(&key).and_then(|model| model.serves.as_deref());
        served::given(flow, site, place);
    }
}

/// A task that runs beside the rest, wherever that is.
fn beside(task: usize) -> Spawn {
    Spawn { task, on: On::Any, scoped: false, into: None, at: None }
}

/// Runs what a library is given that no model knows, as far as that keeps it. Which arguments those are.
fn give_away(flow: &mut Flow<'_>, site: &Site) -> Vec<usize> {
    let away = given_away::arguments(flow, site);
    given_away::kept_for_handlers(flow, site).into_iter().for_each(|number| provided(flow, site, number));
    for (number, kind) in &away {
        match kind {
            GivenAway::Handler { in_turn } => registered(flow, site, *number, *in_turn),
            GivenAway::Task => spawned(flow, site, &beside(*number)),
        }
    }
    away.into_iter().map(|(number, _)| number).collect()
}

/// The argument that a method of a trait is given to run, of which the crates have no implementation: callers bring their own runtime, or pool. A
/// future is run there and then only if what it ends with is returned; a boxed closure that can be called once is not called where it is boxed.
fn left_to_callers(flow: &Flow<'_>, site: &Site, path: &Path) -> Option<usize> {
    let qself = path.qself.as_ref().filter(|qself| is_open(flow, &qself.ty))?;
    let tr = qself.tr.as_ref()?;
    let library = tr.segments.first().filter(|_| tr.segments.len() > 1 && !flow.code.is_local(tr));
    if library.is_some_and(|first| flow.models.is_known_crate(&first.name) || &*first.name == "std") {
        return None;
    }
    let is_task = |(locs, ty): &(Vec<LocId>, Option<Ty>)| {
        let Some(ty) = ty else { return false };
        let returned = || {
            code_in(flow, locs, 2).into_iter().any(|(_, value)| match value {
                Value::Body(id, subst, ..) => gives_output(flow, site, id, &subst),
                _ => false,
            })
        };
        let unit = site.dest.1.as_ref().is_some_and(|ty| ty.is_unit());
        is_once_boxed(ty) || is_future(flow, ty) && (unit || !returned())
    };
    site.args.iter().position(is_task)
}

/// Whether a type is a boxed closure that can be called once.
fn is_once_boxed(ty: &TyKind) -> bool {
    let TyKind::Path(path) = ty else { return false };
    path.last() == "Box"
        && path.type_args().any(
            |inner| matches!(&**inner, TyKind::Dyn(traits) if traits.iter().any(|tr| tr.last() == "FnOnce")),
        )
}

/// What the model of a function goes by.
pub(crate) fn model_key(models: &Models, path: &Path, plain: &str) -> String {
    let inherent = match &path.qself {
        Some(qself) => qself.ty.peel_refs().as_path().map(|ty| format!("{}::{}", ty.plain(), path.last())),
        None => of_impl(plain),
    };
    inherent.filter(|name| models.function(name).is_some()).unwrap_or_else(|| plain.to_owned())
}

/// What goes from the arguments of a library function to its result, and into each other.
pub(super) fn carry(flow: &mut Flow<'_>, site: &Site, model: Option<&robust_models::Function>) {
    match model.and_then(|model| model.flow) {
        Some(ModelFlow::Nothing) => {}
        Some(ModelFlow::New) => {
            allocate(flow, site, model.is_some_and(|model| model.calls.is_some()));
        }
        Some(ModelFlow::Wrap) => {
            for (locs, _) in &site.args {
                copy_all(flow, locs, &site.dest.0);
            }
        }
        Some(ModelFlow::Load) => {
            let from = flow.heap.behind(site.args.first().map_or(&[][..], |held| &held.0));
            copy_all(flow, &from, &site.dest.0);
        }
        Some(ModelFlow::Take) => taken(flow, site),
        Some(ModelFlow::Within) => within(flow, site),
        Some(ModelFlow::Fill) => lent::filled(flow, site),
        Some(ModelFlow::Channel) => channel(flow, site),
        // A lock that is held for the time of the call is not in the result.
        None => match model.and_then(|model| model.acquire.as_ref()).filter(|by| by.when != When::During) {
            Some(acquire) => {
                let dest = site.dest.1.as_ref();
                match (site.args.get(acquire.lock), dest) {
                    // The guard itself may be in a tuple that is in a result.
                    (Some((locs, Some(ty))), Some(dest)) if flow.kind(ty) == Some(TypeKind::Guard) => {
                        transfer(flow, site, (locs, ty), (&site.dest.0, dest), View::None, 0);
                    }
                    (Some(held), _) => guard_of(flow, lent_holder(flow, held), &site.dest.0),
                    (None, _) => {}
                }
            }
            None => {
                by_types(flow, site);
                part_of_guard(flow, site);
            }
        },
    }
}

/// A guard of a lock that something points to: of an inner one, where that is in what another one guards.
fn guard_of(flow: &mut Flow<'_>, (holders, by): (Vec<LocId>, Option<Ty>), into: &[LocId]) {
    for holder in holders {
        let within: Vec<(LocId, LocId)> = flow
            .heap
            .targets(holder)
            .into_iter()
            .map(|lock| (lock, guarded(flow, lock, by.as_ref())))
            .filter(|(lock, inner)| lock != inner)
            .collect();
        for &into in into {
            flow.heap.copy_some(holder, into, |lock| within.iter().all(|(outer, _)| *outer != lock));
            within.iter().for_each(|(_, inner)| flow.heap.point(into, *inner));
        }
    }
}

/// What a reference to a guard, or to an `Arc`, is a reference to.
pub(crate) fn lent_holder(flow: &Flow<'_>, held: &(Vec<LocId>, Option<Ty>)) -> (Vec<LocId>, Option<Ty>) {
    match held.1.as_deref() {
        Some(TyKind::Ref { to, .. })
            if matches!(flow.kind(to), Some(TypeKind::Guard | TypeKind::Pointer)) =>
        {
            (flow.heap.behind(&held.0), Some(to.clone()))
        }
        _ => held.clone(),
    }
}

/// A guard that is made of another one holds the same lock, whatever part of what is in it it leads to.
fn part_of_guard(flow: &mut Flow<'_>, site: &Site) {
    let is_guard = |flow: &Flow<'_>, ty: &Ty| flow.kind(ty) == Some(TypeKind::Guard);
    if !site.dest.1.as_ref().is_some_and(|ty| is_guard(flow, ty)) {
        return;
    }
    for (locs, ty) in &site.args {
        if ty.as_ref().is_some_and(|ty| is_guard(flow, ty)) {
            copy_all(flow, locs, &site.dest.0);
        }
    }
}

/// `library::module::<impl library::Type<T>>::name` is `library::Type::name`, `core::slice::<impl [T]>::name` is
/// `std::slice::name`, and `core::bool::<impl bool>::name` is `std::bool::name`.
pub(crate) fn of_impl(plain: &str) -> Option<String> {
    let (_, rest) = plain.split_once("::<impl ")?;
    let (ty, name) = rest.rsplit_once(">::")?;
    if ty.starts_with('[') {
        return Some(format!("std::slice::{name}"));
    }
    if matches!(ty, "str" | "bool") {
        return Some(format!("std::{ty}::{name}"));
    }
    let ty = ty.split_once('<').map_or(ty, |(ty, _)| ty);
    (!ty.contains(' ')).then(|| format!("{ty}::{name}"))
}

pub(crate) fn copy_all(flow: &mut Flow<'_>, from: &[LocId], into: &[LocId]) {
    for from in from {
        if flow.is_late_by_now() {
            return;
        }
        for into in into {
            flow.heap.copy(*from, *into);
        }
    }
}

/// Notes the number a variable is made with; it flows to where the variable ends up.
fn initial(flow: &mut Flow<'_>, site: &Site) {
    let body = flow.body_of(site.inst);
    let block = body.blocks.get(site.block as usize);
    let call = block.and_then(|block| match &block.terminator.kind {
        TerminatorKind::Call(call) => Some(call),
        _ => None,
    });
    let given = call.and_then(|call| call.args.first());
    let number = given.and_then(|given| made_as(flow, site.inst, given));
    let value = number.map_or(Value::Unknown, Value::Initial);
    for dest in &site.dest.0 {
        flow.heap.add_value(*dest, value.clone());
    }
}

/// Makes room for the first argument, or (`called`) for what it returns when it is called.
fn allocate(flow: &mut Flow<'_>, site: &Site, called: bool) -> LocId {
    let given = site.args.first().cloned();
    let ty = match called {
        true => site.dest.1.as_deref().and_then(|ty| flow.pointee(ty)),
        false => given.as_ref().and_then(|held| held.1.clone()),
    };
    let root = Root::Heap(object::allocator(flow, site.inst), site.block);
    let object = flow.heap.root(root, || ty);
    if let Some((locs, _)) = given.filter(|_| !called) {
        copy_all(flow, &locs, &[object]);
    }
    for dest in &site.dest.0 {
        flow.heap.point(*dest, object);
    }
    object
}

fn channel(flow: &mut Flow<'_>, site: &Site) {
    let root = Root::Heap(object::allocator(flow, site.inst), site.block);
    let Some(ty) = site.dest.1.clone() else { return };
    let ends = if let TyKind::Tuple(ends) = &*ty { &ends[..] } else { &[] };
    // Both ends say what goes through it.
    let object = flow.heap.root(root, || Some(ends.first().unwrap_or(&ty).clone()));
    for dest in &site.dest.0 {
        for (number, end) in ends.iter().enumerate() {
            let end = flow.heap.child(*dest, &Part::numbered(number as u32), Some(end));
            flow.heap.point(end, object);
        }
        if ends.is_empty() {
            flow.heap.point(*dest, object);
        }
    }
}

/// Starts tasks.
fn spawned(flow: &mut Flow<'_>, site: &Site, spawn: &robust_models::Spawn) {
    let Some((locs, ty)) = site.args.get(spawn.task) else { return };
    let home = flow.home_of(site.inst);
    let only = ty.as_ref().and_then(|ty| flow.code.of_type(ty, home));
    let mut tasks = BTreeSet::new();
    for (holder, value) in code_in(flow, locs, 2) {
        match value {
            Value::Body(id, subst, maker, captures) if only.is_none_or(|only| only == id) => {
                let context = flow.site(site.inst, site.block);
                let of = maker.map(|maker| maker.object);
                let made = (subst, Given::new(Vec::new(), &captures));
                let task = flow.instance_given(flow.world_of(site.inst), id, context, made, of);
                bind_self(flow, task, holder, maker);
                tasks.insert(task);
            }
            Value::Fn(path) => {
                for id in flow.code.resolve(&path, home) {
                    let context = flow.site(site.inst, site.block);
                    tasks.insert(flow.instance(flow.world_of(site.inst), id, context, Rc::default(), None));
                }
            }
            _ => {}
        }
    }
    if tasks.is_empty()
        && let Some(ty) = ty
    {
        tasks.extend(through::by_hand(flow, site, locs, ty));
    }
    for task in &tasks {
        let result = flow.local(*task, 0);
        copy_all(flow, &[result], &site.dest.0);
    }
    let keeper = spawn.into.and_then(|number| site.args.get(number));
    let keepers = flow.heap.behind(keeper.map_or(&[][..], |held| &held.0));
    for holder in site.dest.0.iter().chain(&keepers) {
        flow.heap.add_value(*holder, Value::Handle(site.inst, site.block));
    }
    // A parameter's instances of one body are what it is from call to call; of several bodies, it may be what holds them all.
    let open = ty.as_ref().is_some_and(|ty| match &**ty {
        TyKind::Impl(_) => true,
        ty => flow.code.types.param(ty).is_some(),
    });
    let bodies: BTreeSet<BodyId> = tasks.iter().map(|task| flow.instances[task.0 as usize].body).collect();
    let info = flow.info(site.inst, site.block);
    info.spawned.extend(tasks);
    info.spawns_one = only.is_some() || (open && bodies.len() == 1);
    info.spawn = Some((spawn.on, spawn.scoped));
}

/// Functions and closures given to a registration, as this argument, run as events; `in_turn`: one call after the other.
fn registered(flow: &mut Flow<'_>, site: &Site, number: usize, in_turn: bool) {
    let home = flow.home_of(site.inst);
    for (holder, value) in code_in(flow, &site.args[number].0, 2) {
        let handlers: Vec<InstId> = match value {
            Value::Body(id, subst, maker, captures) => {
                let context = flow.site(site.inst, site.block);
                let of = maker.map(|maker| maker.object);
                let made = (subst, Given::new(Vec::new(), &captures));
                let handler = flow.instance_given(flow.world_of(site.inst), id, context, made, of);
                bind_self(flow, handler, holder, maker);
                vec![handler]
            }
            Value::Fn(path) => {
                let ids = flow.code.resolve(&path, home);
                let context = flow.site(site.inst, site.block);
                let world = flow.world_of(site.inst);
                let instance = |id| flow.instance(world, id, context.clone(), Rc::default(), None);
                ids.into_iter().map(instance).collect()
            }
            _ => Vec::new(),
        };
        if in_turn {
            flow.in_turn.extend(&handlers);
        }
        // Their parameters are bound when it is known what there is to hand to them.
        flow.info(site.inst, site.block).events.extend(handlers);
    }
}

/// Notes what a framework is given for its handlers: a value, or what a function returns that is a handler itself.
fn provided(flow: &mut Flow<'_>, site: &Site, number: usize) {
    let Some((locs, Some(ty))) = site.args.get(number) else { return };
    let mut given: Vec<(LocId, Ty)> = locs.iter().map(|loc| (*loc, ty.clone())).collect();
    for handler in flow.info(site.inst, site.block).events.clone() {
        let result = flow.local(handler, 0);
        given.extend(flow.local_ty(handler, 0).map(|ty| (result, ty)));
    }
    for (loc, ty) in given {
        if carries(&ty) {
            flow.provided.entry(ty.to_string()).or_default().insert(loc);
        }
    }
}
