//! Waits that begin too late: what is waited for has happened, and nobody wakes the task.

use crate::finding::messages::is_sent_early;
use crate::finding::news::misses_news;
use crate::finding::section::is_disregarded;
use crate::finding::violation::{Held, Keeper, Violation};
use crate::ir::walk::each;
use crate::ir::{Basis, Block, Expr, Label, LockId, Stmt, StmtKind, VarId};
use crate::semantics::{Signal, Signals};

/// Whether nobody waits in vain in a violation that ends with the beginning of a wait. There is no other harm in such a one.
///
/// Who waits does so because of what was seen before, others change that and wake who waits, and then the wait begins. It
/// is in time if it does not depend on what was seen; if those who wake do so before they change anything; and if what is
/// looked at under the lock that is given back with the wait has been changed by then, too: that look sees it.
pub fn is_in_time(violation: &Violation<'_>) -> bool {
    let signals = Signals::new(violation.program);
    let Some((first, last)) = violation.ends() else { return false };
    if signals.of(last.access) != Some(Signal::Enlist) {
        return false;
    }
    // Who has waited since, and was woken, has begun anew.
    let mut since = violation.between(first, last).filter(|held| held.instance == last.instance);
    if since.any(|held| held.access.var == last.access.var && violation.begins_to_wait(held)) {
        return true;
    }
    // Who asks to be woken, and only then begins to wait, has missed it.
    if is_sent_early(violation) || misses_news(violation) {
        return false;
    }
    let Some(basis) = violation.basis(last) else { return false };
    let depends = |held: &Held| held.basis.is_some_and(|look| basis.depends_on(look));
    let position = |wanted: &Held| violation.held.iter().position(|held| std::ptr::eq(held, wanted));
    let changed_before = |look: &Held| {
        violation
            .before(look)
            .any(|held| held.instance != last.instance && !held.reads() && held.access.conflicts(look.access))
    };
    let mut own = violation.before(last).filter(|held| held.instance == last.instance);
    let looked_again = own.any(|held| {
        !std::ptr::eq(held, first) && depends(held) && held.is_at_once_with(last) && changed_before(held)
    });
    let looked_again = looked_again || sees_change(violation, last, basis);
    // Who only looks at what tells those who wait wakes nobody.
    if violation.met(last).all(|held| held.reads()) {
        return true;
    }
    let wakes =
        |held: &&Held| held.instance != last.instance && !held.reads() && held.access.conflicts(last.access);
    let woken = violation.before(last).filter(wakes).filter_map(position).last();
    let conflicts = |held: &&Held| held.instance != last.instance && held.access.conflicts(first.access);
    let changed = violation.after(first).filter(conflicts).filter_map(position).next();
    !depends(first) || looked_again || changed.zip(woken).is_none_or(|(changed, woken)| woken < changed)
}

/// Whether a wait depends on a look under the lock that is given back with it, at something that others have changed under that lock: the look
/// sees it. A loop looks anew after each wait, so that the look before is mostly none of the accesses of the violation.
fn sees_change(violation: &Violation<'_>, last: &Held, basis: &Basis) -> bool {
    let body = &violation.program.proc(violation.trace.tasks[last.task].proc).body;
    let locks = last.by.iter().filter_map(|by| match by {
        Keeper::Lock(lock) => Some(*lock),
        Keeper::Executor(_) => None,
    });
    locks.into_iter().any(|lock| {
        let looks = looks_before(body, last.label, lock, Default::default()).unwrap_or_default();
        let looks = looks.into_iter().filter(|look| look.basis.is_some_and(|look| basis.depends_on(look)));
        looks.filter_map(looked_at).any(|var| {
            violation.before(last).any(|held| {
                held.instance != last.instance
                    && !held.reads()
                    && held.access.var == var
                    && held.by.contains(&Keeper::Lock(lock))
            })
        })
    })
}

/// The variable that a statement looks at.
fn looked_at(look: &Stmt) -> Option<VarId> {
    match look.kind {
        StmtKind::Read(var) | StmtKind::SetLocal(_, Expr::Var(var)) => Some(var),
        _ => None,
    }
}

/// A look, and what is so where it is made, unless it always is.
type Look<'p> = (Option<Expr>, &'p Stmt);

/// The looks that a task makes on each way to a statement, after it has taken a lock and before it gives it back; `None` if the
/// statement is not in the block. `known` is what is so there.
fn looks_before<'p>(
    block: &'p Block,
    label: Label,
    lock: LockId,
    (mut looks, known): (Vec<Look<'p>>, Vec<Expr>),
) -> Option<Vec<&'p Stmt>> {
    for stmt in block {
        if stmt.label == label {
            looks.retain(|(when, _)| when.as_ref().is_none_or(|when| known.contains(when)));
            return Some(looks.into_iter().map(|(_, look)| look).collect());
        }
        let inner = match &stmt.kind {
            StmtKind::If(condition, yes, no) => {
                let within =
                    |side, so| looks_before(side, label, lock, (looks.clone(), [&known[..], &[so]].concat()));
                within(yes, condition.clone()).or_else(|| within(no, not(condition)))
            }
            // Another round may have come to it since.
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                looks_before(body, label, lock, (Vec::new(), known.clone()))
            }
            _ => None,
        };
        if inner.is_some() {
            return inner;
        }
        let mut changes = false;
        each_of(stmt, &mut |stmt| {
            changes |= match stmt.kind {
                StmtKind::Acquire(other, _) | StmtKind::Release(other) => other == lock,
                StmtKind::Call { .. } => true,
                _ => false,
            };
        });
        match changes {
            true => looks.clear(),
            false => made_by(stmt, None, &mut looks),
        }
    }
    None
}

/// Notes the looks that a statement makes.
fn made_by<'p>(stmt: &'p Stmt, when: Option<&Expr>, looks: &mut Vec<Look<'p>>) {
    match &stmt.kind {
        // A look that may be disregarded is made all the same.
        StmtKind::If(Expr::Any, yes, no) => {
            if is_disregarded(no) {
                yes.iter().for_each(|stmt| made_by(stmt, when, looks));
            }
        }
        StmtKind::If(condition, yes, no) if when.is_none() => {
            yes.iter().for_each(|stmt| made_by(stmt, Some(condition), looks));
            no.iter().for_each(|stmt| made_by(stmt, Some(&not(condition)), looks));
        }
        _ => looks.extend(looked_at(stmt).map(|_| (when.cloned(), stmt))),
    }
}

fn not(condition: &Expr) -> Expr {
    match condition {
        Expr::Not(inner) => (**inner).clone(),
        other => Expr::Not(Box::new(other.clone())),
    }
}

/// A statement and all in it.
fn each_of<'p>(stmt: &'p Stmt, f: &mut dyn FnMut(&'p Stmt)) {
    f(stmt);
    match &stmt.kind {
        StmtKind::If(_, yes, no) => {
            each(yes, f);
            each(no, f);
        }
        StmtKind::While(_, body) | StmtKind::Loop(_, body) => each(body, f),
        _ => {}
    }
}
