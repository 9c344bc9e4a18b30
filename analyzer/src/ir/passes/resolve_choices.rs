//! Choices about reads ([`crate::lower::emit::provisional`]) are checked behind the reads they are about. A violation ends a
//! run at its pivot, before such checks: so nothing must happen on a choice that no way on agrees with. What the ways on ask
//! of the choices is computed backwards, and assumed before whatever others can notice.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{BinOp, Block, ClassId, ENLIST, Expr, LocalId, ProcId, Program, Stmt, StmtKind, Value};

use crate::ir::passes::callers::{By, doing, leave_out};
use crate::ir::walk::has_var;
use crate::limits::Deadline;
use crate::lower::emit::provisional::{is_flag, is_void};

/// Needs with more alternatives than this are given up: anything goes.
const MAX_CUBES: usize = 32;
/// Loops whose need has not settled after this many rounds need nothing.
const MAX_ROUNDS: usize = 16;

/// Values that some flags have.
type Cube = BTreeMap<LocalId, bool>;

/// What must be known of the flags for the end to be reached: one of the cubes holds.
#[derive(Clone, PartialEq, Eq)]
struct Need(BTreeSet<Cube>);

impl Need {
    fn nothing() -> Need {
        Need(BTreeSet::from([Cube::new()]))
    }

    fn is_nothing(&self) -> bool {
        self.0.contains(&Cube::new())
    }

    fn or(mut self, other: Need) -> Need {
        self.0.extend(other.0);
        self.reduced()
    }

    /// A flag is set: what is needed of it holds or does not.
    fn set(self, flag: LocalId, to: bool) -> Need {
        let cubes = self.0.into_iter().filter(|cube| cube.get(&flag).is_none_or(|value| *value == to));
        Need(cubes.map(|cube| cube.into_iter().filter(|(local, _)| *local != flag).collect()).collect())
            .reduced()
    }

    fn and(self, more: &[Cube]) -> Need {
        let both = |a: &Cube, b: &Cube| {
            let agree = b.iter().all(|(local, value)| a.get(local).is_none_or(|known| known == value));
            agree.then(|| a.iter().chain(b).map(|(local, value)| (*local, *value)).collect::<Cube>())
        };
        Need(self.0.iter().flat_map(|a| more.iter().filter_map(move |b| both(a, b))).collect()).reduced()
    }

    /// Without cubes that others cover.
    fn reduced(self) -> Need {
        let covers =
            |a: &Cube, b: &Cube| a != b && a.iter().all(|(local, value)| b.get(local) == Some(value));
        let kept: BTreeSet<Cube> =
            self.0.iter().filter(|cube| !self.0.iter().any(|other| covers(other, cube))).cloned().collect();
        if kept.len() > MAX_CUBES { Need::nothing() } else { Need(kept) }
    }

    fn expression(&self) -> Expr {
        let literal = |(local, value): (&LocalId, &bool)| match value {
            true => Expr::Local(*local),
            false => Expr::Not(Box::new(Expr::Local(*local))),
        };
        let join = |op: BinOp| move |a: Expr, b: Expr| Expr::Binary(op, Box::new(a), Box::new(b));
        let cube = |cube: &Cube| {
            cube.iter().map(literal).reduce(join(BinOp::And)).unwrap_or(Expr::Const(Value::Bool(true)))
        };
        self.0.iter().map(cube).reduce(join(BinOp::Or)).unwrap_or(Expr::Const(Value::Bool(false)))
    }
}

/// Assumes before what others can notice what the ways on from there need. Loops in loops take long, so there may be no time for all:
/// events and tasks with choices that were not looked at are left out, and given back.
pub(crate) fn resolve(program: &mut Program, deadline: Deadline) -> Vec<ProcId> {
    let waiting = waiting(program);
    let mut missing = BTreeSet::new();
    for (index, proc) in program.procs.iter_mut().enumerate() {
        let flags: BTreeSet<LocalId> = (0..proc.locals.len())
            .filter(|at| is_flag(&proc.locals[*at]))
            .map(|at| LocalId(at as u32))
            .collect();
        if !flags.is_empty() && deadline.is_over() {
            missing.insert(ProcId(index as u32));
        } else if !flags.is_empty() {
            let void = flags.iter().copied().filter(|flag| is_void(&proc.locals[flag.index()])).collect();
            Foresight { flags, void, waiting: &waiting }.assume(&mut proc.body, Need::nothing(), false);
        }
    }
    leave_out(program, &missing)
}

/// Where tasks begin to wait, which they may do for ever.
struct Waiting {
    enlist: Option<ClassId>,
    procs: BTreeSet<ProcId>,
}

impl Waiting {
    fn enlists(&self, stmt: &Stmt) -> bool {
        matches!(&stmt.kind, StmtKind::Update(_, class) if Some(*class) == self.enlist)
    }

    fn begins(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Update(..) => self.enlists(stmt),
            StmtKind::Call { proc, .. } => self.procs.contains(proc),
            _ => false,
        }
    }
}

fn waiting(program: &Program) -> Waiting {
    let enlist = program.classes.iter().position(|class| class == ENLIST);
    let enlist = enlist.map(|class| ClassId(class as u32));
    let begins = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Update(_, class) if Some(*class) == enlist);
    Waiting { enlist, procs: doing(program, By::Calls, begins) }
}

struct Foresight<'p> {
    flags: BTreeSet<LocalId>,
    /// Those that say that a read was not made since a later one decides.
    void: Vec<LocalId>,
    waiting: &'p Waiting,
}

impl Foresight<'_> {
    /// What is needed before a block.
    fn before(&self, block: &Block, after: Need) -> Need {
        block.iter().rev().fold(after, |after, stmt| self.before_one(stmt, after))
    }

    fn before_one(&self, stmt: &Stmt, after: Need) -> Need {
        match &stmt.kind {
            StmtKind::SetLocal(local, value) if self.flags.contains(local) => match value {
                Expr::Const(Value::Bool(value)) => after.set(*local, *value),
                _ => Need::nothing(),
            },
            StmtKind::Assume(condition) => match self.cubes(condition) {
                Some(cubes) => after.and(&cubes),
                None => after,
            },
            StmtKind::If(_, a, b) => self.before(a, after.clone()).or(self.before(b, after)),
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => self.at_head(body, after),
            StmtKind::Return(_) => Need::nothing(),
            _ if self.waiting.begins(stmt) => Need::nothing(),
            _ => after,
        }
    }

    /// What is needed at the head of a loop, which may go round for ever.
    fn at_head(&self, body: &Block, after: Need) -> Need {
        let mut need = Need::nothing();
        for _ in 0..MAX_ROUNDS {
            let next = after.clone().or(self.before(body, need.clone()));
            if next == need {
                return need;
            }
            need = next;
        }
        Need::nothing()
    }

    /// A condition on flags alone, as alternatives.
    fn cubes(&self, condition: &Expr) -> Option<Vec<Cube>> {
        let literal = |value: &Expr| match value {
            Expr::Local(local) if self.flags.contains(local) => Some((*local, true)),
            Expr::Not(inner) => match **inner {
                Expr::Local(local) if self.flags.contains(&local) => Some((local, false)),
                _ => None,
            },
            _ => None,
        };
        if let Some(literal) = literal(condition) {
            return Some(vec![Cube::from([literal])]);
        }
        match condition {
            Expr::Binary(BinOp::Eq, a, b) => {
                let ((a, true), (b, true)) = (literal(a)?, literal(b)?) else { return None };
                Some([true, false].map(|value| Cube::from([(a, value), (b, value)])).into())
            }
            Expr::Binary(BinOp::And, a, b) => {
                Some(Need::nothing().and(&self.cubes(a)?).and(&self.cubes(b)?).0.into_iter().collect())
            }
            Expr::Binary(BinOp::Or, a, b) => Some(self.cubes(a)?.into_iter().chain(self.cubes(b)?).collect()),
            _ => None,
        }
    }

    /// Adds assumptions to a block; `known`: what is needed at its beginning holds there.
    fn assume(&self, block: &mut Block, after: Need, mut known: bool) {
        let mut needs = vec![after];
        for stmt in block.iter().rev() {
            let after = needs[needs.len() - 1].clone();
            needs.push(self.before_one(stmt, after));
        }
        let mut out = Block::new();
        for mut stmt in std::mem::take(block) {
            let Some(need) = needs.pop() else { break };
            if !known && !need.is_nothing() && is_noticed(&stmt) {
                let kind = StmtKind::Assume(need.expression());
                out.push(Stmt { kind, ..stmt.clone() });
                known = true;
            }
            let after = needs.last().cloned().unwrap_or_else(Need::nothing);
            match &mut stmt.kind {
                StmtKind::If(_, a, b) => {
                    for branch in [a, b] {
                        let same = self.before(branch, after.clone()) == need;
                        self.assume(branch, after.clone(), known && same);
                    }
                    known = false;
                }
                StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                    let head = self.at_head(body, after);
                    self.assume(body, head, false);
                    known = false;
                }
                _ => {}
            }
            known &= !self.waiting.begins(&stmt);
            out.push(self.for_ever(stmt));
        }
        *block = out;
    }

    /// Who waits for ever comes to no later look: a wait that is all that others notice of it goes by looks that were made.
    fn for_ever(&self, stmt: Stmt) -> Stmt {
        if self.void.is_empty() || !self.waiting.enlists(&stmt) {
            return stmt;
        }
        let made: Cube = self.void.iter().map(|flag| (*flag, false)).collect();
        let made = Need(BTreeSet::from([made])).expression();
        Stmt { kind: StmtKind::If(made, vec![stmt.clone()], Vec::new()), ..stmt }
    }
}

/// Whether others can notice a statement, or it notices others.
fn is_noticed(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::SetLocal(_, value) | StmtKind::Assume(value) => has_var(value),
        StmtKind::If(condition, ..) | StmtKind::While(condition, _) => has_var(condition),
        StmtKind::Loop(..) | StmtKind::Release(_) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text::parse;

    fn foreseen(body: &str) -> String {
        let mut program =
            parse(&format!("lock l; var x; event a on any {{ {body} }}"), "test.rob").expect("a program");
        resolve(&mut program, Deadline::never());
        let text = program.to_string();
        let text = text.split_once("event").map_or("", |(_, event)| event);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_read_that_cannot_count_is_not_made() {
        let text = foreseen(
            "if * { read x; counts0 := true; } else { counts0 := false; } assume !counts0; write x;",
        );
        assert!(text.contains("{ assume false; read x;"), "{text}");
    }

    #[test]
    fn ways_on_are_alternatives() {
        let text = foreseen(
            "if * { void0 := true; } else { void0 := false; } if * { read x; counts1 := true; } else { counts1 := false; }
             if * { assume void0; } else { assume !counts1; write x; }",
        );
        assert!(text.contains("assume void0; read x; counts1 := true;"), "{text}");
    }

    #[test]
    fn who_waits_may_wait_for_ever() {
        let text = foreseen(
            "if * { read x; counts0 := true; } else { counts0 := false; } update x by enlist; acquire l; assume !counts0; write x;",
        );
        assert!(text.contains("{ read x;"), "{text}");
        assert!(text.contains("enlist; assume !counts0; acquire l;"), "{text}");
    }

    #[test]
    fn loops_may_go_on() {
        let text = foreseen("void0 := true; while true { read x; } assume !void0; write x;");
        assert!(text.contains("{ read x;"), "{text}");
    }
}
