//! Circuits to Z3: one Boolean constant and a definition per node, logic `QF_FD`.

use std::time::Duration;

use z3::ast::Bool;
use z3::{Config, Params, SatResult, Solver};

use super::circuit::{Circuit, Lit, Node};

/// What the solver says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The goal can be reached, with these inputs (by number).
    Reachable(Vec<bool>),
    /// It cannot.
    Unreachable,
    /// The solver gave up, and why.
    Unknown(String),
}

/// A question to Z3 that can be asked again with something excluded.
pub struct Session {
    solver: Option<Solver>,
    /// By node: its name, once it is defined.
    names: Vec<Option<Bool>>,
}

/// Does some work with a solver of its own. What a solver was asked before has an influence on which of several models it
/// comes up with.
pub fn apart<R: Send + Sync>(work: impl FnOnce() -> R + Send + Sync) -> R {
    z3::with_z3_config(&Config::new(), work)
}

impl Session {
    /// Asks for inputs that make `goal` true. Each answer takes at most `timeout`.
    pub fn new(circuit: &Circuit, goal: Lit, timeout: Duration) -> Session {
        let solver = Solver::new_for_logic("QF_FD");
        if let Some(solver) = &solver {
            let mut params = Params::new();
            params.set_u32("timeout", timeout.as_millis().clamp(1, u32::MAX as u128) as u32);
            solver.set_params(&params);
        }
        let mut session = Session { solver, names: Vec::new() };
        session.require(circuit, &[goal]);
        session
    }

    /// Asks that one of the literals be true, too.
    pub fn require(&mut self, circuit: &Circuit, one_of: &[Lit]) {
        self.names.resize(circuit.nodes().len(), None);
        for &lit in one_of {
            self.define(circuit, lit);
        }
        let Some(solver) = &self.solver else { return };
        let clause: Vec<Bool> = one_of.iter().map(|&l| name(&self.names, l)).collect();
        solver.assert(Bool::or(&clause.iter().collect::<Vec<_>>()));
    }

    /// Names the nodes that a literal depends on, each with its definition.
    fn define(&mut self, circuit: &Circuit, goal: Lit) {
        let Some(solver) = &self.solver else { return };
        for node in cone(circuit, goal) {
            if self.names[node].is_some() {
                continue;
            }
            let own = Bool::new_const(node as u32);
            if let Node::And(a, b) = circuit.nodes()[node] {
                let (a, b) = (name(&self.names, a), name(&self.names, b));
                solver.assert(Bool::or(&[&own.not(), &a]));
                solver.assert(Bool::or(&[&own.not(), &b]));
                solver.assert(Bool::or(&[&own, &a.not(), &b.not()]));
            }
            self.names[node] = Some(own);
        }
    }

    /// Asks further questions, and takes back what was required for them.
    pub fn try_out(&mut self, questions: impl FnOnce(&mut Session)) {
        let names = self.names.clone();
        if let Some(solver) = &self.solver {
            solver.push();
        }
        questions(self);
        if let Some(solver) = &self.solver {
            solver.pop(1);
        }
        // Definitions that were made meanwhile went with the rest.
        self.names = names;
    }

    /// The next answer.
    pub fn ask(&mut self, circuit: &Circuit) -> Answer {
        let Some(solver) = &self.solver else {
            return Answer::Unknown("this Z3 has no finite-domain solver (QF_FD)".into());
        };
        match solver.check() {
            SatResult::Unsat => Answer::Unreachable,
            SatResult::Unknown => {
                Answer::Unknown(solver.get_reason_unknown().unwrap_or_else(|| "no reason given".into()))
            }
            SatResult::Sat => {
                let Some(model) = solver.get_model() else { return Answer::Unknown("no model".into()) };
                let mut inputs = vec![false; circuit.inputs()];
                for (node, name) in circuit.nodes().iter().zip(&self.names) {
                    if let (Node::Input(i), Some(name)) = (node, name) {
                        let value = model.eval(name, true).and_then(|b| b.as_bool());
                        inputs[*i as usize] = value.unwrap_or(false);
                    }
                }
                Answer::Reachable(inputs)
            }
        }
    }
}

/// The name of a defined literal.
fn name(names: &[Option<Bool>], lit: Lit) -> Bool {
    match lit.as_constant() {
        Some(value) => Bool::from_bool(value),
        None => {
            let name = names[lit.node()].as_ref().expect("defined before it is used");
            if lit.is_negated() { name.not() } else { name.clone() }
        }
    }
}

/// The nodes that a goal depends on, parts first.
fn cone(circuit: &Circuit, goal: Lit) -> Vec<usize> {
    let mut needed = vec![false; goal.node() + 1];
    needed[goal.node()] = true;
    for node in (0..=goal.node()).rev() {
        if let (true, Node::And(a, b)) = (needed[node], circuit.nodes()[node]) {
            needed[a.node()] = true;
            needed[b.node()] = true;
        }
    }
    (1..=goal.node()).filter(|&n| needed[n]).collect()
}

/// The version of the Z3 that is linked, as it tells it: "Z3 4.8.12.0".
pub fn version() -> String {
    z3::full_version().to_string()
}
