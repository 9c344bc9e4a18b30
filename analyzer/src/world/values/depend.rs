//! Where the outcome of an access goes: into which locals, and into which decisions.
//!
//! A graph over the locals of all instances, calls included, along which sets of accesses are carried until nothing changes.
//! It says too much rather than too little: a body's statements are taken in any order, and what a function without a body is
//! given may come out of it anywhere. What is stored in shared data stays there: to look at it is an access of its own.
//!
//! What goes into a field of a struct of the program is marked with that field, wherever the struct goes from there: whoever takes out
//! another field does not get it. One mark is enough: what is in a field of a field is in the outer one.

use petgraph::Direction;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{BasisId, Causes};
use crate::mir::{Local, Name};

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
    /// What is found in a local, or in a part of it, by these fields.
    Found(InstId, Local, Option<u32>, FieldsId),
    /// What is put into this field of a local, or of a part of it.
    Put(InstId, Local, Option<u32>, FieldId),
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
    /// They may be anywhere in there.
    Anywhere,
    /// They are put into a field.
    Into(FieldId),
    /// What is found by fields is taken out.
    OutOf(FieldsId),
    /// They decide.
    Decision,
}

/// A field of a struct, or of a variant of an enum, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FieldId(u32);

/// Fields, one within the other, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FieldsId(u32);

/// A struct or enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Owner(u32);

/// The fields that are told apart.
#[derive(Default)]
pub(crate) struct Fields {
    owners: FxHashMap<String, u32>,
    numbers: FxHashMap<(Owner, Name, u32), u32>,
    /// By field: whose it is.
    of: Vec<Owner>,
    known: FxHashMap<(Vec<Owner>, Vec<FieldId>), u32>,
    /// By number: the owners and the fields on the way.
    ways: Vec<(Vec<Owner>, Vec<FieldId>)>,
}

impl Fields {
    fn owner(&mut self, owner: String) -> Owner {
        let next = self.owners.len() as u32;
        Owner(*self.owners.entry(owner).or_insert(next))
    }

    /// A field of a struct, by its path, or of a variant of an enum.
    pub fn field(&mut self, owner: String, variant: Name, number: u32) -> FieldId {
        let owner = self.owner(owner);
        let next = self.of.len() as u32;
        let field = *self.numbers.entry((owner, variant, number)).or_insert(next);
        if field == next {
            self.of.push(owner);
        }
        FieldId(field)
    }

    /// Fields, one within the other.
    pub fn way(&mut self, fields: &[FieldId]) -> FieldsId {
        let owners = fields.iter().map(|field| self.of[field.0 as usize]).collect();
        self.number(owners, fields.to_vec())
    }

    /// Which variant an enum is, whatever is in it.
    pub fn variant(&mut self, owner: String) -> FieldsId {
        let owner = self.owner(owner);
        self.number(vec![owner], Vec::new())
    }

    fn number(&mut self, owners: Vec<Owner>, fields: Vec<FieldId>) -> FieldsId {
        let next = self.ways.len() as u32;
        let number = *self.known.entry((owners.clone(), fields.clone())).or_insert(next);
        if number == next {
            self.ways.push((owners, fields));
        }
        FieldsId(number)
    }

    /// What an outcome is marked with behind a step; `None` if it does not get there.
    fn behind(&self, way: Way, mark: Mark) -> Option<Mark> {
        match (way, mark) {
            (Way::Into(field), _) => Some(Some(field)),
            (Way::Anywhere | Way::Decision, _) | (Way::OutOf(_), None) => Some(None),
            (Way::Value, mark) => Some(mark),
            (Way::OutOf(way), Some(field)) => {
                let (owners, fields) = &self.ways[way.0 as usize];
                match (fields.contains(&field), owners.contains(&self.of[field.0 as usize])) {
                    (true, _) => Some(None),
                    (false, true) => None,
                    (false, false) => Some(mark),
                }
            }
        }
    }
}

/// The field that an outcome was put into, if it was.
type Mark = Option<FieldId>;

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
        let data = match way {
            Way::Decision => self.branch.add(&other.data),
            _ => self.data.add(&other.data),
        };
        self.branch.add(&other.branch) || data
    }
}

/// The graph.
#[derive(Default)]
pub(crate) struct Depend {
    /// The fields that are told apart.
    pub fields: Fields,
    ids: FxHashMap<Node, usize>,
    edges: Vec<Vec<(usize, Way)>>,
    /// The same.
    known: FxHashSet<(usize, usize, Way)>,
    /// Accesses, and the nodes that their outcomes are put into.
    first: Vec<(BasisId, usize)>,
    /// Where they come to from there.
    reached: Reached,
    /// By node: the numbers of what is in it as data, and by branches. None: it was too much to find out.
    held: Option<Vec<[usize; 2]>>,
    sets: Sets,
}

/// What is in a node: as data or as a decision, and in which field.
type Held = (usize, bool, Mark);

/// The graph of what comes to be in nodes.
#[derive(Default)]
struct Reached {
    ids: FxHashMap<Held, NodeIndex>,
    graph: DiGraph<Held, ()>,
}

impl Reached {
    /// The number of what is in a node, and whether it is new.
    fn add(&mut self, held: Held) -> (NodeIndex, bool) {
        let before = self.graph.node_count();
        let at = *self.ids.entry(held).or_insert_with(|| self.graph.add_node(held));
        (at, self.graph.node_count() > before)
    }
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

    /// The graph, once everything has gone as far as it goes, to be walked from where outcomes come to.
    pub fn backwards(&self) -> Backwards<'_> {
        let mut at: Vec<Vec<NodeIndex>> = vec![Vec::new(); self.edges.len()];
        for (held, number) in &self.reached.ids {
            at[held.0].push(*number);
        }
        Backwards { depend: self, at }
    }

    /// Where outcomes come to; `None` when it is late.
    fn reach(&self, is_late: &impl Fn() -> bool) -> Option<Reached> {
        let mut reached = Reached::default();
        let starts = self.first.iter().map(|(_, node)| reached.add((*node, false, None)));
        let mut work: Vec<NodeIndex> = starts.filter(|(_, new)| *new).map(|(at, _)| at).collect();
        while let Some(from) = work.pop() {
            if is_late() {
                return None;
            }
            let (node, decides, mark) = reached.graph[from];
            for &(to, way) in &self.edges[node] {
                let Some(mark) = self.fields.behind(way, mark) else { continue };
                let (to, new) = reached.add((to, decides || way == Way::Decision, mark));
                reached.graph.add_edge(from, to, ());
                work.extend(Some(to).filter(|_| new));
            }
        }
        Some(reached)
    }

    /// Carries everything as far as it goes. Where that takes too long, anything may depend on anything.
    ///
    /// What is in a node as data, and what by branches, are two nodes of a larger graph, and what is in each field is another one. In it what
    /// reaches one of those that reach one another reaches all of them: so these are looked at as one, and each only once.
    pub fn run(&mut self, is_late: impl Fn() -> bool) {
        self.known = FxHashSet::default();
        let Some(reached) = self.reach(&is_late) else { return };
        self.reached = reached;
        let graph = &self.reached.graph;
        let mut sets = vec![Sets::EMPTY; graph.node_count()];
        for (access, node) in &self.first {
            let one = self.sets.number(Set::Some(vec![*access]));
            let at = self.reached.ids[&(*node, false, None)].index();
            sets[at] = self.sets.union(sets[at], one);
        }
        let mut held = vec![[Sets::EMPTY; 2]; self.edges.len()];
        // Components come behind all that they lead to.
        for component in kosaraju_scc(graph).into_iter().rev() {
            if is_late() {
                return;
            }
            let all = component.iter().fold(Sets::EMPTY, |all, at| self.sets.union(all, sets[at.index()]));
            for at in component {
                let (node, decides, _) = graph[at];
                let own = &mut held[node][usize::from(decides)];
                *own = self.sets.union(*own, all);
                for to in graph.neighbors(at) {
                    sets[to.index()] = self.sets.union(sets[to.index()], all);
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
    /// By node: what is in it.
    at: Vec<Vec<NodeIndex>>,
}

impl Backwards<'_> {
    /// The accesses whose outcomes come to one of these nodes, by values alone or by decisions, too.
    pub fn reaching(&self, nodes: impl IntoIterator<Item = Node>, by_decisions: bool) -> FxHashSet<BasisId> {
        let Reached { ids, graph } = &self.depend.reached;
        let mut reached = vec![false; graph.node_count()];
        let nodes = nodes.into_iter().filter_map(|node| self.depend.ids.get(&node).copied());
        let mut work: Vec<NodeIndex> = nodes.flat_map(|node| self.at[node].iter().copied()).collect();
        while let Some(at) = work.pop() {
            let (_, decides, _) = graph[at];
            if (by_decisions || !decides) && !std::mem::replace(&mut reached[at.index()], true) {
                work.extend(graph.neighbors_directed(at, Direction::Incoming));
            }
        }
        let starts = |node: usize| ids.get(&(node, false, None)).is_some_and(|at| reached[at.index()]);
        self.depend.first.iter().filter(|(_, node)| starts(*node)).map(|(access, _)| *access).collect()
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
    fn what_is_in_a_field_is_in_no_other_one() {
        let local = |number| Node::Local(InstId(0), Local(number));
        let mut depend = Depend::default();
        let field = |depend: &mut Depend, owner: &str, number| {
            depend.fields.field(owner.to_owned(), Name::default(), number)
        };
        let (a, b, outer) =
            (field(&mut depend, "S", 0), field(&mut depend, "S", 1), field(&mut depend, "T", 0));
        let (of_a, of_b) = (depend.fields.way(&[a]), depend.fields.way(&[b]));
        let (of_outer, variant) = (depend.fields.way(&[outer]), depend.fields.variant("S".to_owned()));
        depend.hold(local(1), BasisId(7));
        depend.edge(local(1), local(2), Way::Into(a));
        depend.edge(local(2), local(3), Way::Value);
        depend.edge(local(3), local(4), Way::OutOf(of_a));
        depend.edge(local(3), local(5), Way::OutOf(of_b));
        depend.edge(local(3), local(6), Way::OutOf(variant));
        // In a field of another one it is in that.
        depend.edge(local(3), local(7), Way::Into(outer));
        depend.edge(local(7), local(8), Way::OutOf(of_outer));
        depend.edge(local(8), local(9), Way::OutOf(of_b));
        depend.edge(local(3), local(10), Way::Anywhere);
        depend.edge(local(10), local(11), Way::OutOf(of_b));
        depend.run(|| false);
        let data = |number| depend.of(local(number)).data;
        let (some, nothing) = (Set::Some(vec![BasisId(7)]), Set::default());
        assert_eq!([4, 5, 6].map(data), [some.clone(), nothing.clone(), nothing]);
        assert_eq!([3, 7, 9, 11].map(data), [some.clone(), some.clone(), some.clone(), some]);
        let back = depend.backwards();
        assert!(back.reaching([local(5)], false).is_empty());
        assert!(back.reaching([local(4)], false).contains(&BasisId(7)));
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
