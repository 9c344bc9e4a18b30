//! Which branches decide whether a block is reached (control dependence: Ferrante, Ottenstein, Warren, TOPLAS 1987).

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::Reversed;

use crate::world::actions::cfg::Cfg;

/// By block: the blocks whose branch decides whether it is reached, closest first. What panics on the way there decides
/// nothing: whoever comes by has no other way.
pub(crate) fn deciders(cfg: &Cfg) -> Vec<Vec<usize>> {
    let count = cfg.succs.len();
    let mut graph = DiGraph::<usize, ()>::new();
    let ids: Vec<NodeIndex> = (0..count).map(|block| graph.add_node(block)).collect();
    let end = graph.add_node(count);
    for &block in &cfg.reached {
        for &to in &cfg.succs[block] {
            graph.add_edge(ids[block], ids[to], ());
        }
        if cfg.succs[block].is_empty() {
            graph.add_edge(ids[block], end, ());
        }
    }
    // A loop that is never left ends wherever it begins anew.
    let ending = crate::world::actions::cfg::reach(
        &cfg.preds,
        cfg.reached.iter().copied().filter(|b| cfg.succs[*b].is_empty()),
    );
    for &block in cfg.reached.iter().filter(|block| !ending.contains(block)) {
        if cfg.succs[block].iter().any(|to| *to <= block) {
            graph.add_edge(ids[block], end, ());
        }
    }
    let after = simple_fast(Reversed(&graph), end);
    let mut found: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &block in cfg.reached.iter().filter(|block| cfg.succs[**block].len() > 1) {
        let stop = after.immediate_dominator(ids[block]);
        for &to in &cfg.succs[block] {
            let mut at = Some(ids[to]);
            while let Some(node) = at.filter(|node| Some(*node) != stop && *node != end) {
                let decided = &mut found[graph[node]];
                if decided.contains(&block) {
                    break;
                }
                decided.push(block);
                at = after.immediate_dominator(node);
            }
        }
    }
    found
}
