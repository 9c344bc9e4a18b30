//! Every interleaving, one after the other: what a checker does that neither keeps states nor reduces.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use robust_analyzer::semantics::{Machine, State};

/// How far it got.
#[derive(Clone, Copy)]
pub struct Explored {
    /// Interleavings that were run to their end.
    pub runs: u64,
    /// How long that took.
    pub time: Duration,
    /// Whether those are all.
    pub complete: bool,
}

/// Runs every interleaving of one instance of each event.
pub fn explore(machine: &Machine, most: Duration) -> Explored {
    let started = Instant::now();
    let state = begin(machine);
    let (mut runs, mut open): (u64, Vec<State>) = (0, vec![state]);
    while let Some(state) = open.pop() {
        let steps = machine.steps(&state);
        if steps.is_empty() {
            runs += 1;
            if runs.is_multiple_of(1024) && started.elapsed() > most {
                return Explored { runs, time: started.elapsed(), complete: false };
            }
        }
        open.extend(steps.into_iter().map(|step| step.state));
    }
    Explored { runs, time: started.elapsed(), complete: true }
}

/// How many interleavings there are, counted without running them: those from a state on are the sum of those from the next
/// ones. The program has no endless runs. `None` when there are more states than that.
pub fn count(machine: &Machine, states: usize) -> Option<f64> {
    let (mut known, mut open): (HashMap<State, f64>, Vec<State>) = (HashMap::new(), vec![begin(machine)]);
    while let Some(state) = open.last() {
        if known.len() > states {
            return None;
        }
        let next: Vec<State> = machine.steps(state).into_iter().map(|step| step.state).collect();
        let missing: Vec<State> = next.iter().filter(|state| !known.contains_key(state)).cloned().collect();
        if missing.is_empty() {
            let count = if next.is_empty() { 1.0 } else { next.iter().map(|state| known[state]).sum() };
            open.pop().map(|state| known.insert(state, count));
        }
        open.extend(missing);
    }
    known.get(&begin(machine)).copied()
}

fn begin(machine: &Machine) -> State {
    let mut state = machine.initial();
    machine.program.events().for_each(|event| machine.post_event(&mut state, event));
    state
}
