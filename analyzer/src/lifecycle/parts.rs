//! What locals of one body stand for, by its text alone: a part of what an argument or another local holds. Pointers that the body makes
//! itself are seen through, and so are functions that only hand on what they are given (`Pin::as_mut`, `Option::as_mut`, a
//! `project` that somebody wrote).
//!
//! **Invariants.** Nothing here needs to know who calls whom, so it holds where pointers were not followed, too.

use std::collections::BTreeMap;

use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{DfsPostOrder, Walker};
use robust_models::{Flow as Gives, Function, TypeKind, Value};

use crate::mir::{
    AggregateKind, Body, CallTarget, Callee, Local, Name, Operand, Place, Projection, Rvalue, StatementKind,
    TerminatorKind, TyKind,
};
use crate::world::points::points_to::Flow;
use crate::world::points::types::{any_part, kind, model};

use super::body::{Def, defs};

/// Functions that hand on a part of what they are given are followed so deep.
const DEPTH: usize = 3;

/// A part of what a local holds: the fields on the way to it, each with its variant. Pointers on the way are left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Part {
    pub local: Local,
    pub fields: Vec<(Name, u32)>,
}

impl Part {
    /// All of what a local holds.
    pub fn whole(local: Local) -> Part {
        Part { local, fields: Vec::new() }
    }

    /// Whether the other one is this part, or lies within it.
    pub fn covers(&self, other: &Part) -> bool {
        self.local == other.local && other.fields.starts_with(&self.fields)
    }
}

/// What a place, or what a pointer leads to.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    pub part: Part,
    /// On the way is a pointer that others may have, too.
    pub shared: bool,
    /// It is had by a pointer that was made here and not followed yet.
    fresh: bool,
}

enum Stands {
    For(Reach),
    /// A value made of pointers, by field.
    Each(Vec<Option<Reach>>),
}

/// What the locals of a body stand for.
pub(crate) struct Parts<'b, 'f, 'a> {
    pub body: &'b Body,
    flow: &'f Flow<'a>,
    pub home: usize,
    stands: BTreeMap<Local, Stands>,
}

impl<'b, 'f, 'a> Parts<'b, 'f, 'a> {
    pub fn new(flow: &'f Flow<'a>, body: &'b Body, home: usize) -> Self {
        Self::within(flow, body, home, DEPTH)
    }

    fn within(flow: &'f Flow<'a>, body: &'b Body, home: usize, depth: usize) -> Self {
        let mut parts = Parts { body, flow, home, stands: BTreeMap::new() };
        for local in in_order(body) {
            if let [def] = defs(body, local)[..]
                && let Some(stands) = parts.stands(local, def, depth)
            {
                parts.stands.insert(local, stands);
            }
        }
        parts
    }

    fn ty(&self, local: Local) -> &TyKind {
        &self.body.locals[local.0 as usize].ty
    }

    fn stands(&self, local: Local, def: Def<'b>, depth: usize) -> Option<Stands> {
        match def {
            Def::Assign(Rvalue::Ref(_, place) | Rvalue::RawPtr { place, .. }) => {
                Some(Stands::For(Reach { fresh: true, ..self.reach(place)? }))
            }
            Def::Assign(Rvalue::CopyForDeref(place)) => self.reach(place).map(Stands::For),
            Def::Assign(Rvalue::Use(from) | Rvalue::Cast(_, from, _) | Rvalue::Wrap(from, _)) => {
                let from = from.place().filter(|_| points(self.ty(local)))?;
                self.reach(from).map(Stands::For)
            }
            Def::Assign(Rvalue::Aggregate(kind, operands)) => {
                let is_plain = matches!(&**kind, AggregateKind::Tuple | AggregateKind::Adt { .. });
                let each = self.each(operands);
                (is_plain && each.iter().any(Option::is_some)).then_some(Stands::Each(each))
            }
            Def::Assign(_) => None,
            Def::Call(block) => self.handed_on(local, super::body::call_at(self.body, block)?, depth),
        }
    }

    fn each(&self, operands: &[Operand]) -> Vec<Option<Reach>> {
        let part = |operand: &Operand| {
            let place = operand.place().filter(|place| points(self.ty(place.local)))?;
            self.reach(place)
        };
        operands.iter().map(part).collect()
    }

    /// What a call's result stands for, if it is a part of what the call's only argument leads to.
    fn handed_on(&self, local: Local, call: &CallTarget, depth: usize) -> Option<Stands> {
        let [arg] = &call.args[..] else { return None };
        let from = self.reach(arg.place()?)?;
        if self.is_lens(call) {
            let shared = from.shared || self.is_shared(self.ty(arg.place()?.local).peel_refs());
            return Some(Stands::For(Reach { shared, fresh: true, ..from }));
        }
        let Callee::Fn { path, .. } = &call.callee else { return None };
        if depth == 0 || !may_point(self.ty(local)) || !self.flow.code.is_local(path) {
            return None;
        }
        let [callee] = self.flow.code.resolve(path, self.home)[..] else { return None };
        let home = self.flow.code.home[callee.0 as usize];
        let callee = Parts::within(self.flow, self.flow.code.body(callee), home, depth - 1);
        let moved = |reach: &Reach| {
            let mut part = from.part.clone();
            part.fields.extend(reach.part.fields.iter().cloned());
            Reach { part, shared: from.shared || reach.shared, fresh: true }
        };
        match callee.only_hands_on()? {
            Stands::For(reach) => Some(Stands::For(moved(&reach))),
            Stands::Each(all) => {
                Some(Stands::Each(all.iter().map(|reach| reach.as_ref().map(moved)).collect()))
            }
        }
    }

    /// What the body returns, if all that it does is to find that in its only argument.
    fn only_hands_on(&self) -> Option<Stands> {
        let mut blocks = self.body.blocks.iter().filter(|block| !block.cleanup);
        let quiet = blocks.all(|block| {
            let writes = |statement: &crate::mir::Statement| match &statement.kind {
                StatementKind::Assign(to, _) => !to.projection.is_empty(),
                _ => false,
            };
            let goes_on = match &block.terminator.kind {
                TerminatorKind::Call(call) => call.args.len() == 1 && self.is_lens(call),
                TerminatorKind::Goto(_) | TerminatorKind::Return => true,
                _ => false,
            };
            goes_on && !block.statements.iter().any(writes)
        });
        let [def] = defs(self.body, Local::RETURN)[..] else { return None };
        let stands = self.stands(Local::RETURN, def, 0).filter(|_| quiet && self.body.arg_count == 1)?;
        let of_argument = |reach: &Reach| reach.part.local == Local(1);
        match &stands {
            Stands::For(reach) => of_argument(reach),
            Stands::Each(all) => all.iter().flatten().all(of_argument),
        }
        .then_some(stands)
    }

    /// What a model says of the function that is called.
    pub fn model(&self, call: &CallTarget) -> Option<&'a Function> {
        let Callee::Fn { path, .. } = &call.callee else { return None };
        self.flow.models.function(&path.plain())
    }

    /// Whether a call's result only leads where its argument does.
    pub fn is_lens(&self, call: &CallTarget) -> bool {
        let Some(model) = self.model(call) else { return false };
        let is_quiet = model.access.as_ref().is_some_and(Vec::is_empty);
        let hands_on = match model.value {
            Some(Value::Same) => true,
            Some(Value::Distinct) => is_quiet,
            _ => is_quiet && model.flow == Some(Gives::Wrap),
        };
        hands_on && call.args.len() == 1 && points(self.ty(call.dest.local))
    }

    /// Whether a call's result is known to lead where its argument does, and nothing else is done.
    pub fn is_followed(&self, call: &CallTarget) -> bool {
        self.is_lens(call) || call.dest.as_local().is_some_and(|local| self.stands.contains_key(&local))
    }

    /// Whether what the called function says is by a contract that others know, too: it is a trait's, or a library's.
    pub fn is_contract(&self, call: &CallTarget) -> bool {
        match &call.callee {
            Callee::Fn { path, .. } => {
                path.qself.as_ref().is_some_and(|qself| qself.tr.is_some()) || !self.flow.code.is_local(path)
            }
            Callee::Value(_) => false,
        }
    }

    /// The type of a place, as far as the text has it.
    pub fn ty_of<'t>(&'t self, place: &'t Place) -> Option<&'t TyKind> {
        let mut ty = Some(self.ty(place.local));
        for step in &place.projection {
            ty = match (step, ty) {
                (Projection::Deref, Some(TyKind::Ref { to, .. } | TyKind::Ptr { to, .. })) => Some(to),
                (Projection::Field(_, of), _) => Some(of),
                _ => None,
            };
        }
        ty
    }

    /// Whether others may have a pointer of that type to the same.
    fn is_shared(&self, ty: &TyKind) -> bool {
        let counted = ty.as_path().and_then(|path| model(self.flow.models, path));
        counted.is_some_and(|model| model.counted) || kind(self.flow.models, ty) == Some(TypeKind::Guard)
    }

    /// The part that a place is.
    pub fn reach(&self, place: &Place) -> Option<Reach> {
        let mut steps = &place.projection[..];
        let is_made = self.stands.contains_key(&place.local);
        let mut reach = match self.stands.get(&place.local) {
            None => Reach { part: Part::whole(place.local), shared: false, fresh: false },
            Some(Stands::For(reach)) => reach.clone(),
            Some(Stands::Each(all)) => match steps {
                [] => Reach { part: Part::whole(place.local), shared: false, fresh: false },
                [Projection::Field(number, _), rest @ ..]
                | [Projection::Downcast(_), Projection::Field(number, _), rest @ ..] => {
                    steps = rest;
                    all.get(*number as usize)?.clone()?
                }
                _ => return None,
            },
        };
        let mut ty = if steps.len() < place.projection.len() { None } else { Some(self.ty(place.local)) };
        let mut variant = Name::default();
        for step in steps {
            match step {
                Projection::Deref if reach.fresh => {
                    reach.fresh = false;
                    ty = None;
                }
                Projection::Deref => {
                    let is_own = matches!(ty, Some(TyKind::Ref { mutable: true, .. } | TyKind::Path(_)));
                    // A pointer of which the type is not known was made here.
                    reach.shared |= !(is_own || ty.is_none() && is_made);
                    ty = match ty {
                        Some(TyKind::Ref { to, .. } | TyKind::Ptr { to, .. }) => Some(to),
                        _ => None,
                    };
                }
                Projection::Downcast(name) => variant = name.clone(),
                Projection::Field(number, of) => {
                    let variant = std::mem::take(&mut variant);
                    // The pointer within a pinned one.
                    if ty.is_none_or(|ty| kind(self.flow.models, ty) != Some(TypeKind::Pointer)) {
                        reach.part.fields.push((variant, *number));
                    }
                    ty = Some(of);
                }
                _ => return None,
            }
        }
        Some(reach)
    }

    /// The part that is another one once something is put into a place.
    pub fn target(&self, place: &Place) -> Option<Part> {
        match place.as_local() {
            Some(local) => Some(Part::whole(local)),
            None => self.reach(place).map(|reach| reach.part),
        }
    }

    /// All that a value made of pointers leads to.
    pub fn all(&self, place: &Place) -> Vec<Part> {
        match self.stands.get(&place.local) {
            Some(Stands::Each(all)) => all.iter().flatten().map(|reach| reach.part.clone()).collect(),
            Some(Stands::For(_)) => self.reach(place).map(|reach| reach.part).into_iter().collect(),
            None if points(self.ty(place.local)) => vec![Part::whole(place.local)],
            None => Vec::new(),
        }
    }
}

/// The locals that are given a value as a whole, other than arguments, each after those that come before it on all ways.
fn in_order(body: &Body) -> Vec<Local> {
    let succs: Vec<Vec<usize>> =
        body.blocks.iter().map(|block| block.terminator.kind.resumed_successors()).collect();
    let mut found = Vec::new();
    for at in reverse_postorder(&succs) {
        let block = &body.blocks[at];
        let assigned = block.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Assign(to, _) => to.as_local(),
            _ => None,
        });
        found.extend(assigned);
        if let TerminatorKind::Call(call) = &block.terminator.kind {
            found.extend(call.dest.as_local());
        }
    }
    found.retain(|local| local.0 > body.arg_count);
    found
}

/// The blocks that the first one leads to, each after those that come before it on all ways.
fn reverse_postorder(succs: &[Vec<usize>]) -> Vec<usize> {
    let mut graph = DiGraph::<(), ()>::new();
    let ids: Vec<NodeIndex> = succs.iter().map(|_| graph.add_node(())).collect();
    let edges = ids.iter().zip(succs).flat_map(|(from, next)| next.iter().map(|to| (*from, ids[*to])));
    graph.extend_with_edges(edges);
    let Some(first) = ids.first() else { return Vec::new() };
    let mut found: Vec<usize> =
        DfsPostOrder::new(&graph, *first).iter(&graph).map(|block| block.index()).collect();
    found.reverse();
    found
}

/// Whether there is a pointer in values of that type.
pub(crate) fn points(ty: &TyKind) -> bool {
    any_part(ty, &mut |part| matches!(part, TyKind::Ref { .. } | TyKind::Ptr { .. }))
}

/// The same; of a type without parameters it is not known, as lifetimes are not.
fn may_point(ty: &TyKind) -> bool {
    points(ty) || ty.as_path().is_some_and(|path| path.segments.iter().all(|one| one.args.is_empty()))
}
