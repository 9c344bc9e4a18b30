//! Tasks that a loop starts and of which all are waited for later, by a loop that goes on until there are none, or by one call. Two of them
//! stand for all: whatever any two of them can do to one another, and to others, these can.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::Order;

use crate::ir::{Block, Expr, LocalId, PlaceId, StmtKind, Value};

use crate::lower::emit::emitter::{Build, Emitter};
use crate::mir::{Operand, Place, Rvalue, TerminatorKind};
use crate::world::actions::cfg::{Cfg, reach_through};
use crate::world::actions::effects::{Action, Started, Step};
use crate::world::actions::outcome::asked_for;
use crate::world::facts::Facts;
use crate::world::points::points_to::InstId;
use crate::world::units::Phase;
use crate::world::values::value::{given, result_of};

/// Where a task is started: an instance, and its block.
type Site = (InstId, u32);

/// So many functions hand a handle on, from the one that starts a task to the one that waits for it.
const HANDED_ON: usize = 4;

/// Instances that start one task each, or call one that does, which somebody else waits for: whoever calls them has the handle.
#[derive(Default)]
pub(crate) struct Givers {
    /// The block that starts it or calls, and where it is started.
    by: BTreeMap<InstId, (usize, Site)>,
}

impl Givers {
    pub fn find(facts: &Facts) -> Givers {
        let mut joined: BTreeSet<Site> = BTreeSet::new();
        let mut callers: BTreeMap<InstId, BTreeSet<InstId>> = BTreeMap::new();
        for (index, blocks) in facts.effects.iter().enumerate() {
            let inst = InstId(index as u32);
            for step in blocks.iter().flatten() {
                match &step.action {
                    Action::Join { sites, .. } => joined.extend(sites.iter().filter(|site| site.0 != inst)),
                    Action::Call { callees, .. } => callees.iter().for_each(|callee| {
                        callers.entry(*callee).or_default().insert(inst);
                    }),
                    _ => {}
                }
            }
        }
        let mut givers = Givers::default();
        let mut next: BTreeSet<InstId> = joined.iter().map(|site| site.0).collect();
        for _ in 0..HANDED_ON {
            let found: Vec<_> = next
                .iter()
                .filter_map(|inst| Some((*inst, givers.only_start(facts, *inst)?)))
                .filter(|(_, (_, site))| joined.contains(site))
                .collect();
            next = found.iter().filter_map(|(inst, _)| callers.get(inst)).flatten().copied().collect();
            givers.by.extend(found);
        }
        givers
    }

    /// Where an instance starts the only task that it starts, itself or by calling one of these, once.
    fn only_start(&self, facts: &Facts, inst: InstId) -> Option<(usize, Site)> {
        let mut found = None;
        for (block, steps) in facts.effects[inst.0 as usize].iter().enumerate() {
            for step in steps {
                let site = match &step.action {
                    Action::Spawn { tasks, started, .. } => {
                        let one = tasks.len() == 1 && *started != Started::Twice;
                        Some((inst, block as u32)).filter(|_| one)
                    }
                    Action::Call { callees, times, result, .. } => {
                        if !callees.iter().any(|callee| self.by.contains_key(callee)) {
                            continue;
                        }
                        self.given(callees).filter(|_| *times == Order::Once && result.is_none())
                    }
                    Action::Join { .. } => None,
                    _ => continue,
                };
                let again = facts.is_in_loop(inst, block) || step.only_if.is_some();
                if again || found.is_some() {
                    return None;
                }
                found = Some((block, site?));
            }
        }
        found
    }

    /// Where the task is started whose handle a call of these gives.
    pub fn given(&self, callees: &BTreeSet<InstId>) -> Option<Site> {
        let mut callees = callees.iter();
        let callee = callees.next().filter(|_| callees.next().is_none())?;
        self.by.get(callee).map(|(_, site)| *site)
    }

    /// The block of an instance that gets the handle that it gives.
    pub fn block_of(&self, inst: InstId) -> Option<usize> {
        self.by.get(&inst).map(|(block, _)| *block)
    }
}

impl Emitter<'_, '_> {
    /// The blocks of an instance that start a task there, or get its handle by a call.
    pub fn started_at(&self, inst: InstId, site: Site) -> Vec<u32> {
        if site.0 == inst {
            return vec![site.1];
        }
        let blocks = self.facts.effects[inst.0 as usize].iter().enumerate();
        let calls = |step: &Step| match &step.action {
            Action::Call { callees, .. } => self.givers.given(callees) == Some(site),
            _ => false,
        };
        blocks.filter(|(_, steps)| steps.iter().any(calls)).map(|(block, _)| block as u32).collect()
    }

    /// Whether all tasks that a block starts, again and again, are waited for, one after the other or all at once, behind its loop.
    pub fn are_drained(&self, build: &Build, block: usize) -> bool {
        let cfg = &self.facts.cfgs[build.inst.0 as usize];
        let effects = &self.facts.effects[build.inst.0 as usize];
        let calls_often = |step: &Step| match &step.action {
            Action::Call { callees, times, .. } => {
                *times == Order::Many && self.givers.given(callees).is_some()
            }
            _ => false,
        };
        let around = cfg.loop_of(block);
        if !starts_tasks(build.phase) || around.is_none() && !effects[block].iter().any(calls_often) {
            return false;
        }
        let joins = |at: &usize, all: bool| self.waits_for(build.inst, *at, block, all);
        let waits = |at: &usize| match cfg.loop_of(*at) {
            None => joins(at, true),
            Some(here) => {
                Some(here) != around
                    && joins(at, false)
                    && self.ends_with_none(build.inst, here, |at| joins(&at, false))
            }
        };
        cfg.reached.iter().any(waits)
    }

    /// Whether a loop is left in one way only, where there is none left of those that it goes through, and waits in each round.
    fn ends_with_none(&self, inst: InstId, number: usize, waits: impl Fn(usize) -> bool) -> bool {
        let cfg = &self.facts.cfgs[inst.0 as usize];
        let Some(to) = exit(cfg, number) else { return false };
        let blocks = &cfg.loops[number];
        let mut leaves = blocks.iter().filter(|block| cfg.succs[**block].contains(&to));
        leaves.all(|block| {
            let next =
                cfg.succs[*block].iter().copied().filter(|next| blocks.contains(next) && !waits(*next));
            let without = reach_through(&cfg.succs, next, |at| blocks.contains(&at) && !waits(at));
            self.asks_for_one(inst, *block) && !without.contains(block)
        })
    }

    /// Whether a branch goes by whether there is something in an option.
    fn asks_for_one(&self, inst: InstId, block: usize) -> bool {
        let body = self.flow.body_of(inst);
        let TerminatorKind::SwitchInt { on, .. } = &body.blocks[block].terminator.kind else { return false };
        let Some(asked) = on.place().and_then(Place::as_local) else { return false };
        let is_option = |place: &Place| {
            let ty = self.flow.place_ty(inst, place);
            ty.is_some_and(|ty| ty.peel_refs().as_path().is_some_and(|path| path.last() == "Option"))
        };
        match given(body, asked) {
            Some(Rvalue::Discriminant(of)) => is_option(of),
            Some(_) => false,
            None => result_of(body, on).is_some_and(|(at, call)| {
                let of = call.args.first().and_then(Operand::place);
                asked_for(self.flow, inst, at).is_some() && of.is_some_and(is_option)
            }),
        }
    }

    /// Whether a block waits for a task that another one starts, or for all of them.
    fn waits_for(&self, inst: InstId, block: usize, started: usize, all: bool) -> bool {
        let started = |site: &Site| self.started_at(inst, *site).contains(&(started as u32));
        self.facts.effects[inst.0 as usize][block].iter().any(|step| match &step.action {
            Action::Join { sites, all: each } => {
                *each == all && step.only_if.is_none() && sites.iter().any(started)
            }
            _ => false,
        })
    }

    /// Starts a task in a loop, of those that are drained: the first one, the second one, and no more.
    pub fn start_two(&mut self, build: &mut Build, block: usize, [first, second]: [Block; 2]) -> Block {
        let [begun, again] = flags(build, block);
        let set = |emitter: &mut Self, flag: LocalId, mut what: Block| {
            what.insert(0, emitter.stmt(None, StmtKind::SetLocal(flag, Expr::Const(Value::Bool(true)))));
            what
        };
        let first = set(self, begun, first);
        let mut second = set(self, again, second);
        let fresh = |flag| Expr::Not(Box::new(Expr::Local(flag)));
        second.insert(0, self.stmt(None, StmtKind::Assume(fresh(again))));
        vec![self.stmt(None, StmtKind::If(fresh(begun), first, second))]
    }

    /// Whether a block comes right behind a loop in which tasks were waited for until there were none.
    pub fn is_behind_drain(&self, build: &Build, block: usize) -> bool {
        !self.drained_before(build, block).is_empty()
    }

    /// What such a block begins with: by then all of them have ended.
    pub fn drain(&mut self, build: &mut Build, block: usize, out: &mut Block) {
        for (started_at, waits) in self.drained_before(build, block) {
            let place = self.end_of(build.inst, waits);
            out.extend(self.join_all(build, started_at, place));
            self.begin_anew(build, started_at as usize, out);
        }
    }

    /// Waits for each task that a block starts.
    pub fn join_all(&mut self, build: &mut Build, started_at: u32, place: Option<PlaceId>) -> Block {
        let coop = self.cooperative.contains(&build.inst);
        let wait = |handle| if coop { StmtKind::Await(handle) } else { StmtKind::Join(handle) };
        build.handles(started_at).into_iter().map(|handle| self.stmt(place, wait(handle))).collect()
    }

    /// Who comes to the loop that starts them once more starts others.
    pub fn begin_anew(&mut self, build: &mut Build, block: usize, out: &mut Block) {
        for flag in flags(build, block) {
            out.push(self.stmt(None, StmtKind::SetLocal(flag, Expr::Const(Value::Bool(false)))));
        }
    }

    /// The blocks that start what a loop has waited for that is left to this block only, each with one that waits.
    fn drained_before(&self, build: &Build, block: usize) -> BTreeMap<u32, usize> {
        let cfg = &self.facts.cfgs[build.inst.0 as usize];
        let effects = &self.facts.effects[build.inst.0 as usize];
        let mut found = BTreeMap::new();
        // All that leads there is in the one loop.
        let number = cfg.preds[block].first().and_then(|from| cfg.loop_of(*from));
        let Some(number) = number.filter(|number| exit(cfg, *number) == Some(block)) else { return found };
        for waits in &cfg.loops[number] {
            let sites = effects[*waits].iter().filter_map(|step| match &step.action {
                Action::Join { sites, all: false } => Some(sites),
                _ => None,
            });
            for at in sites.flatten().flat_map(|site| self.started_at(build.inst, *site)) {
                let joins = |block: usize| self.waits_for(build.inst, block, at as usize, false);
                if self.ends_with_none(build.inst, number, joins) && self.are_drained(build, at as usize) {
                    found.insert(at, *waits);
                }
            }
        }
        found
    }
}

/// Whether what is started in this phase is a task of the one that starts it, and can be waited for.
pub(super) fn starts_tasks(phase: Phase) -> bool {
    matches!(phase, Phase::Event | Phase::Task)
}

/// Where a loop is left to, if it is left to one block only, to which nothing else leads.
fn exit(cfg: &Cfg, number: usize) -> Option<usize> {
    let blocks = &cfg.loops[number];
    let mut left = blocks.iter().flat_map(|block| &cfg.succs[*block]).filter(|to| !blocks.contains(to));
    let first = *left.next()?;
    (left.all(|other| *other == first) && cfg.preds[first].iter().all(|from| blocks.contains(from)))
        .then_some(first)
}

/// Whether the first and the second of the tasks of a block have begun.
fn flags(build: &mut Build, block: usize) -> [LocalId; 2] {
    [format!("begun{block}"), format!("again{block}")].map(|name| build.local(name, true))
}
