//! The public API of a library as events: every method on `&self` of a type that threads can share and that changes inside.
//!
//! MIR does not say what is public. A method that the crate itself never calls can only be there for others; one that is
//! called from within may be a helper that relies on its caller, so it is left to the callers.

use std::collections::BTreeSet;
use std::rc::Rc;

use robust_models::{On, TypeKind};

use crate::mir::{BodyKind, Callee, ConstKind, Operand, TerminatorKind, Ty, TyKind};

use super::calls::{bind_self, code_in, outside_arguments};
use super::code::BodyId;
use super::flow::Flow;
use super::heap::Value;
use super::types::any_part;
use super::units::{Phase, Unit};

/// The methods that are events.
pub(super) fn methods(flow: &mut Flow<'_>) -> Vec<Unit> {
    let called = called(flow);
    let mut found = Vec::new();
    for index in 0..flow.code.bodies.len() {
        let id = BodyId(index as u32);
        let body = flow.code.body(id);
        if !matches!(body.kind, BodyKind::Fn) || body.path.qself.is_some() || called.contains(&id) {
            continue;
        }
        let method = body.def.contains("<impl");
        let Some(receiver) = body.inputs().next().filter(|_| method) else { continue };
        if !is_shared(flow, receiver) {
            continue;
        }
        let inst = flow.instance(1, id, Vec::new(), Rc::default());
        outside_arguments(flow, inst);
        found.push(Unit {
            inst,
            part: None,
            phase: Phase::Event,
            event: true,
            once: false,
            actor: false,
            on: On::Any,
            why: "a method that anyone who has the object may call".into(),
            parent: None,
            started: false,
        });
    }
    found
}

/// `&T` or `Arc<T>` (or a reference to one) of a local type that changes inside and may be shared between threads.
fn is_shared(flow: &Flow<'_>, receiver: &Ty) -> bool {
    let mut ty = receiver.clone();
    let mut pointers = 0;
    while let Some(TypeKind::Pointer) = flow.kind(&ty) {
        if matches!(&*ty, TyKind::Ref { mutable: true, .. } | TyKind::Ptr { .. }) {
            return false;
        }
        let Some(to) = flow.pointee(&ty) else { return false };
        ty = to;
        pointers += 1;
    }
    if pointers == 0 || !flow.code.has_fields(&ty) {
        return false;
    }
    let mut kinds = BTreeSet::new();
    inside(flow, &ty, &mut kinds, 0);
    kinds.contains("sync")
}

/// What kinds of interior mutability there are inside a type.
fn inside(flow: &Flow<'_>, ty: &Ty, kinds: &mut BTreeSet<&'static str>, depth: u32) {
    if depth > 4 {
        return;
    }
    let mut locals = Vec::new();
    any_part(ty, &mut |part| {
        match flow.kind(part) {
            Some(TypeKind::Lock | TypeKind::Atomic) => {
                kinds.insert("sync");
            }
            Some(TypeKind::Cell) => {
                kinds.insert("cell");
            }
            _ => {}
        }
        if matches!(part, TyKind::Path(_)) && flow.code.has_fields(part) {
            locals.push(Ty::from(part.clone()));
        }
        false
    });
    for local in locals {
        for (_, field) in flow.field_types(&local).unwrap_or_default() {
            if field != *ty {
                inside(flow, &field, kinds, depth + 1);
            }
        }
    }
}

/// Bodies that some body calls or names.
fn called(flow: &Flow<'_>) -> BTreeSet<BodyId> {
    let mut called = BTreeSet::new();
    for (index, body) in flow.code.bodies.iter().enumerate() {
        let home = flow.code.home[index];
        for block in &body.blocks {
            let TerminatorKind::Call(call) = &block.terminator.kind else { continue };
            if let Callee::Fn { path, .. } = &call.callee {
                called.extend(flow.code.resolve(path, home));
            }
            for arg in &call.args {
                if let Operand::Const(constant) = arg
                    && let ConstKind::Fn(path) = &constant.kind
                {
                    called.extend(flow.code.resolve(path, home));
                }
            }
        }
    }
    called
}

/// An async function that is an event only builds its future: the event is the future's body.
pub(super) fn bodies_of_futures(flow: &mut Flow<'_>, begins: &mut Vec<Unit>) -> Vec<Unit> {
    let mut found = Vec::new();
    let mut kept = Vec::new();
    for begin in begins.drain(..) {
        let result = flow.local(begin.inst, 0);
        let future = flow.local_ty(begin.inst, 0).is_some_and(|ty| matches!(&*ty, TyKind::Coroutine(_)));
        let mut bodies = Vec::new();
        if future {
            for (holder, value) in code_in(flow, &[result], 0) {
                if let Value::Body(id, subst) = value {
                    let world = flow.world_of(begin.inst);
                    let inst = flow.instance(world, id, flow.site(begin.inst, 0), subst);
                    bind_self(flow, inst, holder);
                    bodies.push(inst);
                }
            }
        }
        if bodies.is_empty() {
            kept.push(begin);
        } else {
            found.extend(bodies.into_iter().map(|inst| Unit { inst, ..begin.clone() }));
        }
    }
    *begins = kept;
    if !found.is_empty() {
        flow.run();
    }
    found
}
