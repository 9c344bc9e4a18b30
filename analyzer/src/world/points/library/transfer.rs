//! What flows through a function without a body or a model: what its types allow.

use std::collections::BTreeSet;

use robust_models::{Models, TypeKind};

use crate::mir::{Path, Ty, TyKind};

use crate::world::points::calls::Site;
use crate::world::points::heap::{LocId, Part, Root};
use crate::world::points::lent;
use crate::world::points::object;
use crate::world::points::points_to::Flow;
use crate::world::points::types::{any_part, carries, parts, related};

/// The flow that the types allow: from arguments to the result, and into what arguments point to mutably.
pub(crate) fn by_types(flow: &mut Flow<'_>, site: &Site) {
    let lent = site.dest.1.as_ref().and_then(|ty| lent_type(flow, ty));
    let named = |ty: &Ty| lent.as_ref().is_some_and(|lent| any_part(ty, &mut |part| part == &**lent));
    let is_named = site.args.iter().filter_map(|(_, ty)| ty.as_ref()).any(named);
    for (locs, ty) in &site.args {
        if let (Some(ty), Some(dest_ty)) = (ty, &site.dest.1) {
            // Where one argument's type has that of the result in it, it is not in what a caller has chosen the type of: a key.
            if is_named
                && !named(ty)
                && flow.code.types.param(ty.peel_refs()).is_some_and(|name| &**name != "Self")
            {
                continue;
            }
            transfer(flow, site, (locs, ty), (&site.dest.0, dest_ty), View::None, 0);
        }
    }
    if let Some(ty) = &site.dest.1
        && !site.args.iter().any(|(_, arg)| arg.as_ref().is_some_and(|arg| carries(arg) && related(ty, arg)))
    {
        fresh(flow, site, &site.dest.0, ty, 0);
    }
    lent::into_result(flow, site);
    for (index, (locs, ty)) in site.args.iter().enumerate() {
        let Some(ty) = ty else { continue };
        let TyKind::Ref { mutable, to } = &**ty else { continue };
        let inner = flow.kind(to);
        let shared = matches!(inner, Some(TypeKind::Cell | TypeKind::Lock | TypeKind::Atomic));
        if !*mutable && !shared || is_element(flow, site, index, ty) {
            continue;
        }
        let targets = reached(flow, locs, to);
        for (other, (from, from_ty)) in site.args.iter().enumerate() {
            if let Some(from_ty) = from_ty
                && other != index
            {
                transfer(flow, site, (from, from_ty), (&targets, to), View::None, 0);
            }
        }
    }
}

/// Whether an argument is a value of which a collection has many: the collection keeps it, and does not look into it.
fn is_element(flow: &Flow<'_>, site: &Site, index: usize, ty: &Ty) -> bool {
    let collection = site.args.first().and_then(|(_, ty)| ty.as_ref()).map(|ty| ty.peel_refs());
    index > 0
        && collection.is_some_and(|collection| {
            flow.model(collection).is_some_and(|model| model.many) && parts(collection).contains(&ty)
        })
}

/// The type of what a result refers to, if it is, or has in it, a reference to something that is no parameter.
fn lent_type(flow: &Flow<'_>, ty: &Ty) -> Option<Ty> {
    match &**ty {
        TyKind::Ref { to, .. } => Some(to.clone()).filter(|to| flow.code.types.param(to).is_none()),
        TyKind::Path(path) if flow.kind(ty) == Some(TypeKind::Container) => {
            path.type_args().next().and_then(|of| lent_type(flow, of))
        }
        _ => None,
    }
}

/// What pointers point to; of a cell that changes as a whole, what was put into it, too. A collection has that in itself.
fn reached(flow: &Flow<'_>, from: &[LocId], inner: &TyKind) -> Vec<LocId> {
    let mut targets: BTreeSet<LocId> = flow.heap.behind(from).into_iter().collect();
    let many = flow.model(inner).is_some_and(|model| model.many);
    if flow.kind(inner) == Some(TypeKind::Atomic) && !many {
        let tops: Vec<LocId> = targets.iter().copied().collect();
        targets.extend(flow.heap.behind(&tops));
    }
    targets.into_iter().collect()
}

/// The flow to the result from the first argument.
pub(crate) fn within(flow: &mut Flow<'_>, site: &Site) {
    if let (Some((locs, Some(ty))), Some(dest)) = (site.args.first(), &site.dest.1) {
        transfer(flow, site, (locs, ty), (&site.dest.0, dest), View::None, 0);
    }
}

/// The flow to the result from what the first argument points to.
pub(crate) fn taken(flow: &mut Flow<'_>, site: &Site) {
    let Some((locs, Some(ty))) = site.args.first() else { return };
    let (Some(inner), Some(dest)) = (flow.pointee(ty), &site.dest.1) else { return };
    // A clone of an end of a channel that callers have is an end of that channel.
    if inner == *dest && flow.delivery(dest).is_some() {
        for end in flow.heap.behind(locs) {
            if matches!(*flow.heap.get(end).root, Root::Outside(..)) {
                site.dest.0.iter().for_each(|dest| flow.heap.point(*dest, end));
            }
        }
    }
    let targets = reached(flow, locs, &inner);
    transfer(flow, site, (&targets, &inner), (&site.dest.0, dest), View::None, 0);
}

/// What a result points to that comes from no argument is new: `Default::default()`.
pub(crate) fn fresh(flow: &mut Flow<'_>, site: &Site, into: &[LocId], ty: &Ty, level: u32) {
    if level > 6 {
        return;
    }
    let model =
        ty.peel_refs().as_path().and_then(|path| crate::world::points::types::model(flow.models, path));
    if model.is_some_and(|model| model.handed) {
        for into in into {
            crate::world::points::outside::outside(flow, flow.world_of(site.inst), (*into, ""), ty, 0);
        }
        return;
    }
    match &**ty {
        TyKind::Path(_) if flow.kind(ty) == Some(TypeKind::Pointer) => {
            let Some(to) = flow.pointee(ty) else { return };
            let root = Root::Heap(object::allocator(flow, site.inst), site.block);
            let object = flow.heap.root(root, || Some(to));
            for into in into {
                flow.heap.point(*into, object);
            }
        }
        TyKind::Tuple(parts) => {
            for (number, part) in parts.iter().enumerate() {
                let field = Part::numbered(number as u32);
                let children: Vec<LocId> =
                    into.iter().map(|loc| flow.heap.child(*loc, &field, Some(part))).collect();
                fresh(flow, site, &children, part, level + 1);
            }
        }
        _ => {
            for part in see_through(flow, ty).unwrap_or_default() {
                fresh(flow, site, into, &part, level + 1);
            }
        }
    }
}

/// The types of what a value of this type is made of: its parts, unless it holds a pointer to them.
pub(crate) fn held(flow: &Flow<'_>, ty: &TyKind) -> Vec<Ty> {
    let is_pointer = flow.model(ty).is_some_and(|model| model.holds_pointer);
    let pointer = |to: &Ty| Ty::from(TyKind::Ptr { mutable: true, to: to.clone() });
    parts(ty).into_iter().map(|part| if is_pointer { pointer(part) } else { part.clone() }).collect()
}

/// How many pointers lie between a value of this type and data.
fn pointer_depth(flow: &Flow<'_>, ty: &TyKind, fuel: u32) -> u32 {
    if fuel == 0 {
        return 0;
    }
    let inner = || held(flow, ty).iter().map(|part| pointer_depth(flow, part, fuel - 1)).max().unwrap_or(0);
    match ty {
        TyKind::Ref { .. } | TyKind::Ptr { .. } => 1 + inner(),
        TyKind::Path(path) if path.qself.is_none() => match flow.kind(ty) {
            Some(TypeKind::Pointer | TypeKind::Guard) => 1 + inner(),
            _ if flow.code.has_fields(ty) => 0,
            _ => inner(),
        },
        TyKind::Tuple(_) | TyKind::Slice(_) | TyKind::Array(..) => inner(),
        _ => 0,
    }
}

/// Whether there was a foreign type on the way that may be a view of data or own it, so that both are assumed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum View {
    None,
    /// Around what something is had from.
    Source,
    /// Around what it ends up in.
    Target,
}

/// What of `from` ends up in `into`, judged by the types: pointers are followed as often as there are fewer of them in the
/// target.
pub(crate) fn transfer(
    flow: &mut Flow<'_>,
    site: &Site,
    (from, a): (&[LocId], &Ty),
    (into, d): (&[LocId], &Ty),
    view: View,
    level: u32,
) {
    if matches!(&**a, TyKind::Closure { .. }) && !matches!(&**d, TyKind::Closure { .. }) {
        results(flow, site, from, (into, d), view, level);
        if !may_hold_code(flow.models, d) {
            return;
        }
    }
    // What a function item gives comes out where it is called.
    if matches!(&**a, TyKind::FnDef(..)) && !may_hold_code(flow.models, d) {
        return;
    }
    if level > 12
        || from.is_empty()
        || into.is_empty()
        || !carries(d)
        || is_opaque_data(flow, d)
        || !related(d, a)
        || flow.is_late()
    {
        return;
    }
    if let TyKind::Tuple(parts) = &**d {
        // What may be a view of tuples points to them.
        if view == View::Target && matches!(flow.kind(a), Some(TypeKind::Pointer | TypeKind::Guard)) {
            crate::world::points::foreign::copy_all(flow, from, into);
        }
        for (number, part) in parts.iter().enumerate() {
            let field = Part::numbered(number as u32);
            let children: Vec<LocId> =
                into.iter().map(|loc| flow.heap.child(*loc, &field, Some(part))).collect();
            transfer(flow, site, (from, a), (&children, part), view, level + 1);
        }
        return;
    }
    let pointer =
        |flow: &Flow<'_>, ty: &TyKind| matches!(flow.kind(ty), Some(TypeKind::Pointer | TypeKind::Guard));
    if lent::is_view_of_shared(flow, a, d) || a == d && lent::is_foreign(flow, d) {
        crate::world::points::foreign::copy_all(flow, from, into);
        return;
    }
    if let Some(inner) = see_through(flow, d) {
        let view = if flow.kind(d).is_none() { View::Target } else { view };
        let whole = inner.contains(a);
        for part in inner.iter().filter(|part| !whole || *part == a) {
            transfer(flow, site, (from, a), (into, part), view, level + 1);
        }
        return;
    }
    // A view of locks, or of tuples, lends these as a whole.
    if view == View::Source && lent::is_to(flow, d, a) {
        lent::of_view(flow, (from, a), into);
        return;
    }
    if let TyKind::Tuple(parts) = &**a {
        for (number, part) in parts.iter().enumerate() {
            let field = Part::numbered(number as u32);
            let children: Vec<LocId> =
                from.iter().map(|loc| flow.heap.child(*loc, &field, Some(part))).collect();
            transfer(flow, site, (&children, part), (into, d), view, level + 1);
        }
        return;
    }
    if let Some(inner) = see_through(flow, a) {
        let view = if flow.kind(a).is_none() { view.max(View::Source) } else { view };
        for part in inner {
            transfer(flow, site, (from, &part), (into, d), view, level + 1);
        }
        return;
    }
    // What can be had from behind the pointer comes from there.
    let behind = || flow.pointee(a).is_some_and(|inner| any_part(&inner, &mut |part| part == &**d));
    let view = if is_open(flow, d) && !pointer(flow, d) && !behind() { View::Target } else { view };
    let owner = view != View::Target && pointer(flow, d);
    let pointee = flow.pointee(d).filter(|to| owner && is_known(flow, to));
    let copy_all = |flow: &mut Flow<'_>, from: &[LocId], into: &[LocId]| {
        if let Some(to) = &pointee {
            for &from in from {
                if flow.is_late_by_now() {
                    return;
                }
                let meant: BTreeSet<LocId> =
                    flow.heap.targets(from).into_iter().filter(|target| may_be(flow, *target, to)).collect();
                into.iter()
                    .for_each(|&into| flow.heap.copy_some(from, into, |target| meant.contains(&target)));
            }
            return;
        }
        let but = (!may_hold_code(flow.models, d)).then(results_of);
        for from in from {
            // Each of many into each of many takes its time.
            if flow.is_late_by_now() {
                return;
            }
            into.iter().for_each(|into| flow.heap.copy_but(*from, *into, but.as_ref()));
        }
    };
    match (pointer(flow, a), pointer(flow, d)) {
        (true, true) if pointer_depth(flow, a, 8) <= pointer_depth(flow, d, 8) => copy_all(flow, from, into),
        (true, _) => {
            let lent = lent::lends(flow, a, d);
            if view != View::None || lent {
                copy_all(flow, from, into);
            }
            let Some(inner) = flow.pointee(a).filter(|_| !lent) else { return };
            let targets = reached(flow, from, &inner);
            transfer(flow, site, (&targets, &inner), (into, d), view, level + 1);
        }
        (false, true) => {
            if matches!(&**d, TyKind::Path(_)) && flow.kind(d) == Some(TypeKind::Pointer) {
                let ty = Some(flow.pointee(d).filter(|to| !is_open(flow, to)).unwrap_or_else(|| a.clone()));
                let root = Root::Heap(object::allocator(flow, site.inst), site.block);
                let object = flow.heap.root(root, || ty);
                copy_all(flow, from, &[object]);
                for into in into {
                    flow.heap.point(*into, object);
                }
            } else if view == View::Source && lent::is_to(flow, d, a) {
                lent::of_view(flow, (from, a), into);
            } else if view == View::Source || lent::may_be_pointer(flow, a, d) {
                copy_all(flow, from, into);
            }
        }
        (false, false) => copy_all(flow, from, into),
    }
}

/// Of the targets of a pointer to values of a type, keeps those that it may lead to as far as types say: what is of the program's
/// own, and collections of that, is not in everything.
pub(crate) fn retain_meant(flow: &Flow<'_>, targets: &mut Vec<LocId>, ty: &Ty) {
    match meant_by(flow, ty) {
        Some(meant) => targets.retain(|target| meant.iter().any(|ty| may_be(flow, *target, ty))),
        // A key that is borrowed text is where the collection's values are, too, and is none of them.
        None if flow.kind(ty) == Some(TypeKind::Container) => targets.retain(|target| {
            let is_text = |ty: &TyKind| matches!(ty, TyKind::Prim(prim) if prim.as_str() == "str");
            !flow.heap.get(*target).ty.as_ref().is_some_and(|ty| is_text(ty))
        }),
        None => {}
    }
}

/// The types of which what a pointer to such values leads to has one in it; `None`: it may be anything.
fn meant_by(flow: &Flow<'_>, ty: &Ty) -> Option<Vec<Ty>> {
    let mut meant = vec![ty.clone()];
    if flow.code.has_fields(ty) {
        return Some(meant);
    }
    // Wrappers have the location of what they wrap, also if they lend it as a pointer.
    let is_pointer = matches!(flow.kind(ty), Some(TypeKind::Pointer | TypeKind::Guard));
    if is_pointer || is_open(flow, ty) || !has_own(flow, ty) {
        return None;
    }
    // A collection has the location of its elements.
    for part in held(flow, ty).iter().filter(|part| has_own(flow, part)) {
        meant.extend(meant_by(flow, part)?);
    }
    Some(meant)
}

/// Whether a type is one of the program's own, or is made of some.
fn has_own(flow: &Flow<'_>, ty: &TyKind) -> bool {
    any_part(ty, &mut |part| match part {
        TyKind::Dyn(traits) => traits.iter().any(|tr| flow.code.is_own_trait(tr)),
        TyKind::Path(_) => flow.code.has_fields(part),
        _ => false,
    })
}

/// Whether a type says of a location whether it has such a value in it.
fn is_known(flow: &Flow<'_>, ty: &TyKind) -> bool {
    match ty {
        TyKind::Prim(prim) => prim.as_str() != "str",
        TyKind::Path(_) if flow.code.types.param(ty).is_none() => match flow.kind(ty) {
            Some(TypeKind::Cell | TypeKind::Lock | TypeKind::Atomic | TypeKind::Pointer) => true,
            _ => flow.code.has_fields(ty),
        },
        _ => false,
    }
}

/// Whether a pointer to values of a type may be one to a location: not if that only holds pointers to them. A view of a map of `Arc`s
/// leads to the map; who makes an `Arc` of what the view gives has one that leads behind the map.
pub(crate) fn may_be(flow: &Flow<'_>, target: LocId, ty: &Ty) -> bool {
    let Some(whole) = &flow.heap.get(target).ty else { return true };
    if let Some(known) = flow.holds.borrow().get(&(whole.clone(), ty.clone())) {
        return *known;
    }
    let may = may_hold(flow, whole, ty, 0);
    flow.holds.borrow_mut().insert((whole.clone(), ty.clone()), may);
    may
}

fn may_hold(flow: &Flow<'_>, whole: &TyKind, ty: &TyKind, depth: u32) -> bool {
    let same = whole == ty || whole.as_path().zip(ty.as_path()).is_some_and(|(a, b)| a.plain() == b.plain());
    if same || depth > 6 {
        return true;
    }
    let in_parts = |parts: &[Ty]| parts.iter().any(|part| may_hold(flow, part, ty, depth + 1));
    match whole {
        TyKind::Ref { .. } | TyKind::Ptr { .. } | TyKind::Prim(_) => false,
        TyKind::Path(_) if matches!(flow.kind(whole), Some(TypeKind::Pointer | TypeKind::Guard)) => false,
        TyKind::Path(path) if path.qself.is_none() && flow.code.types.param(whole).is_none() => {
            let number = matches!(ty, TyKind::Prim(_)) && flow.kind(whole) == Some(TypeKind::Atomic);
            if !flow.code.has_fields(whole) {
                // Who is lent a collection by a library's own type is lent one of what that type is made of.
                let lends = !flow.code.has_fields(ty) && !parts(whole).is_empty() && related(whole, ty);
                return number || lends || in_parts(&held(flow, whole));
            }
            // What a type of the program's own holds is in its fields, whatever its parameters are.
            let fields = flow.code.field_types(whole);
            fields.is_none_or(|fields| fields.iter().any(|(_, field)| may_hold(flow, field, ty, depth + 1)))
        }
        TyKind::Slice(of) | TyKind::Array(of, _) => in_parts(std::slice::from_ref(of)),
        TyKind::Tuple(parts) => in_parts(parts),
        _ => true,
    }
}

/// Whether a type does not say what its values are made of.
pub(crate) fn is_open(flow: &Flow<'_>, ty: &TyKind) -> bool {
    matches!(ty, TyKind::Coroutine(_) | TyKind::Impl(_) | TyKind::Other(_) | TyKind::Dyn(_))
        || flow.code.types.param(ty).is_some()
}

/// The name of the part that holds what a closure returns.
pub(crate) const RESULTS: &str = "results";

/// What a lazy iterator's closure returns is a part of the iterator of its own, beside what the closure holds.
pub(crate) fn results_of() -> Part {
    Part::beside(RESULTS, 0)
}

/// The flow out of a closure: what it holds is seen by its body alone, what it returned comes out.
fn results(flow: &mut Flow<'_>, site: &Site, from: &[LocId], into: (&[LocId], &Ty), view: View, level: u32) {
    for from in from {
        let child = flow.heap.get(*from).children.get(&results_of()).copied();
        if let Some((child, ty)) = child.and_then(|child| Some((child, flow.heap.get(child).ty.clone()?))) {
            transfer(flow, site, (&[child], &ty), into, view, level + 1);
        }
    }
}

/// Whether a closure can be in a value of this type, or behind it. In a type parameter it cannot: a function that does not
/// know the parameter cannot make one of a closure.
pub(crate) fn may_hold_code(models: &Models, ty: &TyKind) -> bool {
    let is_of_data = |tr: &Path| models.tr(&tr.plain()).is_some_and(|(_, tr)| tr.data);
    any_part(ty, &mut |ty| match ty {
        TyKind::Dyn(traits) => !traits.iter().any(is_of_data),
        TyKind::Impl(_) | TyKind::Other(_) | TyKind::FnPtr(_) | TyKind::FnDef(..) => true,
        TyKind::Closure { .. } | TyKind::Coroutine(_) => true,
        _ => false,
    })
}

/// A foreign type without type arguments: what it holds is none of the program's own.
pub(crate) fn is_opaque_data(flow: &Flow<'_>, ty: &TyKind) -> bool {
    match ty {
        TyKind::Path(path) => {
            path.qself.is_none()
                && path.segments.len() > 1
                && parts(ty).is_empty()
                && flow.kind(ty).is_none()
                && !flow.code.has_fields(ty)
        }
        _ => false,
    }
}

/// The parts of a foreign type that are kept in the location itself.
pub(crate) fn see_through(flow: &Flow<'_>, ty: &TyKind) -> Option<Vec<Ty>> {
    match ty {
        TyKind::Slice(of) | TyKind::Array(of, _) => Some(vec![of.clone()]),
        TyKind::Path(path) if path.qself.is_none() && !flow.code.has_fields(ty) => {
            if matches!(flow.kind(ty), Some(TypeKind::Pointer | TypeKind::Guard | TypeKind::Handle)) {
                return None;
            }
            let parts = held(flow, ty);
            (!parts.is_empty()).then_some(parts)
        }
        _ => None,
    }
}
