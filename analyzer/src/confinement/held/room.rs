//! Locks that are held where a task waits for room in a channel, and who makes room there waits for the lock before it does so again.
//!
//! Both wait for ever then, also where the lock is one that is awaited. How much room there is does not matter: it is used up by then.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::Mode;
use crate::mir::{Operand, TerminatorKind, Ty, TyKind};
use crate::world::actions::effects::{Action, Step};
use crate::world::points::heap::{LocId, Part};
use crate::world::points::points_to::InstId;

use super::{Overlap, Search, Stall, Taking};
use crate::confinement::descend::{Descent, Root};
use crate::confinement::graph::Graph;
use crate::confinement::reach::Runs;

/// Locks, each with how and in which block it was taken.
type Locks = BTreeMap<LocId, (Mode, usize)>;

/// Who takes messages out of channels in a loop, and what it locks in that loop.
struct Receiver {
    inst: InstId,
    channels: Vec<LocId>,
    /// The types of what it takes out.
    payloads: BTreeSet<String>,
    takings: Vec<Taking>,
}

/// What something is sent on, and of which type that is.
type Channel = (LocId, Option<String>);

/// What points to channels: a collection of senders does, or a field of what callers have.
struct Ends {
    by_loc: BTreeMap<LocId, BTreeSet<LocId>>,
    by_part: BTreeMap<Part, BTreeSet<LocId>>,
}

impl Ends {
    fn of<'c>(search: &Search<'_, '_>, channels: impl Iterator<Item = &'c LocId>) -> Ends {
        let channels: BTreeSet<LocId> = channels.copied().collect();
        let (mut by_loc, mut by_part) = (BTreeMap::new(), BTreeMap::new());
        for id in search.flow.heap.ids() {
            let end = search.flow.heap.get(id);
            let far: BTreeSet<LocId> = end.points_to.intersection(&channels).copied().collect();
            if far.is_empty() {
                continue;
            }
            // Tuples and what closures hold are of no type that others have, too.
            if let Some((_, part)) = end.parent.as_ref().filter(|(_, part)| !part.owner.is_empty()) {
                by_part.entry(part.clone()).or_insert_with(BTreeSet::new).extend(&far);
            }
            by_loc.entry(search.same.of(search.flow, id)).or_insert_with(BTreeSet::new).extend(far);
        }
        Ends { by_loc, by_part }
    }

    /// Whether what something is sent on is, or points to, one of these channels.
    /// Of senders of which no more is known the type says so: whoever makes room takes the same lock, too.
    fn meet(&self, search: &Search<'_, '_>, (sender, payload): &Channel, receiver: &Receiver) -> bool {
        let far = self.by_loc.get(&search.same.of(search.flow, *sender));
        let parent = search.flow.heap.get(*sender).parent.as_ref();
        let field = parent.and_then(|(_, part)| self.by_part.get(part));
        let mut known = far.into_iter().chain(field).flatten().chain([sender]);
        let is_known = far.is_some() || field.is_some();
        let by_type =
            !is_known && payload.as_ref().is_some_and(|payload| receiver.payloads.contains(payload));
        by_type || known.any(|channel| receiver.channels.contains(channel))
    }
}

impl Search<'_, '_> {
    /// All of them, one of each place where a task waits for room.
    pub(super) fn waiting_for_room(&self, graph: &Graph, descent: &Descent<'_, '_>) -> Vec<Overlap> {
        let sends = self.sends(descent);
        if sends.is_empty() {
            return Vec::new();
        }
        let senders = callers(graph, descent, sends.keys().map(|(inst, _)| *inst));
        let receivers = self.receivers(graph, descent);
        let ends = Ends::of(self, receivers.iter().flat_map(|receiver| &receiver.channels));
        let mut pairs = Vec::new();
        for index in 0..self.facts.effects.len() {
            let inst = InstId(index as u32);
            if receivers.is_empty() || !descent.runs(inst) {
                continue;
            }
            for (block, locks) in self.held(inst) {
                // The channels in which this waits for room, or what it calls.
                let edges = graph.node(inst).edges.iter().filter(|edge| edge.block == block as u32);
                let below =
                    edges.filter(|edge| !descent.is_start(edge)).filter_map(|edge| senders.get(&edge.to));
                let here = sends.get(&(inst, block)).into_iter().flatten();
                let called = below.flatten().flat_map(|sender| {
                    sends.iter().filter(move |((inst, _), _)| inst == sender).flat_map(|(_, locs)| locs)
                });
                let channels: BTreeSet<&Channel> = here.chain(called).collect();
                for (lock, (mode, at)) in locks {
                    let taken = self.taking((inst, at), lock, mode);
                    let meets = receivers.iter().filter_map(|receiver| {
                        let (channel, _) =
                            channels.iter().find(|channel| ends.meet(self, channel, receiver))?;
                        let wanted = receiver.takings.iter().find(|wanted| {
                            (wanted.exclusive || taken.exclusive)
                                && wanted.locs.iter().any(|other| self.is_one(lock, *other))
                        })?;
                        Some((taken.clone(), block, *channel, receiver.inst, wanted.clone()))
                    });
                    pairs.extend(meets);
                }
            }
        }
        if pairs.is_empty() {
            return Vec::new();
        }
        let insts: FxHashSet<InstId> = pairs
            .iter()
            .flat_map(|(taken, _, _, receiver, wanted)| [taken.inst, *receiver, wanted.inst])
            .collect();
        let roots = descent.reaches(&insts);
        let mut found: BTreeMap<(u32, usize), Overlap> = BTreeMap::new();
        for (taken, block, channel, receiver, wanted) in pairs {
            let key = (self.flow.instances[taken.inst.0 as usize].body.0, block);
            let both = self.apart(&roots, (&taken, receiver, &wanted), descent);
            if let (Some((holder, taker)), false) = (both, found.contains_key(&key)) {
                let overlap = Overlap {
                    holder: holder.clone(),
                    suspended: block as u32,
                    taker: taker.clone(),
                    loc: taken.locs[0],
                    stall: Stall::Room(channel),
                    taken,
                    wanted,
                };
                found.insert(key, overlap);
            }
        }
        found.into_values().collect()
    }

    /// The calls that wait for room in a channel, with what that may be.
    fn sends(&self, descent: &Descent<'_, '_>) -> BTreeMap<(InstId, usize), Vec<Channel>> {
        let mut found = BTreeMap::new();
        for ((inst, block), info) in self.flow.calls.iter().filter(|((inst, _), _)| descent.runs(*inst)) {
            let waits = self.flow.model_of(info).is_some_and(|model| model.room.is_some());
            let steps =
                self.facts.effects.get(inst.0 as usize).and_then(|blocks| blocks.get(*block as usize));
            let locs = steps.into_iter().flatten().filter_map(|step| match &step.action {
                Action::Answer { locs } => Some(locs),
                _ => None,
            });
            let locs = locs.flatten().filter(|_| waits);
            let payload = self.called_with(*inst, *block as usize).and_then(|ty| payload(&ty));
            // A signal that says no more is sent once, as a rule, and there is room for one.
            let locs = locs.filter(|_| payload.as_deref() != Some("()"));
            let channels: Vec<Channel> = locs.map(|loc| (*loc, payload.clone())).collect();
            if !channels.is_empty() {
                found.insert((*inst, *block as usize), channels);
            }
        }
        found
    }

    /// The type of the first argument of the call that ends a block.
    fn called_with(&self, inst: InstId, block: usize) -> Option<Ty> {
        let TerminatorKind::Call(call) = &self.flow.body_of(inst).blocks[block].terminator.kind else {
            return None;
        };
        self.flow.place_ty(inst, call.args.first().and_then(Operand::place)?)
    }

    /// The type of what the call that ends a block gives, be it at last, or if there is anything.
    fn given_by(&self, inst: InstId, block: usize) -> Option<String> {
        let TerminatorKind::Call(call) = &self.flow.body_of(inst).blocks[block].terminator.kind else {
            return None;
        };
        let mut ty = self.flow.place_ty(inst, &call.dest)?;
        while ty.as_path().is_some_and(|path| ["Poll", "Option", "Result"].contains(&path.last())) {
            let of = ty.as_path()?.type_args().next()?.clone();
            ty = of;
        }
        Some(ty.to_string())
    }

    /// The locks that may be held at the end of each block of an instance, where there are any.
    fn held(&self, inst: InstId) -> Vec<(usize, Locks)> {
        let effects = &self.facts.effects[inst.0 as usize];
        if !effects.iter().flatten().any(|step| acquired(step).is_some()) {
            return Vec::new();
        }
        let cfg = &self.facts.cfgs[inst.0 as usize];
        let mut before: BTreeMap<usize, Locks> = BTreeMap::new();
        let mut after: BTreeMap<usize, Locks> = BTreeMap::new();
        let mut work: Vec<usize> = cfg.reached.iter().copied().collect();
        while let Some(block) = work.pop() {
            let mut locks = before.get(&block).cloned().unwrap_or_default();
            for step in &effects[block] {
                if let Action::Release { locks: released } = &step.action {
                    released.iter().for_each(|lock| _ = locks.remove(lock));
                }
                let taken = acquired(step)
                    .into_iter()
                    .flat_map(|(taken, mode)| taken.iter().map(move |lock| (lock, mode)));
                taken.for_each(|(lock, mode)| _ = locks.insert(*lock, (mode, block)));
            }
            for &next in &cfg.succs[block] {
                let known = before.entry(next).or_default();
                let more: Vec<_> = locks.iter().filter(|(lock, _)| !known.contains_key(lock)).collect();
                if !more.is_empty() {
                    known.extend(more.into_iter().map(|(lock, how)| (*lock, *how)));
                    work.push(next);
                }
            }
            after.insert(block, locks);
        }
        after.into_iter().filter(|(_, locks)| !locks.is_empty()).collect()
    }

    /// All who receive in a loop and lock something there.
    fn receivers(&self, graph: &Graph, descent: &Descent<'_, '_>) -> Vec<Receiver> {
        let mut found = Vec::new();
        for (index, effects) in self.facts.effects.iter().enumerate() {
            let inst = InstId(index as u32);
            let receives = |step: &Step| match &step.action {
                Action::Expect { locs } | Action::Receive { locs } => locs.clone(),
                _ => Vec::new(),
            };
            if !descent.runs(inst) || !effects.iter().flatten().any(|step| !receives(step).is_empty()) {
                continue;
            }
            for (_, blocks) in self.facts.event_loops(inst) {
                let received =
                    |block: &usize| -> Vec<LocId> { effects[*block].iter().flat_map(receives).collect() };
                let channels: Vec<LocId> = blocks.iter().flat_map(received).collect();
                if !channels.is_empty() {
                    let there = blocks.iter().filter(|block| !received(block).is_empty());
                    let payloads = there.filter_map(|block| self.given_by(inst, *block)).collect();
                    let takings = self.locked_in(inst, blocks, graph, descent);
                    found.push(Receiver { inst, channels, payloads, takings });
                }
            }
        }
        found
    }

    /// What blocks of an instance lock, or what they call.
    fn locked_in(
        &self,
        inst: InstId,
        blocks: &BTreeSet<usize>,
        graph: &Graph,
        descent: &Descent<'_, '_>,
    ) -> Vec<Taking> {
        let mut found = Vec::new();
        let mut seen: FxHashSet<InstId> = FxHashSet::default();
        let mut work = vec![(inst, Some(blocks))];
        while let Some((inst, blocks)) = work.pop() {
            let is_there = |block: usize| blocks.is_none_or(|blocks| blocks.contains(&block));
            for (block, steps) in self.facts.effects[inst.0 as usize].iter().enumerate() {
                let here = steps.iter().filter(|_| is_there(block)).filter_map(acquired);
                found.extend(here.flat_map(|(locks, mode)| {
                    locks.iter().map(move |lock| self.taking((inst, block), *lock, mode))
                }));
            }
            let edges = graph.node(inst).edges.iter().filter(|edge| is_there(edge.block as usize));
            let called = edges.filter(|edge| !descent.is_start(edge)).map(|edge| edge.to);
            work.extend(called.filter(|to| seen.insert(*to)).map(|to| (to, None)));
        }
        found
    }

    fn taking(&self, (inst, block): (InstId, usize), lock: LocId, mode: Mode) -> Taking {
        Taking {
            inst,
            block: block as u32,
            locs: vec![lock],
            exclusive: mode == Mode::Exclusive,
            borrow: false,
            held: true,
            insists: true,
        }
    }

    /// Who holds the lock, and another one who receives and wants it.
    fn apart<'r>(
        &self,
        roots: &'r [(Root, Runs)],
        (taken, receiver, wanted): (&Taking, InstId, &Taking),
        descent: &Descent<'_, '_>,
    ) -> Option<(&'r Root, &'r Root)> {
        let holders = roots.iter().filter(|(_, runs)| runs.contains_key(&taken.inst));
        holders.into_iter().find_map(|(holder, below)| {
            let takes = |(taker, runs): &&(Root, Runs)| {
                let is_same = (taker.inst, taker.record) == (holder.inst, holder.record);
                runs.contains_key(&receiver)
                    && runs.contains_key(&wanted.inst)
                    && (!is_same || descent.is_many(holder) && self.is_common(taken.locs[0], below))
            };
            roots.iter().find(takes).map(|(taker, _)| (holder, taker))
        })
    }
}

/// The type of what can be sent on a sender of this type.
fn payload(sender: &TyKind) -> Option<String> {
    sender.peel_refs().as_path()?.type_args().next().map(|ty| ty.to_string())
}

/// The locks that a step takes, whatever it takes to get them.
fn acquired(step: &Step) -> Option<(&Vec<LocId>, Mode)> {
    match &step.action {
        Action::Acquire { locks, mode } if step.only_if.is_none() => Some((locks, *mode)),
        _ => None,
    }
}

/// By instance: those of these that it calls at some depth, or is itself.
fn callers(
    graph: &Graph,
    descent: &Descent<'_, '_>,
    these: impl Iterator<Item = InstId>,
) -> FxHashMap<InstId, BTreeSet<InstId>> {
    let mut above: FxHashMap<InstId, Vec<InstId>> = FxHashMap::default();
    for (index, node) in graph.nodes.iter().enumerate() {
        for edge in node.edges.iter().filter(|edge| !descent.is_start(edge)) {
            above.entry(edge.to).or_default().push(InstId(index as u32));
        }
    }
    let mut found: FxHashMap<InstId, BTreeSet<InstId>> = FxHashMap::default();
    let these: BTreeSet<InstId> = these.collect();
    for of in these {
        let mut work = vec![of];
        while let Some(inst) = work.pop() {
            if found.entry(inst).or_default().insert(of) {
                work.extend(above.get(&inst).into_iter().flatten());
            }
        }
    }
    found
}
