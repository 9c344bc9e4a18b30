//! Code that callers get with what a public function returns: futures and streams, which they poll, and closures, which they call.

use std::collections::BTreeSet;

use robust_models::TypeKind;

use crate::mir::{Body, Ty, TyKind};

use crate::world::actions::cfg;
use crate::world::points::bodies::BodyId;
use crate::world::points::heap::{LocId, Root, Value};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::transfer::results_of;
use crate::world::points::types::any_part;

/// What is in what a function returns is followed this deep.
const MAX_DEPTH: u32 = 6;

/// So many locations are looked at for what a closure shares.
const REACH: usize = 256;

/// Code in what a function returns.
struct Found {
    holder: LocId,
    value: Value,
    /// A closure in it has made it, and makes another one whenever it is called.
    again: bool,
}

/// Whether a body runs as callers poll what they have.
fn is_polled(body: &Body) -> bool {
    body.is_future() || cfg::polls(body)
}

/// The futures in what a function returns: whoever calls it awaits them.
pub(crate) fn futures(flow: &Flow<'_>, returned: LocId) -> Vec<(LocId, Value)> {
    let found = code(flow, returned).into_iter().filter(|found| !found.again);
    let found = found.filter(|found| body(flow, found).is_some_and(|(_, body)| is_polled(body)));
    found.map(|found| (found.holder, found.value)).collect()
}

fn body<'f>(flow: &'f Flow<'_>, found: &Found) -> Option<(BodyId, &'f Body)> {
    match &found.value {
        Value::Body(id, ..) => Some((*id, flow.code.body(*id))),
        _ => None,
    }
}

/// All code in what a function returns: in what wraps it, behind pointers to code alone, and what the closures in it have made.
fn code(flow: &Flow<'_>, returned: LocId) -> Vec<Found> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([returned]);
    let mut work = vec![(returned, 0, false)];
    while let Some((at, depth, again)) = work.pop() {
        let loc = flow.heap.get(at);
        let code = loc.values.keys().filter(|value| matches!(value, Value::Body(..)));
        let before = found.len();
        found.extend(code.map(|value| Found { holder: at, value: value.clone(), again }));
        if depth == MAX_DEPTH {
            continue;
        }
        // What code has captured is its own, and so are the fields of the crate's types.
        let is_code = found.len() > before;
        let is_open = !is_code && loc.ty.as_ref().is_none_or(|ty| !is_own(flow, ty));
        for (part, field) in loc.children.iter() {
            let is_result = *part == results_of();
            if (is_result || is_open) && seen.insert(*field) {
                work.push((*field, depth + 1, again || is_result));
            }
        }
        let behind = loc.points_to.iter().filter(|to| !is_code && leads_to_code(flow, **to));
        work.extend(behind.filter(|to| seen.insert(**to)).map(|to| (*to, depth + 1, again)));
    }
    found
}

/// Whether what a pointer leads to is code, or what is made of some, and not what has some in it, as a list of callbacks has.
fn leads_to_code(flow: &Flow<'_>, to: LocId) -> bool {
    let Some(ty) = flow.heap.get(to).ty.as_ref() else { return true };
    let kind = flow.kind(ty);
    let keeps =
        matches!(kind, Some(TypeKind::Lock | TypeKind::Cell | TypeKind::Atomic | TypeKind::Container));
    !keeps && !is_own(flow, ty)
}

/// Whether a type is one of the crate's.
fn is_own(flow: &Flow<'_>, ty: &Ty) -> bool {
    matches!(**ty, TyKind::Path(_)) && flow.code.has_fields(ty)
}

/// Code in what a function returns that callers run.
pub(crate) struct Run {
    /// Where it is.
    pub holder: LocId,
    pub value: Value,
    /// Several callers may run one such value at once.
    pub together: bool,
}

/// What callers run of what an instance returns, in runs of its own: closures that nobody in the program calls, and the items of a stream. Several
/// callers may at the same time, be it one closure or several of one kind.
pub(crate) fn runs(flow: &mut Flow<'_>, inst: InstId) -> Vec<Run> {
    let returned = flow.local(inst, 0);
    let disguised = flow.local_ty(inst, 0).is_some_and(|ty| is_for_one(&ty));
    // Who awaits a future need not poll at once what that ends with.
    let later = flow.body_of(inst).is_future();
    let runs = |id: BodyId| flow.instances.iter().any(|instance| instance.body == id);
    let found = code(flow, returned).into_iter().filter_map(|found| {
        let (id, body) = body(flow, &found)?;
        let polled = is_polled(body);
        let together = !polled && is_shared(body) && !disguised;
        let is_run =
            (!polled || found.again || later) && (together || !has_state(flow, found.holder)) && !runs(id);
        is_run.then_some(Run { holder: found.holder, value: found.value, together })
    });
    found.collect()
}

/// Whether a closure takes itself by a shared reference.
fn is_shared(body: &Body) -> bool {
    body.inputs().next().is_some_and(|own| matches!(&**own, TyKind::Ref { mutable: false, .. }))
}

/// Whether a closure in a value of this type is known by traits alone that do not say that others may have it, too.
fn is_for_one(ty: &Ty) -> bool {
    any_part(ty, &mut |part| match part {
        TyKind::Dyn(traits) => !traits.iter().any(|tr| tr.last() == "Sync"),
        _ => false,
    })
}

/// Whether a closure has something to change that the function has made which made the closure: each closure has its own then.
fn has_state(flow: &Flow<'_>, holder: LocId) -> bool {
    let mut seen = BTreeSet::from([holder]);
    let mut work = vec![holder];
    while let Some(at) = work.pop() {
        let loc = flow.heap.get(at);
        let kind = loc.ty.as_ref().and_then(|ty| flow.kind(ty));
        let changes = matches!(kind, Some(TypeKind::Lock | TypeKind::Cell | TypeKind::Atomic));
        if changes && matches!(&*loc.root, Root::Heap(..) | Root::Local(..)) || seen.len() > REACH {
            return true;
        }
        let next = loc.children.values().chain(&loc.points_to).copied();
        work.extend(next.filter(|next| seen.insert(*next)));
    }
    false
}
