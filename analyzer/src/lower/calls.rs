//! Calls in the points-to analysis: who is called, and what flows in and out.

use std::collections::BTreeSet;
use std::rc::Rc;

use robust_models::{Flow as ModelFlow, Order, TypeKind};

use crate::mir::{Body, BodyKind, CallTarget, Callee, Path, QSelf, Ty, TyKind};

use super::code::BodyId;
use super::flow::{Flow, InstId};
use super::heap::{LocId, Root, Value};
use super::object::{self, Maker};
use super::transfer::{by_types, taken, transfer, within};
use super::types::{Subst, any_part, carries, know, parts, substitute, substitute_path, unify};

/// Where a value is and what type it has.
pub(super) type Held = (Vec<LocId>, Option<Ty>);

/// A call in an instance.
pub(super) struct Site {
    pub inst: InstId,
    pub block: u32,
    pub args: Vec<Held>,
    pub dest: Held,
}

/// Traits that are part of the language: calls of closures, and polling.
const CALL: [&str; 6] = [
    "std::ops::Fn::call",
    "std::ops::FnMut::call_mut",
    "std::ops::FnOnce::call_once",
    "std::ops::AsyncFn::async_call",
    "std::ops::AsyncFnMut::async_call_mut",
    "std::ops::AsyncFnOnce::async_call_once",
];
const POLL: &str = "std::future::Future::poll";
/// So many locations are looked at for what a future holds.
const REACH: usize = 200;

pub(super) fn call(flow: &mut Flow<'_>, inst: InstId, _body: &Body, block: u32, call: &CallTarget) {
    let args = call.args.iter().map(|arg| flow.operand(inst, arg)).collect();
    let dest = flow.place(inst, &call.dest);
    let site = Site { inst, block, args, dest };
    match &call.callee {
        Callee::Value(operand) => {
            let (locs, _) = flow.operand(inst, operand);
            let args = site.args.clone();
            invoke_value(flow, &site, &locs, &args, None);
        }
        Callee::Fn { path, .. } => {
            let path = substitute_path(path, &flow.subst_of(inst));
            named(flow, &site, &path);
        }
    }
}

fn named(flow: &mut Flow<'_>, site: &Site, path: &Path) {
    let plain = path.plain();
    if CALL.contains(&&*plain) {
        let callee = site.args.first().map_or(Vec::new(), |held| held.0.clone());
        let args = untuple(flow, site.args.get(1));
        let ty = path.qself.as_ref().map(|qself| qself.ty.clone());
        invoke_value(flow, site, &callee, &args, ty.as_ref());
        return;
    }
    let home = flow.home_of(site.inst);
    let mut found = flow.code.resolve(path, home);
    if found.is_empty()
        && let Some(qself) = &path.qself
        && let Some(tr) = &qself.tr
        && is_open(flow, &qself.ty)
        && flow.code.is_local(tr)
    {
        found = dynamic(flow, site, tr, path.last());
    }
    if !found.is_empty() {
        for id in found {
            let subst = learn(flow, id, path, &site.args);
            invoke(flow, site, id, &Rc::new(subst), &site.args);
        }
        return;
    }
    if plain == POLL {
        poll(flow, site, path);
        return;
    }
    foreign(flow, site, path, plain);
}

/// A type that does not say which implementation is meant.
fn is_open(flow: &Flow<'_>, ty: &TyKind) -> bool {
    matches!(ty, TyKind::Dyn(_) | TyKind::Impl(_) | TyKind::Other(_))
        || flow.code.types.param(ty).is_some()
        || { matches!(ty, TyKind::Path(path) if path.qself.is_some()) }
        || matches!(ty, TyKind::Ref { to, .. } if is_open(flow, to))
}

/// The bodies a call through `dyn` (or of an unknown parameter) reaches: by the types of what the receiver points to.
fn dynamic(flow: &mut Flow<'_>, site: &Site, tr: &Path, method: &str) -> Vec<BodyId> {
    let home = flow.home_of(site.inst);
    let mut level: BTreeSet<LocId> =
        site.args.first().map_or(&[][..], |held| &held.0).iter().copied().collect();
    let mut found = BTreeSet::new();
    for _ in 0..3 {
        let mut below = BTreeSet::new();
        for loc in &level {
            let loc = flow.heap.get(*loc);
            below.extend(loc.points_to.iter().copied());
            let Some(ty) = loc.ty.clone().filter(|ty| !is_open(flow, ty)) else { continue };
            let path = Path {
                qself: Some(Box::new(QSelf { ty, tr: Some(tr.clone()) })),
                segments: vec![crate::mir::Segment { name: method.into(), args: Vec::new() }],
            };
            found.extend(flow.code.resolve(&path, home));
        }
        if !found.is_empty() {
            break;
        }
        level = below;
    }
    if found.is_empty() { flow.code.implementations(tr, method) } else { found.into_iter().collect() }
}

/// What the callee's generic parameters stand for.
fn learn(flow: &Flow<'_>, id: BodyId, path: &Path, args: &[Held]) -> Subst {
    let body = flow.code.body(id);
    let mut subst = Subst::new();
    if let Some(qself) = &path.qself {
        match &body.path.qself {
            Some(theirs) => unify(&flow.code.types, &theirs.ty, &qself.ty, &mut subst),
            None => know(&mut subst, "Self".into(), &qself.ty),
        }
    }
    for (decl, (_, ty)) in body.inputs().zip(args) {
        if let Some(ty) = ty {
            unify(&flow.code.types, decl, ty, &mut subst);
        }
    }
    subst
}

/// Calls a function, once for each object that it may be called on.
fn invoke(flow: &mut Flow<'_>, site: &Site, id: BodyId, subst: &Rc<Subst>, args: &[Held]) {
    let objects = object::of_call(flow, args.first());
    for of in object::each(&objects) {
        let context = flow.site(site.inst, site.block);
        let about = of.or(flow.instances[site.inst.0 as usize].of);
        let callee = flow.instance(flow.world_of(site.inst), id, context, subst.clone(), about);
        for (number, (locs, _)) in args.iter().enumerate().take(flow.code.body(id).arg_count as usize) {
            let param = flow.local(callee, number as u32 + 1);
            for loc in locs {
                if number == 0 {
                    flow.heap.copy_some(*loc, param, |to| objects.is_meant(of, to));
                } else {
                    flow.heap.copy(*loc, param);
                }
            }
        }
        let result = flow.local(callee, 0);
        for dest in &site.dest.0 {
            flow.heap.copy(result, *dest);
        }
        flow.info(site.inst, site.block).callees.insert(callee);
    }
}

fn untuple(flow: &mut Flow<'_>, held: Option<&Held>) -> Vec<Held> {
    let Some((locs, Some(ty))) = held else { return Vec::new() };
    let TyKind::Tuple(parts) = &**ty else { return Vec::new() };
    let mut args = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let field = (Default::default(), number as u32);
        let children = locs.iter().map(|loc| flow.heap.child(*loc, &field, Some(part))).collect();
        args.push((children, Some(part.clone())));
    }
    args
}

/// The code in locations or, when there is none, in what they point to; with the location that holds it.
pub(super) fn code_in(flow: &Flow<'_>, locs: &[LocId], levels: usize) -> Vec<(LocId, Value)> {
    let mut level: BTreeSet<LocId> = locs.iter().copied().collect();
    for _ in 0..=levels {
        let found: Vec<(LocId, Value)> = level
            .iter()
            .flat_map(|loc| flow.heap.get(*loc).values.iter().map(|value| (*loc, value.clone())))
            .filter(|(_, value)| !matches!(value, Value::Initial(_) | Value::Unknown))
            .collect();
        if !found.is_empty() {
            return found;
        }
        level = level.iter().flat_map(|loc| flow.heap.get(*loc).points_to.iter().copied()).collect();
    }
    Vec::new()
}

/// Calls closures and function items.
fn invoke_value(flow: &mut Flow<'_>, site: &Site, locs: &[LocId], args: &[Held], ty: Option<&Ty>) {
    let home = flow.home_of(site.inst);
    let only = ty.and_then(|ty| flow.code.of_type(ty.peel_refs(), home));
    let mut any = false;
    for (holder, value) in code_in(flow, locs, 3) {
        match value {
            Value::Body(id, subst, maker) if only.is_none_or(|only| only == id) => {
                any = true;
                invoke_closure(flow, site, holder, (id, subst, maker), args);
            }
            Value::Fn(path) => {
                any = true;
                invoke_fn(flow, site, &path, args);
            }
            _ => {}
        }
    }
    let item = ty.and_then(|ty| match ty.peel_refs() {
        TyKind::FnDef(_, path) => Some(path.clone()),
        _ => None,
    });
    if !any && let Some(path) = item {
        invoke_fn(flow, site, &path, args);
    }
}

fn invoke_fn(flow: &mut Flow<'_>, site: &Site, path: &Path, args: &[Held]) {
    let home = flow.home_of(site.inst);
    for id in flow.code.resolve(path, home) {
        let subst = learn(flow, id, path, args);
        invoke(flow, site, id, &Rc::new(subst), args);
    }
}

fn invoke_closure(
    flow: &mut Flow<'_>,
    site: &Site,
    holder: LocId,
    (id, subst, maker): (BodyId, Rc<Subst>, Option<Maker>),
    args: &[Held],
) {
    let context = flow.site(site.inst, site.block);
    let of = object::of(flow, maker, site.inst);
    let callee = flow.instance(flow.world_of(site.inst), id, context, subst, of);
    bind_self(flow, callee, holder, maker);
    for (number, (locs, _)) in args.iter().enumerate() {
        let param = flow.local(callee, number as u32 + 2);
        for loc in locs {
            flow.heap.copy(*loc, param);
        }
    }
    let result = flow.local(callee, 0);
    for dest in &site.dest.0 {
        flow.heap.copy(result, *dest);
    }
    flow.info(site.inst, site.block).callees.insert(callee);
}

/// Gives a closure or future its captures.
pub(super) fn bind_self(flow: &mut Flow<'_>, callee: InstId, holder: LocId, maker: Option<Maker>) {
    let own = flow.local(callee, 1);
    let by_ref = flow.local_ty(callee, 1).is_some_and(|ty| matches!(&*ty, TyKind::Ref { .. }));
    match maker.filter(|maker| maker.field.is_some()) {
        _ if by_ref => flow.heap.point(own, holder),
        Some(maker) => object::copy_captures(flow, holder, own, maker),
        None => flow.heap.copy(holder, own),
    }
}

/// `poll(pin, context)`: a future with a body runs in place, anything else is waited for.
fn poll(flow: &mut Flow<'_>, site: &Site, path: &Path) {
    let ty = path.qself.as_ref().map(|qself| qself.ty.clone());
    let futures: Vec<LocId> = site
        .args
        .first()
        .map_or(&[][..], |held| &held.0)
        .iter()
        .flat_map(|loc| flow.heap.targets(*loc))
        .collect();
    let home = flow.home_of(site.inst);
    let only = ty.as_ref().and_then(|ty| flow.code.of_type(ty, home));
    let mut leaves = BTreeSet::new();
    let code = code_in(flow, &futures, 3);
    for (holder, value) in code {
        match value {
            Value::Body(id, subst, maker) if only.is_none_or(|only| only == id) => {
                if super::cfg::polls(flow.code.body(id)) {
                    leaves.extend(joined(flow, holder));
                }
                invoke_closure(flow, site, holder, (id, subst, maker), &[]);
            }
            Value::Body(..) | Value::Fn(_) => {}
            leaf => {
                leaves.insert(leaf);
            }
        }
    }
    for future in futures {
        for dest in site.dest.0.clone() {
            flow.heap.copy(future, dest);
            for target in flow.heap.targets(future) {
                flow.heap.copy(target, dest);
            }
        }
    }
    let info = flow.info(site.inst, site.block);
    info.poll.get_or_insert_default().extend(leaves);
    info.polled = ty;
}

/// Handles of tasks in what a closure holds that polls until all of them have ended (`join!`).
fn joined(flow: &Flow<'_>, closure: LocId) -> BTreeSet<Value> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::from([closure]);
    let mut work = vec![closure];
    while let Some(at) = work.pop() {
        let loc = flow.heap.get(at);
        for value in &loc.values {
            if let Value::Handle(inst, block) = value {
                let spawn = flow.calls.get(&(*inst, *block)).and_then(|info| info.spawn);
                if matches!(spawn, Some((_, true))) {
                    found.insert(value.clone());
                }
            }
        }
        let next = loc.children.values().chain(&loc.points_to).copied();
        work.extend(next.filter(|next| seen.len() < REACH && seen.insert(*next)));
    }
    found
}

/// A function without a body: what its model says, or else what its types allow.
fn foreign(flow: &mut Flow<'_>, site: &Site, path: &Path, plain: String) {
    let inherent = match &path.qself {
        Some(qself) => qself.ty.peel_refs().as_path().map(|ty| format!("{}::{}", ty.plain(), path.last())),
        None => of_impl(&plain),
    };
    let models = flow.models;
    let key = inherent.filter(|name| models.function(name).is_some()).unwrap_or_else(|| plain.clone());
    let model = models.function(&key);
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
    match model.and_then(|model| model.flow) {
        Some(ModelFlow::Nothing) => {}
        Some(ModelFlow::New) => {
            allocate(flow, site);
        }
        Some(ModelFlow::Wrap) => {
            for (locs, _) in &site.args {
                copy_all(flow, locs, &site.dest.0);
            }
        }
        Some(ModelFlow::Load) => {
            let from: Vec<LocId> = site
                .args
                .first()
                .map_or(&[][..], |held| &held.0)
                .iter()
                .flat_map(|loc| flow.heap.targets(*loc))
                .collect();
            copy_all(flow, &from, &site.dest.0);
        }
        Some(ModelFlow::Take) => taken(flow, site),
        Some(ModelFlow::Within) => within(flow, site),
        Some(ModelFlow::Channel) => channel(flow, site),
        None => match model.and_then(|model| model.acquire.as_ref()) {
            Some(acquire) => {
                if let Some((locs, _)) = site.args.get(acquire.lock) {
                    copy_all(flow, &locs.clone(), &site.dest.0);
                }
            }
            None => by_types(flow, site),
        },
    }
    if let Some(model) = model {
        let later = model.source || model.yields || model.acquire.is_some() || model.join.is_some();
        if later {
            for dest in &site.dest.0 {
                flow.heap.add_value(*dest, Value::Future(key.clone()));
            }
        }
        if matches!(model.value, Some(robust_models::Value::New)) {
            initial(flow, site);
        }
    }
    let times = model.and_then(|model| model.calls.as_ref()).map(|calls| calls.times);
    if times != Some(Order::Never) {
        callbacks(flow, site, times);
    }
}

/// `library::module::<impl library::Type<T>>::name` is `library::Type::name`.
fn of_impl(plain: &str) -> Option<String> {
    let (_, rest) = plain.split_once("::<impl ")?;
    let (ty, name) = rest.rsplit_once(">::")?;
    let ty = ty.split_once('<').map_or(ty, |(ty, _)| ty);
    (!ty.contains(' ')).then(|| format!("{ty}::{name}"))
}

pub(super) fn copy_all(flow: &mut Flow<'_>, from: &[LocId], into: &[LocId]) {
    for from in from {
        for into in into {
            flow.heap.copy(*from, *into);
        }
    }
}

/// Notes the number a variable is made with; it flows to where the variable ends up.
fn initial(flow: &mut Flow<'_>, site: &Site) {
    use crate::mir::{ConstKind, Operand, TerminatorKind};
    let body = flow.body_of(site.inst);
    let block = body.blocks.get(site.block as usize);
    let call = block.and_then(|block| match &block.terminator.kind {
        TerminatorKind::Call(call) => Some(call),
        _ => None,
    });
    let value = match call.and_then(|call| call.args.first()) {
        Some(Operand::Const(constant)) => match constant.kind {
            ConstKind::Int(value) => Value::Initial(value),
            ConstKind::Bool(value) => Value::Initial(value as i128),
            _ => Value::Unknown,
        },
        _ => Value::Unknown,
    };
    for dest in &site.dest.0 {
        flow.heap.add_value(*dest, value.clone());
    }
}

fn allocate(flow: &mut Flow<'_>, site: &Site) -> LocId {
    let ty = site.args.first().and_then(|held| held.1.clone());
    let root = Root::Heap(object::allocator(flow, site.inst), site.block);
    let object = flow.heap.root(root, || ty);
    if let Some((locs, _)) = site.args.first() {
        copy_all(flow, locs, &[object]);
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
            let end = flow.heap.child(*dest, &(Default::default(), number), part);
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
            Value::Body(id, subst, maker) if only.is_none_or(|only| only == id) => {
                let context = flow.site(site.inst, site.block);
                let of = maker.map(|maker| maker.object);
                let task = flow.instance(flow.world_of(site.inst), id, context, subst, of);
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
    for task in &tasks {
        let result = flow.local(*task, 0);
        copy_all(flow, &[result], &site.dest.0);
    }
    let keeper = spawn.into.and_then(|number| site.args.get(number));
    let keepers: Vec<LocId> =
        keeper.map_or(&[][..], |held| &held.0).iter().flat_map(|loc| flow.heap.targets(*loc)).collect();
    for holder in site.dest.0.iter().chain(&keepers) {
        flow.heap.add_value(*holder, Value::Handle(site.inst, site.block));
    }
    let info = flow.info(site.inst, site.block);
    info.spawned.extend(tasks);
    info.spawn = Some((spawn.on, spawn.scoped));
}

/// Functions and closures given to a registration run as events.
fn registered(flow: &mut Flow<'_>, site: &Site) {
    let home = flow.home_of(site.inst);
    for (locs, _) in site.args.clone() {
        for (holder, value) in code_in(flow, &locs, 2) {
            let handlers: Vec<InstId> = match value {
                Value::Body(id, subst, maker) => {
                    let context = flow.site(site.inst, site.block);
                    let of = maker.map(|maker| maker.object);
                    let handler = flow.instance(flow.world_of(site.inst), id, context, subst, of);
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

/// Binds the parameters of a function that is called from outside to one object per type.
pub(super) fn outside_arguments(flow: &mut Flow<'_>, inst: InstId) {
    let body = flow.body_of(inst);
    let skip = if matches!(body.kind, BodyKind::Closure { .. } | BodyKind::Coroutine { .. }) { 1 } else { 0 };
    for number in skip..body.arg_count {
        let local = flow.local(inst, number + 1);
        if let Some(ty) = flow.local_ty(inst, number + 1) {
            outside(flow, flow.world_of(inst), (local, ""), &ty, 0);
        }
    }
}

pub(super) fn outside(flow: &mut Flow<'_>, world: u32, (loc, path): (LocId, &str), ty: &Ty, level: u32) {
    if level > 4 {
        return;
    }
    if let Some(given) = flow.provided.get(&ty.to_string()).cloned() {
        copy_all(flow, &given.into_iter().collect::<Vec<_>>(), &[loc]);
        return;
    }
    match flow.kind(ty) {
        Some(TypeKind::Pointer) => {
            let Some(to) = flow.pointee(ty) else { return };
            if let Some(given) = flow.provided.get(&to.to_string()).cloned() {
                given.into_iter().for_each(|given| flow.heap.point(loc, given));
                return;
            }
            let known = ty.as_path().and_then(|path| flow.models.ty(&path.plain()));
            if path.is_empty() && known.is_some_and(|known| known.unique) {
                // Given away: nobody else has it.
                return;
            }
            // One object per type of parameter; one per field behind it.
            let path = if path.is_empty() { to.to_string() } else { format!("{path}*") };
            let object = flow.heap.root(Root::Outside(path.clone(), world), || Some(to.clone()));
            flow.heap.point(loc, object);
            outside(flow, world, (object, &path), &to, level + 1);
        }
        Some(TypeKind::Lock | TypeKind::Container | TypeKind::Cell) | None if !flow.code.has_fields(ty) => {
            for part in parts(ty).into_iter().cloned().collect::<Vec<_>>() {
                outside(flow, world, (loc, path), &part, level + 1);
            }
        }
        Some(_) => {}
        None => {
            let Some(fields) = flow.field_types(ty) else { return };
            for (field, ty) in fields {
                let child = flow.heap.child(loc, &field, Some(&ty));
                if child != loc {
                    let path = format!("{path}.{}", super::share::field_name(flow, loc, &field));
                    outside(flow, world, (child, &path), &ty, level + 1);
                }
            }
        }
    }
}

/// Closures (and futures that are run in place) given to a foreign function.
fn callbacks(flow: &mut Flow<'_>, site: &Site, times: Option<Order>) {
    for (index, (locs, ty)) in site.args.iter().enumerate() {
        let Some(ty) = ty else { continue };
        let callable =
            matches!(ty.peel_refs(), TyKind::Closure { .. } | TyKind::FnDef(..) | TyKind::FnPtr(_));
        let future = any_part(ty, &mut |ty| matches!(ty, TyKind::Coroutine(_)));
        let inline = times.is_some() && future && times != Some(Order::Never);
        if !callable && !inline {
            continue;
        }
        let kept = times == Some(Order::Initially);
        for (holder, value) in code_in(flow, locs, 2) {
            match value {
                Value::Body(id, subst, maker) => {
                    callback(flow, site, (index, kept), holder, (id, subst, maker));
                }
                Value::Fn(path) => {
                    let home = flow.home_of(site.inst);
                    for id in flow.code.resolve(&path, home) {
                        callback(flow, site, (index, kept), holder, (id, Rc::default(), None));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Calls the closure that is this argument; `kept`: what it makes stays in what the call is about.
fn callback(
    flow: &mut Flow<'_>,
    site: &Site,
    (index, kept): (usize, bool),
    holder: LocId,
    (id, subst, maker): (BodyId, Rc<Subst>, Option<Maker>),
) {
    // What is made once is the same wherever it is first needed.
    let context = if kept { Vec::new() } else { flow.site(site.inst, site.block) };
    let of = object::of(flow, maker, site.inst).filter(|_| !kept);
    let callee = flow.instance(flow.world_of(site.inst), id, context, subst.clone(), of);
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
            for (other, (from, from_ty)) in site.args.iter().enumerate() {
                if let Some(from_ty) = from_ty
                    && other != index
                {
                    transfer(flow, site, (from, from_ty), (&[param], &ty), false, 0);
                }
            }
        }
    }
    let result = flow.local(callee, 0);
    if let Some(ty) = flow.local_ty(callee, 0) {
        match site.args.first() {
            Some((locs, Some(cell))) if kept && matches!(&**cell, TyKind::Ref { .. }) => {
                let cells: Vec<LocId> = locs.iter().flat_map(|loc| flow.heap.targets(*loc)).collect();
                if let Some(inner) = flow.pointee(cell) {
                    transfer(flow, site, (&[result], &ty), (&cells, &inner), false, 0);
                }
            }
            _ => {
                if let Some(dest_ty) = &site.dest.1 {
                    transfer(flow, site, (&[result], &ty), (&site.dest.0, dest_ty), false, 0);
                }
            }
        }
    }
    flow.info(site.inst, site.block).callees.insert(callee);
}
