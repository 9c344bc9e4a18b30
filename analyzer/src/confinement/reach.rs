//! All that one root runs, the way to each, and what of it is polled in turn.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::world::points::points_to::InstId;

use super::descend::{Descent, Link, Root};
use super::graph::Edge;
use super::place::Record;

/// From which other instance, by its number, and by which edge.
type Before<'g> = (usize, &'g Edge);

/// An instance is polled in turn with others: who polls it, in which block, and whether there may be several of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub by: InstId,
    pub block: u32,
    pub of: InstId,
    pub several: bool,
}

/// How a root runs an instance.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub record: Record,
    /// On the way there.
    pub turns: Vec<Turn>,
}

/// Of some instances those that a root runs.
pub(crate) type Runs = FxHashMap<InstId, Run>;

/// All that a root runs.
pub(crate) struct Reach<'g> {
    /// The instances, each with where it runs, and how it was reached.
    order: Vec<(InstId, Record, Option<Before<'g>>)>,
    first: FxHashMap<InstId, usize>,
}

impl Reach<'_> {
    /// How each of these instances that is among them is run.
    fn runs(&self, these: &FxHashSet<InstId>) -> Runs {
        let mut turns: Vec<Vec<Turn>> = Vec::with_capacity(self.order.len());
        for (to, _, before) in &self.order {
            let mut all = before.as_ref().map_or(Vec::new(), |(before, _)| turns[*before].clone());
            all.extend(before.as_ref().filter(|(_, edge)| edge.in_turn).map(|(before, edge)| Turn {
                by: self.order[*before].0,
                block: edge.block,
                of: *to,
                several: edge.several,
            }));
            turns.push(all);
        }
        let all = self.order.iter().zip(turns).filter(|((inst, ..), _)| these.contains(inst));
        all.map(|((inst, record, _), turns)| (*inst, Run { record: *record, turns })).collect()
    }

    /// The calls that lead to an instance.
    pub fn chain(&self, inst: InstId) -> Vec<Link> {
        let mut links = Vec::new();
        let mut at = self.first.get(&inst).copied();
        while let Some(number) = at {
            let (to, record, before) = &self.order[number];
            at = before.as_ref().map(|(before, edge)| {
                let (from, by) = (self.order[*before].0, edge.by.clone());
                links.push(Link { from, block: edge.block, to: *to, record: *record, by, told: edge.told });
                *before
            });
        }
        links.reverse();
        links
    }
}

impl Descent<'_, '_> {
    /// All that starts somewhere and runs some of these instances, each with those of them that it runs. There is room for no more: many
    /// roots may each run nearly everything.
    pub fn reaches(&self, these: &FxHashSet<InstId>) -> Vec<(Root, Runs)> {
        let all = self.roots.iter().map(|root| (root.clone(), self.reach(root).runs(these)));
        all.filter(|(_, runs): &(Root, Runs)| !runs.is_empty()).collect()
    }

    /// All that a root runs, and how it gets there.
    pub fn reach(&self, root: &Root) -> Reach<'_> {
        let mut reach = Reach { order: vec![(root.inst, root.record, None)], first: FxHashMap::default() };
        reach.first.insert(root.inst, 0);
        let mut next = 0;
        while next < reach.order.len() && !self.flow.is_late() {
            let (inst, record, _) = reach.order[next];
            for edge in self.graph.node(inst).edges.iter().filter(|edge| !self.is_start(edge)) {
                if !reach.first.contains_key(&edge.to) {
                    let there = self.along(inst, edge, record);
                    reach.first.insert(edge.to, reach.order.len());
                    reach.order.push((edge.to, there, Some((next, edge))));
                }
            }
            next += 1;
        }
        reach
    }
}
