//! What each instance asks of the place where it runs, the calls that it makes included: the least solution, component by
//! component of the graph of calls, callees first. What there is no time for asks nothing, so nothing is reported of it.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::atoms::Atoms;
use super::graph::{At, Edge, Graph, Node, Site};
use super::place::Places;
use crate::world::points::points_to::{Flow, InstId};

/// By instance: all that it, and what goes on where it runs, asks for, be it met on the way or not.
pub(crate) fn effects(flow: &Flow<'_>, graph: &Graph, places: &Places<'_>) -> Vec<Atoms> {
    solve(flow, graph, places, |_, site| site.atoms, |_, _, asked| asked)
}

/// By instance: what it asks of whoever calls it. What it sees to itself, it does not ask for: a runtime that it enters or makes.
pub(crate) fn asked(flow: &Flow<'_>, graph: &Graph, places: &Places<'_>) -> Vec<Atoms> {
    let own = |node: &Node, site: &Site| {
        // Who asks sees to it itself.
        if node.lacks(site.block) != 0 {
            return Atoms::default();
        }
        let (has, told) = node.shift(site.block);
        site.atoms.unless(has | told, told)
    };
    let passed = |node: &Node, edge: &Edge, asked: Atoms| {
        if node.lacks(edge.block) != 0 {
            return Atoms::default();
        }
        let (has, told) = node.shift(edge.block);
        let asked = asked.unless(has | told, told);
        match edge.at {
            At::Place(place) => places.settle(place, asked),
            At::Here | At::Unknown => asked,
        }
    };
    solve(flow, graph, places, own, passed)
}

fn solve(
    flow: &Flow<'_>,
    graph: &Graph,
    places: &Places<'_>,
    own: impl Fn(&Node, &Site) -> Atoms,
    passed: impl Fn(&Node, &Edge, Atoms) -> Atoms,
) -> Vec<Atoms> {
    let stays = |edge: &&Edge| match edge.at {
        At::Here => true,
        At::Place(place) => places.get(place).here,
        At::Unknown => false,
    };
    let mut calls: DiGraph<(), ()> = DiGraph::with_capacity(graph.nodes.len(), graph.nodes.len());
    graph.nodes.iter().for_each(|_| _ = calls.add_node(()));
    for (from, node) in graph.nodes.iter().enumerate() {
        for edge in node.edges.iter().filter(stays) {
            calls.add_edge(NodeIndex::new(from), NodeIndex::new(edge.to.0 as usize), ());
        }
    }
    let mut found: Vec<Atoms> = vec![Atoms::default(); graph.nodes.len()];
    // Callees come before their callers.
    for component in tarjan_scc(&calls) {
        loop {
            let mut changed = false;
            for number in component.iter().map(|node| node.index()) {
                if flow.is_late() {
                    return vec![Atoms::default(); graph.nodes.len()];
                }
                let node = &graph.nodes[number];
                let sites = node.sites.iter().map(|site| own(node, site));
                let edges = node.edges.iter().filter(stays);
                let below = edges.map(|edge| {
                    let asked = found[edge.to.0 as usize];
                    passed(node, edge, if edge.first { asked.without_blocks() } else { asked })
                });
                let all = sites.chain(below).fold(found[number], Atoms::union);
                changed |= all != found[number];
                found[number] = all;
            }
            // What does not call itself is done.
            if !changed || component.len() == 1 {
                break;
            }
        }
    }
    found
}

/// Whether what an edge leads to asks nothing at all.
pub(crate) fn is_harmless(effects: &[Atoms], to: InstId) -> bool {
    effects[to.0 as usize].is_empty()
}
