//! Tasks that share one thread with the future that started them: what blocks that future keeps them waiting, too.

use std::collections::BTreeSet;

use robust_models::{Block, Threads};
use rustc_hash::FxHashMap;

use crate::confinement::graph::{At, Edge, Graph};
use crate::confinement::place::Places;
use crate::world::actions::cfg::reach;
use crate::world::callers::Callers;
use crate::world::facts::Facts;
use crate::world::points::points_to::InstId;

/// By instance that starts such tasks, be it through others that it calls: the blocks behind that.
pub(super) struct Crowd(FxHashMap<InstId, BTreeSet<usize>>);

impl Crowd {
    pub fn new(places: &Places<'_>, graph: &Graph, facts: &Facts) -> Crowd {
        let starts = |edge: &Edge| match edge.at {
            At::Place(place) => {
                let place = places.get(place);
                !place.here && place.block == Some(Block::Never) && place.threads == Some(Threads::One)
            }
            At::Here | At::Unknown => false,
        };
        let goes_on = |edge: &Edge| match edge.at {
            At::Here => true,
            At::Place(place) => places.get(place).here,
            At::Unknown => false,
        };
        let all = || (0..graph.nodes.len() as u32).map(InstId);
        let mut callers = Callers::default();
        for inst in all() {
            let called = graph.node(inst).edges.iter().filter(|edge| goes_on(edge));
            called.for_each(|edge| callers.add(inst, edge.to));
        }
        let starting = callers.with(all().filter(|inst| graph.node(*inst).edges.iter().any(starts)));
        let behind = |inst: InstId| {
            let succs = &facts.cfgs[inst.0 as usize].succs;
            let edges = graph.node(inst).edges.iter();
            let from = edges.filter(|edge| starts(edge) || goes_on(edge) && starting.contains(&edge.to));
            (inst, reach(succs, from.flat_map(|edge| succs[edge.block as usize].iter().copied())))
        };
        Crowd(starting.iter().copied().map(behind).collect())
    }

    /// Whether an instance may have started a task when it comes to a block.
    pub fn is_there(&self, inst: InstId, block: u32) -> bool {
        self.0.get(&inst).is_some_and(|behind| behind.contains(&(block as usize)))
    }
}
