//! Which branches decide whether a block is reached (control dependence: Ferrante, Ottenstein, Warren, TOPLAS 1987).

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::Reversed;

use crate::world::actions::cfg::Cfg;

/// By block: the blocks whose branch decides whether it is reached, closest first. What panics on the way there decides
/// nothing: whoever comes by has no other way.
pub(crate) fn deciders(cfg: &Cfg) -> Vec<Vec<usize>> {
    deciders_but(cfg, &[])
}

/// The same where these edges, each out of a block, are ways out on which something has failed that was tried there (`?`): what comes later is
/// decided by that, and not by what decided that it was tried.
pub(crate) fn deciders_but(cfg: &Cfg, failures: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = vec![Vec::new(); cfg.succs.len()];
    let tries = |block: usize| failures.iter().any(|(from, _)| *from == block);
    find(cfg, &[], &mut found, |block| failures.is_empty() || tries(block));
    if !failures.is_empty() {
        find(cfg, failures, &mut found, |block| !tries(block));
    }
    found
}

/// Adds what these blocks decide if none of these edges is ever taken.
fn find(cfg: &Cfg, without: &[(usize, usize)], found: &mut [Vec<usize>], decides: impl Fn(usize) -> bool) {
    let count = cfg.succs.len();
    let mut graph = DiGraph::<usize, ()>::new();
    let ids: Vec<NodeIndex> = (0..count).map(|block| graph.add_node(block)).collect();
    let end = graph.add_node(count);
    for &block in &cfg.reached {
        for &to in cfg.succs[block].iter().filter(|to| !without.contains(&(block, **to))) {
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
    for &block in cfg.reached.iter().filter(|block| cfg.succs[**block].len() > 1 && decides(**block)) {
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
}
