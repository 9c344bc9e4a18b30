//! Reads that decide nothing in the end, because what they saw is checked again.
//!
//! * **Double-checked**: a read is void when a lock is acquired later on, the same data is read again behind that
//!   before anything of it is written, and nothing that came out of the first read is used behind the acquisition. The
//!   first read then only decides whether to look properly.
//! * **Compare-exchange**: the load that gives the expected value is void; the exchange checks it.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::ir::Mode;
use crate::mir::{Body, Local, Operand, Place, Rvalue, StatementKind, TerminatorKind};

use super::cfg::Cfg;
use super::effects::{Action, Effects, Touch, Tracked};
use super::flow::{Flow, InstId};
use super::heap::LocId;

/// A read: where it is and what it fills.
struct Read {
    block: usize,
    step: usize,
    locs: Vec<LocId>,
    result: Local,
}

/// Takes void reads out of an instance's actions.
pub(super) fn drop_void_reads(flow: &Flow<'_>, inst: InstId, effects: &mut Effects) {
    let body = flow.body_of(inst);
    let reads = reads(body, effects);
    if reads.is_empty() {
        return;
    }
    let mut void: Vec<(usize, usize)> = exchanged(body, effects, &reads);
    let acquires: BTreeSet<usize> = effects
        .iter()
        .enumerate()
        .filter(|(_, steps)| {
            steps.iter().any(|step| matches!(step.action, Action::Acquire { mode: Mode::Exclusive, .. }))
        })
        .map(|(block, _)| block)
        .collect();
    let checks = checks(effects);
    let gates: BTreeSet<usize> = acquires.into_iter().chain(checks.iter().map(|(block, _)| *block)).collect();
    if !gates.is_empty() && reads.len() + checks.len() > 1 {
        let graph = Graph::new(&Cfg::new(body, &|_| true));
        let is_void = |read: &&Read| {
            gates.iter().any(|gate| graph.checked_again(body, effects, read, *gate, &reads, &checks))
        };
        void.extend(reads.iter().filter(is_void).map(|read| (read.block, read.step)));
    }
    for (block, step) in void {
        if let Some(Action::Access { locs, .. }) = effects[block].get_mut(step).map(|step| &mut step.action) {
            locs.clear();
        }
    }
}

fn reads(body: &Body, effects: &Effects) -> Vec<Read> {
    let mut reads = Vec::new();
    for (block, steps) in effects.iter().enumerate() {
        for (number, step) in steps.iter().enumerate() {
            let Action::Access { touch: Touch::Read, locs, .. } = &step.action else { continue };
            let result = match body.blocks[block].statements.get(step.at).map(|statement| &statement.kind) {
                Some(StatementKind::Assign(place, _)) => Some(place.local),
                Some(_) => None,
                None => match &body.blocks[block].terminator.kind {
                    TerminatorKind::Call(call) => Some(call.dest.local),
                    _ => None,
                },
            };
            if let Some(result) = result {
                reads.push(Read { block, step: number, locs: locs.clone(), result });
            }
        }
    }
    reads
}

/// Accesses that look before they change anything: where, and at what.
fn checks(effects: &Effects) -> Vec<(usize, Vec<LocId>)> {
    let mut found = Vec::new();
    for (block, steps) in effects.iter().enumerate() {
        for step in steps {
            if let Action::Access { checks: true, locs, .. } = &step.action {
                found.push((block, locs.clone()));
            }
        }
    }
    found
}

/// Locals that a local's value may end up in.
fn flows_to(body: &Body, from: Local) -> BTreeSet<Local> {
    let mut found = BTreeSet::from([from]);
    loop {
        let before = found.len();
        for block in body.blocks.iter().filter(|block| !block.cleanup) {
            for statement in &block.statements {
                if let StatementKind::Assign(place, rvalue) = &statement.kind
                    && locals_of(rvalue).iter().any(|local| found.contains(local))
                {
                    found.insert(place.local);
                }
            }
            if let TerminatorKind::Call(call) = &block.terminator.kind
                && call.args.iter().filter_map(Operand::place).any(|place| found.contains(&place.local))
            {
                found.insert(call.dest.local);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn locals_of(rvalue: &Rvalue) -> Vec<Local> {
    let of = |operand: &Operand| operand.place().map(|place| place.local);
    match rvalue {
        Rvalue::Use(operand)
        | Rvalue::Repeat(operand, _)
        | Rvalue::Cast(_, operand, _)
        | Rvalue::Unary(_, operand)
        | Rvalue::Wrap(operand, _) => of(operand).into_iter().collect(),
        Rvalue::Ref(_, place)
        | Rvalue::RawPtr { place, .. }
        | Rvalue::Discriminant(place)
        | Rvalue::Len(place)
        | Rvalue::CopyForDeref(place) => vec![place.local],
        Rvalue::Binary(_, operands) => of(&operands.0).into_iter().chain(of(&operands.1)).collect(),
        Rvalue::Aggregate(_, operands) => operands.iter().filter_map(of).collect(),
        Rvalue::ThreadLocalRef(_) | Rvalue::Nullary(_) => Vec::new(),
    }
}

/// Loads whose value is the expected one of a compare-exchange of the same data.
fn exchanged(body: &Body, effects: &Effects, reads: &[Read]) -> Vec<(usize, usize)> {
    let mut void = Vec::new();
    for (block, steps) in effects.iter().enumerate() {
        let exchange = steps.iter().find_map(|step| match &step.action {
            Action::Access { locs, tracked: Some(Tracked::Exchange(..)), .. } => Some(locs),
            _ => None,
        });
        let (Some(locs), TerminatorKind::Call(call)) = (exchange, &body.blocks[block].terminator.kind) else {
            continue;
        };
        let Some(expected) = call.args.get(1).and_then(Operand::place).map(|place: &Place| place.local)
        else {
            continue;
        };
        for read in reads {
            if read.locs.iter().any(|loc| locs.contains(loc))
                && flows_to(body, read.result).contains(&expected)
            {
                void.push((read.block, read.step));
            }
        }
    }
    void
}

struct Graph {
    graph: DiGraph<usize, ()>,
    ids: BTreeMap<usize, NodeIndex>,
    cfg: Cfg,
}

impl Graph {
    fn new(cfg: &Cfg) -> Self {
        let mut graph = DiGraph::new();
        let ids: BTreeMap<usize, NodeIndex> =
            cfg.reached.iter().map(|&block| (block, graph.add_node(block))).collect();
        for (&block, &id) in &ids {
            for to in &cfg.succs[block] {
                if let Some(&to) = ids.get(to) {
                    graph.add_edge(id, to, ());
                }
            }
        }
        Graph { graph, ids, cfg: cfg.clone() }
    }

    /// Blocks that can follow a block.
    fn after(&self, block: usize) -> BTreeSet<usize> {
        let mut seen = BTreeSet::new();
        let mut work = self.cfg.succs[block].clone();
        while let Some(at) = work.pop() {
            if seen.insert(at) {
                work.extend(&self.cfg.succs[at]);
            }
        }
        seen
    }

    fn checked_again(
        &self,
        body: &Body,
        effects: &Effects,
        read: &Read,
        gate: usize,
        reads: &[Read],
        checks: &[(usize, Vec<LocId>)],
    ) -> bool {
        if !self.ids.contains_key(&read.block) || !self.after(read.block).contains(&gate) {
            return false;
        }
        let mut behind = self.after(gate);
        if behind.contains(&read.block) || behind.contains(&gate) {
            // A loop: another round's read is not this one.
            return false;
        }
        behind.insert(gate);
        let same = |locs: &[LocId]| locs.iter().any(|loc| read.locs.contains(loc));
        let looks = reads
            .iter()
            .map(|other| (other.block, &other.locs))
            .chain(checks.iter().map(|(block, locs)| (*block, locs)));
        let again: Vec<usize> = looks
            .filter(|(block, locs)| *block != read.block && behind.contains(block) && same(locs))
            .map(|(block, _)| block)
            .collect();
        let Some(&start) = self.ids.get(&gate) else { return false };
        let dominators = simple_fast(&self.graph, start);
        let guarded = again.iter().any(|again| {
            behind.iter().all(|block| {
                let writes = effects[*block].iter().any(|step| match &step.action {
                    Action::Access { touch: Touch::Write | Touch::Update(_), locs, .. } => same(locs),
                    _ => false,
                });
                !writes
                    || block == again
                    || self.ids.get(block).is_some_and(|id| {
                        let mut chain = dominators.dominators(*id).into_iter().flatten();
                        chain.any(|id| self.graph[id] == *again)
                    })
            })
        });
        if !guarded {
            return false;
        }
        let carried = flows_to(body, read.result);
        !behind.iter().any(|block| uses_any(&body.blocks[*block], &carried))
    }
}

fn uses_any(block: &crate::mir::BasicBlock, locals: &BTreeSet<Local>) -> bool {
    let in_statement = block.statements.iter().any(|statement| match &statement.kind {
        StatementKind::Assign(_, rvalue) => locals_of(rvalue).iter().any(|local| locals.contains(local)),
        _ => false,
    });
    in_statement
        || match &block.terminator.kind {
            TerminatorKind::Call(call) => {
                call.args.iter().filter_map(Operand::place).any(|place| locals.contains(&place.local))
            }
            TerminatorKind::SwitchInt { on, .. } => {
                on.place().is_some_and(|place| locals.contains(&place.local))
            }
            _ => false,
        }
}
