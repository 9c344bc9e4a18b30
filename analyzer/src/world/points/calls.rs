//! Calls in the points-to analysis: who is called, and what flows in and out.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use robust_models::{Models, TypeKind};

use crate::mir::{CallTarget, Callee, Path, QSelf, Ty, TyKind};

use crate::world::points::bodies::BodyId;
use crate::world::points::escape::is_channel;
use crate::world::points::foreign::foreign;
use crate::world::points::given::{Captures, Constant, Given, Giver};
use crate::world::points::given_out;
use crate::world::points::heap::{LocId, Part, Value};
use crate::world::points::object::{self, Maker};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::streams;
use crate::world::points::transfer::{is_opaque_data, results_of, see_through};
use crate::world::points::types::{Subst, carries, know, substitute_path, unify};

/// Where a value is and what type it has.
pub(crate) type Held = (Vec<LocId>, Option<Ty>);

/// A call in an instance.
pub(crate) struct Site {
    pub inst: InstId,
    pub block: u32,
    pub args: Vec<Held>,
    pub dest: Held,
    /// By argument of what runs: the constant that it is.
    pub given: Vec<Option<Constant>>,
}

/// Traits that are part of the language: calls of closures, and polling.
pub(crate) const CALL: [&str; 6] = [
    "std::ops::Fn::call",
    "std::ops::FnMut::call_mut",
    "std::ops::FnOnce::call_once",
    "std::ops::AsyncFn::async_call",
    "std::ops::AsyncFnMut::async_call_mut",
    "std::ops::AsyncFnOnce::async_call_once",
];
const POLL: &str = "std::future::Future::poll";
/// How streams are asked for items, as models say.
const STREAM: &str = "futures_core::Stream::poll_next";
/// A stream is behind so many pointers from the future of its next item.
const STREAMS: usize = 3;
/// So many locations are looked at for what a future holds.
const REACH: usize = 200;

pub(crate) fn call(flow: &mut Flow<'_>, inst: InstId, block: u32, call: &CallTarget) {
    let args = call.args.iter().map(|arg| flow.operand(inst, arg)).collect();
    let dest = flow.place(inst, &call.dest);
    let given = Giver::new(flow, inst).operands(&call.args);
    let site = Site { inst, block, args, dest, given };
    streams::note(flow, &site);
    match &call.callee {
        Callee::Value(operand) => {
            let (locs, _) = flow.operand(inst, operand);
            let args = site.args.clone();
            invoke_value(flow, &site, &locs, &args, None);
        }
        Callee::Fn { path, .. } => {
            let path = substitute_path(path, &flow.subst_of(inst));
            named(flow, site, call, &path);
        }
    }
}

fn named(flow: &mut Flow<'_>, mut site: Site, call: &CallTarget, path: &Path) {
    let plain = path.plain();
    if CALL.contains(&&*plain) {
        site.given = Giver::new(flow, site.inst).parts(call.args.get(1));
        let callee = site.args.first().map_or(Vec::new(), |held| held.0.clone());
        let args = untuple(flow, site.args.get(1));
        let ty = path.qself.as_ref().map(|qself| qself.ty.clone());
        invoke_value(flow, &site, &callee, &args, ty.as_ref());
        return;
    }
    let home = flow.home_of(site.inst);
    let mut found: Vec<(BodyId, Receivers)> =
        flow.code.resolve(path, home).into_iter().map(|id| (id, None)).collect();
    // What a trait provides may be another's for the type that is meant.
    let provided = |id: &BodyId| flow.code.body(*id).path.qself.is_none();
    if found.iter().all(|(id, _)| provided(id))
        && let Some(qself) = &path.qself
        && let Some(tr) = &qself.tr
        && is_open(flow, &qself.ty)
        && !is_poll(flow.models, &plain)
    {
        let own = found.iter().map(|(id, _)| *id).collect();
        let Some(bodies) = dynamic(flow, &site, tr, path.last(), own) else {
            flow.postpone(site.inst, site.block);
            return;
        };
        found = bodies;
    }
    if !found.is_empty() {
        return invoke_each(flow, &site, path, found);
    }
    match behind_box(flow, &mut site, path) {
        Some(Some((path, bodies))) => return invoke_each(flow, &site, &path, bodies),
        Some(None) => return flow.postpone(site.inst, site.block),
        None => {}
    }
    // What libraries call is given what they give it.
    site.given = Vec::new();
    if is_poll(flow.models, &plain) {
        // Futures that the program has written itself are found by their types, others by their bodies.
        if let Some(qself) = path.qself.as_ref().filter(|qself| is_open(flow, &qself.ty))
            && let Some(tr) = &qself.tr
        {
            let written = dynamic(flow, &site, tr, path.last(), Vec::new()).unwrap_or_default();
            invoke_each(flow, &site, path, written);
        }
        poll(flow, &site, path);
        return;
    }
    foreign(flow, &site, path, plain);
}

/// Calls these bodies of a method, each on the objects that it is for.
fn invoke_each(flow: &mut Flow<'_>, site: &Site, path: &Path, bodies: Vec<(BodyId, Receivers)>) {
    for (id, receivers) in bodies {
        let subst = learn(flow, id, path, &site.args);
        invoke_on(flow, site, id, &Rc::new(subst), &site.args, &receivers);
    }
}

/// A trait's method, and the bodies that it reaches.
type Reached = (Path, Vec<(BodyId, Receivers)>);

/// A library's method of a box, or of a reference, that only calls that of what is in it: the bodies that this reaches, called on that. `None`: it
/// reaches none; `Some(None)`: not known yet.
fn behind_box(flow: &mut Flow<'_>, site: &mut Site, path: &Path) -> Option<Option<Reached>> {
    let qself = path.qself.as_ref()?;
    let tr = qself.tr.as_ref().filter(|_| !is_poll(flow.models, &path.plain()))?;
    let inner = match &*qself.ty {
        TyKind::Ref { to, .. } => to.clone(),
        TyKind::Path(of) if of.last() == "Box" && of.qself.is_none() => of.type_args().next()?.clone(),
        _ => return None,
    };
    let (locs, ty) = site.args.first()?;
    if !matches!(ty.as_deref(), Some(TyKind::Ref { .. })) {
        return None;
    }
    let held = (flow.heap.behind(locs), Some(inner.clone()));
    let own = std::mem::replace(&mut site.args[0], held);
    let of = QSelf { ty: inner.clone(), tr: Some(tr.clone()) };
    let inner_path = Path { qself: Some(Box::new(of)), segments: path.segments.clone() };
    let bodies = match is_open(flow, &inner) {
        true => match dynamic(flow, site, tr, path.last(), Vec::new()) {
            Some(bodies) => bodies,
            None => return Some(None),
        },
        false => {
            let home = flow.home_of(site.inst);
            flow.code.resolve(&inner_path, home).into_iter().map(|id| (id, None)).collect()
        }
    };
    if bodies.is_empty() {
        site.args[0] = own;
        return None;
    }
    Some(Some((inner_path, bodies)))
}

/// Whether a function polls the future that its first argument points to.
pub(super) fn is_poll(models: &Models, path: &str) -> bool {
    path == POLL || models.function(path).is_some_and(|model| model.polls)
}

/// A type that does not say which implementation is meant.
pub(super) fn is_open(flow: &Flow<'_>, ty: &TyKind) -> bool {
    matches!(ty, TyKind::Dyn(_) | TyKind::Impl(_) | TyKind::Other(_))
        || flow.code.types.param(ty).is_some()
        || { matches!(ty, TyKind::Path(path) if path.qself.is_some()) }
        || matches!(ty, TyKind::Ref { to, .. } if is_open(flow, to))
}

/// The objects that a call is about, if that is not all that its receiver points to.
type Receivers = Option<BTreeSet<LocId>>;

/// The bodies a call through `dyn` (or of an unknown parameter) reaches: by the types of what the receiver points to, each
/// with the objects of its type; any, or what the trait provides, if these stay unknown. None: not known yet.
fn dynamic(
    flow: &mut Flow<'_>,
    site: &Site,
    tr: &Path,
    method: &str,
    provided: Vec<BodyId>,
) -> Option<Vec<(BodyId, Receivers)>> {
    let home = flow.home_of(site.inst);
    let mut level: BTreeSet<LocId> =
        site.args.first().map_or(&[][..], |held| &held.0).iter().copied().collect();
    let mut found: BTreeMap<BodyId, BTreeSet<LocId>> = BTreeMap::new();
    let mut hops = 0;
    for depth in 0..3 {
        hops = depth;
        let mut below = BTreeSet::new();
        for id in &level {
            let loc = flow.heap.get(*id);
            below.extend(loc.points_to.iter().copied());
            let Some(ty) = loc.ty.clone().filter(|ty| !is_open(flow, ty)) else { continue };
            let path = Path {
                qself: Some(Box::new(QSelf { ty, tr: Some(tr.clone()) })),
                segments: vec![crate::mir::Segment { name: method.into(), args: Vec::new() }],
            };
            for body in flow.code.resolve(&path, home) {
                found.entry(body).or_default().insert(*id);
            }
        }
        if !found.is_empty() {
            break;
        }
        level = below;
    }
    // Whether a trait without bodies of its own is the crate's, its path does not tell; a known library's is not.
    let library = tr.segments.first().filter(|_| tr.segments.len() > 1 && !flow.code.is_local(tr));
    let library = library.is_some_and(|first| flow.models.is_known_crate(&first.name));
    if found.is_empty() && !library {
        let all = flow.code.implementations(tr, method).into_iter().chain(provided);
        let any = all.map(|id| (id, None)).collect();
        return flow.stays_unknown(site.inst, site.block).then_some(any);
    }
    Some(found.into_iter().map(|(id, receivers)| (id, (hops == 1).then_some(receivers))).collect())
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
    invoke_on(flow, site, id, subst, args, &None);
}

/// As [`invoke`], on these objects only.
fn invoke_on(
    flow: &mut Flow<'_>,
    site: &Site,
    id: BodyId,
    subst: &Rc<Subst>,
    args: &[Held],
    receivers: &Receivers,
) {
    let unknown = args.first().is_some_and(|(locs, ty)| {
        ty.as_deref().is_some_and(|ty| flow.kind(ty) == Some(TypeKind::Pointer))
            && flow.heap.behind(locs).is_empty()
    });
    if unknown && !flow.stays_unknown(site.inst, site.block) {
        flow.postpone(site.inst, site.block);
        return;
    }
    let is_meant = |to: LocId| receivers.as_ref().is_none_or(|meant| meant.contains(&to));
    let objects = object::of_call(flow, args.first(), is_meant);
    for of in object::each(&objects) {
        let context = object::context(flow, (site.inst, site.block), (id, subst), of);
        let about = of.or(flow.instances[site.inst.0 as usize].of);
        let given = Given::new(site.given.clone(), &Captures::default());
        let callee =
            flow.instance_given(flow.world_of(site.inst), id, context, (subst.clone(), given), about);
        for (number, (locs, _)) in args.iter().enumerate().take(flow.code.body(id).arg_count as usize) {
            let param = flow.local(callee, number as u32 + 1);
            for loc in locs {
                if number == 0 {
                    flow.heap.copy_some(*loc, param, |to| is_meant(to) && objects.is_meant(of, to));
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
        let field = Part::numbered(number as u32);
        let children = locs.iter().map(|loc| flow.heap.child(*loc, &field, Some(part))).collect();
        args.push((children, Some(part.clone())));
    }
    args
}

/// The code in locations or, when there is none, in what they point to; with the location that holds it.
pub(crate) fn code_in(flow: &Flow<'_>, locs: &[LocId], levels: usize) -> Vec<(LocId, Value)> {
    let is_code = |value: &Value| !matches!(value, Value::Initial(_) | Value::Unknown | Value::Made(..));
    values_in(flow, locs, levels, is_code)
}

/// The values of some kind in locations or, when there are none, in what they point to; with the location that holds them.
fn values_in(
    flow: &Flow<'_>,
    locs: &[LocId],
    levels: usize,
    is_one: impl Fn(&Value) -> bool,
) -> Vec<(LocId, Value)> {
    let mut level: BTreeSet<LocId> = locs.iter().copied().collect();
    for _ in 0..=levels {
        let found: Vec<(LocId, Value)> = level
            .iter()
            .flat_map(|loc| flow.heap.get(*loc).values.keys().map(|value| (*loc, value.clone())))
            .filter(|(_, value)| is_one(value))
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
    // What was waited for, and is called, is not the wait.
    let is_called = |value: &Value| matches!(value, Value::Body(..) | Value::Fn(_));
    for (holder, value) in values_in(flow, locs, 3, is_called) {
        match value {
            Value::Body(id, subst, maker, captures) if only.is_none_or(|only| only == id) => {
                any = true;
                invoke_closure(flow, site, holder, (id, subst, maker, captures), args);
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
    (id, subst, maker, captures): (BodyId, Rc<Subst>, Option<Maker>, Captures),
    args: &[Held],
) {
    let context = flow.context_of(site.inst, site.block, id);
    let of = object::of(flow, maker, site.inst);
    // Its captures come first.
    let own = site.given.iter().cloned();
    let given = Given::new(std::iter::once(None).chain(own).collect(), &captures);
    let callee = flow.instance_given(flow.world_of(site.inst), id, context, (subst, given), of);
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
pub(crate) fn bind_self(flow: &mut Flow<'_>, callee: InstId, holder: LocId, maker: Option<Maker>) {
    let own = flow.local(callee, 1);
    let apart = flow.heap.keep_apart(false);
    let by_ref = flow.local_ty(callee, 1).is_some_and(|ty| matches!(&*ty, TyKind::Ref { .. }));
    match maker.filter(|maker| maker.field.is_some()) {
        _ if by_ref => flow.heap.point(own, holder),
        Some(maker) => object::copy_captures(flow, holder, own, maker),
        None => flow.heap.copy(holder, own),
    }
    flow.heap.keep_apart(apart);
}

/// `poll(pin, context)`: a future with a body runs in place, anything else is waited for.
fn poll(flow: &mut Flow<'_>, site: &Site, path: &Path) {
    let ty = path.qself.as_ref().map(|qself| qself.ty.clone());
    let futures = flow.heap.behind(site.args.first().map_or(&[][..], |held| &held.0));
    let home = flow.home_of(site.inst);
    let only = ty.as_ref().and_then(|ty| flow.code.of_type(ty, home));
    let mut leaves = BTreeSet::new();
    let mut streams: BTreeSet<LocId> = BTreeSet::new();
    // A future that keeps a closure runs the futures that the closure makes.
    let made = futures.iter().filter_map(|loc| flow.heap.get(*loc).children.get(&results_of()).copied());
    let all: Vec<LocId> = made.chain(futures.iter().copied()).collect();
    for (holder, value) in code_in(flow, &all, 3) {
        match value {
            Value::Body(id, subst, maker, captures) if only.is_none_or(|only| only == id) => {
                if crate::world::actions::cfg::polls(flow.code.body(id)) {
                    leaves.extend(joined(flow, holder));
                }
                invoke_closure(flow, site, holder, (id, subst, maker, captures), &[]);
            }
            Value::Body(..) | Value::Fn(_) => {}
            leaf => {
                if asks_stream(flow, &leaf) {
                    streams.extend(behind(flow, holder));
                }
                leaves.insert(leaf);
            }
        }
    }
    for (holder, value) in futures_of(flow, &streams) {
        if let Value::Body(id, subst, maker, captures) = value {
            invoke_closure(flow, site, holder, (id, subst, maker, captures), &[]);
        }
    }
    let lends = site.dest.1.as_ref().is_some_and(|ty| is_made_of_guards(flow, ty));
    // What a future with a body gives, its body returns, be it behind a pointer that does not say what it leads to.
    let returns = |flow: &Flow<'_>, loc: LocId| {
        let ty = flow.heap.get(loc).ty.as_ref();
        ty.is_some_and(|ty| flow.code.of_type(ty, home).is_some())
    };
    let gives = futures.into_iter().filter(|future| only.is_none() && !returns(flow, *future));
    for future in gives.collect::<Vec<_>>() {
        let others: BTreeSet<LocId> =
            flow.heap.targets(future).into_iter().filter(|target| !returns(flow, *target)).collect();
        // A guard leads to the lock that is waited for, not to what is in that.
        let leads_to_lock = flow.heap.targets(future).into_iter().any(|target| is_known_lock(flow, target));
        let results = flow.heap.get(future).children.get(&results_of()).copied();
        for dest in site.dest.0.clone() {
            flow.heap.copy_some(future, dest, |target| others.contains(&target));
            if let Some(results) = results {
                flow.heap.copy(results, dest);
            }
            for target in led_to(flow, &others).into_iter().filter(|_| !(lends && leads_to_lock)) {
                flow.heap.copy(target, dest);
            }
        }
    }
    let info = flow.info(site.inst, site.block);
    info.poll.get_or_insert_default().extend(leaves);
    info.polled = ty;
}

/// Whether a library's future asks a stream for items.
fn asks_stream(flow: &Flow<'_>, future: &Value) -> bool {
    let Value::Future(key) = future else { return false };
    let through = flow.models.effect(key).and_then(|effect| effect.through.as_ref());
    through.into_iter().flatten().any(|method| method == STREAM)
}

/// What is behind the pointers in a location, and behind those in there.
fn behind(flow: &Flow<'_>, holder: LocId) -> BTreeSet<LocId> {
    let (mut found, mut level) = (BTreeSet::new(), vec![holder]);
    for _ in 0..STREAMS {
        level = flow.heap.behind(&level);
        level.retain(|loc| found.insert(*loc));
    }
    found
}

/// The futures that streams poll for their items: those that their closures make, and those that they are made of.
fn futures_of(flow: &Flow<'_>, streams: &BTreeSet<LocId>) -> Vec<(LocId, Value)> {
    let made = streams.iter().filter_map(|loc| flow.heap.get(*loc).children.get(&results_of()).copied());
    let mut found = code_in(flow, &made.collect::<Vec<_>>(), 1);
    found.extend(code_in(flow, &streams.iter().copied().collect::<Vec<_>>(), 0));
    found.retain(|(_, value)| matches!(value, Value::Body(id, ..) if flow.code.body(*id).is_future()));
    found
}

/// What a library's future leads to that points to these, and the channels that they are ends of.
fn led_to(flow: &Flow<'_>, targets: &BTreeSet<LocId>) -> BTreeSet<LocId> {
    let mut found = targets.clone();
    let mut work: Vec<LocId> = found.iter().copied().collect();
    while let Some(end) = work.pop() {
        let channels = flow.heap.targets(end).into_iter().filter(|channel| is_channel(flow, end, *channel));
        work.extend(channels.filter(|channel| found.insert(*channel)));
    }
    found
}

/// Whether all that a value of this type may lead to it does through guards.
fn is_made_of_guards(flow: &Flow<'_>, ty: &TyKind) -> bool {
    flow.kind(ty) == Some(TypeKind::Guard)
        || see_through(flow, ty).is_some_and(|inner| {
            let mut leading =
                inner.iter().filter(|part| carries(part) && !is_opaque_data(flow, part)).peekable();
            leading.peek().is_some() && leading.all(|part| is_made_of_guards(flow, part))
        })
}

/// Whether a location is a lock for sure.
fn is_known_lock(flow: &Flow<'_>, loc: LocId) -> bool {
    let ty = flow.heap.get(loc).ty.clone();
    ty.is_some_and(|ty| flow.kind(&ty) == Some(TypeKind::Lock))
}

/// Runs the futures that a function returns, as if it called them at its end.
pub(crate) fn keep_promise(flow: &mut Flow<'_>, inst: InstId) {
    let returned = flow.local(inst, 0);
    for block in crate::world::actions::promised::returns(flow, inst).collect::<Vec<_>>() {
        let site =
            Site { inst, block: block as u32, args: Vec::new(), dest: (Vec::new(), None), given: Vec::new() };
        for (holder, value) in given_out::futures(flow, returned) {
            if let Value::Body(id, subst, maker, captures) = value {
                invoke_closure(flow, &site, holder, (id, subst, maker, captures), &[]);
            }
        }
    }
}

/// Handles of tasks in what a closure holds that polls until all of them have ended (`join!`).
fn joined(flow: &Flow<'_>, closure: LocId) -> BTreeSet<Value> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::from([closure]);
    let mut work = vec![closure];
    while let Some(at) = work.pop() {
        let loc = flow.heap.get(at);
        for value in loc.values.keys() {
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
