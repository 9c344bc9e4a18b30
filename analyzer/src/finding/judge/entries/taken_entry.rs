//! Entries that are taken out of a collection, and put back: whoever finds one there meanwhile has found another one.

use crate::finding::violation::{Held, Violation};
use crate::ir::calls::Calls;
use crate::ir::{Basis, BasisId, Change};

/// Whether the pivot's event has taken an entry out, which it puts back under the same key, and each other one that changes the collection in
/// between begins with taking one out, too, and does all else under the key of that: there is none under the pivot's key then.
pub fn is_of_another_entry(violation: &Violation<'_>) -> bool {
    let Some((first, last)) = violation.ends() else { return false };
    if !is_put_back(violation, first, last) {
        return false;
    }
    let others: Vec<&Held> = violation
        .between(first, last)
        .filter(|held| held.instance != last.instance && held.access.var == last.access.var)
        .collect();
    let changes = others.iter().filter(|held| !held.reads());
    let on_cycle = violation.met(first).chain(violation.met(last));
    let mut concerned = changes.copied().chain(on_cycle).peekable();
    let of_one_entry = |held: &Held| {
        let mut own = others.iter().filter(|other| other.instance == held.instance);
        own.next().is_some_and(|begins| {
            let taken = violation.basis(begins).filter(|basis| is_taken(basis));
            let same = |other: &&Held| {
                other.basis.is_some_and(|id| taken.is_some_and(|taken| taken.undoes.contains(&id)))
            };
            taken.is_some() && own.all(same)
        })
    };
    concerned.peek().is_some() && concerned.all(of_one_entry)
}

/// Whether the pivot's event has taken an entry out, and puts it back under the same key, and another one takes out for good, in between, what is under
/// its key: if that is the same, it finds nothing, and then the entry is there again.
pub(in crate::finding) fn is_removed_in_hand(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let program = violation.program;
    let calls = Calls::new(program);
    let removes = |held: &Held| {
        let finds_none = |basis: &Basis| basis.keyed && basis.change == Some(Change::Remove) && !basis.hits;
        held.instance != last.instance
            && held.access.var == last.access.var
            && violation.basis(held).is_some_and(finds_none)
    };
    // Who would have put it back, too, leaves that to whoever has it.
    let puts_back = |held: &Held| {
        let task = violation.trace.tasks[held.task].proc;
        let statements =
            || calls.reachable(task).into_iter().flat_map(|proc| program.proc(proc).statements());
        let of_it =
            statements().filter(|stmt| stmt.place == held.place).filter_map(|stmt| program.basis_of(stmt));
        let undone: Vec<BasisId> = of_it.flat_map(|basis| basis.undoes.iter().copied()).collect();
        statements().any(|stmt| stmt.basis.is_some_and(|id| undone.contains(&id)))
    };
    is_put_back(violation, first, last)
        && violation.between(first, last).any(|held| removes(held) && !puts_back(held))
}

/// Whether an entry is taken out, and put back under the same key.
fn is_put_back(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let one = violation.basis(first).zip(last.basis);
    first.access.var == last.access.var
        && first.task == last.task
        && one.is_some_and(|(taken, put)| is_taken(taken) && taken.undoes.contains(&put))
}

/// Whether an access has found an entry under its key, and taken it out.
fn is_taken(basis: &Basis) -> bool {
    basis.hits && basis.keyed && basis.change == Some(Change::Remove)
}
