//! Who takes the lock of each element, and keeps it, has them all: there are elements, so the locks, which are one here, are taken.

use std::collections::{BTreeSet, HashMap};

use crate::ir::walk::each;
use crate::ir::{Block, Expr, LockId, ProcId, Program, Stmt, StmtKind};

/// Puts one round in the place of each loop that takes a lock in each round and keeps it. There is no second one in any run: locks are not
/// taken twice by one task.
pub(crate) fn take_all(program: &mut Program) {
    for index in 0..program.procs.len() {
        let body = std::mem::take(&mut program.procs[index].body);
        let body = Kept { program, by_proc: HashMap::new() }.with_rounds(body);
        program.procs[index].body = body;
    }
}

/// The locks that blocks take on each way through them, and have at their end.
struct Kept<'p> {
    program: &'p Program,
    /// What is known of procedures; none, as long as it is being found out.
    by_proc: HashMap<ProcId, BTreeSet<LockId>>,
}

impl Kept<'_> {
    fn with_rounds(&mut self, block: Block) -> Block {
        let mut out = Vec::new();
        for mut stmt in block {
            match &mut stmt.kind {
                StmtKind::While(Expr::Any, body) if !self.by(body).is_empty() => {
                    out.append(body);
                    continue;
                }
                StmtKind::If(_, yes, no) => {
                    *yes = self.with_rounds(std::mem::take(yes));
                    *no = self.with_rounds(std::mem::take(no));
                }
                StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                    *body = self.with_rounds(std::mem::take(body));
                }
                _ => {}
            }
            out.push(stmt);
        }
        out
    }

    fn by(&mut self, block: &Block) -> BTreeSet<LockId> {
        let mut held = BTreeSet::new();
        for stmt in block {
            match &stmt.kind {
                StmtKind::Acquire(lock, _) => {
                    held.insert(*lock);
                }
                StmtKind::Release(lock) => {
                    held.remove(lock);
                }
                StmtKind::If(_, yes, no) => {
                    let (on_yes, on_no) = (self.by(yes), self.by(no));
                    held.extend(&on_yes & &on_no);
                    let mut gives = false;
                    let mut note = |inner: &Stmt| {
                        gives |= matches!(inner.kind, StmtKind::Release(_) | StmtKind::Return(_));
                    };
                    each(yes, &mut note);
                    each(no, &mut note);
                    if gives {
                        return BTreeSet::new();
                    }
                }
                StmtKind::Call { proc, .. } => held.extend(self.by_call(*proc)),
                StmtKind::Return(_) => return held,
                StmtKind::While(..) | StmtKind::Loop(..) | StmtKind::Async { .. } => return BTreeSet::new(),
                _ => {}
            }
        }
        held
    }

    fn by_call(&mut self, proc: ProcId) -> BTreeSet<LockId> {
        if let Some(known) = self.by_proc.get(&proc) {
            return known.clone();
        }
        self.by_proc.insert(proc, BTreeSet::new());
        let program = self.program;
        let held = self.by(&program.proc(proc).body);
        self.by_proc.insert(proc, held.clone());
        held
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text;

    #[test]
    fn what_each_round_takes_and_keeps_is_taken() {
        let after = |round: &str| {
            let source = format!(
                "lock l; var x; event e on any {{ while * {{ {round} }} write x; }} proc p() {{ acquire l; }}"
            );
            let mut program = text::parse(&source, "test.rob").expect("valid");
            take_all(&mut program);
            let event = program.events().next().expect("one");
            program.proc(event).body.iter().any(|stmt| matches!(stmt.kind, StmtKind::While(..)))
        };
        assert!(!after("acquire l;"));
        assert!(!after("call p();"));
        assert!(after("acquire l; release l;"));
        assert!(after("if * { acquire l; }"));
        assert!(after("acquire l; if * { release l; }"));
    }

    #[test]
    fn calls_within_calls_are_looked_into_once() {
        // Each of these calls the next four times over: 4 to the power of 30 ways.
        let calls = |number: u32| format!("call p{}(); ", number + 1).repeat(4);
        let procs: String =
            (0..30).map(|number| format!("proc p{number}() {{ {} }} ", calls(number))).collect();
        let source = format!(
            "lock l; event e on any {{ while * {{ call p0(); }} }} {procs} proc p30() {{ acquire l; }}"
        );
        let mut program = text::parse(&source, "test.rob").expect("valid");
        take_all(&mut program);
        let event = program.events().next().expect("one");
        assert!(!program.proc(event).body.iter().any(|stmt| matches!(stmt.kind, StmtKind::While(..))));
    }
}
