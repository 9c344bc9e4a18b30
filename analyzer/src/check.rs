//! The questions about a program and their answers.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::ir::Program;

/// What bounds the search for violations of one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Greatest number of event instances in a run, all events together (serializability).
    pub events: u32,
    /// Greatest number of times a `while` body is unrolled and a recursive procedure is nested.
    pub unroll: u32,
    /// Time for one question.
    pub timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options { events: 3, unroll: 2, timeout: Duration::from_secs(30) }
    }
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// There is a violation, and its witness replays in the reference interpreter.
    Violated,
    /// There is none.
    Holds {
        /// `None` when that is proved for every run; else the bound up to which it was searched, in words.
        bound: Option<String>,
    },
    /// The search could not complete.
    Unknown {
        /// Why: time, memory, something unsupported.
        reason: String,
    },
}

/// Everything that was asked of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Conflict determinism, by name of the event.
    pub determinism: BTreeMap<String, Verdict>,
    /// Conflict serializability of the event set.
    pub serializability: Verdict,
    /// Whether some event is not deterministic, so that the serializability answer is not exact in the sense of the paper.
    pub despite_nondeterminism: bool,
    /// The violations.
    pub findings: Vec<Finding>,
    /// How the questions went.
    pub statistics: Statistics,
}

/// Counts over the questions of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// Questions asked: one per event (determinism) and one per group of events (serializability).
    pub questions: u32,
    /// Answered by the static filter, without a solver.
    pub filtered: u32,
    /// Answered "holds" for every run.
    pub proved: u32,
    /// Answered "holds" up to a bound.
    pub bounded: u32,
    /// Answered "violated".
    pub violated: u32,
    /// Not answered.
    pub unknown: u32,
    /// Time in milliseconds spent translating.
    pub translate_ms: u64,
    /// Time in milliseconds spent in the solver.
    pub solve_ms: u64,
    /// Time in milliseconds spent replaying witnesses.
    pub replay_ms: u64,
}

/// Asks both questions of every event of `program` and of its event set.
pub fn check(_program: &Program, _options: &Options) -> Outcome {
    todo!("translate, reach, witness")
}
