//! When further rounds of the entry's loop cannot lead to anything new.
//!
//! A state that differs from a later one only in that fewer *restrictions* are set can do whatever the later one can, so the
//! rounds in between can be left out of any run. When every run of `k` rounds passes through two such states, every
//! error can be reached in fewer than `k` rounds. (The idea of recurrence diameters, with an order in place of equality.)

use super::circuit::{Circuit, Lit};
use super::symbolic::{Run, Val};
use crate::ir::VarId;

/// The state at the head of the loop.
pub(super) struct Head {
    /// The run got here.
    pub reached: Lit,
    /// The values of all variables.
    pub vars: Vec<Val>,
}

/// What of the state at the head of the entry's loop decides how it goes on.
#[derive(Clone, Debug, Default)]
pub struct Relevant {
    /// Variables whose values matter.
    pub values: Vec<VarId>,
    /// Variables that only forbid runs when they are true.
    pub restrictions: Vec<VarId>,
}

impl Run {
    /// The condition under which `rounds` rounds are run and each of them brings something new; `None` when the program was
    /// run for fewer.
    pub fn all_new(&mut self, rounds: usize, relevant: &Relevant) -> Option<Lit> {
        let heads = self.heads.get(..=rounds)?;
        let mut new = heads[rounds].reached;
        for (j, later) in heads.iter().enumerate() {
            for earlier in &heads[..j] {
                let covers = covers(&mut self.circuit, earlier, later, relevant);
                new = self.circuit.and(new, !covers);
            }
        }
        Some(new)
    }
}

/// Whether the earlier state can do all that the later one can.
fn covers(circuit: &mut Circuit, earlier: &Head, later: &Head, relevant: &Relevant) -> Lit {
    let mut all = Lit::TRUE;
    for x in &relevant.values {
        let same = match (&earlier.vars[x.index()], &later.vars[x.index()]) {
            (Val::Bool(a), Val::Bool(b)) => circuit.equal(*a, *b),
            (Val::Int(a), Val::Int(b)) => circuit.same(a, b),
            _ => Lit::FALSE,
        };
        all = circuit.and(all, same);
    }
    for x in &relevant.restrictions {
        if let (Val::Bool(a), Val::Bool(b)) = (&earlier.vars[x.index()], &later.vars[x.index()]) {
            let more = circuit.and(*a, !*b);
            all = circuit.and(all, !more);
        }
    }
    all
}
