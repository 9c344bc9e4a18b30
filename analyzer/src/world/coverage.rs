//! Which functions use locks, atomics or cells, and which of these some event runs: what silence is worth.
//!
//! A function uses them when it, or a closure or future in it, has one in its hands that others may have, too: an argument or a
//! pointer whose type is, points to or contains one, as the models say, or a static that anybody may change. Who only makes
//! them uses none.

use std::collections::BTreeMap;

use robust_models::TypeKind;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::ir::SourcePlace;
use crate::mir::{AllocKind, Body, BodyKind, Span, Ty, TyKind};

use crate::world::facts::Facts;
use crate::world::points::bodies::BodyId;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::any_part;
use crate::world::units::Units;

/// A function that uses locks, atomics or cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Its name for readers.
    pub name: String,
    /// The crate it is in.
    pub krate: String,
    /// Where it is in the source.
    pub place: Option<SourcePlace>,
    /// Whether some event or task runs it, closures and futures in it included.
    pub reached: bool,
}

/// All such functions, in the order of the source.
pub(crate) fn usages(flow: &Flow<'_>, facts: &Facts, units: &Units, crates: &[&str]) -> Vec<Usage> {
    let reached = reached(flow, facts, units);
    let mut known: FxHashMap<Ty, bool> = FxHashMap::default();
    let mut by_function: BTreeMap<(usize, &str), (BodyId, bool)> = BTreeMap::new();
    for (number, body) in flow.code.bodies.iter().enumerate() {
        let id = BodyId(number as u32);
        let home = flow.code.home[number];
        if !is_code(body) || !uses(flow, body, home, &mut known) {
            continue;
        }
        let function = by_function.entry((home, outermost(&body.def))).or_insert((id, true));
        function.1 &= reached.contains(&id);
    }
    let mut all: Vec<(BodyId, bool)> = by_function.into_values().collect();
    all.sort_unstable();
    let usage = |(id, reached): (BodyId, bool)| {
        let home = flow.code.home[id.0 as usize];
        let body = flow
            .code
            .def(outermost(&flow.code.body(id).def), home)
            .map_or(flow.code.body(id), |id| flow.code.body(id));
        Usage {
            name: body.name.to_string(),
            krate: crates.get(home).copied().unwrap_or_default().to_owned(),
            place: source_place(&body.span),
            reached,
        }
    };
    all.into_iter().map(usage).collect()
}

/// Where a body begins.
pub(crate) fn declared(flow: &Flow<'_>, inst: InstId) -> Option<SourcePlace> {
    source_place(&flow.body_of(inst).span)
}

/// Where the end of a block stands in the source.
pub(crate) fn end_of_block(flow: &Flow<'_>, inst: InstId, block: u32) -> Option<SourcePlace> {
    let body = flow.body_of(inst);
    let statements = body.blocks.get(block as usize)?.statements.len();
    source_place(body.user_span(crate::mir::Block(block), statements))
}

/// Where a span is, if it is anywhere.
pub(crate) fn source_place(span: &Span) -> Option<SourcePlace> {
    (!span.is_none()).then(|| SourcePlace {
        file: span.file.to_string(),
        line: span.line,
        column: span.col,
        end_line: span.end_line,
        end_column: span.end_col,
    })
}

/// The function around closures and futures.
fn outermost(def: &str) -> &str {
    def.split("::{").next().unwrap_or(def)
}

/// Whether this runs when somebody calls it. An `async fn` does not: it makes the future that does.
pub(crate) fn is_code(body: &Body) -> bool {
    match body.kind {
        BodyKind::Fn => body.locals.first().is_none_or(|decl| !matches!(&*decl.ty, TyKind::Coroutine(_))),
        BodyKind::Closure { .. } | BodyKind::Coroutine { .. } => true,
        _ => false,
    }
}

fn uses(flow: &Flow<'_>, body: &Body, home: usize, known: &mut FxHashMap<Ty, bool>) -> bool {
    let is_mutable = |kind: &AllocKind| {
        let AllocKind::Static(name) = kind else { return false };
        let found = flow.code.static_body(name, home).map(|id| &flow.code.body(id).kind);
        matches!(found, Some(BodyKind::Static { mutable: true }))
    };
    body.allocs.iter().any(|alloc| is_mutable(&alloc.kind))
        || body.inputs().any(|ty| is_shared(flow, ty))
        || body.locals.iter().any(|decl| {
            // The same few types come again and again.
            *known.entry(decl.ty.clone()).or_insert_with(|| is_lent(flow, &decl.ty))
        })
}

/// Whether there is a guard, or a pointer to something shared, in a value of this type.
fn is_lent(flow: &Flow<'_>, ty: &TyKind) -> bool {
    any_part(ty, &mut |part| {
        let is_pointer = matches!(part, TyKind::Ref { .. } | TyKind::Ptr { .. });
        flow.kind(part) == Some(TypeKind::Guard) || is_pointer && is_shared(flow, part)
    })
}

fn is_shared(flow: &Flow<'_>, ty: &TyKind) -> bool {
    any_part(ty, &mut |part| {
        matches!(flow.kind(part), Some(TypeKind::Lock | TypeKind::Guard | TypeKind::Atomic | TypeKind::Cell))
    })
}

/// The bodies that events and tasks run. What a look at shared data was made part of its caller runs, too, so calls are
/// followed as they are in the source.
fn reached(flow: &Flow<'_>, facts: &Facts, units: &Units) -> FxHashSet<BodyId> {
    let mut calls: FxHashMap<InstId, Vec<InstId>> = FxHashMap::default();
    for ((inst, block), info) in &flow.calls {
        if facts.cfgs[inst.0 as usize].reached.contains(&(*block as usize)) {
            calls.entry(*inst).or_default().extend(info.callees.iter().chain(&info.spawned));
        }
    }
    let mut work: Vec<InstId> = units.visits.iter().flatten().map(|(inst, _, _)| *inst).collect();
    let mut seen = FxHashSet::default();
    while let Some(inst) = work.pop() {
        if seen.insert(inst) {
            work.extend(calls.get(&inst).into_iter().flatten());
        }
    }
    seen.into_iter().map(|inst| flow.instances[inst.0 as usize].body).collect()
}
