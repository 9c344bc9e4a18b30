//! Shorter runs to the same goal.

use super::exclude::{Alike, differing};
use crate::reach::circuit::Values;
use crate::reach::{Answer, Effort, Lit, Run, Session};
use crate::translate::{GENERATED, Translated};

/// Rounds of leaving actions out.
const ROUNDS: u32 = 8;
/// Steps of the solver for one question about a part of a run, which it seldom needs.
const EFFORT: Effort = Effort::Steps(150_000);
/// Steps of the solver for one question about the run that is shortened first, and a part of that for those after it: what takes
/// longer seldom ends in a shorter one.
const FIRST: u32 = 60_000;
/// Runs with more possible actions than this are made shorter only by leaving actions out.
const COUNTED: usize = 3000;

/// When each action of the program happens.
fn guards(run: &Run) -> Vec<Lit> {
    let actions = run.log.iter().filter(|log| log.frame.is_some() && log.label != GENERATED);
    actions.map(|log| log.guard).collect()
}

/// A run to the same goal that does a part of what the given one does, and nothing else: as little as a few rounds lead to. Gives the
/// inputs.
pub fn least(run: &mut Run, goal: Lit, inputs: Vec<bool>, session: &mut Session) -> Vec<bool> {
    let guards = guards(run);
    let mut best = inputs;
    for _ in 0..ROUNDS {
        let values = run.circuit.evaluate(&best);
        let (done, not_done): (Vec<Lit>, Vec<Lit>) = guards.iter().partition(|g| values.get(**g));
        let less = done.into_iter().fold(Lit::FALSE, |any, g| run.circuit.or(any, !g));
        let mut wanted: Vec<Lit> = not_done.into_iter().map(|g| !g).collect();
        wanted.extend([goal, less]);
        match session.ask(&run.circuit, &wanted, EFFORT) {
            Answer::Reachable(smaller) => best = smaller,
            _ => break,
        }
    }
    best
}

/// A run to the same goal, with the same statements as pivot, root and exit of the delayed event, that does as few actions as possible,
/// whichever they are; none if no shorter one is found. `before` is how many runs of the question were shortened before. The session should be one of its own: what counts the actions makes all later
/// answers of it slower.
pub fn shortest(
    run: &mut Run,
    translated: &Translated,
    (goal, values): (Lit, &Values),
    before: u32,
    session: &mut Session,
) -> Option<Vec<bool>> {
    let guards = guards(run);
    if guards.len() > COUNTED {
        return None;
    }
    let flags = translated.flags;
    let roles = [flags.root, flags.exit, flags.pivot];
    for other in differing(run, &roles, (values, &Alike::none())) {
        session.require(&run.circuit, &[!other]);
    }
    let mut done = guards.iter().filter(|g| values.get(**g)).count();
    let count = run.circuit.count(&guards);
    let effort = Effort::Steps(FIRST / (before + 1));
    let mut best = None;
    loop {
        let most = run.circuit.number(done as i128);
        let fewer = run.circuit.less(&count, &most);
        let Answer::Reachable(shorter) = session.ask(&run.circuit, &[goal, fewer], effort) else {
            return best;
        };
        let values = run.circuit.evaluate(&shorter);
        done = guards.iter().filter(|g| values.get(**g)).count();
        best = Some(shorter);
    }
}
