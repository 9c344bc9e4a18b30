//! The straight line of `main` beside a task that it starts and does not wait for. What such a task does is an event of its
//! own; but what `main` does next it may only do before or after the task if the result is the same: this is where something
//! is used before it is ready. So it is with an event that puts something in behind the start of a task that serves, and takes it out.
//!
//! For each such task there is an event of its own, which never happens: only its determinism is asked. It ends where `main`
//! first waits for something, be it another task, since this one may have been what it waited for.

use std::collections::BTreeSet;

use robust_models::{On, Order};

use crate::ir::calls::Calls;
use crate::ir::{Change, ProcId, ProcKind, StmtKind, VarId};

use crate::ir::walk::{each, vars_in};
use crate::lower::emit::emitter::{Emitter, thread_of};
use crate::world::actions::effects::{Action, Step};
use crate::world::answers::called_by;
use crate::world::callers::{Callers, doing, instances};
use crate::world::points::points_to::InstId;
use crate::world::units::{Phase, UnitId};
use crate::world::values::stale::forward;

/// More tasks of one `main` are not looked at.
const MOST: usize = 16;

/// Who starts the task that `main` is looked at beside.
#[derive(Default)]
pub(crate) struct Starters {
    /// The instances that start it, directly or by calls.
    all: BTreeSet<InstId>,
    /// Those of them that may wait for it behind that.
    waiting: BTreeSet<InstId>,
}

impl Emitter<'_, '_> {
    /// Adds the events. To be called when everything else is there.
    pub fn beside_main(&mut self) {
        self.waiting = self.find_waiting();
        self.let_on = self.find_let_on();
        let mains = self.units.units.iter().enumerate().filter(|(id, unit)| {
            let is_main = unit.once && unit.parent.is_none() && unit.event && unit.phase == Phase::Once;
            is_main && !self.is_cut(UnitId(*id))
        });
        let mains: Vec<InstId> = mains.map(|(_, unit)| unit.inst).collect();
        for main in mains {
            for (task, on) in self.let_go(main) {
                self.ask_beside(main, (task, on), true);
            }
        }
        for (starter, task) in self.entered_behind_start() {
            self.ask_beside(starter, task, false);
        }
    }

    /// Adds the event of a starter and a task, if they have something in common. `once`: so it happens.
    fn ask_beside(&mut self, starter: InstId, (task, on): (InstId, On), once: bool) {
        // Of what is left out here, the events that there are anyway say so.
        let cut = [true, false]
            .iter()
            .any(|event| self.units.find(task, None, *event).is_some_and(|unit| self.is_cut(unit)));
        if cut || self.flow.is_late_by_now() {
            return;
        }
        let event = self.event_beside(starter, (task, on), once);
        if !self.meets(event) {
            self.program.procs[event.index()].body.clear();
        }
    }

    /// Tasks that serve, and take out in a round what the event that starts them may put in after that: the rounds are events of their own,
    /// which nobody has started.
    fn entered_behind_start(&self) -> Vec<(InstId, (InstId, On))> {
        let (units, calls) = (&self.units.units, Calls::new(&self.program));
        let rounds = units.iter().enumerate().filter(|(_, unit)| unit.part.is_some());
        let pairs = rounds.filter_map(|(id, round)| {
            let task = &units[round.parent?.0];
            let starter = task.parent.filter(|_| !task.event)?;
            let above = &units[starter.0];
            let (back, put) = (self.unit_procs.get(&UnitId(id))?, self.unit_procs.get(&starter)?);
            let put = self.changed(&calls, *put, |change| change.is_some_and(Change::puts_in));
            let taken = self.changed(&calls, *back, |change| !change.is_some_and(Change::puts_in));
            (above.event && !put.is_disjoint(&taken)).then_some((above.inst, (task.inst, task.on)))
        });
        let mut pairs: Vec<_> = pairs.collect();
        pairs.sort_by_key(|(starter, (task, _))| (*starter, *task));
        pairs.dedup_by_key(|(starter, (task, _))| (*starter, *task));
        pairs
    }

    /// The variables of which a procedure, or what it calls, makes such a change.
    fn changed(&self, calls: &Calls, proc: ProcId, is_such: fn(Option<Change>) -> bool) -> BTreeSet<VarId> {
        let mut found = BTreeSet::new();
        for proc in calls.reachable(proc) {
            each(&self.program.proc(proc).body, &mut |stmt| {
                let change = stmt.basis.and_then(|basis| self.bases.list[basis.index()].change);
                if let StmtKind::Write(var) | StmtKind::Update(var, _) = &stmt.kind
                    && is_such(change)
                {
                    found.insert(*var);
                }
            });
        }
        found
    }

    /// The tasks that the straight line of `main` starts, and that do not wait for the outside.
    fn let_go(&self, main: InstId) -> Vec<(InstId, On)> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::from([main]);
        let mut work = vec![main];
        while let Some(inst) = work.pop() {
            let cfg = &self.facts.cfgs[inst.0 as usize];
            for block in &cfg.reached {
                for step in &self.facts.effects[inst.0 as usize][*block] {
                    match &step.action {
                        Action::Call { callees, times: Order::Once, .. } => {
                            work.extend(callees.iter().filter(|callee| seen.insert(**callee)));
                        }
                        Action::Spawn { tasks, on, scoped: false, .. } => {
                            let ends = tasks.iter().filter(|task| self.ends(**task));
                            found.extend(ends.map(|task| (*task, *on)));
                        }
                        _ => {}
                    }
                }
            }
        }
        found.sort_by_key(|(task, _)| *task);
        found.dedup_by_key(|(task, _)| *task);
        found.truncate(MOST);
        found
    }

    /// Whether a task goes its way without waiting for the outside, other than for time to pass once.
    fn ends(&self, task: InstId) -> bool {
        called_by(self.facts, task).iter().all(|inst| {
            let waits = |step: &Step| matches!(step.action, Action::Source { time: false, .. });
            let steps = &self.facts.effects[inst.0 as usize];
            self.facts.event_loops(*inst).is_empty() && !steps.iter().flatten().any(waits)
        })
    }

    fn event_beside(&mut self, starter: InstId, (task, on): (InstId, On), once: bool) -> ProcId {
        let never = self.never();
        let place = if once { On::Local } else { On::Any };
        let kind = ProcKind::Event { once, alone: true, on: thread_of(place), guard: Some(never) };
        let event = self.declare(starter, kind);
        let twin = self.declare(task, ProcKind::Task { on: thread_of(on) });
        self.beside = Some((task, twin));
        self.starters_of(task);
        self.emit_as(event, starter, Phase::Beside(task));
        self.emit_called();
        // What it calls ends there, too.
        let procs = std::mem::take(&mut self.procs);
        // Who lets the task of an event go on may be anybody.
        (self.splits, self.is_beside) = (true, once);
        self.emit_as(twin, task, Phase::Event);
        self.emit_called();
        (self.splits, self.is_beside) = (false, false);
        self.procs = procs;
        event
    }

    /// Whether `main` and the task of such an event have a variable in common that one of them changes.
    fn meets(&self, event: ProcId) -> bool {
        let Some((_, twin)) = self.beside else { return false };
        let (ours, theirs) = (self.touched(event, false), self.touched(twin, true));
        let conflict = |(var, changes): &(VarId, bool)| {
            theirs.contains(&(*var, true)) || (*changes && theirs.contains(&(*var, false)))
        };
        ours.iter().any(conflict)
    }

    /// The variables that a procedure and what it calls access, with what it starts or without, and whether they change them.
    fn touched(&self, proc: ProcId, started: bool) -> BTreeSet<(VarId, bool)> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::from([proc]);
        let mut work = vec![proc];
        while let Some(proc) = work.pop() {
            each(&self.program.proc(proc).body, &mut |stmt| match &stmt.kind {
                StmtKind::Read(var) => {
                    found.insert((*var, false));
                }
                StmtKind::Write(var) | StmtKind::Update(var, _) | StmtKind::SetVar(var, _) => {
                    found.insert((*var, true));
                }
                StmtKind::SetLocal(_, value) | StmtKind::Assume(value) => {
                    let mut vars = BTreeSet::new();
                    vars_in(value, &mut vars);
                    found.extend(vars.into_iter().map(|var| (var, false)));
                }
                StmtKind::Call { proc, .. } if seen.insert(*proc) => work.push(*proc),
                StmtKind::Async { task, .. } if started && seen.insert(*task) => work.push(*task),
                _ => {}
            });
        }
        found
    }

    /// The blocks of an instance in which it may wait for a task that it started, and all that come after them.
    pub fn after_waits(&self, inst: InstId, task: InstId) -> BTreeSet<usize> {
        let cfg = &self.facts.cfgs[inst.0 as usize];
        let mut after = BTreeSet::new();
        for block in self.behind_start(inst, task) {
            if !self.waits_in(inst, block, task) {
                continue;
            }
            // Who starts the task, and then waits for it, is left out from there on himself.
            let starts = self.facts.effects[inst.0 as usize][block].iter().any(|step| match &step.action {
                Action::Call { callees, .. } => !callees.is_disjoint(&self.starters.all),
                _ => false,
            });
            match starts {
                true => after.extend(cfg.succs[block].iter().flat_map(|next| forward(cfg, *next))),
                false => after.extend(forward(cfg, block)),
            }
        }
        after
    }

    /// The blocks of an instance that come only after somebody has let it go on, who may be `main`: what is done by then is done.
    pub fn after_let_on(&self, inst: InstId) -> BTreeSet<usize> {
        let cfg = &self.facts.cfgs[inst.0 as usize];
        let steps = |block: &usize| self.facts.effects[inst.0 as usize][*block].iter();
        let waits = |block: &&usize| steps(block).any(is_let_on);
        let calls = |block: &&usize| {
            steps(block).any(|step| match &step.action {
                Action::Call { callees, .. } => !callees.is_disjoint(&self.let_on),
                _ => false,
            })
        };
        let waits = cfg.reached.iter().filter(waits).flat_map(|block| forward(cfg, *block));
        let calls = cfg.reached.iter().filter(calls).flat_map(|block| &cfg.succs[*block]);
        waits.chain(calls.flat_map(|next| forward(cfg, *next))).collect()
    }

    /// The blocks of an instance in which what it waits for may be a task: what it waits for before it starts the task is not this one.
    fn behind_start(&self, inst: InstId, task: InstId) -> BTreeSet<usize> {
        let cfg = &self.facts.cfgs[inst.0 as usize];
        let steps = |block: &usize| self.facts.effects[inst.0 as usize][*block].iter();
        let starts = |block: &&usize| {
            steps(block).any(|step| match &step.action {
                Action::Spawn { tasks, .. } => tasks.contains(&task),
                Action::Call { callees, .. } => !callees.is_disjoint(&self.starters.all),
                _ => false,
            })
        };
        let starting: Vec<usize> = cfg.reached.iter().filter(starts).copied().collect();
        match starting.is_empty() {
            true => cfg.reached.clone(),
            false => starting.iter().flat_map(|block| forward(cfg, *block)).collect(),
        }
    }

    /// Who starts a task.
    fn starters_of(&mut self, task: InstId) {
        let starts =
            |step: &Step| matches!(&step.action, Action::Spawn { tasks, .. } if tasks.contains(&task));
        let all = doing(&self.facts.effects, starts);
        self.starters = Starters { all, waiting: BTreeSet::new() };
        // They may call one another: who waits for it is found from those who do so themselves.
        let (mut callers, mut waiting) = (Callers::default(), Vec::new());
        for &inst in &self.starters.all {
            let behind = self.behind_start(inst, task);
            if behind.iter().any(|block| self.waits_in(inst, *block, task)) {
                waiting.push(inst);
            }
            for step in behind.iter().flat_map(|block| &self.facts.effects[inst.0 as usize][*block]) {
                if let Action::Call { callees, .. } = &step.action {
                    let starters = callees.intersection(&self.starters.all);
                    starters.for_each(|callee| callers.add(inst, *callee));
                }
            }
        }
        self.starters.waiting = callers.with(waiting);
    }

    /// Instances that wait until somebody lets them go on.
    fn find_let_on(&self) -> BTreeSet<InstId> {
        let waiting =
            instances(&self.facts.effects).filter(|(_, steps)| steps.iter().flatten().any(is_let_on));
        Callers::of(&self.facts.effects).with(waiting.map(|(inst, _)| inst))
    }

    /// Instances that wait for something other than a lock.
    fn find_waiting(&self) -> BTreeSet<InstId> {
        let joins = |step: &Step| matches!(step.action, Action::Join { .. });
        let waits = |steps: &Vec<Step>| is_wait(steps) || steps.iter().any(joins);
        let waiting = instances(&self.facts.effects).filter(|(_, steps)| steps.iter().any(waits));
        Callers::of(&self.facts.effects).with(waiting.map(|(inst, _)| inst))
    }

    /// Whether an instance may wait for a task in a block behind its start.
    fn waits_in(&self, inst: InstId, block: usize, task: InstId) -> bool {
        let steps = &self.facts.effects[inst.0 as usize][block];
        let answered = self.facts.answered.contains(&(inst, block));
        !answered && is_wait(steps)
            || steps.iter().any(|step| match &step.action {
                Action::Join { sites, all } => {
                    // The first of several need not be this one.
                    let cfg = &self.facts.cfgs[inst.0 as usize];
                    let each = *all || cfg.loop_of(block).is_some() || self.joins_each(inst, block, sites);
                    sites.iter().any(|(inst, block)| {
                        let steps = &self.facts.effects[inst.0 as usize][*block as usize];
                        steps.iter().any(|step| match &step.action {
                            // Who is joined may have waited for the task itself.
                            Action::Spawn { tasks, .. } => tasks.iter().any(|other| match *other == task {
                                // What comes behind the answer goes on.
                                true if answered && self.facts.tails.contains_key(other) => false,
                                true => each,
                                false => self.waiting.contains(other),
                            }),
                            _ => false,
                        })
                    })
                }
                Action::Call { callees, .. } => {
                    callees.iter().any(|callee| match self.starters.all.contains(callee) {
                        true => self.starters.waiting.contains(callee),
                        false => self.waiting.contains(callee),
                    })
                }
                _ => false,
            })
    }
}

/// Whether a step waits until somebody lets its task go on: a barrier, a condition, an answer.
fn is_let_on(step: &Step) -> bool {
    matches!(step.action, Action::Wait | Action::Expect { .. })
}

/// Whether steps wait for somebody. Waiting for a lock is no order that anybody relies on, giving it back meanwhile is; to
/// sleep is to wait for nobody.
pub(crate) fn is_wait(steps: &[Step]) -> bool {
    let takes = steps.iter().any(|step| matches!(step.action, Action::Acquire { .. }));
    let gives = steps.iter().any(|step| matches!(step.action, Action::Release { .. }));
    steps.iter().any(|step| match &step.action {
        Action::Yield { apart } => !apart && (!takes || gives),
        Action::Source { time, apart } => !time && !apart,
        Action::Wait => true,
        _ => false,
    })
}
