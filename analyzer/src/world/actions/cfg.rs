//! The part of a body's control flow that matters, and its loops.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::mir::{
    AggregateKind, BasicBlock, Body, BodyKind, Callee, ConstKind, Local, Operand, Place, Projection, Rvalue,
    StatementKind, TerminatorKind, TyKind,
};

/// Successors by block: without unwinding, without waiting (a future is polled to its end where it is polled first), and
/// without blocks that only lead to a panic or are only reached after one.
#[derive(Clone, Debug)]
pub(crate) struct Cfg {
    pub succs: Vec<Vec<usize>>,
    pub preds: Vec<Vec<usize>>,
    /// Blocks that can be reached.
    pub reached: BTreeSet<usize>,
    /// The outermost loops.
    pub loops: Vec<BTreeSet<usize>>,
    /// It is a closure that a future is made of.
    pub polls: bool,
}

impl Cfg {
    /// `ends` tells by block whether a call that never returns is worth keeping, `given` where branches lead that constants
    /// from outside decide, `after_panic` places that hold something only after a panic.
    pub fn new(
        body: &Body,
        (ends, given): (&[bool], &BTreeMap<usize, usize>),
        after_panic: &dyn Fn(&Place) -> bool,
    ) -> Self {
        let count = body.blocks.len();
        let mut succs: Vec<Vec<usize>> = body
            .blocks
            .iter()
            .enumerate()
            .map(|(index, block)| {
                let given = given.get(&index).map(|to| vec![*to]);
                given.or_else(|| decided(block)).unwrap_or_else(|| block.terminator.kind.successors())
            })
            .collect();
        for list in &mut succs {
            let goes_on = |to: usize| !body.blocks[to].cleanup && !takes(&body.blocks[to], after_panic);
            list.retain(|&to| to < count && goes_on(to));
            let mut seen = BTreeSet::new();
            list.retain(|to| seen.insert(*to));
        }
        for index in waits(body) {
            succs[index].clear();
        }
        for (index, to) in super::variants::decided(body, &succs) {
            succs[index].retain(|next| *next == to);
        }
        // Keep what leads to a return, into a cycle, or into a call that runs forever.
        let mut good: BTreeSet<usize> = (0..count)
            .filter(|&index| {
                let kind = &body.blocks[index].terminator.kind;
                matches!(kind, TerminatorKind::Return) || (succs[index].is_empty() && ends[index])
            })
            .collect();
        let all: BTreeSet<usize> = (0..count).collect();
        for component in components(&succs, &all) {
            good.extend(component);
        }
        let good = reach(&predecessors(&succs), good);
        for list in &mut succs {
            list.retain(|to| good.contains(to));
        }
        let reached = if count == 0 { BTreeSet::new() } else { reach(&succs, [0]) };
        let loops = components(&succs, &reached);
        Cfg { preds: predecessors(&succs), succs, reached, loops, polls: polls(body) }
    }

    /// The outermost loop a block is in.
    pub fn loop_of(&self, block: usize) -> Option<usize> {
        self.loops.iter().position(|blocks| blocks.contains(&block))
    }
}

/// Whether a branch leads to a panic, and to nothing else, on some way.
pub(crate) fn may_panic(body: &Body, cfg: &Cfg, block: usize) -> bool {
    let TerminatorKind::SwitchInt { targets, otherwise, .. } = &body.blocks[block].terminator.kind else {
        return false;
    };
    let ways = targets.iter().map(|(_, to)| to).chain(otherwise).map(|to| to.0 as usize);
    cfg.succs[block].len() < targets.len() + usize::from(otherwise.is_some())
        && ways.into_iter().any(|to| !cfg.succs[block].contains(&to) && panics(body, to))
}

/// Whether all that a block leads to is a call that never returns.
pub(crate) fn panics(body: &Body, mut block: usize) -> bool {
    for _ in 0..body.blocks.len() {
        block = match &body.blocks[block].terminator.kind {
            TerminatorKind::Goto(to) | TerminatorKind::Drop { target: Some(to), .. } => to.0 as usize,
            TerminatorKind::Call(call) => match call.target {
                Some(to) => to.0 as usize,
                None => return true,
            },
            _ => return false,
        };
    }
    false
}

/// Whether a block takes, borrows or drops such a part of something.
fn takes(block: &BasicBlock, part: &dyn Fn(&Place) -> bool) -> bool {
    let in_statements = block.statements.iter().any(|statement| match &statement.kind {
        StatementKind::Assign(_, Rvalue::Use(Operand::Move(place)) | Rvalue::Ref(_, place)) => part(place),
        _ => false,
    });
    in_statements || matches!(&block.terminator.kind, TerminatorKind::Drop { place, .. } if part(place))
}

/// Blocks of a closure that polls others (as `select!` and `join!` make them) where it answers that it has to wait: it is asked
/// again then, until it is ready. What one does that takes a waker, before it answers so, is what others go by.
fn waits(body: &Body) -> Vec<usize> {
    if !polls(body) || takes_waker(body) {
        return Vec::new();
    }
    let pending = |kind: &StatementKind| match kind {
        StatementKind::Assign(place, Rvalue::Aggregate(kind, _)) => {
            let pending = matches!(&**kind, AggregateKind::Adt { path, .. } if path.last() == "Pending");
            pending && place.as_local() == Some(Local::RETURN)
        }
        _ => false,
    };
    let blocks = body.blocks.iter().enumerate();
    blocks
        .filter(|(_, block)| block.statements.iter().any(|statement| pending(&statement.kind)))
        .map(|(index, _)| index)
        .collect()
}

/// Whether a body gives what it is polled with to anything but what it polls itself.
fn takes_waker(body: &Body) -> bool {
    let is_given = |arg: &Operand| {
        let local = arg.place().and_then(Place::as_local);
        local.is_some_and(|local| {
            body.locals.get(local.0 as usize).is_some_and(|decl| is_context(decl.ty.peel_refs()))
        })
    };
    let mut blocks = body.blocks.iter().filter(|block| !block.cleanup);
    blocks.any(|block| match &block.terminator.kind {
        TerminatorKind::Call(call) => {
            let polls = matches!(&call.callee, Callee::Fn { path, .. } if path.last().contains("poll"));
            !polls && call.args.iter().any(is_given)
        }
        _ => false,
    })
}

/// Whether a body is a closure that a future is made of.
pub(crate) fn polls(body: &Body) -> bool {
    matches!(body.kind, BodyKind::Closure { .. }) && is_polled(body)
}

/// Whether a body is called with what a future is polled with, and answers as one does.
pub(crate) fn is_polled(body: &Body) -> bool {
    is_poll(body.output()) && body.inputs().any(|ty| is_context(ty.peel_refs()))
}

/// Whether this is what a future is polled with.
pub(crate) fn is_context(ty: &TyKind) -> bool {
    ty.as_path().is_some_and(|path| path.plain() == "std::task::Context")
}

/// Whether this is what a poll answers: ready, or not yet.
pub(crate) fn is_poll(ty: &TyKind) -> bool {
    ty.as_path().is_some_and(|path| path.plain() == "std::task::Poll")
}

/// The local whose result a place has: itself, or what an awaited future is ready with.
pub(crate) fn whole_result(place: &Place) -> Option<Local> {
    let ready = match &place.projection[..] {
        [] => true,
        [Projection::Downcast(variant), Projection::Field(0, _)] => &**variant == "Ready",
        _ => false,
    };
    ready.then_some(place.local)
}

/// Where a block leads that branches on a constant (`cfg!`, levels of logging).
fn decided(block: &BasicBlock) -> Option<Vec<usize>> {
    let TerminatorKind::SwitchInt { on, .. } = &block.terminator.kind else { return None };
    let constant = match on {
        Operand::Const(constant) => constant,
        Operand::Copy(place) | Operand::Move(place) => {
            let local = place.as_local()?;
            let assigned = block.statements.iter().rev().find_map(|statement| match &statement.kind {
                StatementKind::Assign(to, rvalue) if to.local == local => Some(rvalue),
                _ => None,
            });
            match assigned? {
                Rvalue::Use(Operand::Const(constant)) => constant,
                _ => return None,
            }
        }
    };
    let value = match constant.kind {
        ConstKind::Bool(value) => u128::from(value),
        ConstKind::Int(value) => u128::try_from(value).ok()?,
        _ => return None,
    };
    Some(vec![leads(block, value)?])
}

/// Where a block leads that branches on something, with this value.
pub(crate) fn leads(block: &BasicBlock, value: u128) -> Option<usize> {
    let TerminatorKind::SwitchInt { targets, otherwise, .. } = &block.terminator.kind else { return None };
    let target = targets.iter().find(|(bits, _)| *bits == value).map(|(_, to)| to);
    target.or(otherwise.as_ref()).map(|to| to.0 as usize)
}

fn predecessors(succs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut preds: Vec<Vec<usize>> = vec![Vec::new(); succs.len()];
    for (from, list) in succs.iter().enumerate() {
        list.iter().for_each(|&to| preds[to].push(from));
    }
    preds
}

/// Blocks that can be reached from some, these included, along `next`: successors or predecessors.
pub(crate) fn reach(next: &[Vec<usize>], from: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
    reach_through(next, from, |_| true)
}

/// As [`reach`], going on only from nodes that may be passed.
pub(crate) fn reach_through(
    next: &[Vec<usize>],
    from: impl IntoIterator<Item = usize>,
    may_pass: impl Fn(usize) -> bool,
) -> BTreeSet<usize> {
    let mut seen: BTreeSet<usize> = from.into_iter().collect();
    let mut work: Vec<usize> = seen.iter().copied().collect();
    while let Some(at) = work.pop() {
        if may_pass(at) {
            work.extend(next[at].iter().filter(|&&to| seen.insert(to)));
        }
    }
    seen
}

/// The loops of the graph on `nodes`: strongly connected components with an edge in them.
pub(crate) fn components(succs: &[Vec<usize>], nodes: &BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
    // Each cycle goes back somewhere.
    if !nodes.iter().any(|&node| succs[node].iter().any(|to| *to <= node && nodes.contains(to))) {
        return Vec::new();
    }
    let mut graph = DiGraph::<usize, ()>::with_capacity(nodes.len(), nodes.len());
    let mut ids: Vec<Option<NodeIndex>> = vec![None; succs.len()];
    nodes.iter().for_each(|&node| ids[node] = Some(graph.add_node(node)));
    for &node in nodes {
        for to in &succs[node] {
            if let (Some(from), Some(to)) = (ids[node], ids[*to]) {
                graph.add_edge(from, to, ());
            }
        }
    }
    let mut found: Vec<BTreeSet<usize>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|component| match component[..] {
            [only] => succs[graph[only]].contains(&graph[only]),
            _ => true,
        })
        .map(|component| component.into_iter().map(|id| graph[id]).collect())
        .collect();
    found.sort();
    found
}
