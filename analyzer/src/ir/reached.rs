//! The part of a program that events can come to.

use std::collections::{BTreeSet, HashMap};

use super::walk::{each, each_mut};
use super::{Course, PlaceId, Proc, ProcId, ProcKind, Program, SourcePlace, Stmt, StmtKind, VarId};

impl Program {
    /// The program with empty procedures in place of those that no event comes to. Procedures keep their numbers; places do not.
    pub fn reached(&self) -> Program {
        let reached = self.reaching();
        let mut places = Places { from: &self.places, to: Vec::new(), numbers: HashMap::new() };
        let procs = self.procs.iter().zip(reached).map(|(proc, reached)| match reached {
            true => places.proc(proc.clone()),
            false => Proc {
                name: String::new(),
                kind: proc.kind,
                params: 0,
                locals: Vec::new(),
                body: Vec::new(),
                place: None,
                course: Course::Ends,
                elsewhere: false,
            },
        });
        let procs = procs.collect();
        Program {
            procs,
            executors: self.executors.clone(),
            locks: self.locks.clone(),
            vars: self.vars.clone(),
            classes: self.classes.clone(),
            bases: self.bases.clone(),
            changed: self.changed.clone(),
            places: places.to,
        }
    }

    /// How many of the events happen once and let others begin that wait for it: a `main` with loops and threads.
    pub(crate) fn openers(&self) -> usize {
        let guards: BTreeSet<VarId> = self
            .procs
            .iter()
            .filter_map(|proc| match proc.kind {
                ProcKind::Event { guard, .. } => guard,
                _ => None,
            })
            .collect();
        let opens = |event: &ProcId| {
            let reached = self.reaching_from(vec![*event]);
            let mut bodies = self.procs.iter().zip(reached).filter(|(_, reached)| *reached);
            let sets = |stmt: &&Stmt| matches!(&stmt.kind, StmtKind::SetVar(var, _) if guards.contains(var));
            bodies.any(|(proc, _)| proc.statements().iter().any(sets))
        };
        let once = |event: &ProcId| matches!(self.proc(*event).kind, ProcKind::Event { once: true, .. });
        if guards.is_empty() { 0 } else { self.events().filter(once).filter(opens).count() }
    }

    /// By procedure: whether it is an event, or one comes to it.
    pub(crate) fn reaching(&self) -> Vec<bool> {
        self.reaching_from(self.events().collect())
    }

    /// By procedure: whether one of these comes to it.
    fn reaching_from(&self, mut open: Vec<ProcId>) -> Vec<bool> {
        let mut reached = vec![false; self.procs.len()];
        while let Some(proc) = open.pop() {
            if !std::mem::replace(&mut reached[proc.index()], true) {
                each(&self.proc(proc).body, &mut |stmt| match stmt.kind {
                    StmtKind::Async { task: next, .. }
                    | StmtKind::Defer { task: next, .. }
                    | StmtKind::Call { proc: next, .. } => open.push(next),
                    _ => {}
                });
            }
        }
        reached
    }
}

/// Places that are still named, renumbered.
struct Places<'p> {
    from: &'p [SourcePlace],
    to: Vec<SourcePlace>,
    numbers: HashMap<PlaceId, PlaceId>,
}

impl Places<'_> {
    fn proc(&mut self, mut proc: Proc) -> Proc {
        proc.place = proc.place.map(|place| self.place(place));
        each_mut(&mut proc.body, &mut |stmt| stmt.place = stmt.place.map(|place| self.place(place)));
        proc
    }

    fn place(&mut self, old: PlaceId) -> PlaceId {
        *self.numbers.entry(old).or_insert_with(|| {
            let new = PlaceId(self.to.len() as u32);
            self.to.extend(self.from.get(old.index()).cloned());
            new
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::text;

    const PROGRAM: &str = "var beat; proc far() { write beat; } proc lost() { read beat; call far(); } \
        proc near() { write beat; } task tick() on any { call near(); } \
        event start on any { if * { async[any] tick(); } read beat; }";

    #[test]
    fn what_no_event_comes_to_is_empty() {
        let program = text::parse(PROGRAM, "test.rob").unwrap();
        let reached = program.reached();
        let kept = reached.procs.iter().map(|proc| (proc.name.as_str(), proc.body.len()));
        let kept: Vec<_> = kept.collect();
        assert_eq!(kept, [("", 0), ("", 0), ("near", 1), ("tick", 1), ("start", 2)]);
    }

    #[test]
    fn what_is_reached_stays_at_its_place() {
        let program = text::parse(PROGRAM, "test.rob").unwrap();
        let reached = program.reached();
        for (was, is) in program.procs.iter().zip(&reached.procs).skip(2) {
            let place = |of: &crate::ir::Program, proc: &crate::ir::Proc| {
                let all = proc.statements().into_iter().map(|stmt| stmt.place).chain([proc.place]);
                all.map(|place| place.map(|place| of.places[place.index()].clone())).collect::<Vec<_>>()
            };
            assert_eq!(place(&program, was), place(&reached, is));
        }
        assert!(reached.places.len() < program.places.len());
    }
}
