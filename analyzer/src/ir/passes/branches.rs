//! Branches that decide nothing, or nothing new.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

use crate::ir::walk::{each, has_var};
use crate::ir::{Block, Expr, LocalId, Stmt, StmtKind, Value};

/// Simplifies the branches of a block.
pub(super) fn branches(block: &mut Block) {
    same_arms(block, false);
    fold_flags(block);
}

/// Whether two blocks do the same, wherever they stand.
fn alike(a: &Block, b: &Block) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| match (&a.kind, &b.kind) {
            (StmtKind::If(c, a1, a2), StmtKind::If(d, b1, b2)) => c == d && alike(a1, b1) && alike(a2, b2),
            (StmtKind::While(c, a), StmtKind::While(d, b)) => c == d && alike(a, b),
            (StmtKind::Loop(c, a), StmtKind::Loop(d, b)) => c == d && alike(a, b),
            (a, b) => a == b,
        })
}

/// A branch to the same on both sides is none, and a choice offers each thing once. `in_choice`: the block is an arm of a choice, which is looked
/// at as a whole.
fn same_arms(block: &mut Block, in_choice: bool) {
    let mut index = 0;
    while index < block.len() {
        let is_part = in_choice && block.len() == 1;
        match &mut block[index].kind {
            StmtKind::If(condition, a, b) => {
                let is_choice = *condition == Expr::Any;
                same_arms(a, is_choice);
                same_arms(b, is_choice);
                if alike(a, b) && !has_var(condition) {
                    let inner = std::mem::take(a);
                    block.splice(index..=index, inner);
                    continue;
                }
                if is_choice && !is_part && offers_again(a, b) {
                    let stmt = block.remove(index);
                    let inner = one_of_each(stmt);
                    block.splice(index..index, inner);
                    continue;
                }
                let last = common_end(a, b);
                block.splice(index + 1..index + 1, last);
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => same_arms(body, false),
            _ => {}
        }
        index += 1;
    }
}

/// Whether something is offered twice by a choice, and the choices in it.
fn offers_again(a: &Block, b: &Block) -> bool {
    let mut ways = Vec::new();
    offered(a, &mut ways);
    offered(b, &mut ways);
    let mut known = Known::default();
    ways.into_iter().any(|way| !known.add(way, |other| other))
}

/// Blocks by what they do.
struct Known<B>(FxHashMap<u64, Vec<B>>);

impl<B> Default for Known<B> {
    fn default() -> Self {
        Known(FxHashMap::default())
    }
}

impl<B> Known<B> {
    /// Adds a block, unless there is one that does the same.
    fn add(&mut self, block: B, of: impl Fn(&B) -> &Block) -> bool {
        let mut shape = Shape(FxHasher::default());
        shape.block(of(&block));
        let alike_ones = self.0.entry(shape.0.finish()).or_default();
        if alike_ones.iter().any(|other| alike(of(other), of(&block))) {
            return false;
        }
        alike_ones.push(block);
        true
    }
}

/// What a block does, wherever it stands, as a number.
struct Shape(FxHasher);

impl Shape {
    fn block(&mut self, block: &Block) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::If(condition, a, b) => {
                    let _ = write!(self, "if {condition:?}");
                    self.block(a);
                    self.0.write_u8(0);
                    self.block(b);
                    self.0.write_u8(1);
                }
                StmtKind::While(condition, body) => {
                    let _ = write!(self, "while {condition:?}");
                    self.block(body);
                    self.0.write_u8(2);
                }
                StmtKind::Loop(times, body) => {
                    let _ = write!(self, "loop {times}");
                    self.block(body);
                    self.0.write_u8(3);
                }
                kind => {
                    let _ = write!(self, "{kind:?}");
                }
            }
        }
    }
}

impl Write for Shape {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

/// What is offered by a block that may be a choice and nothing else.
fn offered<'b>(block: &'b Block, ways: &mut Vec<&'b Block>) {
    match &block[..] {
        [Stmt { kind: StmtKind::If(Expr::Any, a, b), .. }] => {
            offered(a, ways);
            offered(b, ways);
        }
        _ => ways.push(block),
    }
}

/// A choice that offers each thing once.
fn one_of_each(choice: Stmt) -> Block {
    let (mut heads, mut ways) = (Vec::new(), Vec::new());
    take_apart(vec![choice], &mut heads, &mut ways);
    let mut kept: Vec<Block> = Vec::new();
    let mut known = Known::default();
    for way in ways {
        if known.add(way.clone(), |other| other) {
            kept.push(way);
        }
    }
    let last = kept.pop().unwrap_or_default();
    let choice =
        |no: Block, (yes, head): (Block, Stmt)| vec![Stmt { kind: StmtKind::If(Expr::Any, yes, no), ..head }];
    kept.into_iter().rev().zip(heads).fold(last, choice)
}

/// What a block offers, and the choices that it does so by, without that.
fn take_apart(mut block: Block, heads: &mut Vec<Stmt>, ways: &mut Vec<Block>) {
    let is_choice = |stmt: &Stmt| matches!(stmt.kind, StmtKind::If(Expr::Any, ..));
    match block.pop() {
        Some(mut only) if block.is_empty() && is_choice(&only) => {
            let kind = std::mem::replace(&mut only.kind, StmtKind::Yield);
            heads.push(only);
            if let StmtKind::If(_, a, b) = kind {
                take_apart(a, heads, ways);
                take_apart(b, heads, ways);
            }
        }
        last => {
            block.extend(last);
            ways.push(block);
        }
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
    fn what_is_offered_in_choices_is_offered_once() {
        let (x, y) = ("if * { read x; write x; } else { write y; }", "read x; write x;");
        let nested =
            format!("if * {{ {x} }} else {{ if * {{ {y} }} else {{ if * {{ {x} }} else {{ read y; }} }} }}");
        let flat = "if * { read x; write x; } else { if * { write y; } else { read y; } }";
        assert_eq!(simplified(&nested), simplified(flat));
        assert_eq!(
            simplified(&format!("if * {{ {y} }} else {{ if * {{ {y} }} else {{ {y} }} }}")),
            simplified(y)
        );
    }

    #[test]
    fn what_is_asked_is_no_choice() {
        let asked = "if x { read x; } else { if * { write y; } else { read x; } }";
        assert_ne!(simplified(asked), simplified("if x { read x; } else { write y; }"));
    }
}
