//! Where the outcome of an access goes: into which locals, and into which decisions.
//!
//! A graph over the locals of all instances, calls included, along which sets of accesses are carried until nothing changes.
//! It says too much rather than too little: a body's statements are taken in any order, and what a function without a body is
//! given may come out of it anywhere. What is stored in shared data stays there: to look at it is an access of its own.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{BasisId, Causes};
use crate::mir::Local;

use crate::world::points::points_to::InstId;

/// More causes than this are any.
const MOST: usize = 256;

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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    edges: Vec<Vec<(usize, Way)>>,
    /// The same.
    known: FxHashSet<(usize, usize, Way)>,
    /// Accesses, and the nodes that their outcomes are put into.
    first: Vec<(BasisId, usize)>,
    /// By node: the numbers of what is in it as data, and by branches. None: it was too much to find out.
    held: Option<Vec<[usize; 2]>>,
    sets: Sets,
}

/// Sets, each kept once: most nodes have what others have.
struct Sets {
    all: Vec<Set>,
    numbers: FxHashMap<Set, usize>,
    /// What two of them are together.
    unions: FxHashMap<(usize, usize), usize>,
}

impl Default for Sets {
    fn default() -> Self {
        Sets {
            all: vec![Set::default()],
            numbers: FxHashMap::from_iter([(Set::default(), Sets::EMPTY)]),
            unions: FxHashMap::default(),
        }
    }
}

impl Sets {
    const EMPTY: usize = 0;

    fn number(&mut self, set: Set) -> usize {
        if let Some(known) = self.numbers.get(&set) {
            return *known;
        }
        self.all.push(set.clone());
        self.numbers.insert(set, self.all.len() - 1);
        self.all.len() - 1
    }

    fn union(&mut self, a: usize, b: usize) -> usize {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || a == Sets::EMPTY {
            return b;
        }
        if let Some(known) = self.unions.get(&(a, b)) {
            return *known;
        }
        let mut set = self.all[a].clone();
        set.add(&self.all[b]);
        let union = self.number(set);
        self.unions.insert((a, b), union);
        union
    }
}

impl Depend {
    fn id(&mut self, node: Node) -> usize {
        let next = self.edges.len();
        let id = *self.ids.entry(node).or_insert(next);
        if id == next {
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

    /// Carries everything as far as it goes. Where that takes too long, anything may depend on anything.
    ///
    /// What is in a node as data, and what by branches, are two nodes of a larger graph, in which what reaches one of those that reach one
    /// another reaches all of them: so these are looked at as one, and each only once.
    pub fn run(&mut self, is_late: impl Fn() -> bool) {
        self.known = FxHashSet::default();
        let mut graph = DiGraph::<(), ()>::new();
        (0..2 * self.edges.len()).for_each(|_| _ = graph.add_node(()));
        let (data, branch) = (|node| NodeIndex::new(2 * node), |node| NodeIndex::new(2 * node + 1));
        for (from, ways) in self.edges.iter().enumerate() {
            if is_late() {
                return;
            }
            for (to, way) in ways {
                let to_data = if *way == Way::Value { data(*to) } else { branch(*to) };
                graph.add_edge(data(from), to_data, ());
                graph.add_edge(branch(from), branch(*to), ());
            }
        }
        let mut held = vec![[Sets::EMPTY; 2]; self.edges.len()];
        for (access, node) in &self.first {
            let one = self.sets.number(Set::Some(vec![*access]));
            held[*node][0] = self.sets.union(held[*node][0], one);
        }
        let at = |node: NodeIndex| (node.index() / 2, node.index() % 2);
        // Components come behind all that they lead to.
        for component in kosaraju_scc(&graph).into_iter().rev() {
            if is_late() {
                return;
            }
            let mut all = Sets::EMPTY;
            for (node, part) in component.iter().copied().map(at) {
                all = self.sets.union(all, held[node][part]);
            }
            if all == Sets::EMPTY {
                continue;
            }
            for node in component {
                held[at(node).0][at(node).1] = all;
                for to in graph.neighbors(node).map(at) {
                    held[to.0][to.1] = self.sets.union(held[to.0][to.1], all);
                }
            }
        }
        self.held = Some(held);
    }

    /// What a node holds.
    pub fn of(&self, node: Node) -> Outcomes {
        let Some(held) = &self.held else { return Outcomes { data: Set::Any, branch: Set::Any } };
        let of_node = |id: &usize| held[*id].map(|number| self.sets.all[number].clone());
        let [data, branch] = self.ids.get(&node).map(of_node).unwrap_or_default();
        Outcomes { data, branch }
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
