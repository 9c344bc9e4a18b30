//! The states in which an event can begin: which values it asks for others can change, and by which events.
//!
//! Determinism is asked from every state that other events can leave (definition 3 of the paper). Only variables whose values
//! the event, or what it starts, asks for make a difference to it.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::walk::{each, vars_in};
use crate::ir::*;

/// Events that are run before the one in question; more are not tried.
const MOST: usize = 8;

/// What each event of a program asks for and changes.
pub struct Feeders {
    asks: BTreeMap<ProcId, BTreeSet<VarId>>,
    /// By variable: the events that change it, in order of declaration.
    writers: BTreeMap<VarId, Vec<ProcId>>,
    /// Events that happen at most once.
    once: BTreeSet<ProcId>,
    alone: BTreeSet<ProcId>,
}

/// What can have happened before an event that makes a difference to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// The variables that the event asks for and that others, or an earlier instance, can have changed.
    pub changed: Vec<VarId>,
    /// The events that change these variables, and those that change what they ask for in turn; the nearest first.
    pub events: Vec<ProcId>,
    /// How many more such events there are.
    pub left_out: usize,
}

impl Feeders {
    /// Looks at all events of a program.
    pub fn new(program: &Program) -> Feeders {
        let own: Vec<Own> = program.procs.iter().map(|proc| Own::new(program, proc)).collect();
        let mut feeders = Feeders {
            asks: BTreeMap::new(),
            writers: BTreeMap::new(),
            once: BTreeSet::new(),
            alone: BTreeSet::new(),
        };
        for event in program.events() {
            let (mut asks, mut changes) = (BTreeSet::new(), BTreeSet::new());
            for proc in reached(event, &own) {
                asks.extend(&own[proc.index()].asks);
                changes.extend(&own[proc.index()].changes);
            }
            let ProcKind::Event { once, alone, guard, .. } = program.proc(event).kind else { continue };
            asks.extend(guard);
            feeders.once.extend(once.then_some(event));
            feeders.alone.extend(alone.then_some(event));
            if !alone {
                changes.into_iter().for_each(|x| feeders.writers.entry(x).or_default().push(event));
            }
            feeders.asks.insert(event, asks);
        }
        feeders
    }

    /// What can have happened before an event.
    pub fn before(&self, event: ProcId) -> Before {
        let mut before = Before::default();
        if self.alone.contains(&event) {
            return before;
        }
        let changed = |x: &VarId| self.writers_of(*x, event).next().is_some();
        before.changed = self.asks[&event].iter().copied().filter(changed).collect();
        let (mut seen, mut open) = (BTreeSet::new(), before.changed.clone());
        let mut asked: BTreeSet<VarId> = open.iter().copied().collect();
        while let Some(x) = open.pop() {
            for writer in self.writers_of(x, event) {
                if seen.insert(writer) {
                    before.events.push(writer);
                    open.extend(self.asks[&writer].iter().filter(|x| asked.insert(**x)));
                }
            }
        }
        before.left_out = before.events.len().saturating_sub(MOST);
        before.events.truncate(MOST);
        before
    }

    fn writers_of(&self, x: VarId, event: ProcId) -> impl Iterator<Item = ProcId> {
        let writers = self.writers.get(&x).into_iter().flatten().copied();
        writers.filter(move |&writer| writer != event || !self.once.contains(&event))
    }
}

/// What a procedure's own body does.
#[derive(Default)]
struct Own {
    asks: BTreeSet<VarId>,
    changes: BTreeSet<VarId>,
    next: BTreeSet<ProcId>,
}

impl Own {
    fn new(program: &Program, proc: &Proc) -> Own {
        let mut own = Own::default();
        each(&proc.body, &mut |s| match &s.kind {
            StmtKind::Write(x) | StmtKind::Update(x, _) => {
                own.changes.insert(*x);
            }
            StmtKind::SetVar(x, e) => {
                own.changes.insert(*x);
                vars_in(e, &mut own.asks);
            }
            StmtKind::SetLocal(_, e)
            | StmtKind::Assume(e)
            | StmtKind::Return(Some(e))
            | StmtKind::If(e, ..)
            | StmtKind::While(e, _) => vars_in(e, &mut own.asks),
            StmtKind::Async { task: next, args, .. } | StmtKind::Call { proc: next, args, .. } => {
                own.next.insert(*next);
                args.iter().for_each(|arg| vars_in(arg, &mut own.asks));
            }
            _ => {}
        });
        let tracked = |x: &VarId| program.vars[x.index()].domain.is_some();
        own.asks.retain(tracked);
        own.changes.retain(tracked);
        own
    }
}

/// A procedure, what it calls and what it starts.
fn reached(from: ProcId, own: &[Own]) -> BTreeSet<ProcId> {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(proc) = open.pop() {
        open.extend(own[proc.index()].next.iter().filter(|next| seen.insert(**next)));
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text;

    /// What can have happened before the first event, by name: variables and events.
    fn before(source: &str) -> (Vec<String>, Vec<String>) {
        let program = text::parse(source, "test.rob").unwrap();
        let event = program.events().next().unwrap();
        let Before { changed, events, .. } = Feeders::new(&program).before(event);
        (
            changed.iter().map(|x| program.vars[x.index()].name.clone()).collect(),
            events.iter().map(|e| program.proc(*e).name.clone()).collect(),
        )
    }

    #[test]
    fn what_nobody_changes_is_what_it_was() {
        let (changed, events) =
            before("var x: bool; var y: bool; event e on any { t := x; } event f on any { y := true; }");
        assert_eq!((changed.len(), events.len()), (0, 0));
    }

    #[test]
    fn who_changes_what_is_asked_comes_before_and_so_does_who_decides_that() {
        let source = "var x: bool; var y: bool; var z: bool; event e on any when x { async[any] t(); } \
            task t() on any { u := z; } event f on any { u := y; x := u; } event g on any { y := true; } \
            event h on any { v := x; }";
        assert_eq!(before(source), (vec!["x".into()], vec!["f".into(), "g".into()]));
    }

    #[test]
    fn an_event_comes_before_itself_unless_it_happens_once() {
        let event = |times: &str| format!("var x: bool; event {times} e on any {{ t := x; x := true; }}");
        assert_eq!(before(&event("")).1, ["e"]);
        assert!(before(&event("once")).1.is_empty());
    }
}
