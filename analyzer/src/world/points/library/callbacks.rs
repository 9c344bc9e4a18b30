//! Closures and futures that a foreign function is given: it calls them, or makes them run, with what it has.

use std::rc::Rc;

use robust_models::{Flow as ModelFlow, Order, TypeKind};

use crate::mir::{BodyKind, FnSig, Path, Ty, TyKind};

use crate::world::points::aggregates::is_option;
use crate::world::points::bodies::BodyId;
use crate::world::points::calls::{Site, bind_self, code_in};
use crate::world::points::foreign::*;
use crate::world::points::given::{Captures, Given};
use crate::world::points::heap::{LocId, Root, Value};
use crate::world::points::lent;
use crate::world::points::object::{self, Maker};
use crate::world::points::outside;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::transfer::{View, results_of, transfer};
use crate::world::points::types::{Subst, any_part, substitute};

/// Closures (and futures that are run in place) given to a foreign function, but for those that are given `away`.
pub(super) fn callbacks(
    flow: &mut Flow<'_>,
    site: &Site,
    times: Option<Order>,
    known: Option<&robust_models::Function>,
    away: &[usize],
) {
    let is_stream = known.is_some_and(|model| model.stream.is_some());
    for (index, (locs, ty)) in site.args.iter().enumerate().filter(|(index, _)| !away.contains(index)) {
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
pub(super) fn is_callable(ty: &TyKind) -> bool {
    match ty {
        TyKind::Closure { .. } | TyKind::FnDef(..) | TyKind::FnPtr(_) => true,
        TyKind::Impl(traits) | TyKind::Dyn(traits) => {
            traits.iter().any(|tr| matches!(tr.last(), "Fn" | "FnMut" | "FnOnce"))
        }
        _ => false,
    }
}

/// Whether a value of a type is one function, or nothing: behind pointers, in an `Option`, an atomic pointer or a lock.
pub(crate) fn holds_function(flow: &Flow<'_>, ty: &TyKind) -> bool {
    match ty {
        TyKind::Path(path) => {
            let one = is_option(ty) || flow.kind(ty).is_some_and(|kind| kind != TypeKind::Container);
            one && path.type_args().next().is_some_and(|of| holds_function(flow, of))
        }
        _ => is_callable(ty),
    }
}

/// Whether values of a type are pointers to such.
pub(super) fn is_callable_behind(flow: &Flow<'_>, ty: &TyKind) -> bool {
    flow.kind(ty) == Some(TypeKind::Pointer) && flow.pointee(ty).is_some_and(|to| is_callable(&to))
}

/// Puts what a closure returned where the library function that called it keeps that.
pub(super) fn kept_by(
    flow: &mut Flow<'_>,
    site: &Site,
    callee: InstId,
    known: Option<&robust_models::Function>,
) {
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
pub(super) fn make(flow: &mut Flow<'_>, site: &Site, callee: InstId) {
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
pub(super) fn library_callback(
    flow: &mut Flow<'_>,
    site: &Site,
    index: usize,
    sig: &FnSig,
    path: &Path,
) -> (LocId, Ty) {
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

/// Whether a type is that of a body that is polled, or is known as a future by its trait.
pub(super) fn is_future_itself(ty: &TyKind) -> bool {
    match ty {
        TyKind::Coroutine(_) => true,
        TyKind::Dyn(traits) | TyKind::Impl(traits) => traits.iter().any(|tr| tr.last() == FUTURE),
        _ => false,
    }
}

/// Whether a type is that of a future.
pub(crate) fn is_future(flow: &Flow<'_>, ty: &TyKind) -> bool {
    if matches!(ty, TyKind::Ref { .. }) {
        return false;
    }
    any_part(ty, &mut is_future_itself) && !(matches!(ty, TyKind::Path(_)) && flow.code.has_fields(ty))
}

/// Whether a function returns what a future that it is given ends with: then it has run it, as `block_on` does.
pub(crate) fn gives_output(flow: &Flow<'_>, site: &Site, id: BodyId, subst: &Subst) -> bool {
    let body = flow.code.body(id);
    let output = body.locals.first().map(|decl| substitute(&decl.ty, subst));
    matches!(body.kind, BodyKind::Coroutine { .. }) && output.is_some() && output == site.dest.1
}

/// Calls the closure that is this argument; `kept`: what it makes stays in what the call is about.
pub(super) fn callback(
    flow: &mut Flow<'_>,
    site: &Site,
    (index, kept, items): (usize, bool, bool),
    holder: LocId,
    (id, subst, maker, captures): (BodyId, Rc<Subst>, Option<Maker>, Captures),
) -> InstId {
    // What is made once is the same wherever it is first needed.
    let context = if kept { Vec::new() } else { flow.context_of(site.inst, site.block, id) };
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
pub(super) fn item(
    flow: &mut Flow<'_>,
    site: &Site,
    (from, from_ty): (&[LocId], &Ty),
    (param, ty): (LocId, &Ty),
) {
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
pub(super) fn returned(flow: &mut Flow<'_>, site: &Site, (result, ty): (LocId, &Ty), dest_ty: &Ty) {
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
