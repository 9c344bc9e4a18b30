//! Tasks that a loop starts and of which all are waited for later, by a loop that goes on until there are none or by one call. Two of them
//! stand for all: whatever any two of them can do to one another, and to others, these can.

use std::collections::BTreeMap;

use crate::ir::{Block, Expr, LocalId, StmtKind, Value};

use crate::lower::emit::emitter::{Build, Emitter};
use crate::world::actions::cfg::Cfg;
use crate::world::actions::effects::{Action, Step};
use crate::world::points::points_to::InstId;
use crate::world::units::Phase;

impl Emitter<'_, '_> {
    /// Whether all tasks that a block starts, again and again, are waited for, one after the other or all at once, behind its loop.
    pub fn are_drained(&self, build: &Build, block: usize) -> bool {
        let cfg = &self.facts.cfgs[build.inst.0 as usize];
        let Some(around) = cfg.loop_of(block).filter(|_| starts_tasks(build.phase)) else { return false };
        let waits = |at: &usize| {
            let mut steps = self.facts.effects[build.inst.0 as usize][*at].iter();
            let behind = cfg.loop_of(*at).is_none_or(|other| other != around && exit(cfg, other).is_some());
            behind
                && steps.any(|step| match joins(step, build.inst, block) {
                    Some(all) => all == cfg.loop_of(*at).is_none(),
                    None => false,
                })
        };
        cfg.reached.iter().any(waits)
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
    pub fn drain(&mut self, build: &mut Build, block: usize, coop: bool, out: &mut Block) {
        for (site, waits) in self.drained_before(build, block) {
            let place = self.end_of(build.inst, waits);
            for handle in build.handles(site) {
                let kind = if coop { StmtKind::Await(handle) } else { StmtKind::Join(handle) };
                out.push(self.stmt(place, kind));
            }
            for flag in flags(build, site as usize) {
                out.push(self.stmt(None, StmtKind::SetLocal(flag, Expr::Const(Value::Bool(false)))));
            }
        }
    }

    /// The blocks that start what a loop has waited for that is left to this block only, each with one that waits.
    fn drained_before(&self, build: &Build, block: usize) -> BTreeMap<u32, usize> {
        let cfg = &self.facts.cfgs[build.inst.0 as usize];
        let left = (0..cfg.loops.len()).filter(|number| exit(cfg, *number) == Some(block));
        let mut found = BTreeMap::new();
        for waits in left.flat_map(|number| &cfg.loops[number]) {
            for step in &self.facts.effects[build.inst.0 as usize][*waits] {
                let Action::Join { sites, all: false } = &step.action else { continue };
                let own = sites.iter().filter(|(inst, _)| *inst == build.inst && step.only_if.is_none());
                let drained = own.filter(|(_, at)| self.are_drained(build, *at as usize));
                found.extend(drained.map(|(_, at)| (*at, *waits)));
            }
        }
        found
    }
}

/// Whether what is started in this phase is a task of the one that starts it, and can be waited for.
fn starts_tasks(phase: Phase) -> bool {
    matches!(phase, Phase::Event | Phase::Task)
}

/// Whether a step waits for tasks that a block of this instance starts, and if so whether for all of them.
fn joins(step: &Step, inst: InstId, block: usize) -> Option<bool> {
    match &step.action {
        Action::Join { sites, all } if step.only_if.is_none() && sites.contains(&(inst, block as u32)) => {
            Some(*all)
        }
        _ => None,
    }
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
