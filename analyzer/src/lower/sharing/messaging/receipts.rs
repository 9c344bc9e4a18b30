//! Where it is known that something was received, and what.

use std::collections::{BTreeSet, HashSet};

use crate::lower::sharing::basis::Search;
use crate::lower::sharing::channels::unwrapped;
use crate::mir::{
    Block, Body, BodyKind, Local, Operand, Place, Projection, Rvalue, StatementKind, TerminatorKind, Ty,
    TyKind,
};
use crate::world::actions::cfg::{Cfg, is_poll};
use crate::world::actions::effects::{Action, Step};
use crate::world::answers::called_by;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::InstId;
use crate::world::values::rechecks::made_of;

/// Which variants of an enum a message may be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::lower::sharing) enum Variants {
    /// Nobody asks.
    Any,
    /// One of these.
    These(Vec<i128>),
    /// None of these.
    AllBut(Vec<i128>),
}

/// A block that is reached when a message was received.
pub(in crate::lower::sharing) struct Receipt {
    pub at: (InstId, usize),
    pub variants: Variants,
    /// Where it may be received from.
    pub locs: Vec<LocId>,
    /// What can be received there.
    pub payload: Option<Ty>,
    pub by: Receiver,
    /// The locals of its body that are made of what was received.
    pub content: BTreeSet<Local>,
}

/// Who receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower::sharing) enum Receiver {
    /// Who takes one message after the other.
    Queue,
    /// Who waits once, and goes on then: for an answer.
    Waiter,
    /// A task that was started, in each round of its work.
    Task,
}

/// The rounds of a task's work, as if each of them had received that the task was started.
pub(in crate::lower::sharing) fn rounds(search: &Search<'_, '_>, task: InstId) -> Vec<Receipt> {
    let rounds = called_by(search.facts, task).into_iter().flat_map(|inst| {
        let loops = search.facts.event_loops(inst);
        loops.into_iter().map(move |(first, _)| (inst, first)).collect::<Vec<_>>()
    });
    let round = |at| Receipt {
        at,
        variants: Variants::Any,
        locs: Vec::new(),
        payload: None,
        by: Receiver::Task,
        content: BTreeSet::new(),
    };
    rounds.map(round).collect()
}

/// All receipts.
pub(in crate::lower::sharing) fn receipts(search: &Search<'_, '_>) -> Vec<Receipt> {
    let mut found = Vec::new();
    for (index, effects) in search.facts.effects.iter().enumerate() {
        let inst = InstId(index as u32);
        for (block, steps) in effects.iter().enumerate() {
            let expected = steps.iter().filter_map(expected_at);
            for locs in expected.filter(|_| !search.facts.answered.contains(&(inst, block))) {
                found.extend(of_block(search, inst, block, locs));
            }
        }
    }
    found
}

/// What is received by the call that ends a block.
fn of_block(search: &Search<'_, '_>, inst: InstId, block: usize, locs: &[LocId]) -> Vec<Receipt> {
    let (body, cfg) = (search.flow.body_of(inst), search.cfg(inst));
    let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { return Vec::new() };
    let Some(dest) = call.dest.as_local() else { return Vec::new() };
    let locs = match (locs, call.args.first()) {
        ([], Some(future)) => expected_by(search, inst, &sources(body, future)),
        _ => locs.to_vec(),
    };
    let handed_on = had(body, cfg, BTreeSet::from([dest]), is_whole);
    // What is received there is for who calls, or polls, to look at.
    let is_polled = matches!(body.kind, BodyKind::Closure { .. }) && is_poll(&body.locals[0].ty);
    if handed_on.contains(&Local::RETURN) || is_polled {
        return Vec::new();
    }
    let payload = search.flow.place_ty(inst, &call.dest).map(|ty| unwrapped(&ty).clone());
    let loops = search.facts.event_loops(inst);
    let by = match loops.iter().any(|(_, blocks)| blocks.contains(&block)) {
        true => Receiver::Queue,
        false => Receiver::Waiter,
    };
    let content = made_of(body, cfg, dest);
    let parts = had(body, cfg, handed_on.clone(), |_| true);
    let walk = Walk { search, inst, body, cfg, handed_on, parts };
    let arms = walk.arms(block);
    let receipt = |(arm, variants)| Receipt {
        at: (inst, arm),
        variants,
        locs: locs.clone(),
        payload: payload.clone(),
        by,
        content: content.clone(),
    };
    arms.into_iter().map(receipt).collect()
}

/// Where something is expected by a future that is one of these locals.
pub(in crate::lower::sharing) fn expected_by(
    search: &Search<'_, '_>,
    inst: InstId,
    futures: &BTreeSet<Local>,
) -> Vec<LocId> {
    let body = search.flow.body_of(inst);
    let makes = |block: &usize| match &body.blocks[*block].terminator.kind {
        TerminatorKind::Call(call) => futures.contains(&call.dest.local),
        _ => false,
    };
    let calls = search.cfg(inst).reached.iter().filter(|block| makes(block));
    let steps = calls.flat_map(|block| &search.facts.effects[inst.0 as usize][*block]);
    steps.filter_map(expected_at).flatten().copied().collect()
}

/// Where a step gets what somebody sends.
pub(in crate::lower::sharing) fn expected_at(step: &Step) -> Option<&Vec<LocId>> {
    match &step.action {
        Action::Expect { locs } | Action::Receive { locs } => Some(locs),
        _ => None,
    }
}

/// The locals that have what these have, or what is in such places of it, be it within what says whether there is something.
fn had(
    body: &Body,
    cfg: &Cfg,
    mut found: BTreeSet<Local>,
    counts: impl Fn(&Place) -> bool,
) -> BTreeSet<Local> {
    loop {
        let before = found.len();
        for &index in &cfg.reached {
            let block = &body.blocks[index];
            for statement in &block.statements {
                let StatementKind::Assign(to, rvalue) = &statement.kind else { continue };
                let of = match rvalue {
                    Rvalue::Use(operand) => operand.place(),
                    Rvalue::Ref(_, place) | Rvalue::CopyForDeref(place) => Some(place),
                    _ => None,
                };
                if let (Some(to), Some(of)) = (to.as_local(), of)
                    && found.contains(&of.local)
                    && counts(of)
                {
                    found.insert(to);
                }
            }
            // Such as `ok`, `unwrap`, and what `?` calls.
            if let TerminatorKind::Call(call) = &block.terminator.kind
                && let Some(of) = call.args.first().and_then(Operand::place)
                && let (Some(of), Some(to)) = (of.as_local(), call.dest.as_local())
                && found.contains(&of)
                && wraps(&body.locals[of.0 as usize].ty)
            {
                found.insert(to);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Whether a place is all of its local, or what that says is there.
fn is_whole(place: &Place) -> bool {
    place.projection.iter().all(|step| match step {
        Projection::Deref | Projection::Field(0, _) => true,
        Projection::Downcast(variant) => PRESENT.contains(&&**variant),
        _ => false,
    }) && (place.projection.iter().any(|step| matches!(step, Projection::Downcast(_)))
        || !place.projection.iter().any(|step| matches!(step, Projection::Field(..))))
}

/// Variants that say that there is something.
pub(in crate::lower::sharing) const PRESENT: [&str; 4] = ["Ready", "Some", "Ok", "Continue"];

/// The number of the variant of such a type that says that there is something.
pub(in crate::lower::sharing) fn present(ty: &TyKind) -> Option<u128> {
    match ty.as_path()?.last() {
        "Option" => Some(1),
        "Poll" | "Result" | "ControlFlow" => Some(0),
        _ => None,
    }
}

fn wraps(ty: &TyKind) -> bool {
    present(ty.peel_refs()).is_some()
}

/// From where something is received on.
struct Walk<'w, 's, 'a> {
    search: &'w Search<'s, 'a>,
    inst: InstId,
    body: &'w Body,
    cfg: &'w Cfg,
    handed_on: BTreeSet<Local>,
    /// Locals that have it, or a part of it.
    parts: BTreeSet<Local>,
}

impl Walk<'_, '_, '_> {
    /// The blocks that are reached when there is a message, and only then: behind the last branch on whether there is one, or the one on its
    /// variant.
    fn arms(&self, block: usize) -> Vec<(usize, Variants)> {
        let mut seen = BTreeSet::new();
        // With the last block that was reached because there is a message.
        let mut work: Vec<(usize, Option<usize>)> =
            self.cfg.succs[block].iter().map(|next| (*next, None)).collect();
        let (mut there, mut kinds) = (BTreeSet::new(), Vec::new());
        // Who drops what is left of it asks again.
        let mut asked = HashSet::new();
        while let Some((at, arm)) = work.pop() {
            if !seen.insert(at) {
                continue;
            }
            match asks(self.body, at) {
                Some((of, targets, otherwise))
                    if self.handed_on.contains(&of.local) && is_whole(of) && asked.insert(of) =>
                {
                    let Some(ty) = self.search.flow.place_ty(self.inst, of) else { return Vec::new() };
                    if let Some(number) = present(&ty) {
                        let explicit = targets.iter().find(|(bits, _)| *bits == number);
                        let next = explicit.map(|(_, to)| *to).or(otherwise);
                        if let Some(next) = next.map(|to| to.0 as usize) {
                            there.insert(next);
                            arm.map(|arm| there.remove(&arm));
                            work.push((next, Some(next)));
                        }
                    } else {
                        kinds.push((targets, otherwise));
                    }
                }
                // Which kind of message it is decides more than can be told apart.
                Some((of, ..)) if self.is_kind_of_part(of) => return Vec::new(),
                _ => work.extend(self.cfg.succs[at].iter().map(|next| (*next, arm))),
            }
        }
        if there.is_empty() && kinds.is_empty() {
            there.extend(&self.cfg.succs[block]);
        }
        let arms = match &kinds[..] {
            [] => there.into_iter().map(|arm| (arm, Variants::Any)).collect(),
            [(targets, otherwise)] => kinds_of(targets, *otherwise),
            _ => Vec::new(),
        };
        let once = |arm: &usize| {
            self.cfg.reached.iter().filter(|from| self.cfg.succs[**from].contains(arm)).count() == 1
        };
        arms.into_iter().filter(|(arm, _)| once(arm)).collect()
    }

    /// Whether that is an enum of the crates within what was received.
    fn is_kind_of_part(&self, of: &Place) -> bool {
        let ty = self.search.flow.place_ty(self.inst, of);
        let of_crates = ty.is_some_and(|ty| self.search.flow.code.variants(&ty).is_some());
        of_crates && self.parts.contains(&of.local)
    }
}

/// The place whose variant a block asks for, and where that leads.
#[allow(clippy::type_complexity)]
pub(in crate::lower::sharing) fn asks(
    body: &Body,
    block: usize,
) -> Option<(&Place, &[(u128, Block)], Option<Block>)> {
    let data = &body.blocks[block];
    let TerminatorKind::SwitchInt { on, targets, otherwise } = &data.terminator.kind else { return None };
    let on = on.place()?.as_local()?;
    data.statements.iter().rev().find_map(|statement| match &statement.kind {
        StatementKind::Assign(to, Rvalue::Discriminant(of)) if to.local == on => {
            Some((of, &targets[..], *otherwise))
        }
        _ => None,
    })
}

/// The blocks to which a branch on the variant leads, with the variants.
pub(in crate::lower::sharing) fn kinds_of(
    targets: &[(u128, Block)],
    otherwise: Option<Block>,
) -> Vec<(usize, Variants)> {
    let mut found: Vec<(usize, Vec<i128>)> = Vec::new();
    for (bits, to) in targets {
        let to = to.0 as usize;
        match found.iter_mut().find(|(arm, _)| *arm == to) {
            Some((_, these)) => these.push(*bits as i128),
            None => found.push((to, vec![*bits as i128])),
        }
    }
    let all = targets.iter().map(|(bits, _)| *bits as i128).collect();
    let rest = otherwise.map(|to| (to.0 as usize, Variants::AllBut(all)));
    let known = found.into_iter().map(|(arm, these)| (arm, Variants::These(these)));
    known.chain(rest).collect()
}

/// The locals of a body that an operand is made of; what callers or captures hold is not among them.
pub(in crate::lower::sharing) fn sources(body: &Body, operand: &Operand) -> BTreeSet<Local> {
    let mut found = BTreeSet::new();
    let mut work: Vec<Local> = operand.place().map(|place| place.local).into_iter().collect();
    while let Some(local) = work.pop() {
        if local == Local(1) || !found.insert(local) {
            continue;
        }
        for block in &body.blocks {
            for statement in &block.statements {
                if let StatementKind::Assign(to, rvalue) = &statement.kind
                    && to.local == local
                {
                    work.extend(rvalue.places().into_iter().map(|place| place.local));
                }
            }
            if let TerminatorKind::Call(call) = &block.terminator.kind
                && call.dest.local == local
            {
                work.extend(call.args.iter().filter_map(Operand::place).map(|place| place.local));
            }
        }
    }
    found
}
