//! What was found after a removal is something else than what was found before it: who has looked something up works on it still when it was taken
//! out, or replaced, and whoever looks then finds it no more.

use crate::finding::commuting::accesses;
use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, Causes, Change, Stmt, VarId};

/// Why the violation is about two things, if it is: the pivot's event has found one in a collection, others have only taken out of that since, or
/// replaced what is in it, and those who had to do with the pivot's variable have found theirs behind that.
pub(in crate::finding) fn finds_another(
    violation: &Violation<'_>,
    first: &Held,
    last: &Held,
) -> Option<String> {
    let var = first.access.var;
    let basis = |held: &Held| violation.basis(held);
    let leads =
        |look: &Held, to: &Held| basis(to).zip(look.basis).is_some_and(|(to, look)| to.data.name(look));
    let finds = |held: &Held| held.reads() || basis(held).is_some_and(Basis::makes_entry);
    let one = !violation.program.vars[var.index()].is_many() && violation.recurring([first, first]).is_none();
    // It is to what was found: a thing of which there are many, whichever way it is kept elsewhere.
    let to_found =
        violation.recurring([last, last]).is_some() && goes_by_nothing_else(violation, first, last);
    if var == last.access.var || !one || !finds(first) || !leads(first, last) || !to_found {
        return None;
    }
    // What is put in under a key takes the place of what was there.
    let removes = |held: &&Held| {
        let change = basis(held).and_then(|basis| basis.change);
        matches!(change, Some(Change::Remove | Change::Take | Change::Clear | Change::Set))
    };
    let gone: Vec<&Held> = violation.met(first).collect();
    if gone.is_empty() || !gone.iter().all(removes) || puts_back(violation, first) {
        return None;
    }
    let comes_after = |one: &Held, other: &Held| violation.after(one).any(|held| std::ptr::eq(held, other));
    let behind = |look: &Held| gone.iter().all(|gone| comes_after(gone, look));
    let ahead = |look: &Held| gone.iter().all(|gone| comes_after(look, gone));
    // By all that leads to what is accessed: looks that may have found it, in this order.
    let found = |to: &Held, when: &dyn Fn(&Held) -> bool| {
        let own = violation.before(to).filter(|look| look.instance == to.instance && look.access.var == var);
        let mut own = own.filter(|look| leads(look, to)).peekable();
        own.peek().is_some() && own.all(|look| finds(look) && when(look))
    };
    let mut theirs = violation.met(last).peekable();
    let apart = theirs.peek().is_some() && theirs.all(|held| found(held, &behind));
    (apart && found(last, &ahead)).then(|| {
        let (event, variable) = (violation.event(last), violation.name(first));
        format!("what `{event}` found in `{variable}` was taken out: who looks then finds something else, if anything")
    })
}

/// Whether nothing goes into an access, or says what it is to, but looks at two variables: the one that the first is to, and its own; and at
/// others that are in the lock of its own, which are a part of the same thing.
fn goes_by_nothing_else(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let program = violation.program;
    let own = last.access.var;
    let lock = program.vars[own.index()].guard;
    let vars = (0..program.vars.len()).map(|index| VarId(index as u32));
    let beside = vars.filter(|var| lock.is_some() && program.vars[var.index()].guard == lock);
    let known: Vec<VarId> = [first.access.var, own].into_iter().chain(beside).collect();
    let Some(Causes::These(causes)) = violation.basis(last).map(|basis| &basis.data) else { return false };
    let mut others = program
        .statements()
        .into_iter()
        .filter(|stmt| stmt.basis.is_some_and(|basis| causes.contains(&basis)));
    others.all(|stmt| known.iter().any(|var| accesses(stmt, *var)))
}

/// Whether what was found in a collection, or taken out of any, may be put into that one again.
fn puts_back(violation: &Violation<'_>, first: &Held) -> bool {
    let (program, var) = (violation.program, first.access.var);
    let puts = |basis: &Basis| !basis.makes_entry() && basis.change.is_none_or(Change::puts_in);
    let takes = |stmt: &Stmt| {
        let change = program.basis_of(stmt).and_then(|basis| basis.change);
        change.is_some_and(Change::takes_one)
    };
    let statements = program.statements();
    let had = statements.iter().filter(|stmt| accesses(stmt, var) || takes(stmt));
    let had: Vec<_> = had.filter_map(|stmt| stmt.basis).collect();
    program.changes_of(var).any(|stmt| {
        let again = |basis: &Basis| puts(basis) && had.iter().any(|found| basis.data.include(*found));
        program.basis_of(stmt).is_none_or(again)
    })
}
