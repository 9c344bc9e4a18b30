//! Which functions call one another in turn. What tells their instances apart is where the outermost of them was called: chains of calls
//! within recursion are as many as there are ways through it, and all of them do the same.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::mir::{AggregateKind, Body, Callee, Rvalue, StatementKind, TerminatorKind};

use crate::world::points::bodies::{BodyId, Code};

/// By body: the number of the recursion that it is in.
pub(crate) struct Recursion(Vec<Option<u32>>);

impl Recursion {
    /// By what calls may be of as far as paths say: any implementation of one of the crates' traits, where the type is not known.
    pub fn find(code: &Code<'_>) -> Recursion {
        let mut graph = DiGraph::<(), ()>::new();
        code.bodies.iter().for_each(|_| _ = graph.add_node(()));
        for (number, body) in code.bodies.iter().enumerate() {
            let from = NodeIndex::new(number);
            for to in leads_to(code, body, code.home[number]) {
                graph.update_edge(from, NodeIndex::new(to.0 as usize), ());
            }
        }
        let mut numbers = vec![None; code.bodies.len()];
        for (number, component) in kosaraju_scc(&graph).into_iter().enumerate() {
            if component.len() > 1 || graph.contains_edge(component[0], component[0]) {
                component.into_iter().for_each(|body| numbers[body.index()] = Some(number as u32));
            }
        }
        Recursion(numbers)
    }

    /// Whether a call may be one of those in turn.
    pub fn has(&self, caller: BodyId, callee: BodyId) -> bool {
        let number = |body: BodyId| self.0.get(body.0 as usize).copied().flatten();
        number(caller).is_some() && number(caller) == number(callee)
    }
}

/// The bodies that one may call, and those that it makes for others to call.
fn leads_to(code: &Code<'_>, body: &Body, home: usize) -> Vec<BodyId> {
    let mut found = Vec::new();
    for block in body.blocks.iter().filter(|block| !block.cleanup) {
        for statement in &block.statements {
            if let StatementKind::Assign(_, Rvalue::Aggregate(kind, _)) = &statement.kind
                && let AggregateKind::Closure { body: def, .. } | AggregateKind::Coroutine { body: def, .. } =
                    &**kind
            {
                found.extend(code.def(def, home));
            }
        }
        if let TerminatorKind::Call(call) = &block.terminator.kind
            && let Callee::Fn { path, .. } = &call.callee
        {
            let resolved = code.resolve(path, home);
            let tr = path.qself.as_ref().and_then(|qself| qself.tr.as_ref()).filter(|_| resolved.is_empty());
            // What a type of anybody's does as it is copied, compared or shown does not call back.
            let tr = tr.filter(|tr| code.is_own_trait(tr));
            found.extend(tr.into_iter().flat_map(|tr| code.implementations(tr, path.last())));
            found.extend(resolved);
        }
    }
    found
}
