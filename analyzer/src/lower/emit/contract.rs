//! A graph of blocks without those that do nothing and lead to one place, whichever way they are left.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

use super::structure::Node;

/// By node: the blocks from which one comes to it without doing anything.
pub(super) type Before = BTreeMap<NodeIndex, BTreeSet<usize>>;

/// Leads edges past nodes that do nothing, and to the end where nothing is done any more. The start stays.
pub(super) fn contract(
    graph: &mut DiGraph<Node, usize>,
    [start, end]: [NodeIndex; 2],
    useful: &BTreeSet<NodeIndex>,
    does_nothing: impl Fn(&Node) -> bool,
) -> Before {
    let mut before = Before::new();
    let Ok(order) = petgraph::algo::toposort(&*graph, None) else { return before };
    for &id in order.iter().rev().filter(|id| **id != start && **id != end) {
        if !useful.contains(&id) {
            redirect(graph, &mut before, id, end);
        } else if does_nothing(&graph[id]) {
            let next: BTreeSet<NodeIndex> = graph.neighbors(id).collect();
            if let (1, Some(&only)) = (next.len(), next.first()) {
                redirect(graph, &mut before, id, only);
            }
        }
    }
    before
}

/// Leads all edges to one node to another, and takes it out.
fn redirect(graph: &mut DiGraph<Node, usize>, before: &mut Before, from: NodeIndex, to: NodeIndex) {
    let own = match &graph[from] {
        Node::Block(block) => BTreeSet::from([*block]),
        Node::Loop(blocks) => blocks.clone(),
        Node::Leave(target) => target.iter().copied().collect(),
    };
    let all = before.remove(&from).unwrap_or_default();
    before.entry(to).or_default().extend(own.into_iter().chain(all));
    let incoming: Vec<(NodeIndex, usize)> =
        graph.edges_directed(from, Direction::Incoming).map(|edge| (edge.source(), *edge.weight())).collect();
    for (source, order) in incoming {
        match graph.find_edge(source, to) {
            Some(known) => graph[known] = graph[known].min(order),
            None => _ = graph.add_edge(source, to, order),
        }
    }
    for direction in [Direction::Incoming, Direction::Outgoing] {
        while let Some(edge) = graph.first_edge(from, direction) {
            graph.remove_edge(edge);
        }
    }
}
