//! Branches that decide nothing, or nothing new.

use std::collections::BTreeMap;

use crate::ir::walk::{each, has_var};
use crate::ir::{Block, Expr, LocalId, Stmt, StmtKind, Value};

/// Simplifies the branches of a block.
pub(super) fn branches(block: &mut Block) {
    same_arms(block);
    fold_flags(block);
}

/// Whether two blocks do the same, wherever they stand.
pub(super) fn alike(a: &Block, b: &Block) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| match (&a.kind, &b.kind) {
            (StmtKind::If(c, a1, a2), StmtKind::If(d, b1, b2)) => c == d && alike(a1, b1) && alike(a2, b2),
            (StmtKind::While(c, a), StmtKind::While(d, b)) => c == d && alike(a, b),
            (StmtKind::Loop(c, a), StmtKind::Loop(d, b)) => c == d && alike(a, b),
            (a, b) => a == b,
        })
}

/// A branch to the same on both sides is none.
fn same_arms(block: &mut Block) {
    let mut index = 0;
    while index < block.len() {
        match &mut block[index].kind {
            StmtKind::If(condition, a, b) => {
                same_arms(a);
                same_arms(b);
                if alike(a, b) && !has_var(condition) {
                    let inner = std::mem::take(a);
                    block.splice(index..=index, inner);
                    continue;
                }
                if *condition == Expr::Any {
                    fewer_choices(a, b);
                    fewer_choices(b, a);
                }
                let last = common_end(a, b);
                block.splice(index + 1..index + 1, last);
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => same_arms(body),
            _ => {}
        }
        index += 1;
    }
}

/// Of a choice between one thing and a choice, the second does not offer the first again.
fn fewer_choices(one: &Block, other: &mut Block) {
    while let [Stmt { kind: StmtKind::If(Expr::Any, a, b), .. }] = &mut other[..] {
        let left = if alike(one, a) {
            std::mem::take(b)
        } else if alike(one, b) {
            std::mem::take(a)
        } else {
            return;
        };
        *other = left;
    }
}

/// What both arms end with, if that is to note something, taken out of them.
fn common_end(a: &mut Block, b: &mut Block) -> Block {
    let notes = |stmt: &Stmt| matches!(stmt.kind, StmtKind::SetLocal(_, Expr::Const(_)));
    let mut end = Block::new();
    while let (Some(last), Some(other)) = (a.last(), b.last())
        && last.kind == other.kind
        && notes(last)
    {
        b.pop();
        end.extend(a.pop());
    }
    end.reverse();
    end
}

/// Branches on a local that was set to a constant right here are decided.
fn fold_flags(block: &mut Block) {
    let mut known: BTreeMap<LocalId, bool> = BTreeMap::new();
    let mut index = 0;
    while index < block.len() {
        let decided = match &block[index].kind {
            StmtKind::If(Expr::Local(local), ..) => known.get(local).copied(),
            StmtKind::If(Expr::Not(inner), ..) => match &**inner {
                Expr::Local(local) => known.get(local).map(|value| !value),
                _ => None,
            },
            StmtKind::If(Expr::Const(Value::Bool(value)), ..) => Some(*value),
            _ => None,
        };
        if let Some(value) = decided
            && let StmtKind::If(_, a, b) = &mut block[index].kind
        {
            let inner = std::mem::take(if value { a } else { b });
            block.splice(index..=index, inner);
            continue;
        }
        match &mut block[index].kind {
            StmtKind::SetLocal(local, Expr::Const(Value::Bool(value))) => {
                known.insert(*local, *value);
            }
            StmtKind::SetLocal(local, _) | StmtKind::Call { result: Some(local), .. } => {
                known.remove(local);
            }
            StmtKind::If(_, a, b) => {
                fold_flags(a);
                fold_flags(b);
                forget(a, &mut known);
                forget(b, &mut known);
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                fold_flags(body);
                forget(body, &mut known);
            }
            _ => {}
        }
        index += 1;
    }
}

fn forget(block: &Block, known: &mut BTreeMap<LocalId, bool>) {
    each(block, &mut |stmt| {
        if let StmtKind::SetLocal(local, _) | StmtKind::Call { result: Some(local), .. } = &stmt.kind {
            known.remove(local);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text::parse;

    fn simplified(body: &str) -> String {
        let text = format!("var x; var y; event a on any {{ {body} }}");
        let mut program = parse(&text, "test.rob").expect("a program");
        branches(&mut program.procs[0].body);
        program.to_string()
    }

    #[test]
    fn what_was_offered_is_not_offered_again() {
        let nested = "if * { read x; } else { if * { write y; } else { read x; } }";
        assert_eq!(simplified(nested), simplified("if * { read x; } else { write y; }"));
        let other = "if * { read x; } else { if * { write y; } else { write x; } }";
        assert_ne!(simplified(other), simplified("if * { read x; } else { write y; }"));
    }

    #[test]
    fn what_is_asked_is_no_choice() {
        let asked = "if x { read x; } else { if * { write y; } else { read x; } }";
        assert_ne!(simplified(asked), simplified("if x { read x; } else { write y; }"));
    }
}
