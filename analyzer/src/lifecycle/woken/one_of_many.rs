//! Whether all who wait at a condition are woken where all may go on: a call that wakes one of them, whoever that is, leaves the others asleep
//! if that one leaves things as it found them, and wakes nobody itself.

use std::collections::BTreeSet;

use crate::finding::{Class, Finding, Level, Role};
use crate::ir::{ENLIST, WAKE};
use crate::mir::{TerminatorKind, TyKind};
use crate::world::actions::cfg::reach_through;
use crate::world::actions::effects::{Action, Step, Touch};
use crate::world::points::escape::Same;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::InstId;
use crate::world::units::Units;

use super::super::describe::{Describe, Violation};
use super::super::sites::Sites;
use super::super::witness::Witness;

/// A call by which somebody begins to wait, or wakes who waits.
struct Signal {
    inst: InstId,
    block: usize,
    /// At what.
    at: BTreeSet<LocId>,
}

/// All conditions at which one is woken where many may go on.
pub(super) fn findings(sites: &Sites<'_, '_>, units: &Units, describe: &Describe<'_, '_>) -> Vec<Finding> {
    // Who was not seen may wake the others.
    if sites.flow.is_cut() {
        return Vec::new();
    }
    let same = Same::new(sites.flow);
    let (waits, wakes) = (signals(sites, &same, ENLIST), signals(sites, &same, WAKE));
    let mut found = Vec::new();
    for wait in waits.iter().filter(|wait| is_for_many(sites, units, wait) && has_no_turn(sites, wait)) {
        let here: Vec<&Signal> = wakes.iter().filter(|wake| !wake.at.is_disjoint(&wait.at)).collect();
        let Some(wake) = here.last().filter(|_| here.iter().all(|wake| wakes_one(sites, wake))) else {
            continue;
        };
        if let Some(end) = leaves_all_as_it_is(sites, wait) {
            found.extend(describe.finding(violation(describe, wait, wake, end)));
        }
    }
    found
}

/// All that wait, or wake.
fn signals(sites: &Sites<'_, '_>, same: &Same, class: &str) -> Vec<Signal> {
    let mut found = Vec::new();
    for (index, effects) in sites.facts.effects.iter().enumerate() {
        let inst = InstId(index as u32);
        if !sites.live.contains(&inst) {
            continue;
        }
        for (block, steps) in effects.iter().enumerate() {
            let locs = steps.iter().filter_map(|step| match &step.action {
                Action::Access { touch: Touch::Update(of), locs, .. } if of == class => Some(locs),
                _ => None,
            });
            let at: BTreeSet<LocId> = locs.flatten().map(|loc| same.of(sites.flow, *loc)).collect();
            if !at.is_empty() {
                found.push(Signal { inst, block, at });
            }
        }
    }
    found
}

/// Whether a call wakes one of those who wait, and is not made for each of them.
fn wakes_one(sites: &Sites<'_, '_>, wake: &Signal) -> bool {
    let info = sites.flow.calls.get(&(wake.inst, wake.block as u32));
    let one = info.and_then(|info| sites.flow.model_of(info)).is_some_and(|model| model.wakes_one);
    one && sites.facts.cfgs[wake.inst.0 as usize].loop_of(wake.block).is_none()
}

/// Whether many may wait there at once, each until it finds what it waits for: a function that anybody may call on what others have, too.
fn is_for_many(sites: &Sites<'_, '_>, units: &Units, wait: &Signal) -> bool {
    let unit = units.find(wait.inst, None, true).map(|id| &units.units[id.0]);
    let is_called = unit.is_some_and(|unit| !unit.once && !unit.actor);
    let receiver = sites.flow.local_ty(wait.inst, 1);
    let is_shared = receiver.is_some_and(|ty| matches!(&*ty, TyKind::Ref { mutable: false, .. }));
    is_called && is_shared && sites.facts.cfgs[wait.inst.0 as usize].loop_of(wait.block).is_some()
}

/// Whether who waits has no other lock than the one that it gives back meanwhile, which would let in one at a time.
fn has_no_turn(sites: &Sites<'_, '_>, wait: &Signal) -> bool {
    let effects = &sites.facts.effects[wait.inst.0 as usize];
    let acquired = |steps: &[Step]| -> BTreeSet<LocId> {
        let locks = steps.iter().filter_map(|step| match &step.action {
            Action::Acquire { locks, .. } => Some(locks),
            _ => None,
        });
        locks.flatten().copied().collect()
    };
    let own = acquired(&effects[wait.block]);
    effects.iter().all(|steps| acquired(steps).is_subset(&own))
}

/// Where the function that waits returns on a way on which it has changed nothing since, and woken nobody.
fn leaves_all_as_it_is(sites: &Sites<'_, '_>, wait: &Signal) -> Option<usize> {
    let cfg = &sites.facts.cfgs[wait.inst.0 as usize];
    let quiet: BTreeSet<usize> = cfg
        .reached
        .iter()
        .copied()
        .filter(|block| *block != wait.block && !changes(sites, wait.inst, *block))
        .collect();
    let first = cfg.succs[wait.block].iter().copied().filter(|block| quiet.contains(block));
    let behind = reach_through(&cfg.succs, first, |block| quiet.contains(&block));
    let body = sites.flow.body_of(wait.inst);
    behind.into_iter().find(|block| {
        quiet.contains(block) && matches!(body.blocks[*block].terminator.kind, TerminatorKind::Return)
    })
}

/// Whether a block, or what it calls, changes anything, or wakes anybody.
fn changes(sites: &Sites<'_, '_>, inst: InstId, block: usize) -> bool {
    let effects = &sites.facts.effects;
    let mut seen: BTreeSet<InstId> = BTreeSet::new();
    let mut work: Vec<&[Step]> = vec![&effects[inst.0 as usize][block]];
    while let Some(steps) = work.pop() {
        for step in steps {
            match &step.action {
                Action::Access { touch, .. } if *touch != Touch::Read => return true,
                Action::Call { callees, .. } => {
                    let new = callees.iter().filter(|callee| seen.insert(**callee));
                    work.extend(new.flat_map(|callee| &effects[callee.0 as usize]).map(Vec::as_slice));
                }
                _ => {}
            }
        }
    }
    false
}

fn violation(describe: &Describe<'_, '_>, wait: &Signal, wake: &Signal, end: usize) -> Violation {
    let [waits, wakes] = [wait, wake].map(|signal| describe.name(signal.inst));
    Violation {
        class: Class::NeverWoken,
        level: Level::Deny,
        property: "ResumeIfNeeded",
        message: format!(
            "`{wakes}` wakes one of those who wait in `{waits}`, and that one leaves things as they are: the others wait for ever"
        ),
        subject: waits,
        hint: "Wake all of them, or let each one that was woken wake the next",
        excuse: "",
        lanes: vec![describe.lane(wait.inst), describe.lane(wake.inst)],
        witness: Witness::FORGOTTEN,
        steps: vec![
            (0, Role::Start, "waits, as others may".to_owned(), describe.place(wait.inst, wait.block as u32)),
            (1, Role::Offence, "wakes one of them".to_owned(), describe.place(wake.inst, wake.block as u32)),
            (
                0,
                Role::Hop,
                "goes on, and has changed nothing, nor woken anybody else".to_owned(),
                describe.place(wait.inst, end as u32).or_else(|| describe.declared(wait.inst)),
            ),
        ],
    }
}
