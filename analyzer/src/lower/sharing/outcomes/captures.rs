//! Locals that are closures and futures, or lead to one: what goes into one capture says nothing of the others, however the whole is
//! handed on. The parameters of an `async fn` are captures of its future.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::mir::{
    AggregateKind, Body, BodyKind, Local, Place, Projection, Rvalue, StatementKind, TerminatorKind, Ty,
    TyKind,
};
use crate::world::points::points_to::{Flow, InstId};

/// What a local is, or leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Carrier {
    /// Which closure, or future.
    kind: u32,
    /// How many captures that has.
    pub captures: u32,
}

/// The locals that are, or lead to, one closure or future each.
#[derive(Default)]
pub(crate) struct Captures {
    of: FxHashMap<(InstId, Local), Carrier>,
}

impl Captures {
    /// Those of some instances.
    pub fn of(flow: &Flow<'_>, insts: &BTreeSet<InstId>) -> Captures {
        let mut kinds: FxHashMap<TyKind, Carrier> = FxHashMap::default();
        for &inst in insts {
            for (place, count) in made(flow.body_of(inst)) {
                let Some(ty) = flow.place_ty(inst, place) else { continue };
                let next = kinds.len() as u32;
                kinds.entry(carried(&ty).clone()).or_insert(Carrier { kind: next, captures: count as u32 });
            }
        }
        let mut of = FxHashMap::default();
        for &inst in insts {
            for (number, decl) in flow.body_of(inst).locals.iter().enumerate() {
                // What is generic may be one here.
                let may_be = matches!(
                    carried(&decl.ty),
                    TyKind::Closure { .. } | TyKind::Coroutine(_) | TyKind::Path(_) | TyKind::Impl(_)
                );
                let ty = may_be.then(|| flow.local_ty(inst, number as u32)).flatten();
                if let Some(carrier) = ty.and_then(|ty| kinds.get(carried(&ty)).copied()) {
                    of.insert((inst, Local(number as u32)), carrier);
                }
            }
        }
        let mut captures = Captures { of };
        captures.follow(flow, insts);
        captures
    }

    /// What is declared as `impl FnOnce()` is the closure that callers give.
    fn follow(&mut self, flow: &Flow<'_>, insts: &BTreeSet<InstId>) {
        let mut work: Vec<InstId> = insts.iter().copied().collect();
        while let Some(inst) = work.pop() {
            let body = flow.body_of(inst);
            let mut changed = false;
            for block in &body.blocks {
                for statement in &block.statements {
                    if let StatementKind::Assign(place, Rvalue::Use(used)) = &statement.kind
                        && let (Some(into), Some(from)) =
                            (place.as_local(), used.place().and_then(Place::as_local))
                    {
                        changed |= self.hand_on(flow, (inst, from), (inst, into));
                    }
                }
            }
            for (number, block) in body.blocks.iter().enumerate() {
                let TerminatorKind::Call(call) = &block.terminator.kind else { continue };
                let callees = flow.calls.get(&(inst, number as u32)).map(|info| &info.callees);
                for &callee in callees.into_iter().flatten().filter(|callee| insts.contains(callee)) {
                    for (at, arg) in call.args.iter().enumerate() {
                        let Some(from) = arg.place().and_then(Place::as_local) else { continue };
                        if self.hand_on(flow, (inst, from), (callee, Local(at as u32 + 1))) {
                            work.push(callee);
                        }
                    }
                }
            }
            if changed {
                work.push(inst);
            }
        }
    }

    /// Takes it that an opaque local is what another one is; whether that is new.
    fn hand_on(&mut self, flow: &Flow<'_>, from: (InstId, Local), to: (InstId, Local)) -> bool {
        let decl = flow.body_of(to.0).locals.get(to.1.0 as usize);
        let opaque = decl.is_some_and(|decl| matches!(carried(&decl.ty), TyKind::Impl(_)));
        let Some(carrier) = self.carrier(from.0, from.1).filter(|_| opaque) else { return false };
        let new = !self.of.contains_key(&to);
        self.of.entry(to).or_insert(carrier);
        new
    }

    /// What a local is, or leads to, if that is one closure or future.
    pub fn carrier(&self, inst: InstId, local: Local) -> Option<Carrier> {
        self.of.get(&(inst, local)).copied()
    }

    /// The capture that a place is in, within the body whose captures these are.
    pub fn capture(&self, body: &Body, inst: InstId, place: &Place) -> Option<u32> {
        let own = matches!(body.kind, BodyKind::Closure { .. } | BodyKind::Coroutine { .. });
        let carrier = self.carrier(inst, place.local).filter(|_| own && place.local == Local(1))?;
        let number = match &place.projection[..] {
            [Projection::Field(number, _), ..] | [Projection::Deref, Projection::Field(number, _), ..] => {
                *number
            }
            _ => return None,
        };
        (number < carrier.captures).then_some(number)
    }
}

/// Where a body makes closures and futures, and with how many captures.
fn made(body: &Body) -> impl Iterator<Item = (&Place, usize)> {
    let statements = body.blocks.iter().flat_map(|block| &block.statements);
    statements.filter_map(|statement| match &statement.kind {
        StatementKind::Assign(place, Rvalue::Aggregate(kind, operands)) => match &**kind {
            AggregateKind::Closure { .. } | AggregateKind::Coroutine { .. } => Some((place, operands.len())),
            _ => None,
        },
        _ => None,
    })
}

/// What a reference, a pinned one, or a box leads to.
fn carried(ty: &Ty) -> &TyKind {
    let mut ty: &TyKind = ty.peel_refs();
    while let TyKind::Path(path) = ty
        && matches!(path.plain().as_str(), "std::pin::Pin" | "std::boxed::Box")
        && let Some(inner) = path.type_args().next()
    {
        ty = inner.peel_refs();
    }
    ty
}
