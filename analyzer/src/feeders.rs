//! The states in which an event can begin: which values it asks for others can change, and by which events.
//!
//! Determinism is asked from every state that other events can leave (definition 3 of the paper). Only variables whose values
//! the event, or what it starts, asks for make a difference to it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::case::{Case, Form};
use crate::ir::walk::{each, vars_in};
use crate::ir::*;
use crate::limits::Allowance;

/// Events that are run before the one in question; more are not tried.
const MOST: usize = 8;
/// So many of them are counted: [`Before::left_out`].
pub const COUNTED: usize = 256;
/// Bytes that an event takes, and a variable of it.
const SIZE: usize = 64;

/// What each event of a program asks for and changes.
pub struct Feeders {
    asks: BTreeMap<ProcId, BTreeSet<VarId>>,
    /// By variable: the events that change it, in order of declaration; of those that do the same and can happen again, the first.
    writers: BTreeMap<VarId, Vec<ProcId>>,
    /// The first event that does the same, for events that are not the first.
    first: HashMap<ProcId, ProcId>,
    /// What each procedure's own body does, when it took too much to say so of each event.
    bodies: Option<Vec<Own>>,
    /// Events that happen at most once.
    once: BTreeSet<ProcId>,
    alone: BTreeSet<ProcId>,
    /// Events that can leave a variable with another value than it has at first.
    leaving: BTreeSet<(ProcId, VarId)>,
}

/// What can have happened before an event that makes a difference to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// The variables that the event asks for and that others, or an earlier instance, can have changed.
    pub changed: Vec<VarId>,
    /// The events that change these variables, and those that change what they ask for in turn; the nearest first.
    pub events: Vec<ProcId>,
    /// How many more such events there are, up to 256; those that do the same as another one apart.
    pub left_out: usize,
}

impl Feeders {
    /// Looks at all events of a program, as far as it is allowed.
    pub fn new(program: &Program, allowance: &mut Allowance) -> Feeders {
        let own: Vec<Own> = program.procs.iter().map(|proc| Own::new(program, proc)).collect();
        let mut feeders = Feeders {
            asks: BTreeMap::new(),
            writers: BTreeMap::new(),
            first: HashMap::new(),
            bodies: None,
            once: BTreeSet::new(),
            alone: BTreeSet::new(),
            leaving: BTreeSet::new(),
        };
        let mut forms: HashMap<Form, ProcId> = HashMap::new();
        for event in program.events() {
            let (mut asks, mut changes) = (BTreeSet::new(), BTreeSet::new());
            let ProcKind::Event { once, alone, .. } = program.proc(event).kind else { continue };
            for proc in reached(event, &own) {
                asks.extend(&own[proc.index()].asks);
                changes.extend(&own[proc.index()].changes);
                feeders.leaving.extend(own[proc.index()].leaves.iter().map(|x| (event, *x)));
            }
            feeders.once.extend(once.then_some(event));
            feeders.alone.extend(alone.then_some(event));
            if !allowance.take((1 + asks.len() + changes.len()) * SIZE) {
                feeders.bodies = Some(own);
                return feeders;
            }
            if !once && !changes.is_empty() {
                let first = *forms.entry(Case::form(event, program)).or_insert(event);
                if first != event {
                    feeders.first.insert(event, first);
                    feeders.asks.insert(event, asks);
                    continue;
                }
            }
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
        if let Some(bodies) = &self.bodies {
            // Anybody may have changed anything.
            let asked = reached(event, bodies).into_iter().flat_map(|proc| &bodies[proc.index()].asks);
            let changed: BTreeSet<VarId> = asked.copied().collect();
            let left_out = if changed.is_empty() { 0 } else { COUNTED };
            return Before { changed: changed.into_iter().collect(), left_out, ..before };
        }
        let changed = |x: &VarId| self.writers_of(*x, event).next().is_some();
        before.changed = self.asks[&event].iter().copied().filter(changed).collect();
        let (mut seen, mut open) = (BTreeSet::new(), before.changed.clone());
        let mut asked: BTreeSet<VarId> = open.iter().copied().collect();
        while let Some(x) = open.pop().filter(|_| seen.len() < MOST + COUNTED) {
            for writer in self.writers_of(x, event).take(MOST + COUNTED) {
                if seen.insert(writer) {
                    before.events.push(writer);
                    open.extend(self.asks[&writer].iter().filter(|x| asked.insert(**x)));
                }
            }
        }
        before.left_out = before.events.len().saturating_sub(MOST).min(COUNTED);
        before.events.truncate(MOST);
        before
    }

    /// Whether any event is known to leave another state than there is at first.
    pub fn leave_anything(&self) -> bool {
        !self.leaving.is_empty()
    }

    /// Up to so many events that leave a variable that one of these asks for with another value than it has at first: what these do then
    /// may be what they do not do in the beginning. None where it is not known what events do.
    pub fn leaving_another_state(&self, events: &[ProcId], most: usize) -> Vec<ProcId> {
        let mut found = Vec::new();
        let asked: BTreeSet<VarId> =
            events.iter().filter_map(|event| self.asks.get(event)).flatten().copied().collect();
        for x in asked {
            for writer in self.writers.get(&x).into_iter().flatten() {
                if found.len() < most && self.leaving.contains(&(*writer, x)) && !found.contains(writer) {
                    found.push(*writer);
                }
            }
        }
        found
    }

    fn writers_of(&self, x: VarId, event: ProcId) -> impl Iterator<Item = ProcId> {
        let first = self.first.get(&event);
        let writers = self.writers.get(&x).into_iter().flatten();
        // An event stands for all that do the same as it.
        let writers = writers.map(move |writer| if first == Some(writer) { event } else { *writer });
        writers.filter(move |&writer| writer != event || !self.once.contains(&event))
    }
}

/// What a procedure's own body does.
#[derive(Default)]
struct Own {
    asks: BTreeSet<VarId>,
    changes: BTreeSet<VarId>,
    /// What it changes to something else than there is at first, as far as the text tells.
    leaves: BTreeSet<VarId>,
    next: BTreeSet<ProcId>,
}

impl Own {
    fn new(program: &Program, proc: &Proc) -> Own {
        let mut own = Own::default();
        if let ProcKind::Event { guard, .. } = proc.kind {
            own.asks.extend(guard);
        }
        let goes_by_it = |x: VarId, class: ClassId| {
            let domain = program.vars[x.index()].domain;
            domain.is_some_and(|domain| program.updated(domain, class) == Updated::Present)
        };
        each(&proc.body, &mut |s| match &s.kind {
            StmtKind::Write(x) => {
                own.changes.insert(*x);
                own.leaves.insert(*x);
            }
            StmtKind::Update(x, class) => {
                own.changes.insert(*x);
                own.leaves.insert(*x);
                own.asks.extend(goes_by_it(*x, *class).then_some(*x));
            }
            StmtKind::SetVar(x, e) => {
                own.changes.insert(*x);
                // What may be there at first needs nobody to have left it.
                let var = &program.vars[x.index()];
                if !var.open && !matches!(e, Expr::Const(value) if var.init == *value) {
                    own.leaves.insert(*x);
                }
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
        own.leaves.retain(tracked);
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
    use crate::limits::Limits;

    /// What can have happened before the first event, by name: variables and events.
    fn before(source: &str) -> (Vec<String>, Vec<String>) {
        let program = text::parse(source, "test.rob").unwrap();
        let event = program.events().next().unwrap();
        let Before { changed, events, .. } =
            Feeders::new(&program, &mut Allowance::unlimited()).before(event);
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
    fn who_updates_what_may_not_be_there_asks_whether_it_is() {
        let source = |domain, class| {
            format!(
                "var x: {domain}; event e on any {{ async[any] t(); write x; }} task t() on any {{ update x by {class}; }}"
            )
        };
        assert_eq!(before(&source("presence", "append")), (vec!["x".into()], vec!["e".into()]));
        assert_eq!(before(&source("presence", RAISE)), (vec![], vec![]));
        assert_eq!(before(&source("bool", "append")), (vec![], vec![]));
    }

    #[test]
    fn who_changes_what_is_asked_comes_before_and_so_does_who_decides_that() {
        let source = "var x: bool; var y: bool; var z: bool; event e on any when x { async[any] t(); } \
            task t() on any { u := z; } event f on any { u := y; x := u; } event g on any { y := true; } \
            event h on any { v := x; }";
        assert_eq!(before(source), (vec!["x".into()], vec!["f".into(), "g".into()]));
    }

    /// Events that do the same, so many, with what is said of each.
    fn alike(times: &str, of: usize) -> String {
        let event = |i| format!("event {times} e{i} on any {{ t := x; x := true; }}\n");
        format!("var x: bool;\n{}", (0..of).map(event).collect::<String>())
    }

    #[test]
    fn of_those_that_do_the_same_one_comes_before() {
        let program = text::parse(&alike("", 300), "test.rob").unwrap();
        let feeders = Feeders::new(&program, &mut Allowance::unlimited());
        for event in program.events() {
            let Before { changed, events, left_out } = feeders.before(event);
            assert_eq!((changed.len(), events, left_out), (1, vec![event], 0));
        }
    }

    #[test]
    fn those_that_happen_once_are_told_apart() {
        let program = text::parse(&alike("once", 20), "test.rob").unwrap();
        let feeders = Feeders::new(&program, &mut Allowance::unlimited());
        let before = feeders.before(program.events().next().unwrap());
        assert_eq!((before.events.len(), before.left_out), (MOST, 19 - MOST));
        let program = text::parse(&alike("once", 2 * COUNTED), "test.rob").unwrap();
        let feeders = Feeders::new(&program, &mut Allowance::unlimited());
        assert_eq!(feeders.before(program.events().next().unwrap()).left_out, COUNTED);
    }

    #[test]
    fn without_room_all_that_is_asked_may_have_been_changed() {
        let source =
            "var x: bool; var y: bool; event e on any when x { t := y; } event f on any { y := true; }";
        let program = text::parse(source, "test.rob").unwrap();
        let event = program.events().next().unwrap();
        let none = &mut Limits::of_memory(0).allow(1);
        let coarse = Feeders::new(&program, none).before(event);
        assert_eq!((coarse.changed.len(), coarse.left_out), (2, COUNTED));
        let fine = Feeders::new(&program, &mut Allowance::unlimited()).before(event);
        assert_eq!((fine.changed.len(), fine.left_out), (1, 0));
    }

    #[test]
    fn an_event_comes_before_itself_unless_it_happens_once() {
        let event = |times: &str| format!("var x: bool; event {times} e on any {{ t := x; x := true; }}");
        assert_eq!(before(&event("")).1, ["e"]);
        assert!(before(&event("once")).1.is_empty());
    }
}
