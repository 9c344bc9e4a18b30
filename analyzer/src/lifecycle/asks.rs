//! Work that is told to end where it never is: it neither suspends nor asks.

use std::collections::BTreeSet;

use robust_models::TypeKind;

use crate::finding::{Class, Finding, Level, Role};
use crate::mir::BodyKind;
use crate::world::actions::used::unused;
use crate::world::points::points_to::InstId;

use super::body::{call_at, fate};
use super::describe::{Describe, Violation};
use super::ends::{Loop, Why, loops_of};
use super::sites::{Site, Sites, What};
use super::witness::Witness;

/// Calls out of a loop are followed so far.
const CALLS: usize = 400;

/// All work that cannot be stopped although somebody wants to.
pub(crate) fn findings(sites: &Sites<'_, '_>, describe: &Describe<'_, '_>) -> Vec<Finding> {
    let all = sites.list.iter().filter_map(|site| deaf(sites, site, describe));
    all.filter_map(|violation| describe.finding(violation)).collect()
}

fn deaf(sites: &Sites<'_, '_>, site: &Site, describe: &Describe<'_, '_>) -> Option<Violation> {
    let cancel = site.uses.iter().find(|one| one.what == What::Cancel && sites.live.contains(&one.inst))?;
    let task = *site.tasks.first()?;
    let body = |inst: &InstId| sites.flow.instances[inst.0 as usize].body;
    if site.tasks.iter().any(|other| body(other) != body(&task)) {
        return None;
    }
    let is_future = matches!(sites.flow.body_of(task).kind, BodyKind::Coroutine { .. });
    let all = loops_of(sites, task);
    let bounded = |one: &Loop| one.exits.iter().any(|exit| exit.why == Why::Exhausted);
    let found = all.iter().find(|one| {
        // Between two suspensions, going through what there is takes its time.
        !(is_future && bounded(one)) && works(sites, one) && !asks(sites, one, is_future)
    })?;
    let first = found.exits.first().map(|exit| exit.block).or_else(|| found.blocks.first().copied());
    let name = describe.name(task);
    let why = if is_future {
        "an abort takes effect where the task is suspended, which its loop never is"
    } else {
        "an abort has no effect on what runs on a thread of its own, and its loop never asks whether to go on"
    };
    Some(Violation {
        class: Class::NeverChecks,
        // A future may be suspended before its loop begins, or behind it, and who goes through what there is comes to an end.
        level: if is_future || bounded(found) { Level::Warn } else { Level::Deny },
        property: "ResumeIfNeeded",
        message: format!("`{}` cancels `{name}`, which goes on: {why}", describe.name(cancel.inst)),
        subject: name,
        hint: "Look in the loop whether to go on: at a token or a flag that whoever cancels sets",
        excuse: "",
        lanes: vec![describe.lane(cancel.inst), describe.lane(task)],
        witness: Witness::DEAF,
        steps: vec![
            (0, Role::Start, "starts the task".to_owned(), describe.place(site.insts[0], site.key.1)),
            (0, Role::Hop, "cancels it".to_owned(), describe.place(cancel.inst, cancel.block)),
            (
                1,
                Role::Offence,
                "loops, and neither suspends nor asks".to_owned(),
                describe.place(found.inst, first.unwrap_or(0) as u32),
            ),
        ],
    })
}

/// Whether a loop calls anything that may take its time.
fn works(sites: &Sites<'_, '_>, one: &Loop) -> bool {
    one.blocks.iter().any(|block| {
        let info = sites.flow.calls.get(&(one.inst, *block as u32));
        info.is_some_and(|info| {
            let std = info.foreign.as_deref().is_some_and(crate::world::points::served::is_standard_path);
            let effect = info.foreign.as_deref().and_then(|path| sites.flow.models.effect(path));
            !info.callees.is_empty() || !std || effect.is_some_and(|effect| effect.blocks.is_some())
        })
    })
}

/// Whether a loop suspends, looks at what others may change, or does what is not known. Nothing that it finds there leads out of one that has no
/// way out.
fn asks(sites: &Sites<'_, '_>, one: &Loop, is_future: bool) -> bool {
    let by_state = is_future || !one.exits.is_empty();
    let mut seen: BTreeSet<InstId> = BTreeSet::new();
    let mut work: Vec<InstId> = Vec::new();
    for block in &one.blocks {
        if asks_at(sites, (one.inst, *block), by_state, &mut work) {
            return true;
        }
    }
    while let Some(inst) = work.pop() {
        if !seen.insert(inst) {
            continue;
        }
        if seen.len() > CALLS {
            return true;
        }
        let reached = &sites.facts.cfgs[inst.0 as usize].reached;
        if reached.iter().any(|block| asks_at(sites, (inst, *block), by_state, &mut work)) {
            return true;
        }
    }
    false
}

fn asks_at(
    sites: &Sites<'_, '_>,
    (inst, block): (InstId, usize),
    by_state: bool,
    work: &mut Vec<InstId>,
) -> bool {
    let Some(call) = call_at(sites.flow.body_of(inst), block) else { return false };
    // What was not followed may ask.
    let Some(info) = sites.flow.calls.get(&(inst, block as u32)) else { return sites.flow.is_cut() };
    work.extend(&info.callees);
    // Who stores something, or counts, learns nothing.
    let tells = || !unused(sites.flow, &sites.facts.cfgs[inst.0 as usize], inst, call);
    let of_shared = |ty: &crate::mir::TyKind| match sites.flow.kind(ty) {
        Some(TypeKind::Atomic) => tells(),
        Some(TypeKind::Lock | TypeKind::Cell) => true,
        _ => false,
    };
    let is_lock = |ty: &crate::mir::TyKind| sites.flow.kind(ty) == Some(TypeKind::Lock);
    let first = call.args.first().and_then(|arg| sites.flow.place_ty(inst, arg.place()?));
    let unknown = info.callees.is_empty() && info.foreign.is_none();
    info.poll.is_some()
        || unknown
        || fate(sites.flow, inst, block).is_some_and(|fate| fate.asks)
            && (by_state || !first.as_ref().is_some_and(|ty| is_lock(ty.peel_refs())))
        || by_state && first.is_some_and(|ty| of_shared(ty.peel_refs()))
}
