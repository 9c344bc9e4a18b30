//! The order in which the questions of a run are worked on: **each a little before any for long.**
//!
//! Most questions have an answer in some milliseconds, and a few have none in minutes. Which these are is not known before. So all are
//! asked in a first turn, for a small part of the time each, and those that this was too short for in a last one, which shares the time
//! that is left. What is found in the first turn stands.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::case::Case;
use crate::check::Told;
use crate::limits::Deadline;
use crate::plan::Asked;
use crate::pool::in_parallel;
use crate::question::Answered;

/// When a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// With all others that there are.
    First,
    /// With those that the first turn was too short for.
    Last,
    /// At once, for there is time enough.
    Only,
}

impl Turn {
    /// How long a question may take when so many are left.
    pub fn time(self, deadline: Deadline, left: u64) -> Duration {
        match self {
            Turn::First => deadline.taste(),
            Turn::Last | Turn::Only => deadline.share(left),
        }
    }

    /// The answer that a question has by this turn, given what it is answered in each: in the last one what the first has found stands.
    pub fn with_earlier(self, in_turn: impl Fn(Turn) -> Answered) -> Answered {
        match self {
            Turn::First | Turn::Only => in_turn(self),
            Turn::Last => match in_turn(Turn::First) {
                first if first.settled => first,
                first => first.and_again(in_turn(Turn::Last)),
            },
        }
    }

    /// The answer to a question: in the first turn what a first attempt comes to. What is settled is the same in each turn.
    pub fn answer(self, case: &Case, timeout: Duration) -> Answered {
        match self {
            Turn::First => case.attempt(timeout),
            Turn::Last | Turn::Only => case.answer(timeout),
        }
    }
}

/// What the turns of a run go by.
pub(crate) struct Turns<'a> {
    /// How many questions are worked on at a time.
    pub jobs: usize,
    /// The most that a question may take in any turn.
    pub timeout: Duration,
    /// When the run is over.
    pub deadline: Deadline,
    /// How many questions are left in the last turn, for whoever works on one.
    pub left: &'a AtomicU64,
}

impl Turns<'_> {
    /// Asks all questions. `work` answers one of them, and `take` gets the answers on this thread, each with the number of its question:
    /// those of the first turn in the order of the questions, then those of the last.
    pub fn ask<K: Copy + Send, W: Send>(
        &self,
        questions: impl Iterator<Item = (K, Asked)> + Send,
        mut worker: impl FnMut() -> W,
        work: impl Fn(&mut W, K, &Asked, Turn) -> Option<Told> + Sync,
        mut take: impl FnMut(usize, K, Option<Told>),
    ) {
        let first = match self.deadline.taste() < self.timeout {
            true => Turn::First,
            false => Turn::Only,
        };
        let mut again = Vec::new();
        in_parallel(
            self.jobs,
            questions.enumerate(),
            &mut worker,
            |own, (number, (of, asked))| {
                let told = work(own, of, &asked, first);
                (number, of, asked, told)
            },
            |(number, of, asked, told)| {
                match told {
                    Some(told) if first == Turn::First && !told.is_settled() => {
                        again.push((number, of, asked, told));
                    }
                    told => take(number, of, told),
                }
                ControlFlow::Continue(())
            },
        );
        self.left.store(again.len() as u64, Ordering::Relaxed);
        in_parallel(
            self.jobs,
            again.into_iter(),
            worker,
            |own, (number, of, asked, told)| {
                let told = match self.deadline.is_over() {
                    true => Some(told),
                    false => work(own, of, &asked, Turn::Last),
                };
                self.left.fetch_sub(1, Ordering::Relaxed);
                (number, of, told)
            },
            |(number, of, told)| {
                take(number, of, told);
                ControlFlow::Continue(())
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use super::*;
    use crate::check::Options;
    use crate::ir::text::parse;
    use crate::plan::Plan;

    /// Two questions: two groups of events share nothing.
    const PROGRAM: &str =
        "var x; var y; event a on any { read x; write x; } event b on any { read y; write y; }";

    /// By question, the turns it was asked in, and whether the answer that was taken is one.
    fn asked(total: Duration, is_slow: impl Fn(usize) -> bool + Sync) -> BTreeMap<usize, (Vec<Turn>, bool)> {
        let program = parse(PROGRAM, "test.rob").expect("a program");
        let (options, deadline) = (Options::default(), Deadline::after(total));
        let plan = Plan::new(&program, &options, deadline);
        let turns = Turns { jobs: 2, timeout: options.timeout, deadline, left: &AtomicU64::new(0) };
        let begun: Mutex<BTreeMap<usize, Vec<Turn>>> = Mutex::default();
        let mut taken = BTreeMap::new();
        turns.ask(
            plan.questions(deadline).enumerate(),
            || (),
            |(): &mut (), number, asked, turn| {
                begun.lock().unwrap().entry(number).or_default().push(turn);
                plan.answer(asked, deadline, |case| match turn {
                    Turn::First if is_slow(number) => Answered::late(),
                    _ => case.answer(options.timeout),
                })
            },
            |number, of, told| {
                assert_eq!(number, of, "an answer has the number of its question");
                taken.insert(number, told.expect("an answer").is_settled());
            },
        );
        let begun = begun.into_inner().unwrap();
        begun.into_iter().map(|(number, turns)| (number, (turns, taken[&number]))).collect()
    }

    #[test]
    fn what_the_first_turn_was_too_short_for_is_asked_again() {
        let all = asked(Duration::from_secs(600), |number| number == 0);
        assert!(all.len() > 1, "{all:?}");
        for (number, (turns, is_settled)) in all {
            let expected = if number == 0 { vec![Turn::First, Turn::Last] } else { vec![Turn::First] };
            assert_eq!((turns, is_settled), (expected, true), "{number}");
        }
    }

    #[test]
    fn with_time_enough_there_is_one_turn() {
        let all = asked(Duration::from_secs(36_000), |_| true);
        assert!(all.values().all(|(turns, is_settled)| turns[..] == [Turn::Only] && *is_settled), "{all:?}");
    }
}
