//! Looks at shared data through functions of the user's own: `while pool.has_work()`, `get_or_create` after `get`.
//!
//! Which reads matter is decided within a body ([`crate::world::values::revalidate`]). So a function that only reads a
//! little is part of whoever calls it, and so is one that only tries a compare-exchange; one that looks before it does
//! anything counts as a look where it is called.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::Order;

use crate::mir::{Block, Local, Operand, Rvalue, Span, StatementKind, TerminatorKind, Ty, TyKind};

use crate::world::actions::cfg::Cfg;
use crate::world::actions::effects::{Action, Step, Touch, Tracked};
use crate::world::actions::guards::holds_guard;
use crate::world::callers::instances;
use crate::world::facts::Facts;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::any_part;
use crate::world::values::answering::told;
use crate::world::values::rechecks::Dominators;
use crate::world::values::stale::{At, FirstLook};

/// Functions with more reads than this are called as they are.
const MAX_READS: usize = 3;
/// Functions with more blocks than this are called as they are.
const MAX_BLOCKS: usize = 200;
/// Functions that call functions that call functions are followed this deep.
pub(crate) const MAX_DEPTH: usize = 3;

/// Where a step was before it became part of a caller.
pub(crate) type Origin = (InstId, usize, usize);

impl Step {
    /// The user's place of a step that an instance has in a block.
    pub fn span<'f>(&self, flow: &'f Flow<'_>, inst: InstId, block: usize) -> &'f Span {
        let (inst, block, at) = self.from.unwrap_or((inst, block, self.at));
        flow.body_of(inst).user_span(Block(block as u32), at)
    }
}

/// Makes functions that only read part of their callers; whether there was time to.
pub(crate) fn inline(facts: &mut Facts, flow: &Flow<'_>) -> bool {
    let idle = idle(facts);
    for _ in 0..MAX_DEPTH {
        if flow.is_late() {
            return false;
        }
        let glances: BTreeMap<InstId, Vec<Step>> = (0..facts.effects.len())
            .map(|index| InstId(index as u32))
            .filter_map(|inst| {
                let looks = reads_of(facts, flow, &idle, inst);
                Some((inst, looks.or_else(|| exchange_of(facts, flow, &idle, inst))?))
            })
            .collect();
        let mut changed = false;
        for (index, effects) in facts.effects.iter_mut().enumerate() {
            let body = flow.body_of(InstId(index as u32));
            for (block, steps) in effects.iter_mut().enumerate() {
                let found = steps.iter().enumerate().find_map(|(number, step)| match &step.action {
                    Action::Call { callees, times: Order::Once, .. } if callees.len() == 1 => {
                        Some((number, glances.get(callees.first()?)?))
                    }
                    _ => None,
                });
                let Some((number, reads)) = found else { continue };
                let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else {
                    continue;
                };
                let at = steps[number].at;
                let only_if = steps[number].only_if;
                let dest = call.dest.as_local();
                let exchanges =
                    |step: &Step| matches!(step.action, Action::Access { touch: Touch::Write, .. });
                if dest.is_none() && reads.iter().any(exchanges) {
                    continue;
                }
                let reads = reads.iter().map(|step| {
                    let mut step = Step { at, only_if, via: None, ..step.clone() };
                    if let Action::Access { tracked, .. } = &mut step.action {
                        *tracked = dest.zip(tracked.take()).map(|(dest, tracked)| match tracked {
                            Tracked::Exchange(values, _) => Tracked::Exchange(values, dest),
                            Tracked::Is(values, _, as_it_is) => Tracked::Is(values, dest, as_it_is),
                            _ => Tracked::Get(dest),
                        });
                    }
                    step
                });
                let reads: Vec<Step> = reads.collect();
                steps.splice(number..=number, reads);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    true
}

/// Instances that do nothing that matters here.
pub(crate) fn idle(facts: &Facts) -> BTreeSet<InstId> {
    // The least such set: what calls itself is none of them.
    let mut callers: BTreeMap<InstId, Vec<InstId>> = BTreeMap::new();
    let (mut calls, mut work) = (vec![0_u32; facts.effects.len()], Vec::new());
    for (inst, effects) in instances(&facts.effects) {
        let mut does = false;
        for step in effects.iter().flatten() {
            match &step.action {
                Action::Call { callees, .. } => {
                    calls[inst.0 as usize] += callees.len() as u32;
                    callees.iter().for_each(|callee| callers.entry(*callee).or_default().push(inst));
                }
                Action::Flag(..)
                | Action::Variant(..)
                | Action::Guess(_)
                | Action::Holds { .. }
                | Action::Has { .. } => {}
                _ => does = true,
            }
        }
        match (does, calls[inst.0 as usize]) {
            (true, _) => calls[inst.0 as usize] = u32::MAX,
            (false, 0) => work.push(inst),
            (false, _) => {}
        }
    }
    let mut idle = BTreeSet::new();
    while let Some(inst) = work.pop() {
        idle.insert(inst);
        for caller in callers.get(&inst).into_iter().flatten() {
            // Who does something himself has more left than he calls.
            calls[caller.0 as usize] -= 1;
            if calls[caller.0 as usize] == 0 {
                work.push(*caller);
            }
        }
    }
    idle
}

/// What an instance does, if it reads something, tells what it read, and does nothing else.
fn reads_of(facts: &Facts, flow: &Flow<'_>, idle: &BTreeSet<InstId>, inst: InstId) -> Option<Vec<Step>> {
    let body = flow.body_of(inst);
    let cfg = &facts.cfgs[inst.0 as usize];
    let locks = |step: &Step| matches!(step.action, Action::Acquire { .. } | Action::Release { .. });
    let locked = facts.effects[inst.0 as usize].iter().flatten().any(locks);
    let returns = |decl: &crate::mir::LocalDecl| {
        let ty = decl.ty.clone();
        is_plain(flow, &ty) || (locked && is_owned(flow, &ty))
    };
    let large = cfg.reached.len() > MAX_BLOCKS;
    if large || !body.locals.first().is_some_and(returns) || !cfg.loops.is_empty() {
        return None;
    }
    // Locks are taken and given back on every way, or it is not as if the caller had done it.
    let above = Dominators::of(cfg);
    let ends: Vec<usize> = cfg.reached.iter().copied().filter(|block| cfg.succs[*block].is_empty()).collect();
    let on_every_way = |block: usize| ends.iter().all(|end| above.dominates(block, *end));
    let mut reads = Vec::new();
    for block in in_order(cfg) {
        for step in &facts.effects[inst.0 as usize][block] {
            match &step.action {
                Action::Flag(..)
                | Action::Variant(..)
                | Action::Guess(_)
                | Action::Holds { .. }
                | Action::Has { .. } => {}
                Action::Call { callees, .. } if callees.is_subset(idle) => {}
                Action::Acquire { .. } | Action::Release { .. }
                    if !on_every_way(block) || step.only_if.is_some() =>
                {
                    return None;
                }
                Action::Rely { .. } | Action::Acquire { .. } | Action::Release { .. } => {
                    let from = step.from.or(Some((inst, block, step.at)));
                    reads.push(Step { at: 0, only_if: None, from, ..step.clone() });
                }
                Action::Access { touch: Touch::Read, locs, tracked, checks, .. } => {
                    if locs.is_empty() {
                        continue;
                    }
                    // Its value is followed if it is what is returned, or what is returned says which it is.
                    let told =
                        tracked.as_ref().and_then(|tracked| told(flow, inst, (block, step.at), tracked));
                    let action = Action::Access {
                        touch: Touch::Read,
                        locs: locs.clone(),
                        tracked: told,
                        checks: *checks,
                        provisional: None,
                    };
                    let from = step.from.or(Some((inst, block, step.at)));
                    reads.push(Step { from, ..Step::new(action, 0) });
                }
                _ => return None,
            }
        }
    }
    let count = reads.iter().filter(|step| matches!(step.action, Action::Access { .. })).count();
    (1..=MAX_READS).contains(&count).then_some(reads)
}

/// The blocks of a body without loops, each before those that come after it.
fn in_order(cfg: &Cfg) -> Vec<usize> {
    fn go(cfg: &Cfg, block: usize, seen: &mut BTreeSet<usize>, out: &mut Vec<usize>) {
        if seen.insert(block) {
            cfg.succs[block].iter().for_each(|to| go(cfg, *to, seen, out));
            out.push(block);
        }
    }
    let mut out = Vec::new();
    if !cfg.reached.is_empty() {
        go(cfg, 0, &mut BTreeSet::new(), &mut out);
    }
    out.reverse();
    out
}

/// Whether a value of a type borrows nothing.
fn is_owned(flow: &Flow<'_>, ty: &Ty) -> bool {
    let borrows = any_part(ty, &mut |ty| matches!(ty, TyKind::Ref { .. } | TyKind::Ptr { .. }));
    !ty.is_unit() && !borrows && !holds_guard(flow, ty)
}

/// Whether values of a type are numbers or a few of them.
fn is_plain(flow: &Flow<'_>, ty: &TyKind) -> bool {
    let number = |ty: &TyKind| matches!(ty, TyKind::Prim(_));
    let fields = || flow.code.field_types(ty).unwrap_or_default();
    !ty.is_unit() && (number(ty) || (!fields().is_empty() && fields().iter().all(|(_, field)| number(field))))
}

/// What an instance does, if that is one compare-exchange that expects its second argument, or a part of it, and it tells
/// whether it succeeded.
fn exchange_of(facts: &Facts, flow: &Flow<'_>, idle: &BTreeSet<InstId>, inst: InstId) -> Option<Vec<Step>> {
    let body = flow.body_of(inst);
    let blocks = || facts.cfgs[inst.0 as usize].reached.iter().map(|block| (*block, &body.blocks[*block]));
    let tells = blocks().any(|(index, block)| {
        let asked = crate::world::actions::outcome::asked_for(flow, inst, index) == Some(true);
        asked
            && matches!(&block.terminator.kind, TerminatorKind::Call(call) if call.dest.as_local() == Some(Local::RETURN))
    });
    let mut found = None;
    for (index, block) in blocks() {
        for step in &facts.effects[inst.0 as usize][index] {
            match &step.action {
                Action::Flag(..)
                | Action::Variant(..)
                | Action::Guess(_)
                | Action::Holds { .. }
                | Action::Has { .. } => {}
                Action::Call { callees, .. } if callees.is_subset(idle) => {}
                Action::Access { locs, .. } if locs.is_empty() => {}
                Action::Access { tracked: Some(Tracked::Exchange(..)), .. } if found.is_none() => {
                    let TerminatorKind::Call(call) = &block.terminator.kind else { return None };
                    let expected = call.args.get(1)?.place()?;
                    let given = |statement: &StatementKind| {
                        matches!(statement, StatementKind::Assign(place, Rvalue::Use(Operand::Copy(from) | Operand::Move(from)))
                            if place.as_local() == expected.as_local() && from.local == Local(2))
                    };
                    let given = block.statements.iter().any(|statement| given(&statement.kind));
                    if !given && expected.local != Local(2) {
                        return None;
                    }
                    let from = step.from.or(Some((inst, index, step.at)));
                    found = Some(Step { at: 0, from, ..step.clone() });
                }
                _ => return None,
            }
        }
    }
    found.filter(|_| tells).map(|step| vec![step])
}

/// What an instance looks at on every way from the beginning before it does anything else but take locks, as far as there is
/// one way only.
pub(crate) fn first_look(
    facts: &Facts,
    index: usize,
    known: &BTreeMap<InstId, FirstLook>,
) -> Vec<(At, Vec<LocId>)> {
    let cfg = &facts.cfgs[index];
    let mut looks = Vec::new();
    let (mut block, mut seen) = (0, BTreeSet::new());
    while seen.insert(block) {
        for step in &facts.effects[index][block] {
            let at = (block, step.at);
            match &step.action {
                _ if step.only_if.is_some() => return looks,
                Action::Access { touch: Touch::Read, locs, .. } => looks.push((at, locs.clone())),
                Action::Access { checks: true, locs, .. } => {
                    looks.push((at, locs.clone()));
                    return looks;
                }
                Action::Call { callees, times: Order::Once, .. } => {
                    let single = callees.first().filter(|_| callees.len() == 1);
                    looks.extend(
                        single.and_then(|callee| known.get(callee)).map(|look| (at, look.locs.clone())),
                    );
                    return looks;
                }
                Action::Acquire { .. }
                | Action::Release { .. }
                | Action::Rely { .. }
                | Action::Flag(..)
                | Action::Variant(..)
                | Action::Guess(_)
                | Action::Holds { .. }
                | Action::Has { .. } => {}
                _ => return looks,
            }
        }
        let [next] = cfg.succs[block][..] else { break };
        block = next;
    }
    looks
}
