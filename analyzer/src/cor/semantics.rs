//! What formulas mean: their values on infinite words that end in a loop. Plain and slow; it judges the monitors.

use super::formula::{Formula, Letter};

/// An infinite word: a stem, then a loop for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// Comes first.
    pub stem: Vec<Letter>,
    /// Is repeated; not empty.
    pub cycle: Vec<Letter>,
}

impl Lasso {
    /// Whether a formula holds of the word.
    pub fn satisfies(&self, formula: &Formula) -> bool {
        // What looks back repeats with the loop only after some rounds: one for each operator is enough.
        let rounds = 1 + looking_back(formula);
        let mut letters = self.stem.clone();
        (0..rounds).for_each(|_| letters.extend(&self.cycle));
        let back = letters.len();
        letters.extend(&self.cycle);
        values(formula, &letters, back)[0]
    }
}

fn looking_back(formula: &Formula) -> usize {
    match formula {
        Formula::True | Formula::Atom(_) => 0,
        Formula::Not(a) | Formula::Next(a) => looking_back(a),
        Formula::And(a, b) | Formula::Until(a, b) => looking_back(a) + looking_back(b),
        Formula::Yesterday(a) => 1 + looking_back(a),
        Formula::Since(a, b) => 1 + looking_back(a) + looking_back(b),
    }
}

/// A formula's values at all positions; behind the last one comes `back`.
fn values(formula: &Formula, letters: &[Letter], back: usize) -> Vec<bool> {
    let count = letters.len();
    let after = |at: usize| if at + 1 < count { at + 1 } else { back };
    match formula {
        Formula::True => vec![true; count],
        Formula::Atom(number) => letters.iter().map(|letter| letter & (1 << number) != 0).collect(),
        Formula::Not(inner) => values(inner, letters, back).into_iter().map(|value| !value).collect(),
        Formula::And(a, b) => {
            let (a, b) = (values(a, letters, back), values(b, letters, back));
            a.into_iter().zip(b).map(|(a, b)| a && b).collect()
        }
        Formula::Next(inner) => {
            let inner = values(inner, letters, back);
            (0..count).map(|at| inner[after(at)]).collect()
        }
        Formula::Until(a, b) => {
            let (a, b) = (values(a, letters, back), values(b, letters, back));
            let mut found = vec![false; count];
            // Twice around: what is fulfilled in the next round is found in the second.
            for at in (0..count).rev().chain((0..count).rev()) {
                found[at] = b[at] || a[at] && found[after(at)];
            }
            found
        }
        Formula::Yesterday(inner) => {
            let inner = values(inner, letters, back);
            (0..count).map(|at| at > 0 && inner[at - 1]).collect()
        }
        Formula::Since(a, b) => {
            let (a, b) = (values(a, letters, back), values(b, letters, back));
            let mut found = vec![false; count];
            for at in 0..count {
                found[at] = b[at] || a[at] && at > 0 && found[at - 1];
            }
            found
        }
    }
}
