//! Tasks that share one thread with the future that started them: what blocks that future keeps them waiting, too.

use robust_models::{Block, Threads};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::confinement::graph::{At, Edge, Graph};
use crate::confinement::place::Places;
use crate::world::actions::cfg::reach;
use crate::world::facts::Facts;
use crate::world::points::points_to::InstId;

/// By instance that starts such tasks, be it through others that it calls: the blocks in which it does.
pub(super) struct Crowd(FxHashMap<InstId, Vec<u32>>);

impl Crowd {
    pub fn new(places: &Places<'_>, graph: &Graph) -> Crowd {
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
        let mut starting: FxHashSet<InstId> =
            all().filter(|inst| graph.node(*inst).edges.iter().any(starts)).collect();
        let mut callers: Vec<Vec<InstId>> = vec![Vec::new(); graph.nodes.len()];
        for inst in all() {
            for edge in graph.node(inst).edges.iter().filter(|edge| goes_on(edge)) {
                callers[edge.to.0 as usize].push(inst);
            }
        }
        let mut work: Vec<InstId> = starting.iter().copied().collect();
        while let Some(inst) = work.pop() {
            work.extend(callers[inst.0 as usize].iter().copied().filter(|caller| starting.insert(*caller)));
        }
        let blocks = |inst: InstId| {
            let edges = graph.node(inst).edges.iter();
            let starting = edges.filter(|edge| starts(edge) || goes_on(edge) && starting.contains(&edge.to));
            (inst, starting.map(|edge| edge.block).collect())
        };
        Crowd(starting.iter().copied().map(blocks).collect())
    }

    /// Whether an instance may have started a task when it comes to a block.
    pub fn is_there(&self, facts: &Facts, inst: InstId, block: u32) -> bool {
        let Some(starting) = self.0.get(&inst) else { return false };
        let succs = &facts.cfgs[inst.0 as usize].succs;
        let behind = starting.iter().flat_map(|from| succs[*from as usize].iter().copied());
        reach(succs, behind).contains(&(block as usize))
    }
}
