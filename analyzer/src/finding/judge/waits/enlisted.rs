//! Wakers that come too late: whoever leaves one, and then looks again for what it would wait for, does not wait in vain.

use crate::finding::MAX_CALLS;
use crate::finding::commuting::accesses;
use crate::finding::queued::stops_working;
use crate::finding::section::{MOST_CALLS, is_disregarded};
use crate::finding::violation::{Held, Violation};
use crate::ir::*;

/// Why it does not matter that the pivot leaves a waker that nobody takes any more, if there is a reason: its event looks again, on each way
/// from there, and goes by what it sees then.
pub(in crate::finding) fn looks_after(
    violation: &Violation<'_>,
    first: &Held,
    last: &Held,
) -> Option<String> {
    let wakes = violation.basis(last).is_some_and(|basis| basis.wakes);
    let stops = stops_working(violation);
    if !(wakes || stops) || !first.reads() || first.access.var == last.access.var {
        return None;
    }
    looks_again(violation, last, first.access.var, |basis| basis.branches).then(|| {
        let (event, seen, after) = (violation.event(last), violation.name(first), violation.name(last));
        match wakes {
            true => format!("`{event}` leaves a waker, and looks at `{seen}` once more before it waits"),
            false => {
                format!("`{event}` changes `{after}`, and looks at `{seen}` once more before it leaves it")
            }
        }
    })
}

/// Whether a waker is left, or a wait begins, because of what was seen: who has changed the word by then, whatever the protocol, wakes nobody.
pub(in crate::finding) fn goes_to_sleep(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let wakes = || violation.basis(last).is_some_and(|basis| basis.wakes);
    first.reads() && first.access.var != last.access.var && (wakes() || violation.begins_to_wait(last))
}

/// Whether the text looks at a variable, in this way, wherever it goes on from an access.
pub(in crate::finding) fn looks_again(
    violation: &Violation<'_>,
    last: &Held,
    var: VarId,
    wanted: fn(&Basis) -> bool,
) -> bool {
    let mut search = Search { violation, last, var, wanted, calls: 0, left: MOST_CALLS, passed: false };
    let task = violation.trace.tasks[last.task].proc;
    search.block(&violation.program.proc(task).body) == Way::Looks && search.passed
}

/// How a block is left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Each way through it comes by a look, once it has passed the last access.
    Looks,
    /// Some way goes on behind it without one.
    GoesOn,
    /// Some way ends without one.
    Ends,
}

/// Follows the text from the last access on.
struct Search<'a, 'v> {
    violation: &'v Violation<'a>,
    last: &'v Held,
    var: VarId,
    /// Looks that count.
    wanted: fn(&Basis) -> bool,
    /// Calls within calls.
    calls: u32,
    /// So many calls are still looked into.
    left: u32,
    /// The last access was met.
    passed: bool,
}

impl<'a> Search<'a, '_> {
    fn block(&mut self, block: &'a Block) -> Way {
        for statement in block {
            let way = self.statement(statement);
            self.passed |= statement.label == self.last.label;
            if way != Way::GoesOn {
                return way;
            }
        }
        Way::GoesOn
    }

    fn statement(&mut self, statement: &'a Stmt) -> Way {
        let passed = self.passed;
        if passed && self.looks(statement) {
            return Way::Looks;
        }
        match &statement.kind {
            StmtKind::If(_, yes, no) if passed && (self.misses(yes) || self.misses(no)) => Way::Looks,
            // A look that may be disregarded is made all the same.
            StmtKind::If(Expr::Any, yes, no) if passed && self.is_made(yes, no) => Way::Looks,
            StmtKind::If(_, yes, no) => {
                let left = self.block(yes);
                let by_yes = std::mem::replace(&mut self.passed, passed);
                let right = self.block(no);
                let by_no = self.passed;
                self.passed = by_yes || by_no;
                match (passed || by_yes, passed || by_no) {
                    // Who comes by the access comes by this side.
                    (true, false) => left,
                    (false, true) => right,
                    _ if left == right => left,
                    _ if [left, right].contains(&Way::Ends) => Way::Ends,
                    _ => Way::GoesOn,
                }
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                let way = self.block(body);
                match (passed, self.passed, way) {
                    // There may be no round.
                    (true, _, Way::Looks) | (_, false, _) => Way::GoesOn,
                    _ => way,
                }
            }
            StmtKind::Call { proc, .. } if self.calls < MAX_CALLS && self.left > 0 => {
                self.calls += 1;
                self.left -= 1;
                let way = self.block(&self.violation.program.proc(*proc).body);
                self.calls -= 1;
                // What ends there goes on here.
                if way == Way::Ends { Way::GoesOn } else { way }
            }
            StmtKind::Return(_) if passed => Way::Ends,
            _ => Way::GoesOn,
        }
    }

    /// Whether a block is what is left of something that may have been taken out, where nothing is: one or the other was done.
    fn misses(&self, block: &Block) -> bool {
        let [only] = &block[..] else { return false };
        self.looks(only) && self.violation.program.basis_of(only).is_some_and(|basis| basis.misses)
    }

    /// Whether a block is a look that counts, and the other one is what it is if it is disregarded.
    fn is_made(&self, block: &Block, otherwise: &Block) -> bool {
        block.iter().any(|stmt| self.looks(stmt)) && is_disregarded(otherwise)
    }

    /// Whether a statement is a look that counts.
    fn looks(&self, statement: &Stmt) -> bool {
        let changes = statement.changed().is_some();
        // Who takes something out finds that there is something, or that there is not.
        let takes = |basis: &Basis| basis.change.is_some_and(Change::takes_one);
        // So does who exchanges it if it is as expected.
        let tries = |basis: &Basis| basis.exchange;
        let counts = |basis: &Basis| (self.wanted)(basis) && (!changes || takes(basis) || tries(basis));
        accesses(statement, self.var) && self.violation.program.basis_of(statement).is_some_and(counts)
    }
}
