//! What each instance asks of the place where it runs, the calls that it makes included: the least solution, component by
//! component of the graph of calls, callees first.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::atoms::Atoms;
use super::graph::{Edge, Graph};
use crate::world::points::points_to::InstId;

/// By instance: what it asks for. What goes on elsewhere asks nothing here.
pub(crate) fn effects(graph: &Graph, stays: impl Fn(&Edge) -> bool) -> Vec<Atoms> {
    let mut calls: DiGraph<(), ()> = DiGraph::with_capacity(graph.nodes.len(), graph.nodes.len());
    graph.nodes.iter().for_each(|_| _ = calls.add_node(()));
    for (from, node) in graph.nodes.iter().enumerate() {
        for edge in node.edges.iter().filter(|edge| stays(edge)) {
            calls.add_edge(NodeIndex::new(from), NodeIndex::new(edge.to.0 as usize), ());
        }
    }
    let own =
        |node: usize| graph.nodes[node].sites.iter().fold(Atoms::default(), |all, s| all.union(s.atoms));
    let mut found: Vec<Atoms> = vec![Atoms::default(); graph.nodes.len()];
    // Callees come before their callers.
    for component in tarjan_scc(&calls) {
        let mut all = Atoms::default();
        for node in &component {
            all = all.union(own(node.index()));
            for callee in calls.neighbors(*node) {
                all = all.union(found[callee.index()]);
            }
        }
        component.into_iter().for_each(|node| found[node.index()] = all);
    }
    found
}

/// Whether what an edge leads to asks nothing at all.
pub(crate) fn is_harmless(effects: &[Atoms], to: InstId) -> bool {
    effects[to.0 as usize].is_empty()
}
