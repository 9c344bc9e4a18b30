//! Circuits to Z3: one Boolean constant and a definition per node, logic `QF_FD`.

use std::time::Duration;

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

/// Whether inputs exist that make `goal` true.
pub fn solve(circuit: &Circuit, goal: Lit, timeout: Duration) -> Answer {
    match goal.as_constant() {
        Some(true) => return Answer::Reachable(vec![false; circuit.inputs()]),
        Some(false) => return Answer::Unreachable,
        None => {}
    }
    let Some(solver) = Solver::new_for_logic("QF_FD") else {
        return Answer::Unknown("this Z3 has no finite-domain solver (QF_FD)".into());
    };
    let mut params = Params::new();
    params.set_u32("timeout", timeout.as_millis().clamp(1, u32::MAX as u128) as u32);
    solver.set_params(&params);
    let mut names: Vec<Option<Bool>> = vec![None; circuit.nodes().len()];
    for node in cone(circuit, goal) {
        let name = Bool::new_const(node as u32);
        if let Node::And(a, b) = circuit.nodes()[node] {
            let value = |l: Lit| {
                let name = names[l.node()].as_ref().expect("parts come first");
                if l.is_negated() { name.not() } else { name.clone() }
            };
            let (a, b) = (value(a), value(b));
            solver.assert(Bool::or(&[&name.not(), &a]));
            solver.assert(Bool::or(&[&name.not(), &b]));
            solver.assert(Bool::or(&[&name, &a.not(), &b.not()]));
        }
        names[node] = Some(name);
    }
    let top = names[goal.node()].clone().expect("the goal is in its cone");
    solver.assert(if goal.is_negated() { top.not() } else { top });
    match solver.check() {
        SatResult::Unsat => Answer::Unreachable,
        SatResult::Unknown => {
            Answer::Unknown(solver.get_reason_unknown().unwrap_or_else(|| "no reason given".into()))
        }
        SatResult::Sat => {
            let Some(model) = solver.get_model() else { return Answer::Unknown("no model".into()) };
            let mut inputs = vec![false; circuit.inputs()];
            for (node, name) in circuit.nodes().iter().zip(&names) {
                if let (Node::Input(i), Some(name)) = (node, name) {
                    inputs[*i as usize] = model.eval(name, true).and_then(|b| b.as_bool()).unwrap_or(false);
                }
            }
            Answer::Reachable(inputs)
        }
    }
}

/// The nodes that a goal depends on, parts first.
fn cone(circuit: &Circuit, goal: Lit) -> Vec<usize> {
    let mut needed = vec![false; circuit.nodes().len()];
    needed[goal.node()] = true;
    for node in (0..=goal.node()).rev() {
        if let (true, Node::And(a, b)) = (needed[node], circuit.nodes()[node]) {
            needed[a.node()] = true;
            needed[b.node()] = true;
        }
    }
    (0..=goal.node()).filter(|&n| needed[n]).collect()
}

/// The version of the Z3 that is linked, as it tells it: "Z3 4.8.12.0".
pub fn version() -> String {
    z3::full_version().to_string()
}
