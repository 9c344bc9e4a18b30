//! Locks of elements, which are one lock here, that a loop takes in each round and keeps.
//!
//! Who keeps them in a collection has them all: there are elements, so the locks are taken, and they are given back when all of the collection is,
//! whatever single guards are dropped before. Who hands the guard of each round on to a round of another loop, as lazy iterators do, takes and gives
//! back one after the other.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::ir::walk::{each, retain};
use crate::ir::{Block, Expr, Label, LockId, ProcId, Program, Stmt, StmtKind};

/// Puts one round in the place of each loop that takes a lock in each round and keeps it: there is no second one in any run, for locks are not
/// taken twice by one task. If another loop gives back in each round what this one has taken, it does so in the rounds of that one instead.
pub(crate) fn take_all(program: &mut Program) {
    let mut kept = Kept { program, by_proc: HashMap::new(), touched: HashMap::new() };
    let mut found = Rounds::default();
    for proc in &program.procs {
        kept.rounds(&proc.body, &mut found);
    }
    for proc in program.procs.iter_mut().filter(|_| !found.keep.is_empty()) {
        proc.body = found.within(std::mem::take(&mut proc.body), &mut HashMap::new());
    }
}

/// What becomes of loops.
#[derive(Default)]
struct Rounds {
    /// Those that take locks in each round and keep them.
    keep: HashSet<Label>,
    /// By loop that keeps them: the loop of which each round gives back what a round of it has taken.
    fused: HashMap<Label, Label>,
    /// Loops that drop single guards of collections, with their locks.
    single: HashMap<Label, BTreeSet<LockId>>,
}

impl Rounds {
    /// What becomes of a block; `moved`: by loop, what comes first in each of its rounds.
    fn within(&self, block: Block, moved: &mut HashMap<Label, Block>) -> Block {
        let mut out = Vec::new();
        for mut stmt in block {
            match &mut stmt.kind {
                StmtKind::While(_, body) if self.keep.contains(&stmt.label) => {
                    match self.fused.get(&stmt.label) {
                        Some(other) => _ = moved.insert(*other, std::mem::take(body)),
                        None => out.append(body),
                    }
                    continue;
                }
                StmtKind::If(_, yes, no) => {
                    *yes = self.within(std::mem::take(yes), moved);
                    *no = self.within(std::mem::take(no), moved);
                }
                StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                    let mut round = moved.remove(&stmt.label).unwrap_or_default();
                    round.append(&mut self.within(std::mem::take(body), moved));
                    if let Some(locks) = self.single.get(&stmt.label) {
                        retain(
                            &mut round,
                            &mut |stmt| !matches!(&stmt.kind, StmtKind::Release(lock) if locks.contains(lock)),
                        );
                    }
                    *body = round;
                }
                _ => {}
            }
            out.push(stmt);
        }
        out
    }
}

/// The locks that blocks take on each way through them, and have at their end.
struct Kept<'p> {
    program: &'p Program,
    /// What is known of procedures; none, as long as it is being found out.
    by_proc: HashMap<ProcId, BTreeSet<LockId>>,
    /// What procedures take and give back anywhere, with what they call; nothing, as long as it is being found out.
    touched: HashMap<ProcId, Touched>,
}

/// Locks that are taken, and locks that are given back.
#[derive(Clone, Default)]
struct Touched {
    taken: BTreeSet<LockId>,
    given: BTreeSet<LockId>,
}

impl Kept<'_> {
    /// What becomes of the loops in a block.
    fn rounds(&mut self, block: &Block, found: &mut Rounds) {
        for (at, stmt) in block.iter().enumerate() {
            match &stmt.kind {
                StmtKind::If(_, yes, no) => {
                    self.rounds(yes, found);
                    self.rounds(no, found);
                }
                StmtKind::While(_, body) | StmtKind::Loop(_, body) => self.rounds(body, found),
                _ => {}
            }
            let Some(locks) = self.by_rounds(stmt) else { continue };
            found.keep.insert(stmt.label);
            let rest = &block[at + 1..];
            let first = rest
                .iter()
                .position(|stmt| !self.touched(std::slice::from_ref(stmt)).given.is_disjoint(&locks));
            let Some((other, behind)) = first.and_then(|first| rest[first..].split_first()) else { continue };
            let StmtKind::While(Expr::Any, body) = &other.kind else { continue };
            if !self.touched(body).taken.is_disjoint(&locks) {
                continue;
            }
            if behind.iter().any(|stmt| matches!(&stmt.kind, StmtKind::Release(lock) if locks.contains(lock)))
            {
                found.single.insert(other.label, locks);
            } else {
                found.fused.insert(stmt.label, other.label);
            }
        }
    }

    /// The locks that statements take and give back anywhere.
    fn touched(&mut self, block: &[Stmt]) -> Touched {
        let mut all = Touched::default();
        let mut called = BTreeSet::new();
        each(block, &mut |stmt| match &stmt.kind {
            StmtKind::Acquire(lock, _) => _ = all.taken.insert(*lock),
            StmtKind::Release(lock) => _ = all.given.insert(*lock),
            StmtKind::Call { proc, .. } => _ = called.insert(*proc),
            _ => {}
        });
        for proc in called {
            if !self.touched.contains_key(&proc) {
                self.touched.insert(proc, Touched::default());
                let program = self.program;
                let touched = self.touched(&program.proc(proc).body);
                self.touched.insert(proc, touched);
            }
            all.taken.extend(&self.touched[&proc].taken);
            all.given.extend(&self.touched[&proc].given);
        }
        all
    }

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

    fn taken(source: &str) -> Program {
        let mut program = text::parse(source, "test.rob").expect("valid");
        take_all(&mut program);
        program
    }

    #[test]
    fn what_each_round_takes_and_keeps_is_taken() {
        let after = |round: &str| {
            let source = format!(
                "lock l; var x; event e on any {{ while * {{ {round} }} write x; }} proc p() {{ acquire l; }}"
            );
            let program = taken(&source);
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
    fn guards_that_are_handed_on_are_given_back_one_by_one() {
        let after = |rest: &str| {
            let source = format!(
                "lock l; var x; event e on any {{ while * {{ call p(); }} {rest} }} proc p() {{ acquire l; }} proc q() {{ release l; }}"
            );
            let text = taken(&source).to_string();
            let event = text.split("event").nth(1).expect("one");
            event.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let handed_on = after("while * { write x; call q(); }");
        assert!(
            handed_on.starts_with("e on any { while * { call p(); write x; call q(); } }"),
            "{handed_on}"
        );
        let kept = after("while * { write x; release l; } release l;");
        assert!(kept.starts_with("e on any { call p(); while * { write x; } release l; }"), "{kept}");
        let again = after("while * { write x; release l; if * { acquire l; release l; } }");
        assert!(again.starts_with("e on any { call p(); while * {"), "{again}");
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
        let program = taken(&source);
        let event = program.events().next().expect("one");
        assert!(!program.proc(event).body.iter().any(|stmt| matches!(stmt.kind, StmtKind::While(..))));
    }
}
