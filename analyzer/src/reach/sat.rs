//! A SAT solver in the process: it answers small questions before Z3 would have started.

use std::cell::Cell;
use std::time::Instant;

use batsat::{Callbacks, Lit as Own, Solver, SolverInterface, SolverOpts, clause, lbool};

use super::circuit::Lit;
use super::solve::{Backend, Checked, Effort};

/// Conflicts after which a question is left to Z3.
const CONFLICTS: u64 = 20_000;
/// Steps of Z3 that count as much as a conflict, where the effort is given in such.
const STEPS: u64 = 100;
/// Looks at the clock are as rare as this.
const TICKS: u32 = 1024;

pub(super) struct Sat {
    solver: Solver<Budget>,
    /// By node.
    names: Vec<Option<Own>>,
    conflicts: u64,
}

/// What a check may cost. Conflicts are the same in every run.
#[derive(Default)]
struct Budget {
    conflicts: u64,
    until: Option<Instant>,
    ticks: Cell<u32>,
    late: Cell<bool>,
}

impl Callbacks for Budget {
    fn on_new_clause(&mut self, _: &[Own], source: clause::Kind) {
        if source == clause::Kind::Learnt {
            self.conflicts = self.conflicts.saturating_sub(1);
        }
    }

    fn stop(&self) -> bool {
        self.ticks.set(self.ticks.get().wrapping_add(1));
        if self.ticks.get().is_multiple_of(TICKS) && self.until.is_some_and(|until| until < Instant::now()) {
            self.late.set(true);
        }
        self.conflicts == 0 || self.late.get()
    }
}

impl Sat {
    pub fn new() -> Sat {
        Sat::limited(CONFLICTS)
    }

    /// One that goes on until the time is up.
    #[cfg(not(feature = "z3"))]
    pub fn unlimited() -> Sat {
        Sat::limited(u64::MAX)
    }

    fn limited(conflicts: u64) -> Sat {
        let solver = Solver::new(SolverOpts::default(), Budget::default());
        Sat { solver, names: Vec::new(), conflicts }
    }

    fn own(&mut self, lit: Lit) -> Own {
        let node = lit.node();
        if self.names.len() <= node {
            self.names.resize(node + 1, None);
        }
        let own = *self.names[node].get_or_insert_with(|| Own::new(self.solver.new_var_default(), true));
        if lit.is_negated() { !own } else { own }
    }
}

impl Backend for Sat {
    fn clause(&mut self, lits: &[Lit]) {
        let mut clause: Vec<Own> = lits.iter().map(|&lit| self.own(lit)).collect();
        self.solver.add_clause_reuse(&mut clause);
    }

    fn check(&mut self, all_of: &[Lit], effort: Effort, until: Option<Instant>) -> Checked {
        let assumptions: Vec<Own> = all_of.iter().map(|&lit| self.own(lit)).collect();
        let conflicts = match effort {
            Effort::Full => self.conflicts,
            Effort::Steps(steps) => (u64::from(steps) / STEPS).min(self.conflicts),
        };
        let (ticks, late) = Default::default();
        *self.solver.cb_mut() = Budget { conflicts, until, ticks, late };
        let answer = self.solver.solve_limited(&assumptions);
        if answer == lbool::TRUE {
            Checked::Yes
        } else if answer == lbool::FALSE {
            Checked::No
        } else {
            Checked::GaveUp(if self.solver.cb().late.get() { "timeout" } else { "conflicts" }.into())
        }
    }

    fn value(&self, node: usize) -> bool {
        let own = self.names.get(node).copied().flatten();
        own.is_some_and(|own| self.solver.value_lit(own) == lbool::TRUE)
    }
}
