//! Z3: one Boolean constant per node, logic `QF_FD`.

use std::time::Instant;

use z3::ast::Bool;
use z3::{Model, Params, SatResult, Solver};

use super::circuit::Lit;
use super::solve::{Backend, Checked, Effort};

pub(super) struct Smt {
    solver: Option<Solver>,
    memory: u32,
    /// By node.
    names: Vec<Option<Bool>>,
    model: Option<Model>,
}

impl Smt {
    pub fn new(memory: u32) -> Smt {
        Smt { solver: Solver::new_for_logic("QF_FD"), memory, names: Vec::new(), model: None }
    }

    fn own(&mut self, lit: Lit) -> Bool {
        let node = lit.node();
        if self.names.len() <= node {
            self.names.resize(node + 1, None);
        }
        let own = self.names[node].get_or_insert_with(|| Bool::new_const(node as u32));
        if lit.is_negated() { own.not() } else { own.clone() }
    }
}

impl Backend for Smt {
    fn clause(&mut self, lits: &[Lit]) {
        let clause: Vec<Bool> = lits.iter().map(|&lit| self.own(lit)).collect();
        if let Some(solver) = &self.solver {
            solver.assert(Bool::or(&clause.iter().collect::<Vec<_>>()));
        }
    }

    fn check(&mut self, all_of: &[Lit], effort: Effort, until: Option<Instant>) -> Checked {
        let assumptions: Vec<Bool> = all_of.iter().map(|&lit| self.own(lit)).collect();
        let Some(solver) = &self.solver else {
            return Checked::GaveUp("this Z3 has no finite-domain solver (QF_FD)".into());
        };
        let left =
            until.map_or(u128::MAX, |until| until.saturating_duration_since(Instant::now()).as_millis());
        let steps = match effort {
            Effort::Full => 0,
            Effort::Steps(steps) => steps,
        };
        let mut params = Params::new();
        params.set_u32("timeout", left.clamp(1, u32::MAX.into()) as u32);
        params.set_u32("rlimit", steps);
        params.set_u32("max_memory", self.memory);
        solver.set_params(&params);
        match solver.check_assumptions(&assumptions) {
            SatResult::Unsat => Checked::No,
            SatResult::Unknown => {
                Checked::GaveUp(solver.get_reason_unknown().unwrap_or_else(|| "no reason given".into()))
            }
            SatResult::Sat => {
                self.model = solver.get_model();
                if self.model.is_some() { Checked::Yes } else { Checked::GaveUp("no model".into()) }
            }
        }
    }

    fn value(&self, node: usize) -> bool {
        let (Some(model), Some(Some(own))) = (&self.model, self.names.get(node)) else { return false };
        model.eval(own, true).and_then(|value| value.as_bool()).unwrap_or(false)
    }

    fn to_smt(&self) -> String {
        self.solver.as_ref().map_or_else(String::new, Solver::to_smt2)
    }
}

/// The version of the Z3 that is linked, as it tells it: "Z3 4.8.12.0".
pub fn version() -> String {
    z3::full_version().to_string()
}
