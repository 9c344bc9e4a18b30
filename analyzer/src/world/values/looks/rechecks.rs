//! Whether a later look can still avoid what an earlier one decided about.
//!
//! `if map.lock().is_empty() { return }` and then, under the lock again, `map.clear()`: the first look decided, and the
//! second decides nothing. It takes the place of the first only if, on every path from it to a change, a branch depends on
//! what it saw and leads past the change. The same goes for what panics unless the data is as the first look said
//! (`rows[at]`, `unwrap`).

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

use robust_models::{Order, Value as ModelValue};

use crate::mir::{Body, Local, Operand, Place, Rvalue, StatementKind, TerminatorKind};

use crate::world::actions::cfg::{Cfg, may_panic, reach};
use crate::world::actions::effects::{Action, Step, Touch, Tracked};
use crate::world::points::heap::LocId;
use crate::world::values::stale::{At, Bodies, Point, Read, backward, locals_of};

/// Where a local gets a value that tells which way a branch went (`matches!`, `&&`): the blocks of those branches, each with
/// what it asked.
#[derive(Debug, Default)]
pub(crate) struct Implied(BTreeMap<(Local, usize), Vec<(usize, Local)>>);

impl Implied {
    /// Looks for locals that are assigned on both sides of a branch.
    pub fn of(body: &Body, cfg: &Cfg) -> Self {
        let mut assigned: BTreeMap<Local, BTreeSet<usize>> = BTreeMap::new();
        for &block in &cfg.reached {
            for statement in &body.blocks[block].statements {
                if let StatementKind::Assign(place, _) = &statement.kind
                    && place.projection.is_empty()
                {
                    assigned.entry(place.local).or_default().insert(block);
                }
            }
        }
        assigned.retain(|_, blocks| blocks.len() > 1);
        if assigned.is_empty() {
            return Implied::default();
        }
        let above = Dominators::of(cfg);
        let asked = |block: usize| match &body.blocks[block].terminator.kind {
            TerminatorKind::SwitchInt { on, .. } => on.place().map(|place| (block, place.local)),
            _ => None,
        };
        let mut found = BTreeMap::new();
        for (local, blocks) in assigned {
            let chains: Vec<Vec<usize>> = blocks.iter().map(|block| above.chain(*block)).collect();
            let Some((first, rest)) = chains.split_first() else { continue };
            // The nearest block on every way to all of them.
            let parts = first.iter().find(|block| rest.iter().all(|chain| chain.contains(block)));
            for (block, chain) in blocks.iter().zip(&chains) {
                let end = chain.iter().position(|above| Some(above) == parts).map_or(0, |end| end + 1);
                // How the block itself ends decides nothing about getting there.
                let branches: Vec<_> =
                    chain[..end].iter().skip(1).filter_map(|block| asked(*block)).collect();
                if !branches.is_empty() {
                    found.insert((local, *block), branches);
                }
            }
        }
        Implied(found)
    }

    /// Whether a local's value tells which way some branch went.
    pub fn has(&self, local: Local) -> bool {
        self.0.range((local, 0)..).next().is_some_and(|((known, _), _)| *known == local)
    }

    /// Whether a local's value from this block tells the way that some such branch went.
    pub fn tells(&self, local: Local, block: usize, is_meant: impl Fn(usize, Local) -> bool) -> bool {
        let branches = self.0.get(&(local, block));
        branches.is_some_and(|branches| branches.iter().any(|(block, on)| is_meant(*block, *on)))
    }
}

/// Which block is on every way to which.
pub(crate) struct Dominators {
    graph: DiGraph<usize, ()>,
    ids: BTreeMap<usize, NodeIndex>,
    found: Option<petgraph::algo::dominators::Dominators<NodeIndex>>,
}

impl Dominators {
    pub fn of(cfg: &Cfg) -> Self {
        let mut graph = DiGraph::<usize, ()>::new();
        let ids: BTreeMap<usize, NodeIndex> =
            cfg.reached.iter().map(|&block| (block, graph.add_node(block))).collect();
        for (&block, &id) in &ids {
            for to in cfg.succs[block].iter().filter_map(|to| ids.get(to)) {
                graph.add_edge(id, *to, ());
            }
        }
        let found = ids.get(&0).map(|start| simple_fast(&graph, *start));
        Dominators { graph, ids, found }
    }

    /// A block and those on every way to it, the nearest first.
    pub fn chain(&self, block: usize) -> Vec<usize> {
        let chain = self.found.as_ref().zip(self.ids.get(&block)).and_then(|(all, id)| all.dominators(*id));
        chain.map_or_else(Vec::new, |chain| chain.map(|id| self.graph[id]).collect())
    }

    /// Whether one block is on every way to another.
    pub fn dominates(&self, first: usize, then: usize) -> bool {
        self.chain(then).contains(&first)
    }
}

/// Locals that a local's value may end up in, or that tell which way a branch on it went.
pub(crate) fn flows_to(bodies: &Bodies<'_>, from: impl IntoIterator<Item = Local>) -> BTreeSet<Local> {
    flows(bodies.body, bodies.cfg, from, |found, index, place| {
        bodies.implied.tells(place.local, index, |_, on| found.contains(&on))
    })
}

/// Locals that are made of a local's value.
pub(crate) fn made_of(body: &Body, cfg: &Cfg, from: Local) -> BTreeSet<Local> {
    flows(body, cfg, [from], |_, _, _| false)
}

/// Locals that these end up in; `too`: what is set there for another reason.
fn flows(
    body: &Body,
    cfg: &Cfg,
    from: impl IntoIterator<Item = Local>,
    too: impl Fn(&BTreeSet<Local>, usize, &Place) -> bool,
) -> BTreeSet<Local> {
    let mut found: BTreeSet<Local> = from.into_iter().collect();
    loop {
        let before = found.len();
        for &index in &cfg.reached {
            let block = &body.blocks[index];
            for statement in &block.statements {
                if let StatementKind::Assign(place, rvalue) = &statement.kind
                    && (locals_of(rvalue).iter().any(|local| found.contains(local))
                        || too(&found, index, place))
                {
                    found.insert(place.local);
                }
            }
            if let TerminatorKind::Call(call) = &block.terminator.kind
                && call.args.iter().filter_map(Operand::place).any(|place| found.contains(&place.local))
            {
                found.insert(call.dest.local);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

impl Bodies<'_> {
    /// The local that a statement fills.
    fn filled(&self, (block, at): At) -> Option<Local> {
        let data = &self.body.blocks[block];
        match data.statements.get(at).map(|statement| &statement.kind) {
            Some(StatementKind::Assign(place, _)) => Some(place.local),
            Some(_) => None,
            None => match &data.terminator.kind {
                TerminatorKind::Call(call) => Some(call.dest.local),
                _ => None,
            },
        }
    }

    /// Whether some of what a read decided about happens although no branch on what was seen at the points could still avoid
    /// it. `asked`: branches on the read's value before the points.
    pub fn is_relied_on(&self, read: &Read, points: &[Point], asked: &BTreeSet<usize>) -> bool {
        if asked.is_empty() {
            return false;
        }
        let looks: Vec<At> = points
            .iter()
            .filter_map(|point| match point {
                Point::Again(at) => Some(*at),
                Point::Block(_) => None,
            })
            .collect();
        let seen = flows_to(self, looks.iter().filter_map(|at| self.filled(*at)));
        let behind = looks.iter().flat_map(|at| self.unavoided(*at, &read.locs, &seen, Some(read.at.0)));
        let decided = |ways: &Ways<'_>| {
            let leaves = |switch: &usize| self.cfg.succs[*switch].iter().any(|to| !ways.lead[*to]);
            asked.iter().any(|switch| ways.lead[*switch] && leaves(switch))
        };
        let ways = |block: usize| self.ways_to(block, &seen, Some(read.at.0));
        if behind.into_iter().any(|block| decided(&ways(block))) {
            return true;
        }
        // Whichever later look at the data it is that tells of it.
        let told = flows_to(self, self.looks_behind(read).filter_map(|at| self.filled(at)));
        let panics = self.cfg.reached.iter().copied().filter(|block| self.panics(*block, &read.locs, &told));
        panics.map(ways).any(|ways| {
            let from = asked.iter().flat_map(|switch| self.cfg.succs[*switch].iter().copied());
            decided(&ways) && self.comes_along(&ways, from.filter(|to| ways.lead[*to]).collect())
        })
    }

    /// The accesses to the data of a read that may come after it.
    fn looks_behind<'r>(&'r self, read: &'r Read) -> impl Iterator<Item = At> {
        let behind = reach(&self.cfg.succs, self.cfg.succs[read.at.0].iter().copied());
        behind.into_iter().flat_map(move |block| {
            let is_look = |step: &&Step| match &step.action {
                Action::Access { locs, .. } => locs.iter().any(|loc| read.locs.contains(loc)),
                _ => false,
            };
            self.effects[block].iter().filter(is_look).map(move |step| (block, step.at))
        })
    }

    /// Whether a call offers something that is kept only where nothing is, never learns whether it was kept, and what only it leads to goes on
    /// with what it has offered: `cell.set(mine.clone()); mine`.
    pub fn goes_on_with_its_own(&self, at: At) -> bool {
        let data = &self.body.blocks[at.0];
        let TerminatorKind::Call(call) = &data.terminator.kind else { return false };
        let settles = |step: &Step| {
            step.at == at.1
                && matches!(&step.action, Action::Access { checks: true, touch: Touch::Write, .. })
        };
        if at.1 != data.statements.len() || !self.effects[at.0].iter().any(settles) {
            return false;
        }
        let offered = call.args.iter().skip(1).filter_map(Operand::place).filter_map(Place::as_local);
        let own = self.copies_of(offered.collect());
        if own.is_empty() || !self.is_unused_behind(at, call.dest.local) {
            return false;
        }
        let held = own.iter().flat_map(|local| made_of(self.body, self.cfg, *local)).collect();
        let above = Dominators::of(self.cfg);
        let follows = |block: &&usize| **block != at.0 && above.dominates(at.0, **block);
        self.cfg.reached.iter().filter(follows).any(|block| self.passes_on(*block, &held))
    }

    /// Locals that had the value of some, and these.
    fn copies_of(&self, mut found: BTreeSet<Local>) -> BTreeSet<Local> {
        loop {
            let before = found.len();
            for &index in &self.cfg.reached {
                let block = &self.body.blocks[index];
                for statement in &block.statements {
                    if let StatementKind::Assign(place, rvalue) = &statement.kind
                        && place.as_local().is_some_and(|local| found.contains(&local))
                        && let Rvalue::Use(_) | Rvalue::Ref(..) | Rvalue::Cast(..) = rvalue
                    {
                        found.extend(locals_of(rvalue));
                    }
                }
                if let TerminatorKind::Call(call) = &block.terminator.kind
                    && call.dest.as_local().is_some_and(|local| found.contains(&local))
                    && (self.called)(index).value == Some(ModelValue::Copy)
                {
                    found.extend(call.args.first().and_then(Operand::place).map(|place| place.local));
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// Whether a block returns, or lets others have, something of these locals.
    fn passes_on(&self, block: usize, held: &BTreeSet<Local>) -> bool {
        let data = &self.body.blocks[block];
        let is_returned = |place: &Place| {
            place.local == Local::RETURN && self.body.locals.first().is_some_and(|decl| !decl.ty.is_unit())
        };
        let returned = data.statements.iter().any(|statement| match &statement.kind {
            StatementKind::Assign(place, rvalue) => {
                is_returned(place) && locals_of(rvalue).iter().any(|local| held.contains(local))
            }
            _ => false,
        });
        let TerminatorKind::Call(call) = &data.terminator.kind else { return returned };
        let given = call.args.iter().filter_map(Operand::place).any(|place| held.contains(&place.local));
        let shows = |step: &Step| {
            step.at == data.statements.len() && (step.action == Action::Output || (self.changes)(step, None))
        };
        returned
            || given
                && !(self.called)(block).logs
                && (is_returned(&call.dest) || self.effects[block].iter().any(shows))
    }

    /// Whether all that changes behind a look at this data can still be avoided by a branch on what was seen.
    pub fn can_avoid(&self, look: At, locs: &[LocId]) -> bool {
        let seen = flows_to(self, self.filled(look));
        self.unavoided(look, locs, &seen, None).is_empty()
    }

    /// The blocks of changes that come behind a look on a path without a branch that depends on what was seen and leads past
    /// them.
    fn unavoided(&self, look: At, locs: &[LocId], seen: &BTreeSet<Local>, but: Option<usize>) -> Vec<usize> {
        let changes = |block: usize, from: usize| {
            let mut steps = self.effects[block].iter().filter(|step| step.at >= from);
            steps.any(|step| self.is_blind(step, locs) && !self.is_called_by(block, step, seen))
        };
        let ahead = reach(&self.cfg.succs, self.cfg.succs[look.0].iter().copied());
        let behind = ahead.into_iter().filter(|block| {
            let other = Some(*block) != but && *block != look.0;
            other && changes(*block, 0) && {
                let ways = self.ways_to(*block, seen, but);
                let from = self.leaving(&ways, look.0);
                self.comes_along(&ways, from)
            }
        });
        behind.chain(changes(look.0, look.1).then_some(look.0)).collect()
    }

    /// Whether a step is a call that a library makes only if there is something in what was seen: `seen.map(|it| it.clear())`.
    fn is_called_by(&self, block: usize, step: &Step, seen: &BTreeSet<Local>) -> bool {
        let TerminatorKind::Call(call) = &self.body.blocks[block].terminator.kind else { return false };
        let only_if =
            matches!(step.action, Action::Call { times: Order::IfOk | Order::IfErr | Order::IfFound, .. });
        let on = call.args.first().and_then(Operand::place);
        only_if && on.is_some_and(|place| seen.contains(&place.local))
    }

    /// Whether a step changes something (or ends the process) without looking at this data itself first.
    fn is_blind(&self, step: &Step, locs: &[LocId]) -> bool {
        let among = |looks: &[LocId]| looks.iter().any(|loc| locs.contains(loc));
        let looks = match &step.action {
            Action::Access { checks, tracked, locs, .. } => {
                let exchanges = matches!(tracked, Some(Tracked::Exchange(..)));
                (*checks || exchanges || step.only_if.is_some()) && among(locs)
            }
            Action::Call { callees, .. } => callees
                .iter()
                .all(|callee| self.first_looks.get(callee).is_some_and(|looks| among(&looks.locs))),
            _ => false,
        };
        !looks && ((self.changes)(step, Some(locs)) || step.action == Action::End)
    }

    /// Whether a block panics unless this data, seen in these locals, is as it was when it was looked at.
    fn panics(&self, block: usize, locs: &[LocId], seen: &BTreeSet<Local>) -> bool {
        let relies = self.effects[block].iter().any(|step| match &step.action {
            Action::Rely { locs: on } => on.iter().any(|loc| locs.contains(loc)),
            _ => false,
        });
        let asked = |operand: &Operand| operand.place().is_some_and(|place| seen.contains(&place.local));
        relies
            || match &self.body.blocks[block].terminator.kind {
                TerminatorKind::Assert { cond, .. } => asked(cond),
                TerminatorKind::SwitchInt { on, .. } => asked(on) && may_panic(self.body, self.cfg, block),
                TerminatorKind::Call(call) => {
                    (self.called)(block).value == Some(ModelValue::Asserts)
                        && call.args.first().is_some_and(asked)
                }
                _ => false,
            }
    }

    /// Whether a path from some blocks comes to the goal without a branch that depends on what was seen and leads elsewhere.
    fn comes_along(&self, ways: &Ways<'_>, from: Vec<usize>) -> bool {
        let mut known: BTreeSet<usize> = BTreeSet::new();
        let mut work = from;
        while let Some(block) = work.pop() {
            if block == ways.goal {
                return true;
            }
            if Some(block) != ways.but && known.insert(block) {
                work.extend(self.leaving(ways, block));
            }
        }
        false
    }

    /// Where a block leads on the ways; nowhere if it branches on what was seen and leads elsewhere, too.
    fn leaving(&self, ways: &Ways<'_>, block: usize) -> Vec<usize> {
        let succs = &self.cfg.succs[block];
        let asks = match &self.body.blocks[block].terminator.kind {
            TerminatorKind::SwitchInt { on, .. } => {
                on.place().is_some_and(|place| ways.seen.contains(&place.local))
            }
            _ => false,
        };
        if asks && succs.iter().any(|to| !ways.lead[*to]) {
            return Vec::new();
        }
        succs.iter().copied().filter(|to| ways.lead[*to]).collect()
    }

    fn ways_to<'s>(&self, goal: usize, seen: &'s BTreeSet<Local>, but: Option<usize>) -> Ways<'s> {
        let mut lead = vec![false; self.cfg.succs.len()];
        for block in backward(self.cfg, &BTreeSet::from([goal]), but) {
            lead[block] = true;
        }
        Ways { goal, lead, but, seen }
    }
}

/// Paths to a block.
struct Ways<'s> {
    goal: usize,
    /// Blocks that lead there.
    lead: Vec<bool>,
    /// They do not go on behind this block.
    but: Option<usize>,
    /// Locals that hold what was seen.
    seen: &'s BTreeSet<Local>,
}
