//! Functions without a body: what their models say, or else what their types allow.

use std::collections::BTreeSet;
use std::rc::Rc;

use robust_models::{Flow as ModelFlow, Models, Order, TypeKind, When};

use crate::mir::{BodyKind, FnSig, Path, TerminatorKind, Ty, TyKind};

use crate::world::points::aggregates::made_as;
use crate::world::points::bodies::BodyId;
use crate::world::points::calls::{Site, bind_self, code_in};
use crate::world::points::drops;
use crate::world::points::given::{Captures, Given};
use crate::world::points::heap::{LocId, Part, Root, Value};
use crate::world::points::lent;
use crate::world::points::object::{self, Maker};
use crate::world::points::outside;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::served;
use crate::world::points::streams;
use crate::world::points::through;
use crate::world::points::transfer::{View, by_types, results_of, taken, transfer, within};
use crate::world::points::types::{Subst, any_part, carries, parts, substitute};

/// The trait of futures, by its name.
const FUTURE: &str = "Future";

/// A function without a body: what its model says, or else what its types allow.
pub(crate) fn foreign(flow: &mut Flow<'_>, site: &Site, path: &Path, plain: String) {
    let models = flow.models;
    let key = model_key(models, path, &plain);
    let model = models.function(&key);
    let methods = through::methods(models, path, &plain);
    {
        let info = flow.info(site.inst, site.block);
        info.foreign = Some(plain);
        info.model = model.map(|_| key.clone());
    }
    if let Some(spawn) = model.and_then(|model| model.spawn.as_ref()) {
        spawned(flow, site, spawn);
        return;
    }
    if model.is_some_and(|model| model.event.is_some()) {
        registered(flow, site);
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
        callbacks(flow, site, times, model);
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

/// What the model of a function goes by.
pub(crate) fn model_key(models: &Models, path: &Path, plain: &str) -> String {
    let inherent = match &path.qself {
        Some(qself) => qself.ty.peel_refs().as_path().map(|ty| format!("{}::{}", ty.plain(), path.last())),
        None => of_impl(plain),
    };
    inherent.filter(|name| models.function(name).is_some()).unwrap_or_else(|| plain.to_owned())
}

/// What goes from the arguments of a library function to its result, and into each other.
fn carry(flow: &mut Flow<'_>, site: &Site, model: Option<&robust_models::Function>) {
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
                    (Some(held), _) => copy_all(flow, &lent_holder(flow, held).0, &site.dest.0),
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

/// `library::module::<impl library::Type<T>>::name` is `library::Type::name`, and `core::slice::<impl [T]>::name` is
/// `std::slice::name`.
pub(crate) fn of_impl(plain: &str) -> Option<String> {
    let (_, rest) = plain.split_once("::<impl ")?;
    let (ty, name) = rest.rsplit_once(">::")?;
    if ty.starts_with('[') {
        return Some(format!("std::slice::{name}"));
    }
    if ty == "str" {
        return Some(format!("std::str::{name}"));
    }
    let ty = ty.split_once('<').map_or(ty, |(ty, _)| ty);
    (!ty.contains(' ')).then(|| format!("{ty}::{name}"))
}

pub(crate) fn copy_all(flow: &mut Flow<'_>, from: &[LocId], into: &[LocId]) {
    for from in from {
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
    let object = flow.heap.root(root, || None);
    let Some(ty) = site.dest.1.clone() else { return };
    for dest in &site.dest.0 {
        let count = if let TyKind::Tuple(parts) = &*ty { parts.len() } else { 0 };
        for number in 0..count as u32 {
            let part = parts(&ty).get(number as usize).copied();
            let end = flow.heap.child(*dest, &Part::numbered(number), part);
            flow.heap.point(end, object);
        }
        if count == 0 {
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

/// Functions and closures given to a registration run as events.
fn registered(flow: &mut Flow<'_>, site: &Site) {
    let home = flow.home_of(site.inst);
    for (locs, _) in site.args.clone() {
        for (holder, value) in code_in(flow, &locs, 2) {
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
                    ids.into_iter()
                        .map(|id| {
                            flow.instance(flow.world_of(site.inst), id, context.clone(), Rc::default(), None)
                        })
                        .collect()
                }
                _ => Vec::new(),
            };
            // Their parameters are bound when it is known what there is to hand to them.
            flow.info(site.inst, site.block).events.extend(handlers);
        }
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

/// Closures (and futures that are run in place) given to a foreign function.
fn callbacks(
    flow: &mut Flow<'_>,
    site: &Site,
    times: Option<Order>,
    known: Option<&robust_models::Function>,
) {
    let is_stream = known.is_some_and(|model| model.stream.is_some());
    for (index, (locs, ty)) in site.args.iter().enumerate() {
        let Some(ty) = ty else { continue };
        let callable = is_callable(ty.peel_refs()) || is_stream && is_callable_behind(flow, ty);
        let future = any_part(ty, &mut |ty| matches!(ty, TyKind::Coroutine(_)));
        let inline = times.is_some() && future && times != Some(Order::Never);
        let run = !callable && times.is_none() && known.is_none() && is_future(flow, ty);
        if !callable && !inline && !run {
            continue;
        }
        let kept = times == Some(Order::Initially);
        let fills = known.is_some_and(|model| model.flow == Some(ModelFlow::Fill));
        let items = known.is_some_and(|model| model.items);
        for (holder, value) in code_in(flow, locs, 2) {
            match value {
                Value::Body(id, subst, ..) if run && !gives_output(flow, site, id, &subst) => {}
                Value::Body(id, subst, maker, captures) => {
                    let made = (id, subst, maker, captures);
                    let callee = callback(flow, site, (index, kept, items), holder, made);
                    kept_by(flow, site, callee, known);
                }
                Value::Fn(path) => {
                    let found = flow.code.resolve(&path, flow.home_of(site.inst));
                    if let (true, TyKind::FnDef(sig, path)) = (found.is_empty(), &**ty) {
                        let (result, ty) = library_callback(flow, site, index, sig, path);
                        if fills {
                            lent::fill_with(flow, site, (result, &ty));
                        }
                    }
                    for id in found {
                        let made = (id, Rc::default(), None, Captures::default());
                        let callee = callback(flow, site, (index, kept, items), holder, made);
                        kept_by(flow, site, callee, known);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether values of a type are closures or functions, be it that only their trait is known.
fn is_callable(ty: &TyKind) -> bool {
    match ty {
        TyKind::Closure { .. } | TyKind::FnDef(..) | TyKind::FnPtr(_) => true,
        TyKind::Impl(traits) | TyKind::Dyn(traits) => {
            traits.iter().any(|tr| matches!(tr.last(), "Fn" | "FnMut" | "FnOnce"))
        }
        _ => false,
    }
}

/// Whether values of a type are pointers to such.
fn is_callable_behind(flow: &Flow<'_>, ty: &TyKind) -> bool {
    flow.kind(ty) == Some(TypeKind::Pointer) && flow.pointee(ty).is_some_and(|to| is_callable(&to))
}

/// Puts what a closure returned where the library function that called it keeps that.
fn kept_by(flow: &mut Flow<'_>, site: &Site, callee: InstId, known: Option<&robust_models::Function>) {
    match known.and_then(|model| model.flow) {
        Some(ModelFlow::Fill) => {
            let result = flow.local(callee, 0);
            if let Some(ty) = flow.local_ty(callee, 0) {
                lent::fill_with(flow, site, (result, &ty));
            }
        }
        Some(ModelFlow::New) if known.is_some_and(|model| model.calls.is_some()) => make(flow, site, callee),
        _ => {}
    }
}

/// Puts what a closure returned into the room that was allocated for it. What the closure is given leads there.
fn make(flow: &mut Flow<'_>, site: &Site, callee: InstId) {
    let allocated = flow.heap.behind(&site.dest.0);
    let result = flow.local(callee, 0);
    copy_all(flow, &[result], &allocated);
    let body = flow.body_of(callee);
    let number = if matches!(body.kind, BodyKind::Closure { .. }) { 2 } else { 1 };
    if number > body.arg_count {
        return;
    }
    let param = flow.local(callee, number);
    let ty = flow.local_ty(callee, number).and_then(|ty| flow.pointee(&ty));
    for object in allocated {
        let weak = flow.heap.root(Root::Item(site.inst, site.block, 1), || ty.clone());
        flow.heap.point(weak, object);
        flow.heap.point(param, weak);
    }
}

/// Calls the library function that is this argument (`Weak::upgrade`, `Some`), for what goes in and comes out.
fn library_callback(flow: &mut Flow<'_>, site: &Site, index: usize, sig: &FnSig, path: &Path) -> (LocId, Ty) {
    let part = |flow: &mut Flow<'_>, number: usize, ty: &Ty| {
        flow.heap.root(Root::Item(site.inst, site.block, number as u32), || Some(ty.clone()))
    };
    let mut args = Vec::new();
    for (number, ty) in sig.inputs.iter().enumerate() {
        let param = part(flow, number + 1, ty);
        for (_, (from, from_ty)) in site.args.iter().enumerate().filter(|(other, _)| *other != index) {
            if let Some(from_ty) = from_ty {
                transfer(flow, site, (from, from_ty), (&[param], ty), View::None, 0);
            }
        }
        args.push((vec![param], Some(ty.clone())));
    }
    let result = part(flow, 0, &sig.output);
    let dest = (vec![result], Some(sig.output.clone()));
    let inner = Site { inst: site.inst, block: site.block, args, dest, given: Vec::new() };
    let models = flow.models;
    carry(flow, &inner, models.function(&model_key(models, path, &path.plain())));
    if let Some(dest_ty) = &site.dest.1 {
        returned(flow, site, (result, &sig.output), dest_ty);
    }
    (result, sig.output.clone())
}

/// Whether a type is that of a future.
fn is_future(flow: &Flow<'_>, ty: &TyKind) -> bool {
    if matches!(ty, TyKind::Ref { .. }) {
        return false;
    }
    any_part(ty, &mut |ty| match ty {
        TyKind::Coroutine(_) => true,
        TyKind::Dyn(traits) | TyKind::Impl(traits) => traits.iter().any(|tr| tr.last() == FUTURE),
        _ => false,
    }) && !(matches!(ty, TyKind::Path(_)) && flow.code.has_fields(ty))
}

/// Whether a function returns what a future that it is given ends with: then it has run it, as `block_on` does.
fn gives_output(flow: &Flow<'_>, site: &Site, id: BodyId, subst: &Subst) -> bool {
    let body = flow.code.body(id);
    let output = body.locals.first().map(|decl| substitute(&decl.ty, subst));
    matches!(body.kind, BodyKind::Coroutine { .. }) && output.is_some() && output == site.dest.1
}

/// Calls the closure that is this argument; `kept`: what it makes stays in what the call is about.
fn callback(
    flow: &mut Flow<'_>,
    site: &Site,
    (index, kept, items): (usize, bool, bool),
    holder: LocId,
    (id, subst, maker, captures): (BodyId, Rc<Subst>, Option<Maker>, Captures),
) -> InstId {
    // What is made once is the same wherever it is first needed.
    let context = if kept { Vec::new() } else { flow.site(site.inst, site.block) };
    let of = object::of(flow, maker, site.inst).filter(|_| !kept);
    let captures = if kept { Captures::default() } else { captures };
    let made = (subst.clone(), Given::new(Vec::new(), &captures));
    let callee = flow.instance_given(flow.world_of(site.inst), id, context, made, of);
    let body = flow.code.body(id);
    let own = matches!(body.kind, BodyKind::Closure { .. } | BodyKind::Coroutine { .. });
    if own {
        bind_self(flow, callee, holder, maker);
    }
    if !matches!(body.kind, BodyKind::Coroutine { .. }) {
        for number in (if own { 2 } else { 1 })..=body.arg_count {
            let Some(decl) = body.locals.get(number as usize) else { continue };
            let ty = substitute(&decl.ty, &subst);
            let param = flow.local(callee, number);
            let is_exclusive = matches!(&*ty, TyKind::Ref { mutable: true, .. });
            for (other, (from, from_ty)) in site.args.iter().enumerate() {
                let Some(from_ty) = from_ty.as_ref().filter(|_| other != index) else { continue };
                // Whatever it is that lends something exclusively: nobody else has that meanwhile.
                if is_exclusive && flow.heap.is_unknown(from_ty.peel_refs()) {
                    outside::lent_alone(flow, flow.world_of(site.inst), param, &ty);
                    continue;
                }
                transfer(flow, site, (from, from_ty), (&[param], &ty), View::None, 0);
                if items && other == 0 {
                    item(flow, site, (from, from_ty), (param, &ty));
                }
            }
        }
    }
    let result = flow.local(callee, 0);
    if let Some(ty) = flow.local_ty(callee, 0) {
        match site.args.first() {
            Some((locs, Some(cell))) if kept && matches!(&**cell, TyKind::Ref { .. }) => {
                let cells = flow.heap.behind(locs);
                if let Some(inner) = flow.pointee(cell) {
                    transfer(flow, site, (&[result], &ty), (&cells, &inner), View::None, 0);
                }
            }
            _ => {
                if let Some(dest_ty) = &site.dest.1 {
                    returned(flow, site, (result, &ty), dest_ty);
                }
            }
        }
    }
    flow.info(site.inst, site.block).callees.insert(callee);
    callee
}

/// Gives a closure's parameter an item of what is iterated over, or a reference to one.
fn item(flow: &mut Flow<'_>, site: &Site, (from, from_ty): (&[LocId], &Ty), (param, ty): (LocId, &Ty)) {
    let from = match &**from_ty {
        TyKind::Ref { mutable: true, to } => {
            let behind = flow.heap.behind(from);
            transfer(flow, site, (&behind, to), (&[param], ty), View::None, 0);
            behind
        }
        // That much has gone to the parameter as it goes to any.
        _ => from.to_vec(),
    };
    if let TyKind::Ref { to, .. } = &**ty
        && matches!(&**to, TyKind::Ref { .. })
    {
        // What iterates has the references that it gives out.
        from.iter().for_each(|from| flow.heap.point(param, *from));
    }
}

/// What a closure given to a foreign function returns: it comes out of the call, or later out of what the call makes, which is
/// lazy then and keeps the closure.
fn returned(flow: &mut Flow<'_>, site: &Site, (result, ty): (LocId, &Ty), dest_ty: &Ty) {
    let keeps = any_part(dest_ty, &mut |ty| matches!(ty, TyKind::Closure { .. }));
    if !keeps || flow.kind(dest_ty).is_some() {
        transfer(flow, site, (&[result], ty), (&site.dest.0, dest_ty), View::None, 0);
        return;
    }
    for dest in &site.dest.0 {
        let into = flow.heap.child(*dest, &results_of(), Some(ty));
        flow.heap.copy(result, into);
    }
}
