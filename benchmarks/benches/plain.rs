//! Every interleaving, one after the other: what a checker does that neither keeps states nor reduces.

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
    let mut state = machine.initial();
    machine.program.events().for_each(|event| machine.post_event(&mut state, event));
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
