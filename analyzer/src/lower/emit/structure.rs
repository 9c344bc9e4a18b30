//! From a graph of blocks to nested statements.
//!
//! A region (a body, or the inside of a loop) becomes an acyclic graph by taking each loop in it as one node. There, a
//! branch reaches to its immediate post-dominator. A loop left in its middle notes so in a local, which its condition asks.
//! Where branches share so much that this would repeat it too often, what they share is put behind them, once each, and a local
//! tells whether a path leads there.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::Direction;
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::Reversed;

use crate::ir::{BinOp, Block, Expr, INTEGERS, LocalId, StmtKind, Value};
use crate::mir::{Local, TerminatorKind, TyKind};

use super::contract::{Before, contract};
use crate::lower::emit::emitter::{Build, Emitter};
use crate::world::actions::cfg::components;
use crate::world::actions::effects::{Action, Step};
use crate::world::units::Phase;

/// More statements than this for one body are not made: its shape is then given up.
const BUDGET: usize = 4000;

/// More than this are not made by repeating what branches share.
const REPEATED: usize = 1000;

/// A part of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Block(usize),
    Loop(BTreeSet<usize>),
    /// Leaves the region for this block; `None` for the region's own start, or its end.
    Leave(Option<usize>),
}

/// How the edges that leave a region are told apart afterwards.
#[derive(Clone, Debug, Default)]
struct Exits {
    noted: Option<Noted>,
}

/// The local that says how a loop was left, and the targets in order.
type Noted = (LocalId, Vec<usize>);

/// Turns a body into statements.
pub(crate) struct Shape<'s, 'e, 'a> {
    emitter: &'s mut Emitter<'e, 'a>,
    build: &'s mut Build,
    succs: Vec<Vec<usize>>,
    /// The locals that somebody asks for.
    watched: BTreeSet<Local>,
    /// Loops that became events: by smallest block.
    events: BTreeMap<BTreeSet<usize>, usize>,
    spent: usize,
    /// How many may be spent.
    budget: usize,
    /// What branches share is there once.
    once: bool,
    in_loop: bool,
    next_exit: usize,
}

impl<'s, 'e, 'a> Shape<'s, 'e, 'a> {
    /// The whole body of an instance, or one of its loops.
    pub fn whole(emitter: &'s mut Emitter<'e, 'a>, build: &'s mut Build, part: Option<usize>) -> Block {
        let facts = emitter.facts;
        let cfg = &facts.cfgs[build.inst.0 as usize];
        let loops = facts.event_loops(build.inst);
        let (nodes, entry) = match part {
            Some(first) => {
                let round = loops.iter().find(|(name, _)| *name == first);
                let entry = round.map_or(0, |(_, blocks)| header(&cfg.succs, &cfg.reached, blocks));
                (facts.blocks((build.inst, build.phase, part)), entry)
            }
            None => (cfg.reached.clone(), 0),
        };
        // Of what an event has made for its tasks, all that these do is looked at, rounds included.
        let extracted = part.is_none() && build.phase != Phase::Event && emitter.own.is_none();
        let events = if extracted {
            loops.into_iter().map(|(first, blocks)| (blocks.clone(), first)).collect()
        } else {
            BTreeMap::new()
        };
        let succs = cfg.succs.clone();
        let (spent, budget, once, in_loop, next_exit) = (0, REPEATED, false, false, 0);
        let watched = emitter.watched(build);
        let mut shape =
            Shape { emitter, build, succs, watched, events, spent, budget, once, in_loop, next_exit };
        if nodes.is_empty() {
            return Vec::new();
        }
        let mut block = shape.region(&nodes, entry, &Exits::default());
        if shape.spent > shape.budget {
            (shape.spent, shape.budget, shape.once, shape.in_loop) = (0, BUDGET, true, false);
            shape.build.scoped.clear();
            block = shape.region(&nodes, entry, &Exits::default());
        }
        if shape.spent > shape.budget {
            let inst = shape.build.inst;
            let block = shape.flat(&nodes);
            emitter.flattened.push(inst);
            return block;
        }
        block
    }

    /// Every block's actions in any order and number: what is left when the shape is too much.
    fn flat(&mut self, nodes: &BTreeSet<usize>) -> Block {
        let mut body = Vec::new();
        self.in_loop = true;
        for &node in nodes {
            if self.emitter.active_block(self.build, node) {
                let mut inner = Vec::new();
                self.emitter.steps(self.build, node, true, &mut inner);
                body.push(self.emitter.stmt(None, StmtKind::If(Expr::Any, inner, Vec::new())));
            }
        }
        vec![self.emitter.stmt(None, StmtKind::While(Expr::Any, body))]
    }

    fn region(&mut self, nodes: &BTreeSet<usize>, entry: usize, exits: &Exits) -> Block {
        let mut graph = DiGraph::<Node, usize>::new();
        let end = graph.add_node(Node::Leave(None));
        // Loops inside: without the edges back to the start.
        let inner: Vec<Vec<usize>> =
            self.succs.iter().map(|list| list.iter().copied().filter(|to| *to != entry).collect()).collect();
        let mut of: BTreeMap<usize, NodeIndex> = BTreeMap::new();
        // At the top, the start may itself be in a loop: then it is not left out.
        let top = !self.has_edge_to(nodes, entry);
        let loops = components(if top { &self.succs } else { &inner }, nodes);
        for blocks in loops {
            let id = graph.add_node(Node::Loop(blocks.clone()));
            for block in blocks {
                of.insert(block, id);
            }
        }
        for &block in nodes {
            of.entry(block).or_insert_with(|| graph.add_node(Node::Block(block)));
        }
        let mut leaves: BTreeMap<usize, NodeIndex> = BTreeMap::new();
        for &block in nodes {
            let from = of[&block];
            for (order, &to) in self.succs[block].iter().enumerate() {
                let target = if to == entry {
                    end
                } else if let Some(&inside) = of.get(&to) {
                    inside
                } else {
                    *leaves.entry(to).or_insert_with(|| graph.add_node(Node::Leave(Some(to))))
                };
                if target != from && graph.find_edge(from, target).is_none() {
                    graph.add_edge(from, target, order);
                }
            }
        }
        for id in graph.node_indices() {
            if id != end && graph.neighbors(id).next().is_none() {
                graph.add_edge(id, end, 0);
            }
        }
        let useful = self.useful(&graph, exits, !top);
        let Some(&start) = of.get(&entry) else { return Vec::new() };
        let does_nothing = |node: &Node| matches!(node, Node::Block(block) if self.is_silent(*block));
        let before = contract(&mut graph, [start, end], &useful, does_nothing);
        let after = simple_fast(Reversed(&graph), end);
        let mut out = Vec::new();
        let context = Context { graph: &graph, useful: &useful, before: &before, end, exits };
        if self.once {
            self.each_once(&context, start, &mut out);
            return out;
        }
        self.walk(&context, &|id| after.immediate_dominator(id), start, end, &mut out);
        out
    }

    /// Whether a block leaves nothing, and notes nothing that is asked for.
    fn is_silent(&self, block: usize) -> bool {
        let steps = &self.emitter.facts.effects[self.build.inst.0 as usize][block];
        let notes = |step: &Step| match step.action {
            Action::Flag(local, _)
            | Action::Variant(local, _)
            | Action::Guess(local)
            | Action::Holds { local, .. } => self.watched.contains(&local),
            Action::Mark { .. } | Action::Choose { .. } => true,
            _ => false,
        };
        !steps.iter().any(notes)
            && !self.emitter.asserts(self.build.inst, block)
            && !self.emitter.active_block(self.build, block)
    }

    fn has_edge_to(&self, nodes: &BTreeSet<usize>, entry: usize) -> bool {
        nodes.iter().any(|node| self.succs[*node].contains(&entry))
    }

    /// Nodes from which something that leaves a statement can be reached. If they are a round of a loop, what is noted is there for later rounds, and
    /// for what comes behind the loop.
    fn useful(&self, graph: &DiGraph<Node, usize>, exits: &Exits, round: bool) -> BTreeSet<NodeIndex> {
        let matters = |block: usize| match round {
            true => !self.is_silent(block),
            false => self.emitter.active_block(self.build, block),
        };
        let mut useful: BTreeSet<NodeIndex> = BTreeSet::new();
        let mut work: Vec<NodeIndex> = graph
            .node_indices()
            .filter(|id| match &graph[*id] {
                Node::Block(block) => matters(*block),
                Node::Loop(blocks) => {
                    self.events.contains_key(blocks) || blocks.iter().any(|block| matters(*block))
                }
                Node::Leave(target) => target.is_some() && exits.noted.is_some(),
            })
            .collect();
        while let Some(id) = work.pop() {
            if useful.insert(id) {
                work.extend(graph.neighbors_directed(id, Direction::Incoming));
            }
        }
        useful
    }

    /// All that can be reached in a region, in an order in which paths only lead on: what one path leads to, in its place;
    /// what several lead to, behind them.
    fn each_once(&mut self, context: &Context<'_>, start: NodeIndex, out: &mut Block) {
        let Ok(order) = petgraph::algo::toposort(context.graph, None) else { return };
        let mut ways: BTreeMap<NodeIndex, usize> = BTreeMap::from([(start, 0)]);
        for &node in order.iter().filter(|node| context.useful.contains(node)) {
            if ways.contains_key(&node) {
                for to in context.graph.neighbors(node).filter(|to| context.useful.contains(to)) {
                    *ways.entry(to).or_default() += 1;
                }
            }
        }
        let mut shared: BTreeMap<NodeIndex, LocalId> = BTreeMap::new();
        for &node in order.iter().filter(|node| ways.get(node).is_some_and(|ways| *ways > 1)) {
            let local = self.build.local(format!("goes{}", self.next_exit), true);
            self.next_exit += 1;
            shared.insert(node, local);
            let nowhere = Expr::Const(Value::Bool(false));
            out.push(self.emitter.stmt(None, StmtKind::SetLocal(local, nowhere)));
        }
        self.path(context, &shared, start, out);
        for node in order {
            if let Some(&local) = shared.get(&node) {
                let mut body = Vec::new();
                self.path(context, &shared, node, &mut body);
                if !body.is_empty() {
                    out.push(self.emitter.stmt(None, StmtKind::If(Expr::Local(local), body, Vec::new())));
                }
            }
        }
    }

    /// A node, and what only it leads to.
    fn path(
        &mut self,
        context: &Context<'_>,
        shared: &BTreeMap<NodeIndex, LocalId>,
        start: NodeIndex,
        out: &mut Block,
    ) {
        let mut at = start;
        while at != context.end && context.useful.contains(&at) && self.spent <= self.budget {
            self.spent += 1;
            let Some(noted) = self.node(context, at, out) else { return };
            let next = context.next(at);
            let go_on = |shape: &mut Self, to: NodeIndex, out: &mut Block| match shared.get(&to) {
                Some(&local) => {
                    let here = Expr::Const(Value::Bool(true));
                    out.push(shape.emitter.stmt(None, StmtKind::SetLocal(local, here)));
                }
                None => shape.path(context, shared, to, out),
            };
            match next[..] {
                [] => return,
                [only] if !shared.contains_key(&only) => at = only,
                [only] => {
                    go_on(self, only, out);
                    return;
                }
                _ => {
                    let mut bodies = Vec::new();
                    for &arm in &next {
                        let mut body = Vec::new();
                        go_on(self, arm, &mut body);
                        bodies.push((self.arm_condition(context, at, arm, noted.as_ref()), body));
                    }
                    self.choose(bodies, out);
                    return;
                }
            }
        }
    }

    fn walk(
        &mut self,
        context: &Context<'_>,
        after: &dyn Fn(NodeIndex) -> Option<NodeIndex>,
        start: NodeIndex,
        stop: NodeIndex,
        out: &mut Block,
    ) {
        let mut at = start;
        while at != stop && at != context.end && context.useful.contains(&at) {
            self.spent += 1;
            if self.spent > self.budget {
                return;
            }
            let Some(noted) = self.node(context, at, out) else { return };
            let next = context.next(at);
            match next[..] {
                [] => return,
                [only] => at = only,
                _ => {
                    let Some(join) = after(at) else { return };
                    let mut bodies = Vec::new();
                    for &arm in &next {
                        let mut body = Vec::new();
                        self.walk(context, after, arm, join, &mut body);
                        bodies.push((self.arm_condition(context, at, arm, noted.as_ref()), body));
                    }
                    self.choose(bodies, out);
                    at = join;
                }
            }
        }
    }

    /// What a node does; of a loop, what tells how it was left. `None` when nothing comes after it.
    fn node(&mut self, context: &Context<'_>, at: NodeIndex, out: &mut Block) -> Option<Option<Noted>> {
        match &context.graph[at] {
            Node::Block(block) => {
                let in_loop = self.in_loop;
                self.emitter.steps(self.build, *block, in_loop, out);
            }
            Node::Loop(blocks) => {
                if let Some(&first) = self.events.get(blocks) {
                    self.emitter.event_loop(self.build, first, out);
                    return None;
                }
                return Some(self.looped(blocks, out));
            }
            Node::Leave(target) => self.leave(*target, context.exits, out),
        }
        Some(None)
    }

    /// When a node is left for this one.
    fn arm_condition(
        &mut self,
        context: &Context<'_>,
        at: NodeIndex,
        arm: NodeIndex,
        noted: Option<&Noted>,
    ) -> Expr {
        match (&context.graph[at], noted) {
            (Node::Block(block), _) => self.condition(*block, |target| self.leads(context, arm, target)),
            (Node::Loop(_), Some((local, targets))) => {
                let index = targets.iter().position(|target| self.leads(context, arm, *target));
                index.map_or(Expr::Any, |index| {
                    let value = Expr::Const(Value::Int(index as i128 + 1));
                    Expr::Binary(BinOp::Eq, Box::new(Expr::Local(*local)), Box::new(value))
                })
            }
            _ => Expr::Any,
        }
    }

    /// One of several blocks, each with its condition.
    fn choose(&mut self, mut bodies: Vec<(Expr, Block)>, out: &mut Block) {
        if bodies.iter().all(|(_, body)| body.is_empty()) {
            return;
        }
        let Some((_, mut rest)) = bodies.pop() else { return };
        while let Some((condition, body)) = bodies.pop() {
            if body.is_empty() && rest.is_empty() {
                continue;
            }
            rest = vec![self.emitter.stmt(None, StmtKind::If(condition, body, rest))];
        }
        out.extend(rest);
    }

    /// Whether a node of the graph is (or begins with) a block.
    fn leads(&self, context: &Context<'_>, node: NodeIndex, block: usize) -> bool {
        let itself = match &context.graph[node] {
            Node::Block(own) => *own == block,
            Node::Loop(blocks) => blocks.contains(&block),
            Node::Leave(target) => *target == Some(block),
        };
        itself || context.before.get(&node).is_some_and(|before| before.contains(&block))
    }

    fn leave(&mut self, target: Option<usize>, exits: &Exits, out: &mut Block) {
        if let (Some(target), Some((local, targets))) = (target, &exits.noted)
            && let Some(index) = targets.iter().position(|known| *known == target)
        {
            let value = Expr::Const(Value::Int(index as i128 + 1));
            out.push(self.emitter.stmt(None, StmtKind::SetLocal(*local, value)));
        }
    }

    /// A loop; when it is left from its middle, the local that tells where to.
    fn looped(&mut self, blocks: &BTreeSet<usize>, out: &mut Block) -> Option<Noted> {
        let reached = self.emitter.facts.cfgs[self.build.inst.0 as usize].reached.clone();
        let entry = header(&self.succs, &reached, blocks);
        let targets: BTreeSet<usize> = blocks
            .iter()
            .flat_map(|block| self.succs[*block].iter().copied())
            .filter(|to| !blocks.contains(to))
            .collect();
        let mut noted = None;
        if !targets.is_empty() && !self.left_at_once(blocks, entry) {
            let name = format!("left{}", self.next_exit);
            self.next_exit += 1;
            let local = self.build.local(name, false);
            noted = Some((local, targets.into_iter().collect::<Vec<_>>()));
            let value = Expr::Const(Value::Int(0));
            out.push(self.emitter.stmt(None, StmtKind::SetLocal(local, value)));
        }
        let outside = std::mem::replace(&mut self.in_loop, true);
        let body = self.region(blocks, entry, &Exits { noted: noted.clone() });
        self.in_loop = outside;
        let condition = match &noted {
            Some((local, _)) => {
                let value = Expr::Const(Value::Int(0));
                Expr::Binary(BinOp::Eq, Box::new(Expr::Local(*local)), Box::new(value))
            }
            None => Expr::Any,
        };
        out.push(self.emitter.stmt(None, StmtKind::While(condition, body)));
        noted
    }

    /// Whether a loop is only left before it did anything in the iteration.
    fn left_at_once(&self, blocks: &BTreeSet<usize>, entry: usize) -> bool {
        // Blocks that come after something active in the iteration.
        let mut late: BTreeSet<usize> = BTreeSet::new();
        let mut work: Vec<usize> =
            blocks.iter().copied().filter(|block| self.emitter.active_block(self.build, *block)).collect();
        while let Some(block) = work.pop() {
            if late.insert(block) {
                let next = self.succs[block].iter().copied();
                work.extend(next.filter(|to| *to != entry && blocks.contains(to)));
            }
        }
        late.iter().all(|block| self.succs[*block].iter().all(|to| blocks.contains(to)))
    }

    /// When a block's branch goes to the node that `leads` accepts.
    fn condition(&self, block: usize, leads: impl Fn(usize) -> bool) -> Expr {
        let body = self.emitter.flow.body_of(self.build.inst);
        let TerminatorKind::SwitchInt { on, targets, otherwise } = &body.blocks[block].terminator.kind else {
            return Expr::Any;
        };
        let Some(local) = on.place().and_then(|place| place.as_local()) else { return Expr::Any };
        let Some((value, bool)) = self.emitter.value(self.build, local, 0) else { return Expr::Any };
        let ty = self.emitter.flow.local_ty(self.build.inst, local.0);
        let integer = |bits: u128| match ty.as_deref() {
            Some(TyKind::Prim(prim)) => prim.from_bits(bits).filter(|integer| INTEGERS.contains(integer)),
            _ => None,
        };
        let test = |number: u128| {
            if bool {
                return if number == 0 { Expr::Not(Box::new(value.clone())) } else { value.clone() };
            }
            match integer(number) {
                Some(number) => {
                    let number = Expr::Const(Value::Int(number));
                    Expr::Binary(BinOp::Eq, Box::new(value.clone()), Box::new(number))
                }
                // Whether it is that number is not followed.
                None => Expr::Any,
            }
        };
        let mut found: Option<Expr> = None;
        for (number, to) in targets {
            if leads(to.0 as usize) {
                let this = test(*number);
                found = Some(match found {
                    Some(other) => either(other, this),
                    None => this,
                });
            }
        }
        if otherwise.as_ref().is_some_and(|to| leads(to.0 as usize)) {
            let none = targets
                .iter()
                .map(|(number, _)| Expr::Not(Box::new(test(*number))))
                .reduce(|a, b| Expr::Binary(BinOp::And, Box::new(a), Box::new(b)));
            let none = none.unwrap_or(Expr::Const(Value::Bool(true)));
            found = Some(match found {
                Some(other) => either(other, none),
                None => none,
            });
        }
        found.unwrap_or(Expr::Any)
    }
}

struct Context<'c> {
    graph: &'c DiGraph<Node, usize>,
    useful: &'c BTreeSet<NodeIndex>,
    before: &'c Before,
    end: NodeIndex,
    exits: &'c Exits,
}

impl Context<'_> {
    /// Where a node leads, in the order of its branches.
    fn next(&self, at: NodeIndex) -> Vec<NodeIndex> {
        let edges = self.graph.edges(at);
        let mut next: Vec<(usize, NodeIndex)> =
            edges.map(|edge| (*edge.weight(), petgraph::visit::EdgeRef::target(&edge))).collect();
        next.sort_by_key(|(order, id)| (*order, id.index()));
        next.into_iter().map(|(_, id)| id).collect()
    }
}

fn either(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinOp::Or, Box::new(a), Box::new(b))
}

/// Where a loop is entered.
pub(crate) fn header(succs: &[Vec<usize>], reached: &BTreeSet<usize>, blocks: &BTreeSet<usize>) -> usize {
    let mut entries = reached
        .iter()
        .filter(|block| !blocks.contains(block))
        .flat_map(|block| succs[*block].iter())
        .filter(|to| blocks.contains(to));
    if blocks.contains(&0) {
        return 0;
    }
    entries.next().or(blocks.first()).copied().unwrap_or(0)
}
