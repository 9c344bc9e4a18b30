//! What can happen to the tasks of a site, as far as it is certain: with it, properties are decided that nobody need watch there.
//!
//! What other code may do with a handle counts even if nobody does so now: tests are not part of what was analysed. So a handle that leaves
//! its function may be used in any way.

use robust_models::On;

use crate::cor::check::Says;
use crate::cor::residual::{Known, holds};
use crate::mir::{Local, Operand, Place, Rvalue, StatementKind, TerminatorKind, TyKind};
use crate::world::points::points_to::InstId;

use super::Told;
use super::body::{call_at, callee_path, may_fail, result_parts};
use super::sites::{Site, Sites};

/// What only happens to tasks that are polled: to futures.
const OF_FUTURES: [&str; 2] = ["stalled", "unwakeable"];

/// What somebody does who has the handle.
const OF_HANDLES: [&str; 2] = ["abort", "unneeded"];

impl Told {
    /// What is known of an atom for the tasks of this site.
    pub fn known(&self, atom: &str) -> Known {
        match (self.always.contains(atom), self.never.contains(atom)) {
            (true, _) => Known::Always,
            (_, true) => Known::Never,
            _ => Known::Open,
        }
    }

    /// Whether a part of a property holds of all its tasks, whatever happens.
    pub fn holds(&self, property: &str, part: &Says) -> bool {
        !self.violated.contains(property) && holds(part, &|atom| self.known(atom))
    }

    /// Adds what is certain.
    pub(super) fn learn(&mut self, sites: &Sites<'_, '_>, site: &Site) {
        let mut know = |atom: &str, holds: bool| {
            let to = if holds { &mut self.always } else { &mut self.never };
            to.insert(atom.to_owned());
        };
        // These two are what watching goes by.
        let owned = !self.owner.is_empty();
        let launch = !owned && self.fate == "dropped";
        know("owned", owned);
        know("launch", launch);
        if !owned {
            know("owner_gone", false);
        }
        let runs = runs(sites, site);
        if let Some(Runs::Function | Runs::Future) = runs {
            let pool = runs == Some(Runs::Function);
            know("pool", pool);
            if pool {
                OF_FUTURES.iter().for_each(|atom| know(atom, false));
            }
            let fallible = fallible(sites, site);
            if let Some(fallible) = fallible {
                know("fallible", fallible);
            }
            let whole = !site.tasks.is_empty() && !sites.flow.is_cut();
            let succeeds = || site.tasks.iter().all(|task| !may_fail(sites.flow.body_of(*task)));
            if fallible == Some(false) || whole && succeeds() {
                know("failed", false);
            }
        }
        if !owned && !site.in_set && site.insts.iter().all(|inst| stays(sites, *inst, site.key.1)) {
            OF_HANDLES.iter().for_each(|atom| know(atom, false));
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runs {
    /// A closure, on a thread of its own.
    Function,
    /// A future.
    Future,
}

/// What a site runs, if that is one piece of code whoever calls the function around.
fn runs(sites: &Sites<'_, '_>, site: &Site) -> Option<Runs> {
    let inst = *site.insts.first()?;
    let body = sites.flow.body_of(inst);
    let info = sites.flow.calls.get(&(inst, site.key.1))?;
    let spawn = sites.flow.model_of(info)?.spawn.as_ref()?;
    let place = call_at(body, site.key.1 as usize)?.args.get(spawn.task)?.place()?;
    match &*body.locals.get(place.as_local()?.0 as usize)?.ty {
        TyKind::Coroutine(_) => Some(Runs::Future),
        TyKind::Closure { .. } if spawn.on == On::Any => Some(Runs::Function),
        _ => None,
    }
}

/// Whether tasks end with a `Result`; none if that depends on who calls the function around.
fn fallible(sites: &Sites<'_, '_>, site: &Site) -> Option<bool> {
    let body = sites.flow.body_of(*site.insts.first()?);
    let handle = call_at(body, site.key.1 as usize)?.dest.as_local()?;
    let (_, output) = sites.keeper(&body.locals.get(handle.0 as usize)?.ty)?;
    match &*output? {
        // A parameter, or something at the crate's root.
        TyKind::Path(path) if path.qself.is_some() || path.segments.len() == 1 => None,
        TyKind::Impl(_) => None,
        output => Some(result_parts(output).is_some()),
    }
}

/// Whether a task's handle stays in its function, which does nothing with it but wait for the task or drop it.
fn stays(sites: &Sites<'_, '_>, inst: InstId, block: u32) -> bool {
    let body = sites.flow.body_of(inst);
    let Some(first) = call_at(body, block as usize).and_then(|call| call.dest.as_local()) else {
        return false;
    };
    let mut seen = vec![first];
    let mut next = 0;
    while next < seen.len() {
        if seen[next] == Local::RETURN || !waits(sites, inst, seen[next], &mut seen) {
            return false;
        }
        next += 1;
    }
    true
}

/// Whether nothing is done with what a local holds but waiting; adds the locals that hold it then.
fn waits(sites: &Sites<'_, '_>, inst: InstId, local: Local, seen: &mut Vec<Local>) -> bool {
    let body = sites.flow.body_of(inst);
    let is_it = |place: &Place| place.local == local;
    let mut goes_to = |to: &Place| match to.as_local() {
        Some(to) => {
            if !seen.contains(&to) {
                seen.push(to);
            }
            true
        }
        None => false,
    };
    for (number, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
        for statement in &block.statements {
            let StatementKind::Assign(to, rvalue) = &statement.kind else { continue };
            let fits = match rvalue {
                Rvalue::Use(operand) if operand.place().is_some_and(is_it) => goes_to(to),
                Rvalue::Ref(_, place) if is_it(place) => goes_to(to),
                other => !other.places().into_iter().any(is_it),
            };
            if !fits {
                return false;
            }
        }
        let TerminatorKind::Call(call) = &block.terminator.kind else { continue };
        let is_given = |arg: &Operand| arg.place().is_some_and(is_it);
        let Some(argument) = call.args.iter().position(is_given) else { continue };
        let fits = match waiting(sites, inst, number, argument) {
            Some(Waiting::Wraps) => goes_to(&call.dest),
            Some(Waiting::Done) => true,
            None => false,
        };
        if !fits {
            return false;
        }
    }
    true
}

enum Waiting {
    /// What it returns stands for what it is given.
    Wraps,
    /// It polls, or drops, it.
    Done,
}

/// What a call that is given a handle has to do with waiting for it.
fn waiting(sites: &Sites<'_, '_>, inst: InstId, block: usize, argument: usize) -> Option<Waiting> {
    const WRAPS: [&str; 2] = ["into_future", "new_unchecked"];
    let info = sites.flow.calls.get(&(inst, block as u32));
    if info.is_some_and(|info| info.poll.is_some()) {
        return Some(Waiting::Done);
    }
    let path = callee_path(sites.flow, inst, block)?;
    if WRAPS.contains(&path.last()) {
        return Some(Waiting::Wraps);
    }
    let drops = sites.flow.models.function(&path.plain()).and_then(|model| model.drops);
    (drops == Some(argument)).then_some(Waiting::Done)
}
