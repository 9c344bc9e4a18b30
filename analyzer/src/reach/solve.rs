//! Circuits to Z3: one Boolean constant and a definition per node, logic `QF_FD`.

use std::time::{Duration, Instant};

use z3::ast::Bool;
use z3::{Params, SatResult, Solver};

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

/// How long to look for an answer, while the session's time lasts.
#[derive(Clone, Copy, Debug)]
pub enum Effort {
    /// To the end.
    Full,
    /// So many of the solver's steps: the same answer on every machine.
    Steps(u32),
}

/// Definitions that are made without a look at the clock.
const DEFINED: usize = 4096;

/// Questions to Z3 about one circuit, answered by one solver that keeps what it learns.
pub struct Session {
    solver: Option<Solver>,
    /// Greatest memory of all solvers of the process, in megabytes.
    memory: u32,
    /// When to give up.
    until: Option<Instant>,
    /// By node: its name, once it is defined.
    names: Vec<Option<Bool>>,
}

impl Session {
    /// A solver that knows nothing yet.
    pub fn new(memory: u32, until: Option<Instant>) -> Session {
        Session { solver: Solver::new_for_logic("QF_FD"), memory, until, names: Vec::new() }
    }

    /// What is left of the time; `None` when that is nothing.
    fn left(&self) -> Option<Duration> {
        let left = self.until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
        (!left.is_zero()).then_some(left)
    }

    /// Requires one of the literals to be true, in all further answers.
    pub fn require(&mut self, circuit: &Circuit, one_of: &[Lit]) {
        // Without the requirement, answers may repeat; there is no time for many.
        if self.define(circuit, one_of).is_none() {
            return;
        }
        let Some(solver) = &self.solver else { return };
        let clause: Vec<Bool> = one_of.iter().map(|&l| name(&self.names, l)).collect();
        solver.assert(Bool::or(&clause.iter().collect::<Vec<_>>()));
    }

    /// Names the nodes that the literals depend on, each with its definition; `None` when the time is up.
    fn define(&mut self, circuit: &Circuit, goals: &[Lit]) -> Option<()> {
        self.names.resize(circuit.nodes().len(), None);
        for (i, node) in undefined(circuit, goals, &self.names).into_iter().enumerate() {
            if i % DEFINED == DEFINED - 1 {
                self.left()?;
            }
            let solver = self.solver.as_ref()?;
            let own = Bool::new_const(node as u32);
            if let Node::And(a, b) = circuit.nodes()[node] {
                let (a, b) = (name(&self.names, a), name(&self.names, b));
                solver.assert(Bool::or(&[&own.not(), &a]));
                solver.assert(Bool::or(&[&own.not(), &b]));
                solver.assert(Bool::or(&[&own, &a.not(), &b.not()]));
            }
            self.names[node] = Some(own);
        }
        Some(())
    }

    /// Inputs with which all of the literals are true, and what is required.
    pub fn ask(&mut self, circuit: &Circuit, all_of: &[Lit], effort: Effort) -> Answer {
        if all_of.contains(&Lit::FALSE) {
            return Answer::Unreachable;
        }
        if self.solver.is_none() {
            return Answer::Unknown("this Z3 has no finite-domain solver (QF_FD)".into());
        }
        let defined = self.define(circuit, all_of);
        let (Some(()), Some(left), Some(solver)) = (defined, self.left(), &self.solver) else {
            return Answer::Unknown("timeout".into());
        };
        let steps = match effort {
            Effort::Full => 0,
            Effort::Steps(steps) => steps,
        };
        let mut params = Params::new();
        params.set_u32("timeout", left.as_millis().clamp(1, u32::MAX as u128) as u32);
        params.set_u32("rlimit", steps);
        params.set_u32("max_memory", self.memory);
        solver.set_params(&params);
        let assumptions: Vec<Bool> = all_of.iter().map(|&l| name(&self.names, l)).collect();
        match solver.check_assumptions(&assumptions) {
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

    /// What was asked so far, in SMT-LIB.
    pub fn to_smt(&self) -> String {
        self.solver.as_ref().map_or_else(String::new, Solver::to_smt2)
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

/// The nodes without a name that the goals depend on, parts first.
fn undefined(circuit: &Circuit, goals: &[Lit], names: &[Option<Bool>]) -> Vec<usize> {
    let last = goals.iter().map(|g| g.node()).max().unwrap_or(0);
    let mut needed = vec![false; last + 1];
    goals.iter().for_each(|g| needed[g.node()] = true);
    for node in (1..=last).rev() {
        if names[node].is_some() {
            needed[node] = false;
        } else if let (true, Node::And(a, b)) = (needed[node], circuit.nodes()[node]) {
            needed[a.node()] = true;
            needed[b.node()] = true;
        }
    }
    (1..=last).filter(|&n| needed[n]).collect()
}

/// The version of the Z3 that is linked, as it tells it: "Z3 4.8.12.0".
pub fn version() -> String {
    z3::full_version().to_string()
}
