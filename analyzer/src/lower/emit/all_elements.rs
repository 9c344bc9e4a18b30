//! Who takes the lock of each element, and keeps it, has them all: there are elements, so the locks, which are one here, are taken.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::ir::walk::each;
use crate::ir::{Block, Expr, Label, LockId, ProcId, Program, Stmt, StmtKind};

/// Puts one round in the place of each loop that takes a lock in each round and keeps it. There is no second one in any run: locks are not
/// taken twice by one task.
pub(crate) fn take_all(program: &mut Program) {
    let mut kept = Kept { program, by_proc: HashMap::new() };
    let mut rounds = HashSet::new();
    for proc in &program.procs {
        each(&proc.body, &mut |stmt| {
            if kept.by_rounds(stmt).is_some() {
                rounds.insert(stmt.label);
            }
        });
    }
    for proc in program.procs.iter_mut().filter(|_| !rounds.is_empty()) {
        proc.body = with_rounds(std::mem::take(&mut proc.body), &rounds);
    }
}

/// A block with the body of each of these loops in its place.
fn with_rounds(block: Block, rounds: &HashSet<Label>) -> Block {
    let mut out = Vec::new();
    for mut stmt in block {
        match &mut stmt.kind {
            StmtKind::While(_, body) if rounds.contains(&stmt.label) => {
                out.append(body);
                continue;
            }
            StmtKind::If(_, yes, no) => {
                *yes = with_rounds(std::mem::take(yes), rounds);
                *no = with_rounds(std::mem::take(no), rounds);
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                *body = with_rounds(std::mem::take(body), rounds);
            }
            _ => {}
        }
        out.push(stmt);
    }
    out
}

/// The locks that blocks take on each way through them, and have at their end.
struct Kept<'p> {
    program: &'p Program,
    /// What is known of procedures; none, as long as it is being found out.
    by_proc: HashMap<ProcId, BTreeSet<LockId>>,
}

impl Kept<'_> {
    /// Those that each round of a loop takes and keeps, if it is a loop, and there are any.
    fn by_rounds(&mut self, stmt: &Stmt) -> Option<BTreeSet<LockId>> {
        let StmtKind::While(Expr::Any, body) = &stmt.kind else { return None };
        Some(self.by(body)).filter(|held| !held.is_empty())
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
                StmtKind::While(..) | StmtKind::Loop(..) | StmtKind::Async { .. } => {
                    match self.by_rounds(stmt) {
                        Some(taken) => held.extend(taken),
                        None => return BTreeSet::new(),
                    }
                }
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
