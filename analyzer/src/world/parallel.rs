//! Which tasks may be running when a block begins: those that were started before it and have not been joined on every way.
//!
//! A join of one handle waits for one task, whatever else was started. Where handles are joined in a loop, the tasks have
//! ended when the loop is over.

use std::collections::{BTreeMap, BTreeSet};

use crate::world::actions::cfg::Cfg;
use crate::world::actions::effects::{Action, Step};
use crate::world::facts::Facts;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::units::{Phase, UnitId, Units};

/// Where tasks are started: an instance and a block.
pub(crate) type Site = (InstId, usize);

/// Calls of calls are followed until nothing changes, but not longer than this.
const MAX_ROUNDS: usize = 16;

/// What has happened to tasks on the ways from the beginning of a body to a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Progress {
    /// Started on some way, and not joined since.
    started: BTreeSet<Site>,
    /// Joined on every way, and not started again since.
    ended: BTreeSet<Site>,
    /// Some task was started on some way.
    any: bool,
}

impl Progress {
    fn join(&mut self, other: &Progress) {
        self.started.extend(&other.started);
        self.ended.retain(|site| other.ended.contains(site));
        self.any |= other.any;
    }

    fn start(&mut self, site: Site) {
        self.ended.remove(&site);
        self.started.insert(site);
        self.any = true;
    }

    fn end(&mut self, sites: &BTreeSet<Site>) {
        self.started.retain(|site| !sites.contains(site));
        self.ended.extend(sites);
    }

    /// What has happened after a call that does this.
    fn call(&mut self, called: &Progress) {
        self.end(&called.ended);
        self.started.extend(&called.started);
        self.ended.retain(|site| !called.started.contains(site));
        self.any |= called.any;
    }
}

/// The tasks that may be running, by block of straight-line code.
#[derive(Debug, Default)]
pub(crate) struct Parallel {
    running: BTreeMap<(InstId, usize), BTreeSet<Site>>,
}

impl Parallel {
    /// Follows the straight lines of all units that happen once; where there is no time, it is too late for whoever asks, too.
    pub fn find(flow: &Flow<'_>, facts: &Facts, units: &Units) -> Self {
        let visits = units.visits.iter().flatten();
        let straight: BTreeSet<InstId> = visits
            .filter(|(_, phase, part)| part.is_none() && matches!(phase, Phase::Once | Phase::Repeated))
            .map(|(inst, ..)| *inst)
            .collect();
        let mut tasks = Tasks { facts, done: BTreeMap::new() };
        for _ in 0..MAX_ROUNDS {
            let before = tasks.done.clone();
            for inst in &straight {
                if flow.is_late() {
                    return Parallel::default();
                }
                let (_, whole) = tasks.walk(*inst);
                tasks.done.insert(*inst, whole);
            }
            if tasks.done == before {
                break;
            }
        }
        tasks.at_the_top(flow, units, &straight)
    }

    /// The tasks that may be running when a block begins, if any were started before it.
    pub fn running(&self, inst: InstId, block: usize) -> Option<&BTreeSet<Site>> {
        self.running.get(&(inst, block))
    }
}

struct Tasks<'t> {
    facts: &'t Facts,
    /// What has happened when an instance is done.
    done: BTreeMap<InstId, Progress>,
}

impl Tasks<'_> {
    /// What has happened when each block of a body begins, and at its end.
    fn walk(&self, inst: InstId) -> (BTreeMap<usize, Progress>, Progress) {
        let cfg = &self.facts.cfgs[inst.0 as usize];
        let mut states = BTreeMap::from([(0, Progress::default())]);
        let mut whole: Option<Progress> = None;
        let mut work = vec![0];
        while let Some(block) = work.pop() {
            let mut state = states.get(&block).cloned().unwrap_or_default();
            for step in &self.facts.effects[inst.0 as usize][block] {
                self.step(inst, block, step, &mut state);
            }
            if cfg.succs[block].is_empty() {
                match &mut whole {
                    Some(whole) => whole.join(&state),
                    None => whole = Some(state.clone()),
                }
            }
            for &to in &cfg.succs[block] {
                let mut state = state.clone();
                if let Some(number) = cfg.loop_of(block).filter(|number| cfg.loop_of(to) != Some(*number)) {
                    state.end(&self.ended_by(inst, &cfg.loops[number]));
                }
                match states.get_mut(&to) {
                    Some(known) => {
                        let before = known.clone();
                        known.join(&state);
                        if *known != before {
                            work.push(to);
                        }
                    }
                    None => {
                        states.insert(to, state);
                        work.push(to);
                    }
                }
            }
        }
        (states, whole.unwrap_or_default())
    }

    fn step(&self, inst: InstId, block: usize, step: &Step, state: &mut Progress) {
        match &step.action {
            Action::Spawn { tasks, .. } if !tasks.is_empty() => state.start((inst, block)),
            Action::Join { sites, all } if step.only_if.is_none() => {
                let cfg = &self.facts.cfgs[inst.0 as usize];
                let here = cfg.loop_of(block);
                let sites = sites_of(sites);
                let one = *all || is_one(cfg, (inst, block), &sites);
                let at_once = |site: &Site| {
                    let there = (site.0 == inst).then(|| cfg.loop_of(site.1)).flatten();
                    one && (here == there || (*all && here.is_none()))
                };
                self.end(&sites.into_iter().filter(at_once).collect(), state);
            }
            Action::Call { callees, scope, .. } => {
                let mut called = callees.iter().filter_map(|callee| {
                    let mut done = self.done.get(callee)?.clone();
                    if *scope {
                        let scoped = self.scoped(*callee);
                        done.end(&scoped);
                    }
                    Some(done)
                });
                if let Some(mut first) = called.next() {
                    called.for_each(|other| first.join(&other));
                    state.call(&first);
                }
            }
            _ => {}
        }
    }

    /// The tasks of these sites have ended; what they started and did not wait for may go on.
    fn end(&self, sites: &BTreeSet<Site>, state: &mut Progress) {
        state.end(sites);
        for (inst, block) in sites {
            for step in &self.facts.effects[inst.0 as usize][*block] {
                let Action::Spawn { tasks, .. } = &step.action else { continue };
                let left = tasks.iter().filter_map(|task| self.done.get(task)).flat_map(|done| &done.started);
                left.for_each(|site| state.start(*site));
            }
        }
    }

    /// The tasks that are joined in a loop that did not start them.
    fn ended_by(&self, inst: InstId, blocks: &BTreeSet<usize>) -> BTreeSet<Site> {
        let steps = blocks.iter().flat_map(|block| &self.facts.effects[inst.0 as usize][*block]);
        let sites = steps.filter_map(|step| match &step.action {
            Action::Join { sites, .. } => Some(sites),
            _ => None,
        });
        let sites = sites.flatten().map(|(inst, at)| (*inst, *at as usize));
        sites.filter(|site| site.0 != inst || !blocks.contains(&site.1)).collect()
    }

    /// The scoped tasks that an instance starts itself.
    fn scoped(&self, inst: InstId) -> BTreeSet<Site> {
        let blocks = self.facts.effects[inst.0 as usize].iter().enumerate();
        let scoped = |step: &Step| matches!(step.action, Action::Spawn { scoped: true, .. });
        blocks.filter(|(_, steps)| steps.iter().any(scoped)).map(|(block, _)| (inst, block)).collect()
    }

    /// The tasks that run at each block, from the units' beginnings down their calls.
    fn at_the_top(&self, flow: &Flow<'_>, units: &Units, straight: &BTreeSet<InstId>) -> Parallel {
        let mut entries: BTreeMap<InstId, Progress> = BTreeMap::new();
        let begins = units.units.iter().filter(|unit| unit.part.is_none() && unit.phase == Phase::Once);
        let mut work: Vec<InstId> = begins.map(|unit| unit.inst).collect();
        work.iter().for_each(|inst| _ = entries.insert(*inst, Progress::default()));
        let mut parallel = Parallel::default();
        while let Some(inst) = work.pop() {
            if flow.is_late() {
                return Parallel::default();
            }
            let entry = entries.get(&inst).cloned().unwrap_or_default();
            for (block, within) in self.walk(inst).0 {
                let mut state = entry.clone();
                state.call(&within);
                if state.any {
                    parallel.running.insert((inst, block), state.started.clone());
                }
                for step in &self.facts.effects[inst.0 as usize][block] {
                    if let Action::Call { callees, .. } = &step.action {
                        for callee in callees.iter().filter(|callee| straight.contains(callee)) {
                            let known = entries.get(callee).cloned();
                            let mut next = known.clone().unwrap_or_else(|| state.clone());
                            next.join(&state);
                            if known.as_ref() != Some(&next) {
                                entries.insert(*callee, next);
                                work.push(*callee);
                            }
                        }
                    }
                    self.step(inst, block, step, &mut state);
                }
            }
        }
        parallel
    }
}

pub(crate) fn sites_of(sites: &[(InstId, u32)]) -> BTreeSet<Site> {
    sites.iter().map(|(inst, at)| (*inst, *at as usize)).collect()
}

/// Whether a handle of one of these sites, joined in this block, can only be that of the one task that was started.
pub(crate) fn is_one(cfg: &Cfg, (inst, block): Site, sites: &BTreeSet<Site>) -> bool {
    let once =
        |site: &Site| site.0 != inst || cfg.loop_of(site.1).is_none_or(|at| cfg.loop_of(block) == Some(at));
    let apart = |a: &Site, b: &Site| {
        a == b && once(a)
            || (a.0 == inst
                && b.0 == inst
                && !crate::world::values::stale::forward(cfg, a.1).contains(&b.1)
                && !crate::world::values::stale::forward(cfg, b.1).contains(&a.1))
    };
    sites.iter().all(|a| sites.iter().all(|b| apart(a, b)))
}

/// The units that run when tasks of these sites do.
pub(crate) fn units_of(facts: &Facts, units: &Units, sites: &BTreeSet<Site>) -> BTreeSet<UnitId> {
    let mut found = BTreeSet::new();
    for (inst, block) in sites {
        for step in &facts.effects[inst.0 as usize][*block] {
            if let Action::Spawn { tasks, .. } = &step.action {
                found.extend(tasks.iter().filter_map(|task| units.find(*task, None, true)));
            }
        }
    }
    let all = (0..units.units.len()).map(UnitId);
    all.filter(|unit| units.is_below(*unit, &found)).collect()
}
