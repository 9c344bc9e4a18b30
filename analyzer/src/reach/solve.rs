//! Circuits to clauses, and clauses to a solver: a small one in the process, or Z3 (where the feature `z3` is on).

use std::time::Instant;

use super::circuit::{Circuit, Lit, Node};
use super::sat::Sat;
#[cfg(feature = "z3")]
use super::smt::Smt;

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

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A SAT solver in the process, which starts at once. It gives up on what is hard.
    Quick,
    /// Z3, or where there is none, the SAT solver without that limit.
    Thorough,
}

/// What a backend finds out about clauses.
pub(super) enum Checked {
    Yes,
    No,
    GaveUp(String),
}

/// A solver of clauses over the nodes of a circuit.
pub(super) trait Backend {
    /// Requires one of the literals to be true.
    fn clause(&mut self, lits: &[Lit]);
    /// Whether all of the literals can be true.
    fn check(&mut self, all_of: &[Lit], effort: Effort, until: Option<Instant>) -> Checked;
    /// The value of a node, after a check that said yes.
    fn value(&self, node: usize) -> bool;
    /// What it was told, in SMT-LIB, if it speaks that.
    fn to_smt(&self) -> String {
        String::new()
    }
}

/// Questions about one circuit, answered by one solver that keeps what it learns.
pub struct Session {
    backend: Box<dyn Backend>,
    /// When to give up.
    until: Option<Instant>,
    /// By node: whether the solver knows its definition.
    defined: Vec<bool>,
    settled: bool,
}

impl Session {
    /// A solver that knows nothing yet. `memory` is the greatest memory of all solvers of the process, in megabytes.
    pub fn new(engine: Engine, memory: u32, until: Option<Instant>) -> Session {
        let backend: Box<dyn Backend> = match engine {
            Engine::Quick => Box::new(Sat::new()),
            #[cfg(feature = "z3")]
            Engine::Thorough => Box::new(Smt::new(memory)),
            #[cfg(not(feature = "z3"))]
            Engine::Thorough => Box::new(Sat::unlimited()),
        };
        #[cfg(not(feature = "z3"))]
        let _ = memory;
        Session { backend, until, defined: Vec::new(), settled: true }
    }

    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| until <= Instant::now())
    }

    /// Requires one of the literals to be true, in all further answers.
    pub fn require(&mut self, circuit: &Circuit, one_of: &[Lit]) {
        if one_of.contains(&Lit::TRUE) {
            return;
        }
        // Without the requirement answers may repeat, but there is no time for many.
        if self.define(circuit, one_of) {
            let clause: Vec<Lit> = one_of.iter().copied().filter(|&l| l != Lit::FALSE).collect();
            self.backend.clause(&clause);
        }
    }

    /// Tells the solver what the literals depend on, each node with its definition; false when the time is up.
    fn define(&mut self, circuit: &Circuit, goals: &[Lit]) -> bool {
        self.defined.resize(circuit.nodes().len(), false);
        for (i, node) in undefined(circuit, goals, &self.defined).into_iter().enumerate() {
            if i % DEFINED == DEFINED - 1 && self.is_late() {
                return false;
            }
            if let Node::And(a, b) = circuit.nodes()[node] {
                let own = circuit.lit(node);
                self.backend.clause(&[!own, a]);
                self.backend.clause(&[!own, b]);
                self.backend.clause(&[own, !a, !b]);
            }
            self.defined[node] = true;
        }
        true
    }

    /// What was required so far, in SMT-LIB. Only Z3 knows.
    pub fn to_smt(&self) -> String {
        self.backend.to_smt()
    }

    /// Inputs with which all of the literals are true, and what is required.
    pub fn ask(&mut self, circuit: &Circuit, all_of: &[Lit], effort: Effort) -> Answer {
        if all_of.contains(&Lit::FALSE) {
            return Answer::Unreachable;
        }
        if !self.define(circuit, all_of) || self.is_late() {
            self.settled = false;
            return Answer::Unknown("timeout".into());
        }
        let all_of: Vec<Lit> = all_of.iter().copied().filter(|&l| l != Lit::TRUE).collect();
        match self.backend.check(&all_of, effort, self.until) {
            Checked::No => Answer::Unreachable,
            Checked::GaveUp(reason) => {
                // Steps run out at the same point every time; the clock, and memory that all share, do not.
                let in_steps = matches!(effort, Effort::Steps(_));
                self.settled &= in_steps && !self.is_late() && !reason.contains("memory");
                Answer::Unknown(reason)
            }
            Checked::Yes => {
                let mut inputs = vec![false; circuit.inputs()];
                for (node, what) in circuit.nodes().iter().enumerate() {
                    if let Node::Input(i) = what
                        && self.defined[node]
                    {
                        inputs[*i as usize] = self.backend.value(node);
                    }
                }
                Answer::Reachable(inputs)
            }
        }
    }

    /// Whether all answers so far are what they would be with more time, and with nobody else around.
    pub fn settled(&self) -> bool {
        self.settled
    }
}

/// The nodes without a definition that the goals depend on, parts first.
fn undefined(circuit: &Circuit, goals: &[Lit], defined: &[bool]) -> Vec<usize> {
    let last = goals.iter().map(|g| g.node()).max().unwrap_or(0);
    let mut needed = vec![false; last + 1];
    goals.iter().for_each(|g| needed[g.node()] = true);
    for node in (1..=last).rev() {
        if defined[node] {
            needed[node] = false;
        } else if let (true, Node::And(a, b)) = (needed[node], circuit.nodes()[node]) {
            needed[a.node()] = true;
            needed[b.node()] = true;
        }
    }
    (1..=last).filter(|&n| needed[n]).collect()
}
