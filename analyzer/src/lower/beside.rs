//! The straight line of `main` beside a task that it starts and does not wait for. What such a task does is an event of its
//! own; but what `main` does next it may only do before or after the task if the result is the same: this is where something
//! is used before it is ready.
//!
//! For each such task there is an event of its own, which never happens: only its determinism is asked. It ends where `main`
//! first waits for something, be it another task, since this one may have been what it waited for.

use std::collections::BTreeSet;

use robust_models::{On, Order};

use crate::ir::{Domain, ExecId, ProcId, ProcKind, StmtKind, Value, Var, VarId, Where};

use super::effects::Action;
use super::emit::Emitter;
use super::flow::InstId;
use super::stale::forward;
use super::units::Phase;
use crate::ir::walk::{each, vars_in};

/// More tasks of one `main` are not looked at.
const MOST: usize = 16;

impl Emitter<'_, '_> {
    /// Adds the events. To be called when everything else is there.
    pub fn beside_main(&mut self) {
        self.waiting = self.find_waiting();
        let mains = self.units.units.iter().filter(|unit| unit.once && unit.parent.is_none() && unit.event);
        let mains: Vec<InstId> =
            mains.filter(|unit| unit.phase == Phase::Once).map(|unit| unit.inst).collect();
        for main in mains {
            for (task, on) in self.let_go(main) {
                let event = self.event_beside(main, task, on);
                self.emit_called();
                if !self.meets(event) {
                    self.program.procs[event.index()].body.clear();
                }
            }
        }
    }

    /// The tasks that the straight line of `main` starts once each, and that do not wait for the outside.
    fn let_go(&self, main: InstId) -> Vec<(InstId, On)> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::from([main]);
        let mut work = vec![main];
        while let Some(inst) = work.pop() {
            let cfg = &self.facts.cfgs[inst.0 as usize];
            let silent = self.after_waits(inst);
            for block in cfg.reached.iter().filter(|block| !silent.contains(block)) {
                for step in &self.facts.effects[inst.0 as usize][*block] {
                    match &step.action {
                        Action::Call { callees, times: Order::Once, .. } if cfg.loop_of(*block).is_none() => {
                            work.extend(callees.iter().filter(|callee| seen.insert(**callee)));
                        }
                        Action::Spawn { tasks, on, scoped: false, twice: false }
                            if cfg.loop_of(*block).is_none() =>
                        {
                            let ends = tasks.iter().filter(|task| !self.facts.waits.contains(task));
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

    fn event_beside(&mut self, main: InstId, task: InstId, on: On) -> ProcId {
        let never = VarId(self.program.vars.len() as u32);
        self.program.vars.push(Var {
            name: format!("never_{}", never.0),
            domain: Some(Domain::Bool),
            init: Value::Bool(false),
        });
        let place = |on: On| if on == On::Any { Where::Any } else { Where::On(ExecId(0)) };
        let kind = ProcKind::Event { once: true, alone: true, on: place(On::Local), guard: Some(never) };
        let event = self.declare(main, kind);
        let twin = self.declare(task, ProcKind::Task { on: place(on) });
        self.beside = Some((task, twin));
        self.emit_as(event, main, Phase::Beside(task));
        self.emit_as(twin, task, Phase::Event);
        event
    }

    /// Whether `main` and the task of such an event have a variable in common that one of them changes.
    fn meets(&self, event: ProcId) -> bool {
        let Some((_, twin)) = self.beside else { return false };
        let (ours, theirs) = (self.touched(event), self.touched(twin));
        let conflict = |(var, changes): &(VarId, bool)| {
            theirs.contains(&(*var, true)) || (*changes && theirs.contains(&(*var, false)))
        };
        ours.iter().any(conflict)
    }

    /// The variables that a procedure and what it calls access, and whether they change them.
    fn touched(&self, proc: ProcId) -> BTreeSet<(VarId, bool)> {
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
                _ => {}
            });
        }
        found
    }

    /// The blocks of an instance in which it waits for something, and all that come after them.
    pub fn after_waits(&self, inst: InstId) -> BTreeSet<usize> {
        let cfg = &self.facts.cfgs[inst.0 as usize];
        let waits = cfg.reached.iter().filter(|block| self.waits_in(inst, **block, &self.waiting));
        waits.flat_map(|block| forward(cfg, *block)).collect()
    }

    /// Instances that wait for something other than a lock.
    fn find_waiting(&self) -> BTreeSet<InstId> {
        let mut found = BTreeSet::new();
        loop {
            let before = found.len();
            for (index, cfg) in self.facts.cfgs.iter().enumerate() {
                let inst = InstId(index as u32);
                if cfg.reached.iter().any(|block| self.waits_in(inst, *block, &found)) {
                    found.insert(inst);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    fn waits_in(&self, inst: InstId, block: usize, waiting: &BTreeSet<InstId>) -> bool {
        let steps = &self.facts.effects[inst.0 as usize][block];
        // Waiting for a lock is no order that anybody relies on, giving it back meanwhile is.
        let takes = steps.iter().any(|step| matches!(step.action, Action::Acquire { .. }));
        let gives = steps.iter().any(|step| matches!(step.action, Action::Release { .. }));
        steps.iter().any(|step| match &step.action {
            Action::Yield => !takes || gives,
            Action::Source | Action::Join { .. } => true,
            Action::Call { callees, .. } => callees.iter().any(|callee| waiting.contains(callee)),
            _ => false,
        })
    }
}
