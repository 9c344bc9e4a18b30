//! What a task that takes one message after the other does to what it has itself, by kind of message: an actor's state is in its locals, or
//! in what it refers to, and nobody else can look at it.

use std::collections::{BTreeMap, BTreeSet};

use crate::lower::sharing::basis::Search;
use crate::lower::sharing::channels::Sending;
use crate::lower::sharing::receipts::{Receipt, Receiver, Variants, asks, kinds_of};
use crate::mir::{
    AggregateKind, Body, BorrowKind, Local, Operand, Place, Projection, Rvalue, StatementKind, TerminatorKind,
};
use crate::world::actions::cfg::{Cfg, reach, reach_through};
use crate::world::actions::effects::Action;
use crate::world::points::points_to::InstId;
use crate::world::values::rechecks::made_of;

/// A part of an actor's state: a local, or a field of it.
pub(super) type Part = (Local, Option<u32>);

/// What an actor does with one kind of message.
pub(super) struct Arm {
    pub at: (InstId, usize),
    pub variants: Variants,
    /// Parts that it looks at.
    pub reads: BTreeSet<Part>,
    /// Parts that it changes.
    pub changes: BTreeSet<Part>,
    /// Those in which it puts what came with the message, whatever is there, and which it does not look at.
    pub sets: BTreeSet<Part>,
    /// Those in which it puts that under a key.
    pub keyed: BTreeSet<Part>,
    /// Whether it sends something.
    pub answers: bool,
}

impl Arm {
    /// Whether it is that of a variant.
    pub fn takes(&self, variant: i128) -> bool {
        match &self.variants {
            Variants::Any => false,
            Variants::These(these) => these.contains(&variant),
            Variants::AllBut(others) => !others.contains(&variant),
        }
    }
}

/// Where a body tells the kinds of messages apart.
struct Kinds {
    inst: InstId,
    arms: Vec<(usize, Variants)>,
    /// Locals that have the message, or a part of it.
    content: BTreeSet<Local>,
    /// Locals whose contents outlive the message; those behind a reference, if it is another body than that with the loop.
    kept: BTreeSet<Local>,
    behind: bool,
}

impl Search<'_, '_> {
    /// What an actor does with each kind of message, as far as it tells kinds apart; `receipts` are those at one place.
    pub(super) fn arms(&self, receipts: &[&Receipt], sendings: &[Sending]) -> Vec<Arm> {
        let Some(kinds) = self.kinds(receipts) else { return Vec::new() };
        let (body, cfg) = (self.flow.body_of(kinds.inst), self.cfg(kinds.inst));
        let starts: BTreeSet<usize> = kinds.arms.iter().map(|(arm, _)| *arm).collect();
        let round = |from: usize| {
            let inside = |block: usize| cfg.loop_of(block).is_some() || kinds.behind;
            let first = self.facts.event_loops(kinds.inst).into_iter().map(|(first, _)| first);
            let firsts: BTreeSet<usize> = first.collect();
            reach_through(&cfg.succs, [from], |block| inside(block) && !firsts.contains(&block))
        };
        let arm = |(at, variants): &(usize, Variants)| {
            let others = starts.iter().filter(|other| *other != at).flat_map(|other| round(*other));
            let others: BTreeSet<usize> = others.collect();
            let blocks: BTreeSet<usize> = round(*at).difference(&others).copied().collect();
            let answers =
                sendings.iter().any(|sending| sending.at.0 == kinds.inst && blocks.contains(&sending.at.1));
            let uses = Uses::of(self, &kinds, body, &blocks);
            Arm {
                at: (kinds.inst, *at),
                variants: variants.clone(),
                sets: uses.sets.difference(&uses.reads).copied().collect(),
                keyed: uses.keyed,
                reads: uses.reads,
                changes: uses.changes,
                answers,
            }
        };
        kinds.arms.iter().map(arm).collect()
    }

    /// Where kinds of messages are told apart: where they are received, or in the one function that is given them.
    fn kinds(&self, receipts: &[&Receipt]) -> Option<Kinds> {
        let first = receipts.first().filter(|receipt| receipt.by == Receiver::Queue)?;
        let (inst, body, cfg) = (first.at.0, self.flow.body_of(first.at.0), self.cfg(first.at.0));
        if !receipts.iter().any(|receipt| receipt.variants == Variants::Any) {
            let arms = receipts.iter().map(|receipt| (receipt.at.1, receipt.variants.clone())).collect();
            let loops = self.facts.event_loops(inst);
            let (_, round) = loops.into_iter().find(|(_, blocks)| blocks.contains(&first.at.1))?;
            let kept = assigned(body, cfg.reached.iter().filter(|block| !round.contains(block)));
            return Some(Kinds { inst, arms, content: first.content.clone(), kept, behind: false });
        }
        let [only] = receipts else { return None };
        self.handed_to(only)
    }

    /// The function that is given what was received, and tells its kinds apart.
    fn handed_to(&self, receipt: &Receipt) -> Option<Kinds> {
        let (inst, body) = (receipt.at.0, self.flow.body_of(receipt.at.0));
        let after = reach(&self.cfg(inst).succs, [receipt.at.1]);
        let mut found = None;
        for block in after {
            let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { continue };
            let whole = |arg: &Operand| {
                let local = arg.place().and_then(Place::as_local);
                let ty = local.and_then(|local| self.flow.local_ty(inst, local.0));
                ty.is_some() && ty == receipt.payload && local.is_some_and(|it| receipt.content.contains(&it))
            };
            let Some(number) = call.args.iter().position(whole) else { continue };
            let steps = &self.facts.effects[inst.0 as usize][block];
            let callees = steps.iter().find_map(|step| match &step.action {
                Action::Call { callees, .. } => Some(callees),
                _ => None,
            });
            let Some(callee) =
                callees.filter(|callees| callees.len() == 1).and_then(|callees| callees.first())
            else {
                continue;
            };
            if found.replace((*callee, number)).is_some() {
                return None;
            }
        }
        let (callee, number) = found?;
        let (run, params) = self.run_by(inst, callee)?;
        let (body, cfg) = (self.flow.body_of(run), self.cfg(run));
        let message = *params.get(&number)?;
        let is_it = |place: &Place| place.as_local() == Some(message);
        let mut switches =
            cfg.reached.iter().filter_map(|block| asks(body, *block)).filter(|(of, ..)| is_it(of));
        let (_, targets, otherwise) = switches.next()?;
        let kept = params.values().copied().filter(|local| *local != message).collect();
        let content = made_of(body, cfg, message);
        Some(Kinds { inst: run, arms: kinds_of(targets, otherwise), content, kept, behind: true })
    }

    /// What runs when a function is called, be it the future that it makes, with the locals that its arguments are in.
    fn run_by(&self, caller: InstId, callee: InstId) -> Option<(InstId, BTreeMap<usize, Local>)> {
        let body = self.flow.body_of(callee);
        let future = body.blocks.iter().flat_map(|block| &block.statements).find_map(|statement| {
            let StatementKind::Assign(_, Rvalue::Aggregate(kind, _)) = &statement.kind else { return None };
            match &**kind {
                AggregateKind::Coroutine { body: def, .. } => Some(def.clone()),
                _ => None,
            }
        });
        let Some(future) = future else {
            let params = (0..body.inputs().count()).map(|number| (number, Local(number as u32 + 1)));
            return Some((callee, params.collect()));
        };
        let calls = self.facts.effects[caller.0 as usize].iter().flatten();
        let mut callees = calls.filter_map(|step| match &step.action {
            Action::Call { callees, .. } => Some(callees),
            _ => None,
        });
        let run = callees.find_map(|callees| {
            let mut all = callees.iter().copied();
            all.find(|callee| self.flow.body_of(*callee).def == future)
        })?;
        let mut params = BTreeMap::new();
        for statement in self.flow.body_of(run).blocks.iter().flat_map(|block| &block.statements) {
            if let StatementKind::Assign(to, Rvalue::Use(Operand::Move(of) | Operand::Copy(of))) =
                &statement.kind
                && let (Some(to), Local(1), [Projection::Field(number, _)]) =
                    (to.as_local(), of.local, &of.projection[..])
            {
                params.entry(*number as usize).or_insert(to);
            }
        }
        Some((run, params))
    }
}

/// Locals that are filled in these blocks.
fn assigned<'b>(body: &Body, blocks: impl Iterator<Item = &'b usize>) -> BTreeSet<Local> {
    let mut found = BTreeSet::new();
    for &block in blocks {
        let data = &body.blocks[block];
        for statement in &data.statements {
            if let StatementKind::Assign(to, _) = &statement.kind {
                found.insert(to.local);
            }
        }
        if let TerminatorKind::Call(call) = &data.terminator.kind {
            found.insert(call.dest.local);
        }
    }
    found
}

/// What some blocks do to parts of the state.
#[derive(Default)]
struct Uses {
    reads: BTreeSet<Part>,
    changes: BTreeSet<Part>,
    sets: BTreeSet<Part>,
    keyed: BTreeSet<Part>,
    /// Exclusive references to parts.
    lent: BTreeMap<Local, Part>,
}

impl Uses {
    fn of(search: &Search<'_, '_>, kinds: &Kinds, body: &Body, blocks: &BTreeSet<usize>) -> Uses {
        let mut uses = Uses::default();
        // References are made before they are used, but blocks are in no order.
        for _ in 0..2 {
            for &block in blocks {
                for statement in &body.blocks[block].statements {
                    if let StatementKind::Assign(to, rvalue) = &statement.kind {
                        uses.statement(kinds, to, rvalue);
                    }
                }
                uses.call(search, kinds, (body, block));
            }
        }
        uses
    }

    fn statement(&mut self, kinds: &Kinds, to: &Place, rvalue: &Rvalue) {
        let of: Vec<Part> = rvalue.places().into_iter().filter_map(|place| kinds.part(place)).collect();
        match rvalue {
            Rvalue::Ref(BorrowKind::Mut, place) => {
                let part = kinds.part(place).or_else(|| self.lent.get(&place.local).copied());
                if let (Some(part), Some(to)) = (part, to.as_local()) {
                    self.lent.insert(to, part);
                }
            }
            Rvalue::Use(operand) if operand.place().is_some_and(|of| self.lent.contains_key(&of.local)) => {
                if let (Some(of), Some(to)) = (operand.place(), to.as_local()) {
                    self.lent.insert(to, self.lent[&of.local]);
                }
            }
            _ => self.reads.extend(&of),
        }
        if let Some(part) = kinds.part(to) {
            self.changes.insert(part);
            let given = rvalue.places().iter().any(|place| kinds.content.contains(&place.local));
            if kinds.is_whole(to) && given && !of.contains(&part) {
                self.sets.insert(part);
            }
        } else if let Some(part) = self.lent.get(&to.local).copied().filter(|_| !to.projection.is_empty()) {
            self.changes.insert(part);
            self.reads.insert(part);
        }
    }

    fn call(&mut self, search: &Search<'_, '_>, kinds: &Kinds, (body, block): (&Body, usize)) {
        let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { return };
        let places = || call.args.iter().filter_map(Operand::place);
        self.reads.extend(places().filter_map(|place| kinds.part(place)));
        let end = body.blocks[block].statements.len();
        let keyed = search
            .modelled(kinds.inst, block, end)
            .iter()
            .any(|access| access.key.is_some() && access.change == Some(robust_models::Change::Set));
        let lent: Vec<Part> = places().filter_map(|place| self.lent.get(&place.local).copied()).collect();
        let given = places().any(|place| kinds.content.contains(&place.local));
        for part in lent {
            self.changes.insert(part);
            if keyed && given {
                self.sets.insert(part);
                self.keyed.insert(part);
            } else {
                self.reads.insert(part);
            }
        }
    }
}

impl Kinds {
    /// The part of the state that a place is, or is in.
    fn part(&self, place: &Place) -> Option<Part> {
        let steps = match (self.behind, &place.projection[..]) {
            (false, steps) => steps,
            (true, [Projection::Deref, steps @ ..]) => steps,
            _ => return None,
        };
        let field = steps.iter().find_map(|step| match step {
            Projection::Field(number, _) => Some(*number),
            _ => None,
        });
        self.kept.contains(&place.local).then_some((place.local, field))
    }

    /// Whether a place is all of such a part.
    fn is_whole(&self, place: &Place) -> bool {
        let steps = place.projection.iter().filter(|step| !matches!(step, Projection::Deref));
        steps.count() <= 1
    }
}

/// Blocks that can be reached without passing a block again.
pub(super) fn without(cfg: &Cfg, from: usize, passed: usize) -> BTreeSet<usize> {
    reach_through(&cfg.succs, [from], |block| block != passed)
}
