//! Events that do the same are one: any number of instances of it may run anyway. A library has many: a method, the operator
//! that calls it, and the trait's method that both call. So has a program that starts one function at several places.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::ir::passes::beginning::forget_unwaited;
use crate::ir::walk::each_mut;
use crate::ir::{Basis, Block, Expr, PlaceId, ProcId, ProcKind, Program, RAISE, Stmt, StmtKind, VarId};

/// Longer descriptions are not compared.
const MAX_LENGTH: usize = 1 << 16;
/// Deeper calls are not followed.
const MAX_DEPTH: usize = 24;

/// Empties all but the first of the events that do the same at the same places, and of those that access one thing once: these
/// cannot be torn apart themselves, and are alike to others wherever they stand. Tells which one each of those is now that were
/// emptied. `started` are the variables that say that something was started.
///
/// An event that one of several variables lets in is let in by any of them. That is said where it takes nothing: when one of
/// the events waits for nobody, and when whatever waits for one of two variables waits for the other, too, so that they are one.
pub(crate) fn merge(program: &mut Program, started: &BTreeSet<VarId>) -> BTreeMap<ProcId, ProcId> {
    let mut merged = BTreeMap::new();
    let mut joined = BTreeSet::new();
    loop {
        let groups = alike(program);
        for group in &groups {
            merge_group(program, group, &mut merged);
        }
        let same = waited_for_alike(program, &groups, started);
        replace(program, &same);
        joined.extend(same.values().copied());
        // Those who did nothing else may be alike now.
        if !forget_unwaited(program, started) && same.is_empty() {
            break;
        }
    }
    commute(program, &joined);
    let end = |mut at: ProcId| {
        while let Some(next) = merged.get(&at) {
            at = *next;
        }
        at
    };
    merged.iter().map(|(from, to)| (*from, end(*to))).collect()
}

/// The events that do the same, each with all others, whatever they wait for.
fn alike(program: &Program) -> Vec<Vec<ProcId>> {
    // There may be many, and long ones: only digests are kept.
    let mut groups: BTreeMap<[u8; 32], Vec<ProcId>> = BTreeMap::new();
    for (index, proc) in program.procs.iter().enumerate() {
        let ProcKind::Event { once: false, alone, on, .. } = proc.kind else { continue };
        if proc.body.is_empty() {
            continue;
        }
        let kind = ProcKind::Event { once: false, alone, on, guard: None };
        let mut shape = Shape::new(program, format!("{kind:?}"));
        if !shape.body(ProcId(index as u32), 0) {
            continue;
        }
        let is_single = shape.accesses.len() <= 1 && !shape.repeats;
        let description = match is_single {
            true => (shape.effects, Vec::new()),
            false => (shape.text, shape.accesses),
        };
        let digest: [u8; 32] = Sha256::digest(format!("{description:?}")).into();
        groups.entry(digest).or_default().push(ProcId(index as u32));
    }
    groups.into_values().collect()
}

/// What an event waits for; nothing, if it happens alone: then its variable counts as true.
fn guard_of(program: &Program, event: ProcId) -> Option<VarId> {
    match program.proc(event).kind {
        ProcKind::Event { alone: false, guard, .. } => guard,
        _ => None,
    }
}

/// Leaves one of a group for each variable that some wait for, or one for all if one waits for none.
fn merge_group(program: &mut Program, group: &[ProcId], merged: &mut BTreeMap<ProcId, ProcId>) {
    let free = group.iter().any(|event| guard_of(program, *event).is_none());
    let mut first: BTreeMap<Option<VarId>, ProcId> = BTreeMap::new();
    for &event in group {
        let waits = guard_of(program, event).filter(|_| !free);
        let known = *first.entry(waits).or_insert(event);
        if known != event {
            program.procs[event.index()].body.clear();
            merged.insert(event, known);
        } else if let ProcKind::Event { alone: false, guard, .. } = &mut program.procs[event.index()].kind {
            *guard = waits;
        }
    }
}

/// The variables for which the same events wait as for others, with those.
fn waited_for_alike(
    program: &Program,
    groups: &[Vec<ProcId>],
    started: &BTreeSet<VarId>,
) -> BTreeMap<VarId, VarId> {
    let group_of = groups.iter().flat_map(|group| group.iter().map(|event| (*event, group[0])));
    let group_of: BTreeMap<ProcId, ProcId> = group_of.collect();
    let mut waiting: BTreeMap<VarId, BTreeSet<ProcId>> = BTreeMap::new();
    for event in program.events().filter(|event| !program.proc(*event).body.is_empty()) {
        if let ProcKind::Event { guard: Some(var), .. } = program.proc(event).kind
            && started.contains(&var)
        {
            waiting.entry(var).or_default().insert(group_of.get(&event).copied().unwrap_or(event));
        }
    }
    let (mut first, mut same) = (BTreeMap::new(), BTreeMap::new());
    for (var, events) in waiting {
        let known = *first
            .entry((events, program.vars[var.index()].init, program.vars[var.index()].open))
            .or_insert(var);
        if known != var {
            same.insert(var, known);
        }
    }
    same
}

/// Makes others of variables, where they are waited for and where they are set.
fn replace(program: &mut Program, same: &BTreeMap<VarId, VarId>) {
    for proc in program.procs.iter_mut().filter(|_| !same.is_empty()) {
        if let ProcKind::Event { guard: Some(guard), .. } = &mut proc.kind {
            *guard = same.get(guard).copied().unwrap_or(*guard);
        }
        each_mut(&mut proc.body, &mut |stmt| {
            if let StmtKind::SetVar(var, _) = &mut stmt.kind {
                *var = same.get(var).copied().unwrap_or(*var);
            }
        });
    }
}

/// Starts at several places have no order of their own: each had a variable to itself.
fn commute(program: &mut Program, joined: &BTreeSet<VarId>) {
    if joined.is_empty() {
        return;
    }
    let class = program.class(RAISE);
    for proc in &mut program.procs {
        each_mut(&mut proc.body, &mut |stmt| {
            if let StmtKind::SetVar(var, _) = stmt.kind
                && joined.contains(&var)
            {
                stmt.kind = StmtKind::Update(var, class);
            }
        });
    }
}

/// What a body does with all that it calls, apart from names and places.
struct Shape<'p> {
    program: &'p Program,
    text: String,
    /// Accesses and locks alone.
    effects: String,
    /// The places of the accesses.
    accesses: Vec<Option<PlaceId>>,
    /// Something may happen more than once.
    repeats: bool,
    /// How many of the calls so far have local variables.
    frames: usize,
    /// By what is frozen: how much else was, where it came up first.
    frozen: BTreeMap<u32, usize>,
}

impl<'p> Shape<'p> {
    fn new(program: &'p Program, kind: String) -> Self {
        Shape {
            program,
            effects: kind.clone(),
            text: kind,
            accesses: Vec::new(),
            repeats: false,
            frames: 0,
            frozen: BTreeMap::new(),
        }
    }

    /// Adds what a procedure does, in braces; false when that is too much to say.
    fn body(&mut self, proc: ProcId, depth: usize) -> bool {
        self.text.push('{');
        let complete = self.inline(proc, depth);
        self.text.push('}');
        complete
    }

    fn inline(&mut self, proc: ProcId, depth: usize) -> bool {
        let program = self.program;
        let frame = self.frames;
        self.frames += usize::from(!program.proc(proc).locals.is_empty());
        self.statements(&program.proc(proc).body, frame, depth)
    }

    fn block(&mut self, block: &'p Block, frame: usize, depth: usize) -> bool {
        self.text.push('{');
        let complete = self.statements(block, frame, depth);
        self.text.push('}');
        complete
    }

    fn statements(&mut self, block: &'p Block, frame: usize, depth: usize) -> bool {
        block.iter().all(|stmt| {
            let fits = depth < MAX_DEPTH && self.text.len() < MAX_LENGTH;
            fits && match &stmt.kind {
                StmtKind::Call { proc, args, result } => {
                    if !args.is_empty() || result.is_some() {
                        let _ = write!(self.text, "{frame}:{args:?}{result:?}");
                    }
                    // A body that runs to its end does what its statements do where it is called.
                    let returns = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Return(_));
                    if self.program.proc(*proc).statements().into_iter().any(returns) {
                        self.body(*proc, depth + 1)
                    } else {
                        self.inline(*proc, depth + 1)
                    }
                }
                StmtKind::Async { task, args, handle } => {
                    self.repeats = true;
                    let kind = self.program.proc(*task).kind;
                    let _ = write!(self.text, "{frame}:{args:?}{handle:?}{kind:?}");
                    self.body(*task, depth + 1)
                }
                StmtKind::If(condition, a, b) => {
                    self.expression(condition, stmt.place);
                    let _ = write!(self.text, "{frame}:if{condition:?}");
                    self.block(a, frame, depth + 1) && self.block(b, frame, depth + 1)
                }
                StmtKind::While(condition, body) => {
                    self.repeats = true;
                    self.expression(condition, stmt.place);
                    let _ = write!(self.text, "{frame}:while{condition:?}");
                    self.block(body, frame, depth + 1)
                }
                StmtKind::Loop(times, body) => {
                    self.repeats = true;
                    let _ = write!(self.text, "loop{times}");
                    self.block(body, frame, depth + 1)
                }
                kind => {
                    let _ = write!(self.text, "{frame}:{kind:?};");
                    self.effect(kind, stmt.place);
                    self.basis(stmt);
                    true
                }
            }
        })
    }

    fn effect(&mut self, kind: &StmtKind, place: Option<PlaceId>) {
        match kind {
            StmtKind::Read(_) | StmtKind::Write(_) | StmtKind::Update(..) => self.accesses.push(place),
            StmtKind::SetVar(_, value) => {
                self.expression(value, place);
                self.accesses.push(place);
            }
            StmtKind::SetLocal(_, value) | StmtKind::Assume(value) | StmtKind::Return(Some(value)) => {
                self.expression(value, place);
                return;
            }
            StmtKind::Return(None) => return,
            _ => {}
        }
        let text = format!("{kind:?};");
        // Locks are released on several ways out.
        if !self.effects.ends_with(&text) {
            self.effects.push_str(&text);
        }
    }

    /// What an access is known to do beyond its kind: two that differ there may be harmless beside different others.
    fn basis(&mut self, stmt: &Stmt) {
        let Some(basis) = stmt.basis.and_then(|basis| self.program.bases.get(basis.index())) else { return };
        let Basis {
            decides,
            own,
            object,
            received,
            private,
            exchange,
            unmet,
            owner,
            checks,
            misses,
            hits,
            asked,
            side,
            keyed,
            change,
            appends,
            undoes,
            leads,
            insists,
            listed,
            path,
            members,
            finds,
            frozen,
            hands_out,
            let_on,
            message,
            ..
        } = basis;
        let mut seen = Vec::new();
        for frozen in frozen {
            let next = self.frozen.len();
            let value = *self.frozen.entry(frozen.value).or_insert(next);
            seen.push((value, frozen.beside, &frozen.is));
        }
        let text = format!(
            "{decides}{own:?}{object:?}{received}{private}{exchange}{unmet:?}{owner:?}{checks}{misses}{hits}{asked:?}{side:?}{keyed}{change:?}{appends}{undoes:?}{leads:?}{insists:?}{listed:?}{path:?}{members:?}{finds:?}{seen:?}{hands_out}{let_on}{message:?};"
        );
        self.effects.push_str(&text);
        self.text.push_str(&text);
    }

    /// Reads in an expression.
    fn expression(&mut self, value: &Expr, place: Option<PlaceId>) {
        match value {
            Expr::Var(var) => {
                self.accesses.push(place);
                let _ = write!(self.effects, "{var:?};");
            }
            Expr::Not(inner) => self.expression(inner, place),
            Expr::Binary(_, a, b) => {
                self.expression(a, place);
                self.expression(b, place);
            }
            Expr::Const(_) | Expr::Local(_) | Expr::Any => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text::parse;
    use crate::ir::{BasisId, Change, Own};
    use crate::semantics::{Machine, oracle};

    fn left(text: &str) -> Vec<String> {
        let mut program = parse(text, "test.rob").expect("a program");
        for proc in &mut program.procs {
            // Places apart, unless the test is about them.
            proc.body.iter_mut().filter(|stmt| !matches!(stmt.kind, StmtKind::While(..))).for_each(|stmt| {
                stmt.place = None;
            });
        }
        merge(&mut program, &BTreeSet::new());
        let events = program.events().map(|id| program.proc(id)).filter(|proc| !proc.body.is_empty());
        events.map(|proc| proc.name.clone()).collect()
    }

    #[test]
    fn an_event_that_calls_what_another_does_is_the_same() {
        let text = "var x; var y; event a on any { read x; write y; } event b on any { call p(); }
            event c on any { write y; read x; } proc p() { read x; write y; }";
        assert_eq!(left(text), ["a", "c"]);
    }

    #[test]
    fn single_accesses_are_alike_wherever_they_stand() {
        let text = "lock l; var x; event a on any { acquire shared l; read x; release l; }
            event b on any { if * { acquire shared l; read x; release l; } }
            event c on any { acquire l; read x; release l; } event d on any { while * { read x; } }";
        assert_eq!(left(text), ["a", "c", "d"]);
    }

    #[test]
    fn who_puts_in_is_not_alike_to_who_takes_out() {
        let text =
            "var x; event a on any { write x; } event b on any { write x; } event c on any { write x; }";
        let mut program = parse(text, "test.rob").expect("a program");
        let change = |change| Basis { change: Some(change), ..Basis::unknown() };
        program.bases = vec![change(Change::Put), change(Change::Take), change(Change::Put)];
        for (number, proc) in program.procs.iter_mut().enumerate() {
            proc.body[0].basis = Some(BasisId(number as u32));
        }
        merge(&mut program, &BTreeSet::new());
        let left: Vec<bool> = program.events().map(|id| !program.proc(id).body.is_empty()).collect();
        assert_eq!(left, [true, true, false]);
    }

    #[test]
    fn who_has_another_key_does_not_do_the_same() {
        let text = "var x; event a on any { read x; write x; } event b on any { read x; write x; }
            event c on any { read x; write x; }";
        let mut program = parse(text, "test.rob").expect("a program");
        let by = |by| Basis {
            own: Some(Own { key: 0, by: Some(by), inside: false, to: None, by_task: false }),
            ..Basis::unknown()
        };
        program.bases = vec![by(0), by(1), by(0)];
        for (number, proc) in program.procs.iter_mut().enumerate() {
            for stmt in &mut proc.body {
                (stmt.basis, stmt.place) = (Some(BasisId(number as u32)), None);
            }
        }
        merge(&mut program, &BTreeSet::new());
        let left: Vec<bool> = program.events().map(|id| !program.proc(id).body.is_empty()).collect();
        assert_eq!(left, [true, true, false]);
    }

    #[test]
    fn what_happens_once_is_no_other_event() {
        let text = "var x; event once a on any { write x; } event b on any { write x; }";
        assert_eq!(left(text), ["a", "b"]);
    }

    /// The program, merged, where variables that begin with `s` say what was started; and what the oracle says before and after.
    fn started(text: &str) -> Program {
        let mut program = parse(text, "test.rob").expect("a program");
        let starts = program.vars.iter().enumerate().filter(|(_, var)| var.name.starts_with('s'));
        let starts = starts.map(|(number, _)| VarId(number as u32)).collect();
        let answer = |program: &Program| {
            let machine = Machine::new(program).expect("a valid program");
            oracle::serializability(&machine, 4, oracle::Limits::default())
        };
        let before = answer(&program);
        for proc in &mut program.procs {
            each_mut(&mut proc.body, &mut |stmt| stmt.place = None);
        }
        merge(&mut program, &starts);
        crate::ir::passes::compact::compact(&mut program);
        assert_eq!(answer(&program), before, "{program}");
        program
    }

    fn events(program: &Program) -> Vec<&str> {
        program.events().map(|event| &*program.proc(event).name).collect()
    }

    const SERVED: &str =
        "event e on any when s1 { read x; write x; } event f on any when s2 { read x; write x; }";

    #[test]
    fn what_is_started_at_several_places_is_one_event() {
        let text = "var x; var y; var s1: bool = false; var s2: bool = false;
            event once a on any { read y; s1 := true; } event once b on any { write y; s2 := true; }";
        let program = started(&format!("{text} {SERVED}"));
        assert_eq!(events(&program), ["a", "b", "e"]);
        // Else two starters would be in each other's way.
        assert_eq!(program.to_string().matches("update s1 by raise").count(), 2, "{program}");
        let program = started(&format!("{text} {}", SERVED.replace("read x; ", "")));
        assert_eq!(events(&program), ["a", "b", "e"], "and nothing is wrong with it");
    }

    #[test]
    fn what_starts_more_than_another_is_not_the_same() {
        let text = format!(
            "var x; var y; var s1: bool = false; var s2: bool = false; event once a on any {{ s1 := true; }}
             event once b on any {{ s2 := true; }} {SERVED} event g on any when s2 {{ write y; read y; }}"
        );
        assert_eq!(events(&started(&text)), ["a", "b", "e", "f", "g"]);
    }

    #[test]
    fn who_waits_for_nothing_stands_for_those_who_wait() {
        let text = format!(
            "var x; var s1: bool = false; var s2: bool = false; event once a on any {{ s1 := true; }} {SERVED}
             event once b on any {{ s2 := true; read x; }} event h on any {{ read x; write x; }}"
        );
        let program = started(&text);
        assert_eq!(events(&program), ["e", "b"], "nobody waits for who only starts");
        assert!(!program.to_string().contains("when"), "{program}");
    }

    #[test]
    fn those_who_start_the_same_are_the_same() {
        let starter = |name: &str, on: u32, out: u32| {
            format!("event {name} on any when s{on} {{ read x; s{out} := true; read x; }}")
        };
        let text = format!(
            "var x; var s1: bool = false; var s2: bool = false; var s3: bool = false; var s4: bool = false;
             event once a on any {{ s3 := true; s4 := true; }} {} {} {SERVED}",
            starter("c", 3, 1),
            starter("d", 4, 2)
        );
        assert_eq!(events(&started(&text)), ["a", "c", "e"]);
    }
}
