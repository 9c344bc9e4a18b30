//! Who calls whom: the calls of a program, looked up once.

use std::collections::BTreeSet;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{DfsEvent, depth_first_search};

use crate::ir::walk::each;
use crate::ir::{ProcId, ProcKind, Program, StmtKind};

/// By procedure: those that it calls, each once.
pub(crate) struct Calls(Vec<Vec<ProcId>>);

impl Calls {
    /// Those of all procedures.
    pub fn new(program: &Program) -> Calls {
        let called = |proc: &crate::ir::Proc| {
            let mut called = Vec::new();
            each(&proc.body, &mut |stmt| {
                if let StmtKind::Call { proc, .. } = stmt.kind {
                    called.push(proc);
                }
            });
            called.sort_unstable();
            called.dedup();
            called
        };
        Calls(program.procs.iter().map(called).collect())
    }

    /// The procedures that a body consists of: itself and what it calls.
    pub fn reachable(&self, from: ProcId) -> Vec<ProcId> {
        let mut seen = vec![false; self.0.len()];
        seen[from.index()] = true;
        let mut found = vec![from];
        let mut at = 0;
        while let Some(proc) = found.get(at) {
            let next = self.0[proc.index()].iter().copied();
            let new: Vec<ProcId> =
                next.filter(|called| !std::mem::replace(&mut seen[called.index()], true)).collect();
            found.extend(new);
            at += 1;
        }
        found
    }

    /// How many statements events and tasks have, with those of what they call once for each call; what calls itself again is not
    /// counted again.
    pub fn inlined(program: &Program) -> u64 {
        let mut sizes = vec![None; program.procs.len()];
        let starts = (0..program.procs.len() as u32).map(ProcId);
        let starts = starts.filter(|proc| program.proc(*proc).kind != ProcKind::Proc);
        starts.fold(0, |all, proc| u64::saturating_add(all, inlined(program, proc, &mut sizes)))
    }

    /// The calls, from caller to callee, of what is under way already when it is called on the first way to the caller.
    pub fn back(&self) -> BTreeSet<(ProcId, ProcId)> {
        let graph = self.graph();
        let mut back = BTreeSet::new();
        depth_first_search(&graph, graph.node_indices(), |event| {
            if let DfsEvent::BackEdge(from, to) = event {
                back.insert((ProcId(from.index() as u32), ProcId(to.index() as u32)));
            }
        });
        back
    }

    /// By procedure: whether a call of it can come to call it again.
    pub fn recursive(&self) -> Vec<bool> {
        let graph = self.graph();
        let mut recursive = vec![false; self.0.len()];
        for component in kosaraju_scc(&graph) {
            let again = component.len() > 1 || graph.contains_edge(component[0], component[0]);
            component.into_iter().for_each(|proc| recursive[proc.index()] = again);
        }
        recursive
    }
    fn graph(&self) -> DiGraph<(), ()> {
        let mut graph = DiGraph::new();
        self.0.iter().for_each(|_| _ = graph.add_node(()));
        for (caller, called) in self.0.iter().enumerate() {
            for called in called {
                graph.add_edge(NodeIndex::new(caller), NodeIndex::new(called.index()), ());
            }
        }
        graph
    }
}

fn inlined(program: &Program, proc: ProcId, sizes: &mut [Option<u64>]) -> u64 {
    if let Some(known) = sizes[proc.index()] {
        return known;
    }
    sizes[proc.index()] = Some(0);
    let mut size = 0u64;
    each(&program.proc(proc).body, &mut |stmt| {
        let called = match &stmt.kind {
            StmtKind::Call { proc, .. } => inlined(program, *proc, sizes),
            _ => 0,
        };
        size = size.saturating_add(1).saturating_add(called);
    });
    sizes[proc.index()] = Some(size);
    size
}
