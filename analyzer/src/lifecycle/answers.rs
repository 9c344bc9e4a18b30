//! Panics and aborts that pass for a task's answer.

use std::collections::BTreeSet;

use robust_models::Outcome;

use crate::finding::{Class, Finding, Level, Role};
use crate::world::actions::cfg::reach;
use crate::world::points::points_to::InstId;
use crate::world::values::rechecks::Dominators;

use super::body::fate;
use super::describe::{Describe, Violation};
use super::ends::runs;
use super::results::Joined;
use super::sites::{Site, Sites, Use, What};
use super::witness::Witness;

/// All joins at which a panic or an abort passes for an answer.
pub(crate) fn findings(sites: &Sites<'_, '_>, describe: &Describe<'_, '_>) -> Vec<Finding> {
    let mut all = Vec::new();
    for joined in sites.joins().iter().filter(|joined| sites.live.contains(&joined.inst)) {
        for site in joined.sites.iter().map(|site| &sites.list[*site]) {
            all.extend(cancelled(sites, joined, site, describe).and_then(|one| describe.finding(one)));
            all.extend(thrown(sites, joined, site, describe).and_then(|one| describe.finding(one)));
        }
    }
    all
}

/// A task that is told to end, and whose waiter panics if it did.
fn cancelled(
    sites: &Sites<'_, '_>,
    joined: &Joined,
    site: &Site,
    describe: &Describe<'_, '_>,
) -> Option<Violation> {
    let asserted = joined.asserted?;
    let task = *site.tasks.first()?;
    let by =
        site.uses.iter().find(|one| one.what == What::Cancel && may_precede(sites, one, joined, site))?;
    let all = if site.in_set { "the tasks of the set are" } else { "the task is" };
    let level = if always_precedes(sites, by, joined, site) { Level::Deny } else { Level::Warn };
    Some(Violation {
        class: Class::PanicAsResult,
        level,
        property: "NormalAsync",
        subject: describe.name(task),
        message: format!(
            "`{}` panics if the task was cancelled, and {all} cancelled in `{}`",
            describe.name(joined.inst),
            describe.name(by.inst)
        ),
        hint: "Look whether the task was cancelled (`is_cancelled`) before taking its result, or shut the set down instead",
        excuse: "",
        lanes: vec![describe.lane(joined.inst), describe.lane(by.inst), describe.lane(task)],
        witness: Witness::PANIC,
        steps: vec![
            (2, Role::Start, "the task starts".to_owned(), describe.place(site.insts[0], site.key.1)),
            (1, Role::Hop, "cancels it".to_owned(), describe.place(by.inst, by.block)),
            (
                0,
                Role::Offence,
                "waits for it, and panics unless it ended by itself".to_owned(),
                describe.place(joined.inst, asserted).or_else(|| describe.place(joined.inst, joined.block)),
            ),
        ],
    })
}

/// Whether a task may be cancelled before it is waited for: in one body, on a way that does not start it anew.
pub(super) fn may_precede(sites: &Sites<'_, '_>, cancel: &Use, joined: &Joined, site: &Site) -> bool {
    let body = |inst: InstId| sites.flow.instances[inst.0 as usize].body;
    if body(cancel.inst) != body(joined.inst) {
        return sites.live.contains(&cancel.inst);
    }
    if cancel.block == joined.block {
        return false;
    }
    let mut succs = sites.facts.cfgs[cancel.inst.0 as usize].succs.clone();
    if site.key.0 == body(cancel.inst) {
        succs[site.key.1 as usize].clear();
    }
    reach(&succs, [cancel.block as usize]).contains(&(joined.block as usize))
}

/// Whether a task is cancelled on each way to where it is waited for, and is the same one there: none is started in between.
fn always_precedes(sites: &Sites<'_, '_>, cancel: &Use, joined: &Joined, site: &Site) -> bool {
    if cancel.inst != joined.inst {
        return false;
    }
    let cfg = &sites.facts.cfgs[cancel.inst.0 as usize];
    let (from, to) = (cancel.block as usize, joined.block as usize);
    let between = &reach(&cfg.succs, [from]) & &reach(&cfg.preds, [to]);
    let starts = |block: &usize| {
        let info = sites.flow.calls.get(&(cancel.inst, *block as u32));
        let called = info.into_iter().flat_map(|info| &info.callees);
        let mut run = called.flat_map(|callee| runs(sites, *callee));
        site.insts.contains(&cancel.inst) && site.key.1 as usize == *block
            || run.any(|inst| site.insts.contains(&inst))
    };
    Dominators::of(cfg).dominates(from, to) && !between.iter().any(starts)
}

/// A task that panics with an answer, which its waiter takes.
fn thrown(
    sites: &Sites<'_, '_>,
    joined: &Joined,
    site: &Site,
    describe: &Describe<'_, '_>,
) -> Option<Violation> {
    let task = *site.tasks.first()?;
    let throws = |inst: InstId| {
        let body = sites.flow.body_of(inst);
        let all = (0..body.blocks.len()).filter(|block| !body.blocks[*block].cleanup);
        let found: Vec<usize> =
            all.filter(|block| fate(sites.flow, inst, *block).is_some_and(|fate| fate.throws)).collect();
        found.first().map(|block| (inst, *block as u32))
    };
    let (thrower, at) = reached(sites, task).into_iter().find_map(throws)?;
    let cfg = &sites.facts.cfgs[joined.inst.0 as usize];
    let behind: BTreeSet<usize> = reach(&cfg.succs, [joined.block as usize]);
    let reads = behind.iter().find(|block| {
        fate(sites.flow, joined.inst, **block).is_some_and(|fate| fate.outcome == Some(Outcome::ReadsPanic))
    })?;
    // Whoever goes on panicking does not take it for an answer.
    if throws(joined.inst).is_some() {
        return None;
    }
    Some(Violation {
        class: Class::PanicAsResult,
        level: Level::Warn,
        property: "NormalAsync",
        subject: describe.name(task),
        message: format!("`{}` takes a panic of its task for an answer", describe.name(joined.inst)),
        hint: "Let the task return what it found: an `Option` or a `Result`",
        excuse: "",
        lanes: vec![describe.lane(joined.inst), describe.lane(task)],
        witness: Witness::PANIC,
        steps: vec![
            (0, Role::Start, "starts the task".to_owned(), describe.place(site.insts[0], site.key.1)),
            (1, Role::Offence, "panics with a value".to_owned(), describe.place(thrower, at)),
            (0, Role::Hop, "waits for the task".to_owned(), describe.place(joined.inst, joined.block)),
            (
                0,
                Role::Hop,
                "takes the panic, and goes on".to_owned(),
                describe.place(joined.inst, *reads as u32),
            ),
        ],
    })
}

/// What a task may run, closures that panic included, which no return leads through.
fn reached(sites: &Sites<'_, '_>, task: InstId) -> Vec<InstId> {
    let mut found = runs(sites, task);
    let mut next = 0;
    while next < found.len() && found.len() < 256 {
        let inst = found[next];
        let count = sites.flow.body_of(inst).blocks.len() as u32;
        for block in 0..count {
            let Some(info) = sites.flow.calls.get(&(inst, block)) else { continue };
            for callee in &info.callees {
                if !found.contains(callee) {
                    found.push(*callee);
                }
            }
        }
        next += 1;
    }
    found
}
