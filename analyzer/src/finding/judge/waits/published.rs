//! Two steps of one writer, and a reader in between who relies on both: what leads to something is there before that is, or what is only to be
//! replaced is gone for a while.

use crate::finding::commuting::accesses;
use crate::finding::replaced::all_change_both;
use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, BasisId, Change, Domain, Expr, Program, Stmt, StmtKind, Value, VarId};

/// Whether the first change is to a flag that says that the second has been made: who comes in between sees it, looks at the other because of that, and
/// passes on what is there, or panics unless that is as expected.
pub(in crate::finding) fn is_announced(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let matters = |basis: &Basis| basis.asserts || basis.returned || basis.told;
    let goes_by = |look: &Held, flag: &Held| {
        violation.basis(look).zip(flag.basis).is_some_and(|(look, flag)| look.branch.name(flag))
    };
    let of_others = |end| looks_between(violation, (first, last), end);
    first.leaves.is_some()
        && !last.reads()
        && first.access.var != last.access.var
        && violation.recurring([first, last]).is_none()
        && of_others(last).any(|look| {
            violation.basis(look).is_some_and(matters)
                && of_others(first).any(|flag| flag.instance == look.instance && goes_by(look, flag))
        })
}

/// Whether the first change puts in a key under which the second puts something in that was not there: who comes in between finds the key, looks for
/// what is under it, and panics unless it finds that.
pub(in crate::finding) fn is_named_early(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let Some((name, entry)) = violation.basis(first).zip(violation.basis(last)) else { return false };
    let leads = !first.reads() && !last.reads() && last.basis.is_some_and(|last| name.leads.contains(&last));
    if !leads || first.task != last.task || violation.recurring([first, last]).is_some() {
        return false;
    }
    // What was there before is there in between, too.
    let own = |held: &&Held| held.instance == last.instance && held.access.var == last.access.var;
    let is_there = |held: &Held| {
        let put = held.basis.is_some_and(|held| entry.again.contains(&held));
        let found = |look: BasisId| entry.branch.name(look) && !entry.missed.contains(&look);
        let looked = held.reads() && violation.basis(held).is_some_and(|look| look.keyed);
        put || entry.own.is_none() && looked && held.basis.is_some_and(found)
    };
    // Nobody else has a name that was made for this event.
    let is_unknown = |found: &Held| {
        let keyed = |held: &Held| violation.basis(held).is_none_or(|look| look.keyed);
        let mut looks = looks_between(violation, (first, last), first);
        name.own.is_some() && looks.any(|held| held.is_at_once_with(found) && keyed(held))
    };
    let leads_to = |found: &Held, look: &Basis| found.basis.is_some_and(|found| look.data.name(found));
    !violation.before(last).filter(own).any(is_there)
        && looks_between(violation, (first, last), last).any(|look| {
            let relies = violation.basis(look).filter(|look| look.keyed && look.asserts);
            let mut names = looks_between(violation, (first, last), first)
                .filter(|found| found.instance == look.instance && !is_unknown(found));
            relies.is_some_and(|look| names.any(|found| leads_to(found, look)))
        })
}

/// Whether the first change takes out what is under a key, and the second puts something else there, as all do who take something out: who comes
/// in between panics unless it finds something, or unless it finds something else instead.
pub(in crate::finding) fn is_replaced_apart(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let program = violation.program;
    let var = last.access.var;
    let Some((taken, put)) = violation.basis(first).zip(violation.basis(last)) else { return false };
    let replaces = first.access.var == var
        && first.task == last.task
        && taken.keyed
        && taken.change == Some(Change::Remove)
        && (put.change == Some(Change::Set) || put.makes_entry())
        // Who puts back what was there has it to itself meanwhile.
        && !first.basis.is_some_and(|taken| put.data.include(taken))
        && last.basis.is_some_and(|last| taken.undoes.contains(&last));
    if !replaces || first.reads() || last.reads() {
        return false;
    }
    let asserts = |look: &Held| {
        let instead = |stmt: &Stmt| {
            let names = |basis: &Basis| look.basis.is_some_and(|look| basis.branch.name(look));
            let looks = accesses(stmt, var) && stmt.changed().is_none();
            looks && program.basis_of(stmt).is_some_and(|basis| basis.asserts && names(basis))
        };
        let keyed = violation.basis(look).filter(|look| look.keyed);
        keyed.is_some_and(|basis| basis.asserts || program.statements().into_iter().any(instead))
    };
    looks_between(violation, (first, last), last).any(asserts) && are_all_replaced(violation, first)
}

/// Whether the first change empties a collection, and the second puts something into it, as all do who empty it: that there is nothing in it is
/// nothing that anybody means, and somebody in between goes by what is there.
pub(in crate::finding) fn is_emptied_apart(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let goes_by = |look: &Held| {
        violation.basis(look).is_some_and(|basis| basis.told || basis.decides || basis.decides_unseen)
    };
    empties_and_fills(violation, first, last)
        && first.task == last.task
        && !first.is_at_once_with(last)
        && looks_between(violation, (first, last), last).any(goes_by)
        && are_all_refilled(violation.program, last.access.var)
}

/// Whether the first change empties what the second puts something into.
pub(in crate::finding) fn empties_and_fills(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let change = |held: &Held| violation.basis(held).and_then(|basis| basis.change);
    first.access.var == last.access.var
        && change(first) == Some(Change::Clear)
        && change(last).is_some_and(Change::puts_in)
}

/// Whether all that empties a collection puts something in behind that.
fn are_all_refilled(program: &Program, var: VarId) -> bool {
    let change = |stmt: &Stmt| program.basis_of(stmt).and_then(|basis| basis.change);
    let empties = |stmt: &Stmt| stmt.changed() == Some(var) && change(stmt).is_none_or(Change::takes_out);
    let fills = |stmt: &Stmt| stmt.changed() == Some(var) && change(stmt).is_some_and(Change::puts_in);
    program.procs.iter().all(|proc| {
        let statements = proc.statements();
        let mut emptying = (0..statements.len()).filter(|at| empties(statements[*at]));
        emptying.all(|at| {
            change(statements[at]) == Some(Change::Clear) && statements[at..].iter().any(|stmt| fills(stmt))
        })
    })
}

/// Whether whoever takes something out of the variable of a change puts something in under the same key later.
fn are_all_replaced(violation: &Violation<'_>, taken: &Held) -> bool {
    let program = violation.program;
    let takes_out = |stmt: &Stmt| {
        let basis = program.basis_of(stmt);
        stmt.changed() == Some(taken.access.var)
            && basis.is_none_or(|basis| basis.change.is_some_and(Change::takes_out))
    };
    program.procs.iter().all(|proc| {
        let statements = proc.statements();
        statements.iter().enumerate().filter(|(_, stmt)| takes_out(stmt)).all(|(number, stmt)| {
            let mut behind = statements[number..].iter().filter_map(|stmt| stmt.basis);
            program.basis_of(stmt).is_some_and(|taken| behind.any(|put| taken.undoes.contains(&put)))
        })
    })
}

/// Whether the pivot's event takes out what is in one slot, and then clears another one, whatever is there by then; whoever changes the one changes
/// the other, and somebody has filled both in between: the one is left without the other.
pub(in crate::finding) fn is_cleared_late(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let both = [first.access.var, last.access.var];
    let clears = |held: &Held| leaves_something(violation, held) == Some(false);
    let takes = |held: &Held| {
        held.instance == first.instance
            && held.access.var == first.access.var
            && held.is_at_once_with(first)
            && clears(held)
    };
    let fills = |held: &Held, var: VarId| {
        held.instance != last.instance
            && held.access.var == var
            && leaves_something(violation, held) == Some(true)
    };
    let fill_both = |one: &Held| {
        let mut others = violation.between(first, last).filter(|held| held.instance == one.instance);
        fills(one, both[0]) && others.any(|held| fills(held, both[1]))
    };
    // Who looks whether it still is what belongs to what was taken may leave it.
    let looks_again = |held: &Held| {
        held.reads()
            && held.access.var == both[1]
            && held.is_at_once_with(last)
            && violation.basis(last).zip(held.basis).is_none_or(|(last, look)| last.branch.include(look))
    };
    first.reads()
        && clears(last)
        && !violation.before(last).any(looks_again)
        && first.task == last.task
        && both[0] != both[1]
        && violation.recurring([first, last]).is_none()
        && violation.between(first, last).any(takes)
        && violation.between(first, last).any(fill_both)
        && all_change_both(violation, both)
}

/// Whether a change leaves something, or true, in what may be there, or nothing, or false, if that is always the same.
fn leaves_something(violation: &Violation<'_>, change: &Held) -> Option<bool> {
    let program = violation.program;
    let statement = program.statements().into_iter().find(|stmt| stmt.label == change.label)?;
    match statement.kind {
        StmtKind::SetVar(var, Expr::Const(Value::Bool(value)))
            if matches!(program.vars[var.index()].domain, Some(Domain::Bool | Domain::Presence)) =>
        {
            Some(value)
        }
        _ => None,
    }
}

/// The looks of others at the variable of an end of the pivot's event that come in between.
fn looks_between<'v>(
    violation: &'v Violation<'_>,
    (first, last): (&'v Held, &'v Held),
    end: &Held,
) -> impl Iterator<Item = &'v Held> {
    let (var, instance) = (end.access.var, end.instance);
    violation
        .between(first, last)
        .filter(move |held| held.instance != instance && held.access.var == var && held.reads())
}
