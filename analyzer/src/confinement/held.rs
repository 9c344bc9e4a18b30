//! Locks and borrows that are held where a task is suspended, and who else takes them meanwhile.
//!
//! A guard is followed through its function: from the call that returns it, through moves, to where it is dropped or given
//! away. Where the function awaits something in between that may suspend it, others run, and some may want the same lock.

mod room;

use std::collections::{BTreeMap, BTreeSet};

use robust_models::{Mode, Threads, TypeKind, When};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::finding::Level;
use crate::mir::{
    BasicBlock, Body, BodyKind, CallTarget, Local, Operand, Rvalue, StatementKind, TerminatorKind, TyKind,
};
use crate::world::actions::effects::Action;
use crate::world::facts::Facts;
use crate::world::parallel::Parallel;
use crate::world::points::escape::Same;
use crate::world::points::heap::{LocId, Root as Origin};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::any_part;
use crate::world::units::Units;

use super::descend::{Descent, Root, Start};
use super::graph::Graph;
use super::owned;
use super::place::Record;
use super::reach::{Run, Runs, Turn};

/// What is taken through so many views of it is still that.
const VIEWS: usize = 3;
/// A guard is returned through so many calls.
const RETURNED: usize = 4;

/// A call that takes a lock, or borrows from a cell.
#[derive(Clone, Debug)]
pub(crate) struct Taking {
    pub inst: InstId,
    pub block: u32,
    locs: Vec<LocId>,
    exclusive: bool,
    /// It is a borrow: who comes too late does not wait, but panics.
    pub borrow: bool,
    /// It returns a guard.
    held: bool,
    /// It waits until it gets it, or panics if it does not.
    insists: bool,
}

/// A guard that is held where its task is suspended, and who takes the same meanwhile.
#[derive(Clone, Debug)]
pub(crate) struct Overlap {
    pub holder: Root,
    pub taken: Taking,
    /// Where the task is suspended.
    pub suspended: u32,
    pub taker: Root,
    pub wanted: Taking,
    pub loc: LocId,
    pub stall: Stall,
}

/// How whoever comes too late keeps the holder from ever going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stall {
    /// It does not: another thread may resume the holder.
    Elsewhere,
    /// The threads of the runtime wait, all of them: there may be as many of those who wait.
    AllThreads,
    /// Nothing is known of the runtime, which may have one thread.
    AnyRuntime,
    /// Both are on one thread, or what the late one does panics.
    OneThread,
    /// Both are in one task, which polls them in turn.
    Together,
    /// The holder waits for room in this channel, which the late one makes.
    Room(LocId),
}

impl Stall {
    /// How grave that is, and what may be said for it.
    pub fn judge(self) -> (Level, &'static str) {
        match self {
            Stall::Elsewhere => {
                (Level::Warn, "another thread may resume the task, so it need not wait for ever")
            }
            _ => (Level::Deny, ""),
        }
    }
}

/// All overlaps, the gravest of each guard.
pub(crate) fn overlaps(
    flow: &Flow<'_>,
    facts: &Facts,
    units: &Units,
    graph: &Graph,
    descent: &Descent<'_, '_>,
) -> Vec<Overlap> {
    let search = Search { flow, facts, same: Same::new(flow) };
    let mut found = search.waiting_for_room(graph, descent);
    found.extend(suspended(&search, units, graph, descent));
    found
}

/// Those in which the task is suspended, whatever it waits for, and the other one blocks its thread.
fn suspended(
    search: &Search<'_, '_>,
    units: &Units,
    graph: &Graph,
    descent: &Descent<'_, '_>,
) -> Vec<Overlap> {
    let (flow, facts) = (search.flow, search.facts);
    let mut takings = search.takings(descent);
    takings.extend(search.returning(&takings));
    if !takings.iter().any(|taking| taking.held && search.is_future(taking.inst)) {
        return Vec::new();
    }
    let suspends = search.suspending(graph);
    let held: Vec<(&Taking, u32)> = takings
        .iter()
        .filter(|taking| taking.held && search.is_future(taking.inst))
        .filter_map(|taking| Some((taking, search.suspended_with(taking, graph, &suspends)?)))
        .collect();
    if held.is_empty() {
        return Vec::new();
    }
    let parallel = Parallel::find(flow, facts, units);
    let locs = takings.iter().flat_map(|taking| &taking.locs).filter_map(|loc| search.made_by(*loc));
    let reaches = descent.reaches(&takings.iter().map(|taking| taking.inst).chain(locs).collect());
    if flow.is_late_by_now() {
        // What seems to be common may be made by who was not followed so far.
        return Vec::new();
    }
    let mut best: BTreeMap<(u32, u32), Overlap> = BTreeMap::new();
    for (taken, suspended) in held {
        let body = flow.instances[taken.inst.0 as usize].body.0;
        let running = parallel.running(taken.inst, suspended as usize);
        let runs = |root: &Root| match (&root.start, running) {
            (Start::Task { by, block, .. }, Some(running)) => running.contains(&(*by, *block as usize)),
            _ => true,
        };
        // What the program has waited for by then is out of the way.
        let others: Vec<&(Root, Runs)> = reaches.iter().filter(|(root, _)| runs(root)).collect();
        let found = search.meeting(taken, suspended, &takings, &others, descent);
        let Some(found) = found else { continue };
        match best.get(&(body, taken.block)) {
            Some(known) if known.stall >= found.stall => {}
            _ => _ = best.insert((body, taken.block), found),
        }
    }
    best.into_values().collect()
}

struct Search<'s, 'a> {
    flow: &'s Flow<'a>,
    facts: &'s Facts,
    /// What a constructor gives its task is what callers have.
    same: Same,
}

impl Search<'_, '_> {
    fn is_future(&self, inst: InstId) -> bool {
        matches!(self.flow.body_of(inst).kind, BodyKind::Coroutine { .. })
    }

    /// All calls that take something, in what runs anywhere.
    fn takings(&self, descent: &Descent<'_, '_>) -> Vec<Taking> {
        let mut found = Vec::new();
        for ((inst, block), info) in &self.flow.calls {
            if self.flow.is_late() {
                break;
            }
            let cfg = &self.facts.cfgs[inst.0 as usize];
            if info.foreign.is_none() || !cfg.reached.contains(&(*block as usize)) || !descent.runs(*inst) {
                continue;
            }
            let body = self.flow.body_of(*inst);
            let TerminatorKind::Call(call) = &body.blocks[*block as usize].terminator.kind else { continue };
            let acquire = self.flow.model_of(info).and_then(|model| model.acquire.as_ref());
            let taking = match acquire {
                Some(acquire) if acquire.when == When::Await => None,
                Some(acquire) => Some(Taking {
                    inst: *inst,
                    block: *block,
                    locs: self.behind(*inst, call, acquire.lock),
                    exclusive: acquire.mode == Mode::Exclusive,
                    borrow: false,
                    held: acquire.when != When::During,
                    insists: acquire.when != When::Try && !acquire.at_once,
                }),
                None => self.borrow(*inst, *block, call),
            };
            found.extend(taking.filter(|taking| !taking.locs.is_empty()));
        }
        found
    }

    /// A call that returns a borrow of what it is called on.
    fn borrow(&self, inst: InstId, block: u32, call: &CallTarget) -> Option<Taking> {
        let ty = self.flow.place_ty(inst, &call.dest)?;
        let mode_of = |ty: &TyKind| self.flow.model(ty).and_then(|model| model.borrow);
        let mut mode = None;
        any_part(&ty, &mut |part| {
            mode = mode.or(mode_of(part));
            mode.is_some()
        });
        let mode = mode?;
        let is_first = call.args.first().and_then(Operand::place).is_some_and(|place| {
            let ty = self.flow.place_ty(inst, place);
            ty.is_some_and(|ty| matches!(&*ty, TyKind::Ref { .. }) && mode_of(ty.peel_refs()).is_none())
        });
        is_first.then(|| Taking {
            inst,
            block,
            locs: self.behind(inst, call, 0),
            exclusive: mode == Mode::Exclusive,
            borrow: true,
            held: true,
            // One that may fail says so in its type.
            insists: mode_of(&ty).is_some(),
        })
    }

    /// What an argument points to.
    fn behind(&self, inst: InstId, call: &CallTarget, number: usize) -> Vec<LocId> {
        let place =
            call.args.get(number).and_then(Operand::place).filter(|place| place.projection.is_empty());
        let loc = place.and_then(|place| self.flow.heap.find(&Origin::Local(inst, place.local.0)));
        let direct = loc.map_or(Vec::new(), |loc| self.flow.heap.targets(loc));
        // Who asks an iterator for more takes the lock of what that goes through.
        let mut level = direct.clone();
        for _ in 0..VIEWS {
            if level.iter().any(|loc| self.is_lock(*loc)) {
                level.retain(|loc| self.is_lock(*loc));
                return level;
            }
            level = self.flow.heap.behind(&level);
        }
        place.and_then(|place| self.made_of(inst, place.local)).unwrap_or(direct)
    }

    /// The locks that a local was made of in its function: an iterator over a map does not point to that, by its type.
    fn made_of(&self, inst: InstId, mut local: Local) -> Option<Vec<LocId>> {
        let body = self.flow.body_of(inst);
        let mut seen = BTreeSet::new();
        while seen.insert(local) {
            let loc = self.flow.heap.find(&Origin::Local(inst, local.0));
            let mut targets = loc.map_or(Vec::new(), |loc| self.flow.heap.targets(loc));
            targets.retain(|target| self.is_lock(*target));
            if !targets.is_empty() {
                return Some(targets);
            }
            local = body.blocks.iter().find_map(|block| source(block, local))?;
        }
        None
    }

    fn is_lock(&self, loc: LocId) -> bool {
        let kind = self.flow.heap.get(loc).ty.as_ref().and_then(|ty| self.flow.kind(ty));
        matches!(kind, Some(TypeKind::Lock | TypeKind::Cell | TypeKind::Atomic))
    }

    /// The instances in which a task may be suspended.
    fn suspending(&self, graph: &Graph) -> FxHashSet<InstId> {
        let mut callers: FxHashMap<InstId, Vec<InstId>> = FxHashMap::default();
        let mut work = Vec::new();
        for (index, node) in graph.nodes.iter().enumerate() {
            let inst = InstId(index as u32);
            node.edges.iter().for_each(|edge| callers.entry(edge.to).or_default().push(inst));
            let blocks = 0..self.facts.effects.get(index).map_or(0, Vec::len);
            if blocks.into_iter().any(|block| self.waits_at(inst, block)) {
                work.push(inst);
            }
        }
        let mut found = FxHashSet::default();
        while let Some(inst) = work.pop() {
            if found.insert(inst) {
                work.extend(callers.get(&inst).into_iter().flatten());
            }
        }
        found
    }

    /// Whether a future is polled at the end of a block that may not be ready, other than by running bodies.
    fn waits_at(&self, inst: InstId, block: usize) -> bool {
        let polls = self.flow.calls.get(&(inst, block as u32)).is_some_and(|info| info.poll.is_some());
        polls
            && self.facts.effects[inst.0 as usize][block].iter().any(|step| {
                matches!(
                    step.action,
                    Action::Yield { .. }
                        | Action::Source { .. }
                        | Action::Expect { .. }
                        | Action::Join { .. }
                        | Action::Acquire { .. }
                )
            })
    }

    /// Where the task may be suspended while it holds what a call returned: the first such block.
    fn suspended_with(&self, taking: &Taking, graph: &Graph, suspends: &FxHashSet<InstId>) -> Option<u32> {
        let node = graph.node(taking.inst);
        let suspends_at = |block: usize| {
            let polls =
                self.flow.calls.get(&(taking.inst, block as u32)).is_some_and(|info| info.poll.is_some());
            let runs = || node.edges.iter().filter(|edge| edge.block == block as u32);
            polls && (self.waits_at(taking.inst, block) || runs().any(|edge| suspends.contains(&edge.to)))
        };
        let mut found: Option<u32> = None;
        self.follow(taking, |block, _| {
            if suspends_at(block) {
                found = Some(found.map_or(block as u32, |known| known.min(block as u32)));
            }
        });
        found
    }

    /// Tells of each block that ends while what a call returned is held, and of who holds it there.
    fn follow(&self, taking: &Taking, mut tell: impl FnMut(usize, Local)) {
        let body = self.flow.body_of(taking.inst);
        let cfg = &self.facts.cfgs[taking.inst.0 as usize];
        let TerminatorKind::Call(call) = &body.blocks[taking.block as usize].terminator.kind else { return };
        let start = cfg.succs[taking.block as usize].iter().map(|next| (*next, call.dest.local));
        let mut work: Vec<(usize, Local)> = start.collect();
        let mut seen: BTreeSet<(usize, Local)> = work.iter().copied().collect();
        while let Some((block, holder)) = work.pop() {
            let Some(holder) = self.moved(body, block, holder) else { continue };
            tell(block, holder);
            let holder = match &body.blocks[block].terminator.kind {
                TerminatorKind::Drop { place, .. } if place.local == holder => None,
                TerminatorKind::Call(call) => self.given(taking.inst, call, holder),
                _ => Some(holder),
            };
            if let Some(holder) = holder {
                work.extend(
                    cfg.succs[block].iter().map(|next| (*next, holder)).filter(|next| seen.insert(*next)),
                );
            }
        }
    }

    /// Who holds the guard behind the statements of a block; nobody if it is gone.
    fn moved(&self, body: &Body, block: usize, mut holder: Local) -> Option<Local> {
        let is_held =
            |operand: &Operand, holder: Local| matches!(operand, Operand::Move(from) if from.local == holder);
        for statement in &body.blocks[block].statements {
            match &statement.kind {
                StatementKind::Assign(to, Rvalue::Use(operand) | Rvalue::Cast(_, operand, _))
                    if is_held(operand, holder) =>
                {
                    holder = to.local;
                }
                StatementKind::Assign(to, Rvalue::Aggregate(_, operands))
                    if operands.iter().any(|operand| is_held(operand, holder)) =>
                {
                    holder = to.local;
                }
                StatementKind::StorageDead(local) if *local == holder => return None,
                _ => {}
            }
        }
        Some(holder)
    }

    /// Who holds the guard behind a call; nobody if it is given away.
    fn given(&self, inst: InstId, call: &CallTarget, holder: Local) -> Option<Local> {
        let is_given = |arg: &Operand| matches!(arg, Operand::Move(place) if place.local == holder);
        if !call.args.iter().any(is_given) {
            return Some(holder);
        }
        let ty = self.flow.place_ty(inst, &call.dest)?;
        self.is_guard(&ty).then_some(call.dest.local)
    }

    /// Whether a value of this type is a guard or a borrow, or has one in itself.
    fn is_guard(&self, ty: &TyKind) -> bool {
        owned::has(self.flow, ty, &mut |part| {
            let model = self.flow.model(part);
            model.is_some_and(|model| model.kind == Some(TypeKind::Guard) || model.borrow.is_some())
        })
    }

    /// The calls that return what some of these take: a method that locks, and gives its guard to whoever calls it.
    fn returning(&self, takings: &[Taking]) -> Vec<Taking> {
        let held = |taking: &&Taking| taking.held && !self.is_future(taking.inst) && self.is_returned(taking);
        let mut level: Vec<Taking> = takings.iter().filter(held).cloned().collect();
        let mut found = Vec::new();
        let mut known: BTreeSet<(InstId, u32)> = BTreeSet::new();
        for _ in 0..RETURNED {
            let mut by: BTreeMap<InstId, Vec<&Taking>> = BTreeMap::new();
            level.iter().for_each(|taking| by.entry(taking.inst).or_default().push(taking));
            if by.is_empty() {
                break;
            }
            let mut next = Vec::new();
            for ((inst, block), info) in self.flow.calls.iter().filter(|(_, info)| info.foreign.is_none()) {
                let returns = info.callees.iter().filter_map(|callee| by.get(callee)).flatten();
                for taking in returns {
                    let call = Taking { inst: *inst, block: *block, ..(*taking).clone() };
                    if self.returns_guard(&call) && known.insert((*inst, *block)) {
                        next.push(call);
                    }
                }
            }
            found.extend(next.iter().cloned());
            level = next.into_iter().filter(|taking| held(&taking)).collect();
        }
        found
    }

    /// Whether the result of a call has a guard in itself.
    fn returns_guard(&self, taking: &Taking) -> bool {
        let body = self.flow.body_of(taking.inst);
        let TerminatorKind::Call(call) = &body.blocks[taking.block as usize].terminator.kind else {
            return false;
        };
        self.flow.place_ty(taking.inst, &call.dest).is_some_and(|ty| self.is_guard(&ty))
    }

    /// Whether a function returns what it takes with a call.
    fn is_returned(&self, taking: &Taking) -> bool {
        let mut returned = false;
        self.follow(taking, |_, holder| returned |= holder == Local(0));
        returned
    }

    /// Who takes meanwhile what is held: the gravest case.
    fn meeting(
        &self,
        taken: &Taking,
        suspended: u32,
        takings: &[Taking],
        reaches: &[&(Root, Runs)],
        descent: &Descent<'_, '_>,
    ) -> Option<Overlap> {
        let mut best: Option<Overlap> = None;
        let holders = reaches.iter().filter(|of| of.1.contains_key(&taken.inst));
        for (holder, held_below) in holders.copied() {
            for wanted in takings.iter().filter(|wanted| wanted.insists && wanted.borrow == taken.borrow) {
                if !(wanted.exclusive || taken.exclusive) {
                    continue;
                }
                let is_wanted = |loc: &&LocId| wanted.locs.iter().any(|wanted| self.is_one(**loc, *wanted));
                let Some(loc) = taken.locs.iter().find(is_wanted) else { continue };
                for (taker, wanted_below) in
                    reaches.iter().filter(|of| of.1.contains_key(&wanted.inst)).copied()
                {
                    let runs = (held_below.get(&taken.inst), wanted_below.get(&wanted.inst));
                    let (Some(here), Some(there)) = runs else { continue };
                    let is_same = (taker.inst, taker.record) == (holder.inst, holder.record);
                    let together = is_same && self.is_in_turn(here, there, *loc, held_below);
                    let apart = || descent.is_many(holder) && self.is_common(*loc, held_below);
                    if is_same && !together && !apart()
                        || !is_same && descent.is_beginning(taker, wanted.inst)
                    {
                        continue;
                    }
                    let stall = match together {
                        true => Some(Stall::Together),
                        false => stall(taken, here.record, there.record, descent.is_many(taker)),
                    };
                    let Some(stall) = stall else { continue };
                    if best.as_ref().is_none_or(|best| stall > best.stall) {
                        best = Some(Overlap {
                            holder: holder.clone(),
                            taken: taken.clone(),
                            suspended,
                            taker: taker.clone(),
                            wanted: wanted.clone(),
                            loc: *loc,
                            stall,
                        });
                    }
                }
            }
        }
        best
    }

    fn is_one(&self, one: LocId, other: LocId) -> bool {
        one == other || self.same.of(self.flow, one) == self.same.of(self.flow, other)
    }

    /// Whether two instances that one root runs are polled in turn, and the location is not made by one of the two.
    fn is_in_turn(&self, here: &Run, there: &Run, loc: LocId, below: &Runs) -> bool {
        let maker = self.made_by(loc).and_then(|maker| below.get(&maker));
        let is_above = |turn: &Turn| maker.is_none_or(|maker| !maker.turns.contains(turn));
        here.turns.iter().any(|one| {
            let mut others = there.turns.iter().filter(|other| other.by == one.by && is_above(one));
            others.any(|other| if one == other { one.several } else { is_above(other) })
        })
    }

    /// Whether a location is not made anew by each run of what a root runs.
    fn is_common(&self, loc: LocId, below: &Runs) -> bool {
        match self.made_by(loc) {
            Some(inst) => !below.contains_key(&inst),
            None => !matches!(&*self.flow.heap.get(loc).root, Origin::Alone(..)),
        }
    }

    /// The instance that makes a location.
    fn made_by(&self, loc: LocId) -> Option<InstId> {
        match &*self.flow.heap.get(loc).root {
            Origin::Local(inst, _) | Origin::Heap(inst, _) | Origin::Item(inst, ..) => Some(*inst),
            Origin::Alone(..) | Origin::Static(..) | Origin::ThreadLocal(_) | Origin::Outside(..) => None,
        }
    }
}

/// The local that another is made of in a block: what it was, what it refers to, or what a call was given first.
fn source(block: &BasicBlock, local: Local) -> Option<Local> {
    let of_statement = block.statements.iter().find_map(|statement| {
        let StatementKind::Assign(to, rvalue) = &statement.kind else { return None };
        to.as_local().filter(|to| *to == local)?;
        match rvalue {
            Rvalue::Use(operand) | Rvalue::Cast(_, operand, _) => Some(operand.place()?.local),
            Rvalue::Ref(_, of) => Some(of.local),
            _ => None,
        }
    });
    of_statement.or_else(|| match &block.terminator.kind {
        TerminatorKind::Call(call) if call.dest.as_local() == Some(local) => {
            Some(call.args.first()?.place()?.local)
        }
        _ => None,
    })
}

/// What it comes to that one is suspended here with what it has taken, and another, or many of them, wait for that there; nothing where each has a
/// thread for itself.
fn stall(taken: &Taking, here: Record, there: Record, many: bool) -> Option<Stall> {
    let is_one = here.place == there.place && here.threads == Some(Threads::One);
    match (here.threads, there.threads) {
        _ if taken.borrow || is_one => Some(Stall::OneThread),
        (Some(Threads::Each), Some(Threads::Each)) => None,
        (None, _) => Some(Stall::AnyRuntime),
        (Some(Threads::One | Threads::Many), _)
            if many && (here.place == there.place || there.threads.is_none()) =>
        {
            Some(Stall::AllThreads)
        }
        (Some(_), _) => Some(Stall::Elsewhere),
    }
}
