//! Marks that spread along references: between the locals of all instances, and into what closures and futures capture.

use rustc_hash::FxHashMap;

use crate::mir::{BodyKind, CallTarget, Callee, Local, Name};

use crate::world::actions::effects::{Action, Effects, Touch};
use crate::world::points::calls::CALL;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::{Flow, InstId};

/// A local of an instance, or all that is captured by one closure.
pub(in crate::world::values) type Node = u32;

/// How strongly a local is marked: what is marked exclusively is marked to be read, too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::world::values) enum Reached {
    Never,
    /// By references through which nothing can be changed.
    ToRead,
    Exclusively,
}

/// Where references go from where, and which are marked.
pub(in crate::world::values) struct Spread {
    /// By instance: the node of its first local.
    first: Vec<Node>,
    edges: Vec<(Node, Node)>,
    marked: Vec<Reached>,
    /// What each local can be marked as at most.
    most: Vec<Reached>,
    /// By closure or future: the node of what is captured, and the instances that run it.
    captures: FxHashMap<Name, (Node, Vec<InstId>)>,
}

impl Spread {
    pub fn new(flow: &Flow<'_>) -> Self {
        let mut next = 0;
        let mut first = Vec::with_capacity(flow.instances.len());
        let mut captures: FxHashMap<Name, (Node, Vec<InstId>)> = FxHashMap::default();
        for inst in (0..flow.instances.len() as u32).map(InstId) {
            first.push(next);
            next += flow.body_of(inst).locals.len() as Node;
        }
        for inst in (0..flow.instances.len() as u32).map(InstId) {
            let body = flow.body_of(inst);
            if matches!(body.kind, BodyKind::Closure { .. } | BodyKind::Coroutine { .. }) {
                let (_, run) = captures.entry(body.def.clone()).or_insert_with(|| {
                    next += 1;
                    (next - 1, Vec::new())
                });
                run.push(inst);
            }
        }
        let nodes = next as usize;
        Spread {
            first,
            edges: Vec::new(),
            marked: vec![Reached::Never; nodes],
            most: vec![Reached::Exclusively; nodes],
            captures,
        }
    }

    pub fn node(&self, inst: InstId, local: Local) -> Node {
        self.first[inst.0 as usize] + local.0
    }

    /// The node of what is captured by a closure or future, if any instance runs it.
    pub fn captured_by(&self, body: &Name) -> Option<Node> {
        self.captures.get(body).map(|(hub, _)| *hub)
    }

    /// What marks the first marks the second.
    pub fn edge(&mut self, from: Node, to: Node) {
        self.edges.push((from, to));
    }

    pub fn mark(&mut self, node: Node) {
        self.marked[node as usize] = self.most[node as usize];
    }

    /// A local has references in it through which nothing can be changed, and no others.
    pub fn is_to_read(&mut self, node: Node) {
        let at = node as usize;
        self.most[at] = Reached::ToRead;
        self.marked[at] = self.marked[at].min(Reached::ToRead);
    }

    pub fn is_marked(&self, inst: InstId, local: Local) -> bool {
        self.reached(inst, local) != Reached::Never
    }

    /// How a local is marked.
    pub fn reached(&self, inst: InstId, local: Local) -> Reached {
        self.marked[self.node(inst, local) as usize]
    }

    /// Marks all that is reached from what is marked.
    pub fn run(&mut self) {
        // What is captured is in the first local of what runs.
        for (hub, run) in self.captures.values() {
            for inst in run {
                let own = self.first[inst.0 as usize] + 1;
                self.edges.extend([(*hub, own), (own, *hub)]);
            }
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        let mut work: Vec<Node> = (0..self.marked.len() as Node)
            .filter(|node| self.marked[*node as usize] != Reached::Never)
            .collect();
        while let Some(node) = work.pop() {
            let source_mark = self.marked[node as usize];
            let from = self.edges.partition_point(|(source, _)| *source < node);
            for &(_, target) in self.edges[from..].iter().take_while(|(source, _)| *source == node) {
                let mark = source_mark.min(self.most[target as usize]);
                if self.marked[target as usize] < mark {
                    self.marked[target as usize] = mark;
                    work.push(target);
                }
            }
        }
    }
}

/// What a parameter of a body is given.
pub(in crate::world::values) enum Passed<'c> {
    /// One of these, as far as they are places.
    Args(&'c [Option<Local>]),
    /// What was captured where the closure or future was made.
    Captured,
    Unknown,
}

/// What a call with these arguments gives to the parameters of a body.
pub(in crate::world::values) fn passed<'c>(
    flow: &Flow<'_>,
    call: &CallTarget,
    args: &'c [Option<Local>],
    callee: InstId,
) -> impl Iterator<Item = (Local, Passed<'c>)> + use<'c> {
    let body = flow.body_of(callee);
    let is_fn = matches!(body.kind, BodyKind::Fn | BodyKind::Constructor);
    let in_tuple = matches!(&call.callee, Callee::Fn { path, .. } if CALL.contains(&&*path.plain()));
    (1..=body.arg_count).map(move |param| {
        let passed = match (is_fn && !in_tuple, args.get(param as usize - 1)) {
            (true, Some(arg)) => Passed::Args(std::slice::from_ref(arg)),
            (true, None) => Passed::Unknown,
            (false, _) if param == 1 && !is_fn => Passed::Captured,
            (false, _) => Passed::Args(args),
        };
        (Local(param), passed)
    })
}

/// Forgets accesses, given what they do, what they are to, and where the text makes them: instance, block, statement.
pub(in crate::world::values) fn forget(
    effects: &mut [Effects],
    mut is_forgotten: impl FnMut(&Touch, &[LocId], (InstId, usize, usize)) -> bool,
) {
    for (index, blocks) in effects.iter_mut().enumerate() {
        let inst = InstId(index as u32);
        for (block, steps) in blocks.iter_mut().enumerate() {
            steps.retain(|step| {
                let at = step.from.unwrap_or((inst, block, step.at));
                let Action::Access { touch, locs, .. } = &step.action else { return true };
                !is_forgotten(touch, locs, at)
            });
        }
    }
}
