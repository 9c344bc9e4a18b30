//! Events that do the same are one: any number of instances of it may run anyway. A library has many: a method, the operator
//! that calls it, and the trait's method that both call.

use std::collections::BTreeSet;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::ir::{Basis, Block, Expr, PlaceId, ProcId, ProcKind, Program, Stmt, StmtKind};

/// Longer descriptions are not compared.
const MAX_LENGTH: usize = 1 << 16;
/// Deeper calls are not followed.
const MAX_DEPTH: usize = 24;

/// Empties all but the first of the events that do the same at the same places, and of those that access one thing once: these
/// cannot be torn apart themselves, and are alike to others wherever they stand.
pub(crate) fn merge(program: &mut Program) {
    // There may be many, and long ones: only digests are kept.
    let mut known: BTreeSet<[u8; 32]> = BTreeSet::new();
    for index in 0..program.procs.len() {
        let proc = &program.procs[index];
        if !matches!(proc.kind, ProcKind::Event { once: false, .. }) || proc.body.is_empty() {
            continue;
        }
        let mut shape = Shape::new(program, format!("{:?}", proc.kind));
        if !shape.body(ProcId(index as u32), 0) {
            continue;
        }
        let is_single = shape.accesses.len() <= 1 && !shape.repeats;
        let description = match is_single {
            true => (shape.effects, Vec::new()),
            false => (shape.text, shape.accesses),
        };
        if !known.insert(Sha256::digest(format!("{description:?}")).into()) {
            program.procs[index].body.clear();
        }
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
}

impl<'p> Shape<'p> {
    fn new(program: &'p Program, kind: String) -> Self {
        Shape { program, effects: kind.clone(), text: kind, accesses: Vec::new(), repeats: false, frames: 0 }
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
            private,
            exchange,
            owner,
            checks,
            misses,
            asked,
            facet,
            keyed,
            change,
            undoes,
            path,
            ..
        } = basis;
        let text = format!(
            "{decides}{own:?}{object:?}{private}{exchange}{owner:?}{checks}{misses}{asked:?}{facet:?}{keyed}{change:?}{undoes:?}{path:?};"
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

    fn left(text: &str) -> Vec<String> {
        let mut program = parse(text, "test.rob").expect("a program");
        for proc in &mut program.procs {
            // Places apart, unless the test is about them.
            proc.body.iter_mut().filter(|stmt| !matches!(stmt.kind, StmtKind::While(..))).for_each(|stmt| {
                stmt.place = None;
            });
        }
        merge(&mut program);
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
        merge(&mut program);
        let left: Vec<bool> = program.events().map(|id| !program.proc(id).body.is_empty()).collect();
        assert_eq!(left, [true, true, false]);
    }

    #[test]
    fn who_has_another_key_does_not_do_the_same() {
        let text = "var x; event a on any { read x; write x; } event b on any { read x; write x; }
            event c on any { read x; write x; }";
        let mut program = parse(text, "test.rob").expect("a program");
        let by = |by| Basis { own: Some(Own { key: 0, by: Some(by), inside: false }), ..Basis::unknown() };
        program.bases = vec![by(0), by(1), by(0)];
        for (number, proc) in program.procs.iter_mut().enumerate() {
            for stmt in &mut proc.body {
                (stmt.basis, stmt.place) = (Some(BasisId(number as u32)), None);
            }
        }
        merge(&mut program);
        let left: Vec<bool> = program.events().map(|id| !program.proc(id).body.is_empty()).collect();
        assert_eq!(left, [true, true, false]);
    }

    #[test]
    fn what_happens_once_is_no_other_event() {
        let text = "var x; event once a on any { write x; } event b on any { write x; }";
        assert_eq!(left(text), ["a", "b"]);
    }
}
