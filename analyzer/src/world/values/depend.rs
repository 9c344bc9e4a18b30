//! Where the outcome of an access goes: into which locals, and into which decisions.
//!
//! A graph over the locals of all instances, calls included, along which sets of accesses are carried until nothing changes.
//! It says too much rather than too little: a body's statements are taken in any order, and what a function without a body is
//! given may come out of it anywhere. What is stored in shared data stays there: to look at it is an access of its own.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{BasisId, Causes};
use crate::mir::Local;

use crate::world::points::points_to::InstId;

/// More causes than this are any.
const MOST: usize = 256;

/// More steps than this are not taken: then anything may depend on anything, which makes no violation milder.
const MAX_STEPS: usize = 20_000_000;

/// What carries outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// What a whole local was given, with what is in it and behind it.
    Local(InstId, Local),
    /// What a part, by number, of a local was given by itself.
    Part(InstId, Local, u32),
    /// What the end of this block decides by.
    Decision(InstId, usize),
    /// What decides whether this instance runs.
    Run(InstId),
}

/// How outcomes go from one node to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Way {
    /// As they are.
    Value,
    /// They decide.
    Decision,
}

/// A set of accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    Some(Vec<BasisId>),
    Any,
}

impl Default for Set {
    fn default() -> Self {
        Set::Some(Vec::new())
    }
}

impl Set {
    /// Adds what the other has, and says whether that was anything new.
    pub fn add(&mut self, other: &Set) -> bool {
        let Set::Some(own) = self else { return false };
        match other {
            Set::Any => {}
            Set::Some(other) if other.iter().all(|one| own.binary_search(one).is_ok()) => return false,
            Set::Some(other) => {
                own.extend(other);
                own.sort_unstable();
                own.dedup();
                if own.len() <= MOST {
                    return true;
                }
            }
        }
        *self = Set::Any;
        true
    }

    /// The same without one of them.
    pub fn without(self, access: BasisId) -> Causes {
        match self {
            Set::Any => Causes::Any,
            Set::Some(all) => Causes::These(all.into_iter().filter(|one| *one != access).collect()),
        }
    }
}

/// Whose outcome is in a value, and whose decided that it is this one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcomes {
    pub data: Set,
    pub branch: Set,
}

impl Outcomes {
    pub fn add(&mut self, other: &Outcomes, way: Way) -> bool {
        match way {
            Way::Value => {
                let data = self.data.add(&other.data);
                self.branch.add(&other.branch) || data
            }
            Way::Decision => {
                let data = self.branch.add(&other.data);
                self.branch.add(&other.branch) || data
            }
        }
    }
}

/// The graph.
#[derive(Default)]
pub(crate) struct Depend {
    ids: FxHashMap<Node, usize>,
    held: Vec<Outcomes>,
    edges: Vec<Vec<(usize, Way)>>,
    /// The same.
    known: FxHashSet<(usize, usize, Way)>,
    /// Accesses, and the nodes that their outcomes are put into.
    first: Vec<(BasisId, usize)>,
    /// It was too much to find out.
    gave_up: bool,
}

impl Depend {
    fn id(&mut self, node: Node) -> usize {
        let next = self.held.len();
        let id = *self.ids.entry(node).or_insert(next);
        if id == next {
            self.held.push(Outcomes::default());
            self.edges.push(Vec::new());
        }
        id
    }

    /// Lets outcomes go from one node to another.
    pub fn edge(&mut self, from: Node, to: Node, way: Way) {
        let (from, to) = (self.id(from), self.id(to));
        if from != to && self.known.insert((from, to, way)) {
            self.edges[from].push((to, way));
        }
    }

    /// The outcome of an access is in a node.
    pub fn hold(&mut self, node: Node, access: BasisId) {
        let id = self.id(node);
        self.held[id].data.add(&Set::Some(vec![access]));
        self.first.push((access, id));
    }

    /// The graph, to be walked from where outcomes come to.
    pub fn backwards(&self) -> Backwards<'_> {
        let mut edges: Vec<Vec<(usize, Way)>> = vec![Vec::new(); self.edges.len()];
        for (from, ways) in self.edges.iter().enumerate() {
            ways.iter().for_each(|(to, way)| edges[*to].push((from, *way)));
        }
        Backwards { depend: self, edges }
    }

    /// Carries everything as far as it goes. Where that is too much or takes too long, anything may depend on anything.
    pub fn run(&mut self, is_late: impl Fn() -> bool) {
        self.known = FxHashSet::default();
        let mut work: VecDeque<usize> = (0..self.held.len()).collect();
        let mut waits = vec![true; self.held.len()];
        let mut steps = 0;
        while let Some(from) = work.pop_front() {
            waits[from] = false;
            steps += self.edges[from].len();
            if steps > MAX_STEPS || is_late() {
                self.gave_up = true;
                return;
            }
            let held = self.held[from].clone();
            for at in 0..self.edges[from].len() {
                let (to, way) = self.edges[from][at];
                if self.held[to].add(&held, way) && !std::mem::replace(&mut waits[to], true) {
                    work.push_back(to);
                }
            }
        }
    }

    /// What a node holds.
    pub fn of(&self, node: Node) -> Outcomes {
        if self.gave_up {
            return Outcomes { data: Set::Any, branch: Set::Any };
        }
        self.ids.get(&node).map_or_else(Outcomes::default, |id| self.held[*id].clone())
    }
}

/// The graph, by the nodes that outcomes come to.
pub(crate) struct Backwards<'d> {
    depend: &'d Depend,
    edges: Vec<Vec<(usize, Way)>>,
}

impl Backwards<'_> {
    /// The accesses whose outcomes come to one of these nodes, by values alone or by decisions, too.
    pub fn reaching(&self, nodes: impl IntoIterator<Item = Node>, by_decisions: bool) -> FxHashSet<BasisId> {
        let mut reached = vec![false; self.edges.len()];
        let ids = &self.depend.ids;
        let mut work: Vec<usize> = nodes.into_iter().filter_map(|node| ids.get(&node).copied()).collect();
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                let ways = self.edges[node].iter().filter(|(_, way)| by_decisions || *way == Way::Value);
                work.extend(ways.map(|(from, _)| *from));
            }
        }
        self.depend.first.iter().filter(|(_, node)| reached[*node]).map(|(access, _)| *access).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_is_no_data_any_more() {
        let local = |number| Node::Local(InstId(0), Local(number));
        let mut depend = Depend::default();
        depend.hold(local(1), BasisId(7));
        depend.edge(local(1), local(2), Way::Value);
        depend.edge(local(2), Node::Decision(InstId(0), 3), Way::Value);
        depend.edge(Node::Decision(InstId(0), 3), local(4), Way::Decision);
        depend.run(|| false);
        let only = Set::Some(vec![BasisId(7)]);
        assert_eq!(depend.of(local(2)), Outcomes { data: only.clone(), branch: Set::default() });
        assert_eq!(depend.of(local(4)), Outcomes { data: Set::default(), branch: only });
        assert_eq!(depend.of(local(5)), Outcomes::default());
    }

    #[test]
    fn too_many_causes_are_any() {
        let mut set = Set::default();
        assert!(set.add(&Set::Some((0..MOST as u32).map(BasisId).collect())));
        assert!(!set.add(&Set::Some(vec![BasisId(3)])));
        assert!(set.add(&Set::Some(vec![BasisId(MOST as u32)])));
        assert_eq!(set, Set::Any);
    }
}
