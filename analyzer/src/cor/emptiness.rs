//! Whether obligations have a model: a way through the graph of clauses on which no `U` is put off for ever.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;

use super::formula::{Letter, Part, Parts, Registers};
use super::obligations::{Clause, ways};

/// A graph with more nodes is not looked at.
pub const MAX_NODES: usize = 20_000;

/// Clauses with registers, and which of them have a model.
#[derive(Default)]
pub struct Models {
    known: FxHashMap<(Clause, Registers), bool>,
}

/// There are too many clauses.
#[derive(Debug)]
pub struct TooMany;

impl Models {
    /// Whether some word of these letters meets a clause.
    pub fn has(
        &mut self,
        parts: &Parts,
        letters: &[Letter],
        clause: &Clause,
        registers: Registers,
    ) -> Result<bool, TooMany> {
        if let Some(known) = self.known.get(&(clause.clone(), registers)) {
            return Ok(*known);
        }
        self.explore(parts, letters, (clause.clone(), registers))?;
        Ok(self.known.get(&(clause.clone(), registers)).copied().unwrap_or(false))
    }

    /// Finds out about all that can be reached.
    fn explore(
        &mut self,
        parts: &Parts,
        letters: &[Letter],
        from: (Clause, Registers),
    ) -> Result<(), TooMany> {
        let mut graph: DiGraph<(Clause, Registers), Clause> = DiGraph::new();
        let mut nodes: FxHashMap<(Clause, Registers), NodeIndex> = FxHashMap::default();
        let first = graph.add_node(from.clone());
        nodes.insert(from, first);
        let mut work = vec![first];
        while let Some(at) = work.pop() {
            let (clause, registers) = graph[at].clone();
            for &letter in letters {
                let (looks, next) = parts.look(letter, registers);
                for way in ways(parts, &clause, &looks) {
                    let key = (way.next, next);
                    let to = *nodes.entry(key).or_insert_with_key(|key| {
                        let to = graph.add_node(key.clone());
                        work.push(to);
                        to
                    });
                    graph.add_edge(at, to, way.postponed);
                }
            }
            if graph.node_count() > MAX_NODES || parts.is_exhausted() {
                return Err(TooMany);
            }
        }
        let untils: Vec<u32> = (0..parts.parts.len() as u32)
            .filter(|id| matches!(parts.parts[*id as usize], Part::Until(..)))
            .collect();
        // Successors come first.
        for component in tarjan_scc(&graph) {
            let within: std::collections::BTreeSet<NodeIndex> = component.iter().copied().collect();
            let edges = || component.iter().flat_map(|node| graph.edges(*node));
            let inner = || edges().filter(|edge| within.contains(&edge.target()));
            let is_loop = inner().next().is_some();
            let met = |until: &u32| inner().any(|edge| !edge.weight().contains(until));
            let leads = edges().any(|edge| {
                !within.contains(&edge.target())
                    && self.known.get(&graph[edge.target()]).copied().unwrap_or(false)
            });
            let has = leads || is_loop && untils.iter().all(met);
            for node in component {
                self.known.insert(graph[node].clone(), has);
            }
        }
        Ok(())
    }
}
