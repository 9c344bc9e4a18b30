//! Who takes the lock of each element, and keeps it, has them all: there are elements, so the locks, which are one here, are taken.

use std::collections::BTreeSet;

use crate::ir::walk::each;
use crate::ir::{Block, Expr, LockId, Program, Stmt, StmtKind};

/// Calls within calls are followed this deep.
const MAX_DEPTH: usize = 16;

/// Puts one round in the place of each loop that takes a lock in each round and keeps it. There is no second one in any run: locks are not
/// taken twice by one task.
pub(crate) fn take_all(program: &mut Program) {
    for index in 0..program.procs.len() {
        let body = std::mem::take(&mut program.procs[index].body);
        let body = with_rounds(program, body);
        program.procs[index].body = body;
    }
}

fn with_rounds(program: &Program, block: Block) -> Block {
    let mut out = Vec::new();
    for mut stmt in block {
        match &mut stmt.kind {
            StmtKind::While(Expr::Any, body) if !kept(program, body, 0).is_empty() => {
                out.append(body);
                continue;
            }
            StmtKind::If(_, yes, no) => {
                *yes = with_rounds(program, std::mem::take(yes));
                *no = with_rounds(program, std::mem::take(no));
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                *body = with_rounds(program, std::mem::take(body));
            }
            _ => {}
        }
        out.push(stmt);
    }
    out
}

/// The locks that a block takes on each way through it, and has at its end.
fn kept(program: &Program, block: &Block, depth: usize) -> BTreeSet<LockId> {
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
                held.extend(&kept(program, yes, depth) & &kept(program, no, depth));
                let mut gives = false;
                let mut note =
                    |inner: &Stmt| gives |= matches!(inner.kind, StmtKind::Release(_) | StmtKind::Return(_));
                each(yes, &mut note);
                each(no, &mut note);
                if gives {
                    return BTreeSet::new();
                }
            }
            StmtKind::Call { proc, .. } if depth < MAX_DEPTH => {
                held.extend(kept(program, &program.proc(*proc).body, depth + 1));
            }
            StmtKind::Return(_) => return held,
            StmtKind::While(..) | StmtKind::Loop(..) | StmtKind::Async { .. } => return BTreeSet::new(),
            _ => {}
        }
    }
    held
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
}
