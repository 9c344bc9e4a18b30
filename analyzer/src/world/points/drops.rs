//! What runs where a value is dropped: `Drop` of its type, then of what it owns, in order, as far as that can be told; in
//! between the guards in it are given back.

use std::collections::BTreeSet;
use std::rc::Rc;

use robust_models::{Order, TypeKind};
use rustc_hash::FxHashSet;

use crate::mir::{BodyKind, Path, QSelf, Segment, Ty, TyKind};

use crate::world::points::at_drop;
use crate::world::points::bodies::Code;
use crate::world::points::depths::Depths;
use crate::world::points::given::Given;
use crate::world::points::heap::{LocId, Root};
use crate::world::points::object;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::{Subst, parts, unify};

/// The trait's path.
const DROP: &str = "std::ops::Drop";
/// What is owned by what is owned is followed this deep.
const MAX_DEPTH: u32 = 8;

/// Something that happens when a value is dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Dropped {
    /// The type's own `drop`.
    Run {
        /// Its instance.
        run: InstId,
        times: Order,
        /// What counted pointers point to on the way there: it runs only if that has no other owner any more.
        last: Vec<LocId>,
    },
    /// Guards of this type, which are in these locations, give their locks back.
    Guard(Vec<LocId>, Ty),
}

/// A place at which values are dropped.
#[derive(Clone, Copy)]
pub(crate) struct At {
    pub inst: InstId,
    pub block: u32,
}

/// What was found of a value that is dropped.
#[derive(Default)]
struct Found {
    all: Vec<Dropped>,
    /// What was looked at: a value is dropped once, however many ways lead to it.
    seen: Depths<(Vec<LocId>, Ty)>,
    /// What the counted pointers point to that are being followed.
    last: Vec<LocId>,
}

/// What happens when the value of a place is dropped at the end of a block. Nothing but guards: empty.
pub(crate) fn of_value(flow: &mut Flow<'_>, at: At, locs: &[LocId], ty: &Ty) -> Vec<Dropped> {
    let mut found = Found::default();
    if flow.code.has_drop {
        glue(flow, at, (locs, ty), Order::Once, 0, &mut found);
    }
    let mut found = found.all;
    if !found.iter().any(|one| matches!(one, Dropped::Run { .. })) {
        found.clear();
    }
    found
}

/// What happens when a function that is shown an argument drops what that holds: `clear` of a `Vec`, or the argument itself.
pub(crate) fn of_argument(flow: &mut Flow<'_>, at: At, locs: &[LocId], ty: &Ty) -> Vec<Dropped> {
    match &**ty {
        TyKind::Ref { to, .. } => {
            let behind = flow.heap.behind(locs);
            let mut found = Vec::new();
            let inner = if forgets(flow, to) || flow.kind(to).is_some() {
                parts(to).into_iter().cloned().collect()
            } else {
                vec![to.clone()]
            };
            for part in &inner {
                found.extend(of_value(flow, at, &behind, part));
            }
            found
        }
        _ => of_value(flow, at, locs, ty),
    }
}

/// Whether a type keeps what it holds from being dropped.
fn forgets(flow: &Flow<'_>, ty: &TyKind) -> bool {
    flow.model(ty).is_some_and(|model| model.forgets)
}

fn less(a: Order, b: Order) -> Order {
    match (a, b) {
        (Order::Many, _) | (_, Order::Many) => Order::Many,
        (Order::Once, other) => other,
        (other, _) => other,
    }
}

fn glue(
    flow: &mut Flow<'_>,
    at: At,
    (locs, ty): (&[LocId], &Ty),
    times: Order,
    depth: u32,
    found: &mut Found,
) {
    if depth > MAX_DEPTH || locs.is_empty() || forgets(flow, ty) || !may_run(flow, ty) {
        return;
    }
    // Where little is told apart, so many ways lead to everything that none is followed again.
    let at_depth = if flow.is_coarse() { 0 } else { depth };
    if !found.seen.is_new((locs.to_vec(), ty.clone()), at_depth) {
        return;
    }
    let model = flow.model(ty);
    if flow.is_sending_end(ty) {
        return;
    }
    match flow.kind(ty) {
        Some(TypeKind::Guard) => {
            found.all.push(Dropped::Guard(locs.to_vec(), ty.clone()));
            return;
        }
        Some(TypeKind::Handle | TypeKind::Nothing) => return,
        Some(TypeKind::Pointer) => {
            let (unique, counted) = model.map_or((false, false), |model| (model.unique, model.counted));
            if unique || counted {
                let times = if unique { times } else { less(times, Order::Maybe) };
                behind(flow, at, (locs, ty), times, depth, found);
            }
            return;
        }
        _ => {}
    }
    match &**ty {
        TyKind::Tuple(_) | TyKind::Closure { .. } | TyKind::Coroutine(_) => {
            fields(flow, at, locs, times, depth, found);
        }
        TyKind::Slice(of) | TyKind::Array(of, _) => {
            glue(flow, at, (locs, of), less(times, Order::Many), depth + 1, found);
        }
        TyKind::Path(_) if flow.code.has_fields(ty) => {
            own(flow, at, (locs, ty), times, depth == 0, found);
            fields(flow, at, locs, times, depth, found);
        }
        TyKind::Path(_) => {
            let many = model.is_none_or(|model| model.many);
            let times = less(times, if many { Order::Many } else { Order::Maybe });
            for part in parts(ty).into_iter().cloned().collect::<Vec<_>>() {
                glue(flow, at, (locs, &part), times, depth + 1, found);
            }
        }
        _ => {}
    }
}

/// What a pointer owns is dropped: by the types of what it points to, which say more than its own.
fn behind(
    flow: &mut Flow<'_>,
    at: At,
    (locs, ty): (&[LocId], &Ty),
    times: Order,
    depth: u32,
    found: &mut Found,
) {
    let targets: BTreeSet<LocId> = flow.heap.behind(locs).into_iter().collect();
    let pointee = flow.pointee(ty);
    let times = if targets.len() > 1 { less(times, Order::Maybe) } else { times };
    let counted = flow.model(ty).is_some_and(|model| model.counted);
    let above = found.last.len();
    for target in targets {
        let own = flow.heap.get(target).ty.clone();
        let known = own.filter(|own| !matches!(&**own, TyKind::Dyn(_) | TyKind::Impl(_)));
        if let Some(ty) = known.or_else(|| pointee.clone()) {
            found.last.extend(counted.then_some(target));
            glue(flow, at, (&[target], &ty), times, depth + 1, found);
            found.last.truncate(above);
        }
    }
}

/// The fields of what is in these locations, in order.
fn fields(flow: &mut Flow<'_>, at: At, locs: &[LocId], times: Order, depth: u32, found: &mut Found) {
    for loc in locs {
        let children: Vec<_> = flow.heap.get(*loc).children.iter().map(|(f, id)| (f.clone(), *id)).collect();
        for (part, child) in children {
            let times = if part.field.0.is_empty() { times } else { less(times, Order::Maybe) };
            if let Some(ty) = flow.heap.get(child).ty.clone() {
                glue(flow, at, (&[child], &ty), times, depth + 1, found);
            }
        }
    }
}

/// The type's own `drop`; `itself`: what is dropped is of this type, rather than a part of it.
fn own(
    flow: &mut Flow<'_>,
    at: At,
    (locs, ty): (&[LocId], &Ty),
    times: Order,
    itself: bool,
    found: &mut Found,
) {
    let path = method(ty);
    for id in flow.code.resolve(&path, flow.home_of(at.inst)) {
        let given = if itself { at_drop::given(flow, at, ty, id) } else { Given::default() };
        let mut subst = Subst::new();
        if let Some(theirs) = &flow.code.body(id).path.qself {
            unify(&flow.code.types, &theirs.ty, ty, &mut subst);
        }
        let object = match locs {
            [only] if !matches!(*flow.heap.get(*only).root, Root::Local(..)) => Some(*only),
            _ => flow.instances[at.inst.0 as usize].of,
        };
        let context = object::context(flow, (at.inst, at.block), (id, &subst), object);
        let callee =
            flow.instance_given(flow.world_of(at.inst), id, context, (Rc::new(subst), given), object);
        let receiver = flow.local(callee, 1);
        for loc in locs {
            let dropped = last_owner(flow, callee, *loc, ty);
            flow.heap.point(receiver, dropped);
        }
        let run = Dropped::Run { run: callee, times, last: found.last.clone() };
        if !found.all.contains(&run) {
            found.all.push(run);
        }
    }
}

/// What is dropped is its last owner's alone, whoever had it before: only what it points to is others' still.
fn last_owner(flow: &mut Flow<'_>, drop: InstId, loc: LocId, ty: &Ty) -> LocId {
    if matches!(*flow.heap.get(loc).root, Root::Local(..)) {
        return loc;
    }
    let alone =
        flow.heap.root(Root::Alone(format!("dropped {ty}"), flow.world_of(drop)), || Some(ty.clone()));
    flow.handed.insert((loc, alone));
    flow.heap.copy(loc, alone);
    alone
}

fn method(ty: &Ty) -> Path {
    let segment = |name: &str| Segment { name: name.into(), args: Vec::new() };
    let tr = Path { qself: None, segments: DROP.split("::").map(segment).collect() };
    Path { qself: Some(Box::new(QSelf { ty: ty.clone(), tr: Some(tr) })), segments: vec![segment("drop")] }
}

/// Whether dropping a value of the type may run something, or give a lock back: most do not.
fn may_run(flow: &Flow<'_>, ty: &Ty) -> bool {
    if let Some(known) = flow.drops_run.borrow().get(ty) {
        return *known;
    }
    let mut seen = FxHashSet::default();
    let mut work = vec![ty.clone()];
    let mut runs = false;
    while let Some(ty) = work.pop().filter(|_| !runs) {
        if seen.insert(ty.clone()) {
            runs = runs_itself(flow, &ty, &mut work);
        }
    }
    flow.drops_run.borrow_mut().insert(ty.clone(), runs);
    runs
}

/// Whether dropping a value of the type may run something, what it is made of apart, which is added to `made_of`.
fn runs_itself(flow: &Flow<'_>, ty: &Ty, made_of: &mut Vec<Ty>) -> bool {
    match &**ty {
        TyKind::Prim(_) | TyKind::Ref { .. } | TyKind::Ptr { .. } | TyKind::Never => false,
        _ if flow.kind(ty) == Some(TypeKind::Guard) => true,
        TyKind::Path(path) if flow.code.has_fields(ty) => {
            made_of.extend(flow.code.field_types(ty).unwrap_or_default().into_iter().map(|(_, field)| field));
            flow.code.droppers.contains(path.last())
        }
        TyKind::Path(_) | TyKind::Tuple(_) | TyKind::Slice(_) | TyKind::Array(..) => {
            made_of.extend(parts(ty).into_iter().cloned());
            false
        }
        _ => true,
    }
}

/// The types with a `drop` of their own, by name.
pub(crate) fn droppers(code: &Code<'_>) -> BTreeSet<String> {
    let of = code.bodies.iter().filter(|body| matches!(body.kind, BodyKind::Fn)).filter_map(|body| {
        let qself = body.path.qself.as_ref().filter(|_| body.is_drop())?;
        Some(qself.ty.as_path().map_or_else(String::new, |path| path.last().to_owned()))
    });
    of.collect()
}
