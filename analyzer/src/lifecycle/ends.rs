//! Which loops of a task end, and because of what.

use std::collections::BTreeSet;

use robust_models::Outcome;

use crate::mir::{BodyKind, Local, Place, Rvalue, TerminatorKind, Ty, TyKind};
use crate::world::elements::is_next;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::{CallInfo, InstId};
use crate::world::points::served::is_standard_path;

use super::body::{Def, arg_places, call_at, defs, fate, result_parts, sources};
use super::sites::Sites;

/// Calls are followed so deep.
const DEPTH: usize = 4;

/// A loop that a task runs.
pub(crate) struct Loop {
    pub inst: InstId,
    pub blocks: BTreeSet<usize>,
    pub exits: Vec<Exit>,
}

/// A way out of a loop.
pub(crate) struct Exit {
    pub block: usize,
    pub why: Why,
}

/// What a way out of a loop depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// The other ends of these channels are gone.
    Closed(Vec<LocId>),
    /// There are no more elements.
    Exhausted,
    /// Something else.
    Other,
}

/// All instances that a task runs in turn, as far as each call has one callee; the task's own first.
pub(crate) fn runs(sites: &Sites<'_, '_>, task: InstId) -> Vec<InstId> {
    let mut found = vec![task];
    let mut level = vec![task];
    for _ in 0..DEPTH {
        let mut next = Vec::new();
        for inst in level {
            for &block in &sites.facts.cfgs[inst.0 as usize].reached {
                let Some(info) = sites.flow.calls.get(&(inst, block as u32)) else { continue };
                let bodies: BTreeSet<_> =
                    info.callees.iter().map(|callee| sites.flow.instances[callee.0 as usize].body).collect();
                if bodies.len() == 1 && info.spawn.is_none() {
                    next.extend(info.callees.iter().copied().filter(|callee| !found.contains(callee)));
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        found.extend(&next);
        level = next;
    }
    found
}

/// The outermost loops of an instance.
pub(crate) fn loops(sites: &Sites<'_, '_>, inst: InstId) -> Vec<Loop> {
    let cfg = &sites.facts.cfgs[inst.0 as usize];
    let exits = |blocks: &BTreeSet<usize>| {
        let leaves = |block: &&usize| cfg.succs[**block].iter().any(|to| !blocks.contains(to));
        let exit = |block: &usize| Exit { block: *block, why: why(sites, inst, *block) };
        blocks.iter().filter(leaves).map(exit).collect()
    };
    cfg.loops.iter().map(|blocks| Loop { inst, blocks: blocks.clone(), exits: exits(blocks) }).collect()
}

/// Those of all instances that a task runs in turn.
pub(crate) fn loops_of(sites: &Sites<'_, '_>, task: InstId) -> Vec<Loop> {
    runs(sites, task).into_iter().flat_map(|inst| loops(sites, inst)).collect()
}

/// A loop that a task runs and never leaves.
pub(crate) fn endless(sites: &Sites<'_, '_>, task: InstId) -> Option<Loop> {
    within(sites, task, DEPTH)
}

fn within(sites: &Sites<'_, '_>, inst: InstId, depth: usize) -> Option<Loop> {
    let own = loops(sites, inst).into_iter().find(|one| one.exits.is_empty());
    if own.is_some() || depth == 0 {
        return own;
    }
    let calls = sites.facts.cfgs[inst.0 as usize].reached.iter();
    let calls = calls.filter_map(|block| sites.flow.calls.get(&(inst, *block as u32)));
    let (polls, calls): (Vec<_>, Vec<_>) = calls.partition(|info| info.poll.is_some());
    let below = |info: &&CallInfo| {
        let body = |callee: &InstId| sites.flow.instances[callee.0 as usize].body;
        let bodies: BTreeSet<_> = info.callees.iter().map(body).collect();
        let is_whole = info.polled.as_ref().is_none_or(|ty| ends_with_it(sites, ty));
        let followed = bodies.len() == 1 && info.spawn.is_none() && is_whole;
        info.callees.iter().filter(|_| followed).find_map(|callee| within(sites, *callee, depth - 1))
    };
    let is_closure = matches!(sites.flow.body_of(inst).kind, BodyKind::Closure { .. });
    let polled = if is_closure && polls.len() > 1 {
        // What polls several in turn is done as soon as one of them is.
        let all: Option<Vec<Loop>> = polls.iter().map(below).collect();
        all.and_then(|all| all.into_iter().next())
    } else {
        polls.iter().find_map(below)
    };
    polled.or_else(|| calls.iter().find_map(below))
}

/// Whether a future of this type ends only when the code in it does: it is that, or the standard library's pointer to it. Other libraries'
/// futures have ends of their own: a timeout, an abort.
fn ends_with_it(sites: &Sites<'_, '_>, ty: &TyKind) -> bool {
    let ty = ty.peel_refs();
    let Some(path) = ty.as_path() else { return true };
    match path.type_args().next() {
        Some(inner) if is_standard_path(&path.plain()) => ends_with_it(sites, inner),
        _ => !sites.flow.code.is_foreign(ty) || is_standard_path(&path.plain()),
    }
}

/// What a way out depends on.
fn why(sites: &Sites<'_, '_>, inst: InstId, block: usize) -> Why {
    let body = sites.flow.body_of(inst);
    let TerminatorKind::SwitchInt { on, .. } = &body.blocks[block].terminator.kind else { return Why::Other };
    let Some(place) = on.place() else { return Why::Other };
    let Some(tested) = tested(sites, inst, place.local, 0) else { return Why::Other };
    let mut channels = Vec::new();
    let mut exhausted = !tested.is_empty();
    let mut closed = !tested.is_empty();
    for place in tested {
        let mut origins = Origins::default();
        origins.find(sites, inst, place.local);
        let ty = sites.flow.place_ty(inst, &place);
        closed &=
            ty.is_some_and(|ty| origins.results.iter().any(|result| is_outcome(ty.peel_refs(), result)));
        closed &= !origins.calls.is_empty();
        exhausted &= !origins.calls.is_empty();
        for call in origins.calls {
            let path = super::body::callee_path(sites.flow, inst, call);
            exhausted &= path.is_some_and(|path| path.last() == "next" && path.qself.is_some());
            match channel(sites, inst, call) {
                Some(found) if !found.is_empty() => channels.extend(found),
                _ => closed = false,
            }
        }
    }
    match (closed, exhausted) {
        (true, _) => Why::Closed(channels),
        (false, true) => Why::Exhausted,
        (false, false) => Why::Other,
    }
}

/// The places whose variants a truth value or a variant's number is about.
fn tested(sites: &Sites<'_, '_>, inst: InstId, local: Local, depth: usize) -> Option<Vec<Place>> {
    let body = sites.flow.body_of(inst);
    let mut found = Vec::new();
    for def in defs(body, local) {
        match def {
            _ if depth > DEPTH => return None,
            Def::Assign(Rvalue::Discriminant(place)) => found.push(place.clone()),
            Def::Assign(Rvalue::Use(operand) | Rvalue::Unary(_, operand)) => {
                found.extend(tested(sites, inst, operand.place()?.as_local()?, depth + 1)?);
            }
            Def::Call(block) => {
                let looks = fate(sites.flow, inst, block)?.outcome == Some(Outcome::Discards);
                let first = call_at(body, block)?.args.first()?.place()?;
                found.push(looks.then(|| first.clone())?);
            }
            Def::Assign(_) => return None,
        }
    }
    Some(found)
}

/// Whether a type is that of what was received or of the error in its place: not of what is in a message.
fn is_outcome(ty: &TyKind, result: &Ty) -> bool {
    let Some(path) = ty.as_path() else { return false };
    let first = || path.type_args().next();
    *ty == **result
        || path.last() == "Poll" && first() == Some(result)
        || result_parts(result).is_some_and(|(_, error)| *ty == **error)
        || path.last() == "ControlFlow"
            && path.type_args().nth(1) == result.as_path().and_then(|path| path.type_args().next())
}

/// The channels that a call receives from.
fn channel(sites: &Sites<'_, '_>, inst: InstId, block: usize) -> Option<Vec<LocId>> {
    let info = sites.flow.calls.get(&(inst, block as u32))?;
    let model = sites.flow.model_of(info);
    let receives = model.is_some_and(|model| model.source || model.expects.is_some());
    // Going through what is received waits, too.
    let goes_through = || is_next(info) && fate(sites.flow, inst, block).is_some_and(|fate| fate.asks);
    if !receives && !goes_through() {
        return None;
    }
    let call = call_at(sites.flow.body_of(inst), block)?;
    let place = call.args.first()?.place()?;
    let heap = &sites.flow.heap;
    let receivers = heap.behind(&sites.locs(inst, place));
    let mut channels = heap.behind(&receivers);
    channels.extend(heap.behind(&channels));
    Some(channels)
}

/// The calls that a value comes from, seen through futures and what only looks at a result.
#[derive(Default)]
struct Origins {
    seen: Vec<usize>,
    calls: Vec<usize>,
    /// The types of what these, and the futures on the way, give.
    results: Vec<Ty>,
}

impl Origins {
    fn find(&mut self, sites: &Sites<'_, '_>, inst: InstId, local: Local) {
        let body = sites.flow.body_of(inst);
        for block in sources(body, local) {
            if self.seen.contains(&block) {
                continue;
            }
            self.seen.push(block);
            let Some(call) = call_at(body, block) else { continue };
            let info = sites.flow.calls.get(&(inst, block as u32));
            let polls = info.is_some_and(|info| info.poll.is_some());
            let result = sites.flow.place_ty(inst, &call.dest);
            let polled = result.as_ref().and_then(|ty| ty.as_path()?.type_args().next().cloned());
            self.results.extend(if polls { polled } else { result });
            if polls || is_seen_through(sites, inst, block) {
                for (number, place) in arg_places(call) {
                    if number == 0 {
                        self.find(sites, inst, place.local);
                    }
                }
            } else {
                self.calls.push(block);
            }
        }
    }
}

/// Whether a call only wraps, or looks at, what it is given.
pub(super) fn is_seen_through(sites: &Sites<'_, '_>, inst: InstId, block: usize) -> bool {
    const WRAPS: [&str; 4] = ["into_future", "new_unchecked", "branch", "get_mut"];
    let is_std = sites
        .flow
        .calls
        .get(&(inst, block as u32))
        .is_some_and(|info| info.foreign.as_deref().is_some_and(is_standard_path));
    let wraps =
        super::body::callee_path(sites.flow, inst, block).is_some_and(|path| WRAPS.contains(&path.last()));
    is_std && wraps
        || fate(sites.flow, inst, block).is_some_and(|fate| fate.outcome == Some(Outcome::Discards))
}

/// In words, whether a task ends.
pub(crate) fn shown(sites: &Sites<'_, '_>, task: InstId) -> String {
    if endless(sites, task).is_some() {
        return "never".to_owned();
    }
    let all = loops_of(sites, task);
    let closed =
        |one: &Loop| !one.exits.is_empty() && one.exits.iter().all(|exit| matches!(exit.why, Why::Closed(_)));
    if all.iter().any(closed) {
        return "when its channel is closed".to_owned();
    }
    if all.is_empty() { "by itself".to_owned() } else { "when its loops do".to_owned() }
}
