//! Streams that call whoever subscribes to them, and schedulers: which call made what flows where. Where they run what they run is
//! judged elsewhere, when all of it is known.

use std::collections::BTreeSet;
use std::rc::Rc;

use robust_models::{Cause, Function, Signal, TypeKind};

use crate::mir::{BodyKind, Path, QSelf, Segment, Ty, TyKind};

use crate::world::points::bodies::BodyId;
use crate::world::points::calls::Site;
use crate::world::points::given::{Captures, Given};
use crate::world::points::heap::{LocId, Root, Value};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::transfer::is_open;
use crate::world::points::types::{Subst, unify};

/// A stream, or what runs tasks, is behind so many pointers.
const BEHIND: usize = 3;

/// A call that made a stream, or something that runs tasks.
pub(crate) type Maker = (InstId, u32);

/// What a call has to do with streams.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamCall {
    /// By argument: which calls made what it may be.
    pub args: Vec<BTreeSet<Maker>>,
    /// What it is given to run tasks with.
    pub schedulers: BTreeSet<Scheduler>,
    /// What its result runs tasks with, unless it is given something.
    pub context: BTreeSet<Scheduler>,
    /// The methods of what it is given that are called with what a stream tells.
    pub observers: BTreeSet<(Signal, InstId)>,
}

/// What runs tasks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scheduler {
    /// A library's: the name of the place.
    At(String),
    /// A library's, which this call made.
    Made(Maker),
    /// One of the program's own: its method, which is given this stream as a task.
    Own(InstId),
}

/// Notes which calls made what a call is given.
pub(crate) fn note(flow: &mut Flow<'_>, site: &Site) {
    if !flow.has_streams {
        return;
    }
    let args: Vec<BTreeSet<Maker>> = site.args.iter().map(|(locs, _)| made_in(flow, locs)).collect();
    if args.iter().any(|made| !made.is_empty()) {
        flow.info(site.inst, site.block).stream.get_or_insert_default().args = args;
    }
}

/// The calls that made what is in locations or, where there is nothing such, in what they point to.
pub(crate) fn made_in(flow: &Flow<'_>, locs: &[LocId]) -> BTreeSet<Maker> {
    let mut level: BTreeSet<LocId> = locs.iter().copied().collect();
    for _ in 0..=BEHIND {
        let values = level.iter().flat_map(|loc| flow.heap.get(*loc).values.keys());
        let found: BTreeSet<Maker> = values
            .filter_map(|value| match value {
                Value::Made(inst, block) => Some((*inst, *block)),
                _ => None,
            })
            .collect();
        if !found.is_empty() {
            return found;
        }
        level = level.iter().flat_map(|loc| flow.heap.get(*loc).points_to.iter().copied()).collect();
    }
    BTreeSet::new()
}

/// Notes what a library's function makes: a stream, or what runs tasks somewhere.
pub(crate) fn made(flow: &mut Flow<'_>, site: &Site, model: Option<&Function>) {
    let Some(model) = model else { return };
    let maker = Value::Made(site.inst, site.block);
    let Some(stream) = &model.stream else {
        if model.schedules.is_some() {
            add(flow, &site.dest.0, &maker);
        }
        return;
    };
    if !stream.now && stream.tells.is_none() {
        add(flow, &site.dest.0, &maker);
    }
    let args = site.args.iter().map(|(locs, _)| made_in(flow, locs)).collect();
    let callees = flow.info(site.inst, site.block).callees.clone();
    let signals = [Signal::Next, Signal::Error, Signal::Complete];
    if signals.iter().any(|signal| stream.causes(*signal).contains(&Cause::Told)) {
        for callee in callees.into_iter().filter(|callee| is_closure(flow, *callee)).collect::<Vec<_>>() {
            give(flow, site, callee);
        }
    }
    // What it makes may go on at a place of its own.
    let mut schedulers: BTreeSet<Scheduler> = model.schedules.iter().cloned().map(Scheduler::At).collect();
    let mut observers = BTreeSet::new();
    for (locs, ty) in &site.args {
        let Some(ty) = ty else { continue };
        for (own, ty) in values_of(flow, locs, ty) {
            schedulers.extend(scheduler(flow, site, own, &ty));
            observers.extend(observer(flow, site, own, &ty));
        }
        let made = made_in(flow, locs).into_iter();
        schedulers.extend(made.filter(|made| is_scheduler(flow, *made)).map(Scheduler::Made));
    }
    let parts: Vec<Ty> = match site.dest.1.as_deref() {
        Some(TyKind::Path(path)) => path.type_args().cloned().collect(),
        _ => Vec::new(),
    };
    let mut context = BTreeSet::new();
    for part in parts {
        context.extend(scheduler(flow, site, None, &part));
    }
    let info = flow.info(site.inst, site.block);
    let own = schedulers.iter().chain(&context).filter_map(|scheduler| match scheduler {
        Scheduler::Own(inst) => Some(*inst),
        _ => None,
    });
    info.callees.extend(own.chain(observers.iter().map(|(_, inst)| *inst)));
    info.stream = Some(Box::new(StreamCall { args, schedulers, context, observers }));
}

/// Gives a closure what it can make a stream tell something with.
fn give(flow: &mut Flow<'_>, site: &Site, closure: InstId) {
    let maker = Value::Made(site.inst, site.block);
    for number in 2..=flow.body_of(closure).arg_count {
        let param = flow.local(closure, number);
        let lent = flow.local_ty(closure, number).and_then(|ty| match &*ty {
            TyKind::Ref { to, .. } => Some(to.clone()),
            _ => None,
        });
        let Some(ty) = lent else {
            add(flow, &[param], &maker);
            continue;
        };
        let given = flow.heap.root(Root::Item(site.inst, site.block, number), || Some(ty));
        add(flow, &[given], &maker);
        flow.heap.point(param, given);
    }
}

fn add(flow: &mut Flow<'_>, into: &[LocId], value: &Value) {
    flow.has_streams = true;
    into.iter().for_each(|loc| flow.heap.add_value(*loc, value.clone()));
}

/// Whether an instance is one of a closure.
fn is_closure(flow: &Flow<'_>, inst: InstId) -> bool {
    matches!(flow.body_of(inst).kind, BodyKind::Closure { .. })
}

/// Whether a call made something that runs tasks.
fn is_scheduler(flow: &Flow<'_>, (inst, block): Maker) -> bool {
    let model = flow.calls.get(&(inst, block)).and_then(|info| info.model.as_ref());
    let model = model.and_then(|model| flow.models.function(model));
    model.is_some_and(|model| model.schedules.is_some() && model.stream.is_none())
}

/// What an argument is or, where it is a pointer, points to, with the types.
fn values_of(flow: &Flow<'_>, locs: &[LocId], ty: &Ty) -> Vec<(Option<LocId>, Ty)> {
    let (mut level, mut ty) = (locs.to_vec(), ty.clone());
    for _ in 0..BEHIND {
        let is_pointer = matches!(&*ty, TyKind::Ref { .. }) || flow.kind(&ty) == Some(TypeKind::Pointer);
        let Some(to) = flow.pointee(&ty).filter(|_| is_pointer) else { break };
        (level, ty) = (flow.heap.behind(&level), to);
    }
    if is_open(flow, &ty) {
        let typed = level.into_iter().filter_map(|loc| Some((Some(loc), flow.heap.get(loc).ty.clone()?)));
        return typed.collect();
    }
    match level.is_empty() {
        true => vec![(None, ty)],
        false => level.into_iter().map(|loc| (Some(loc), ty.clone())).collect(),
    }
}

/// What a value of a type runs tasks with, if that is what it is for.
fn scheduler(flow: &mut Flow<'_>, site: &Site, own: Option<LocId>, ty: &Ty) -> Vec<Scheduler> {
    if let Some(place) = flow.model(ty).and_then(|model| model.place.clone()) {
        return vec![Scheduler::At(place)];
    }
    let models = flow.models;
    let mut found = Vec::new();
    for (tr, method) in models.schedulers() {
        for id in implementations(flow, site, ty, tr, method) {
            let callee = method_of(flow, site, id, (own, ty));
            // What it is to run is all that this stream tells from here on.
            for number in 2..=flow.body_of(callee).arg_count {
                let task = flow.local(callee, number);
                add(flow, &[task], &Value::Made(site.inst, site.block));
            }
            found.push(Scheduler::Own(callee));
        }
    }
    found
}

/// The methods of a value that are called with what a stream tells.
fn observer(flow: &mut Flow<'_>, site: &Site, own: Option<LocId>, ty: &Ty) -> Vec<(Signal, InstId)> {
    let models = flow.models;
    let mut found = Vec::new();
    for (tr, signal, method) in models.observers() {
        for id in implementations(flow, site, ty, tr, method) {
            found.push((signal, method_of(flow, site, id, (own, ty))));
        }
    }
    found
}

/// The bodies of a trait's method for a type of the program's own.
fn implementations(flow: &Flow<'_>, site: &Site, ty: &Ty, tr: &str, method: &str) -> Vec<BodyId> {
    if !flow.code.is_own(ty) {
        return Vec::new();
    }
    let segment = |name: &str| Segment { name: name.into(), args: Vec::new() };
    let tr = Path { qself: None, segments: tr.split("::").map(segment).collect() };
    let qself = QSelf { ty: ty.clone(), tr: Some(tr) };
    let path = Path { qself: Some(Box::new(qself)), segments: vec![segment(method)] };
    flow.code.resolve(&path, flow.home_of(site.inst))
}

/// The instance of a method of a value that this call runs.
fn method_of(flow: &mut Flow<'_>, site: &Site, id: BodyId, (own, ty): (Option<LocId>, &Ty)) -> InstId {
    let mut subst = Subst::new();
    if let Some(qself) = &flow.code.body(id).path.qself {
        unify(&flow.code.types, &qself.ty, ty, &mut subst);
    }
    let context = flow.context_of(site.inst, site.block, id);
    let made = (Rc::new(subst), Given::new(Vec::new(), &Captures::default()));
    let callee = flow.instance_given(flow.world_of(site.inst), id, context, made, own);
    let by_ref = flow.local_ty(callee, 1).is_some_and(|ty| matches!(&*ty, TyKind::Ref { .. }));
    let receiver = flow.local(callee, 1);
    if let Some(own) = own {
        if by_ref { flow.heap.point(receiver, own) } else { flow.heap.copy(own, receiver) }
    }
    callee
}
