//! What the analysis found: classes, levels, places, hints, fingerprints. Data only; printing is the driver's business.

mod describe;
mod schema;

pub use describe::describe;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ir::SourcePlace;

/// One violation of robustness, ready to be reported.
///
/// **Invariant.** `steps` has at least two steps with a [`Role`] other than [`Role::Step`] and every such step has a
/// place; `lanes` has every lane that a step names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The pattern.
    pub class: Class,
    /// How much it matters by default; configuration may change it.
    pub level: Level,
    /// Which property is violated.
    pub property: Property,
    /// The shared variable in the user's words (`self.sessions`); of the pivot's conflict.
    pub variable: String,
    /// One sentence: what goes wrong.
    pub message: String,
    /// Who takes part: one lane per task of the schedule, in the order they begin.
    pub lanes: Vec<Lane>,
    /// The schedule: what happens in which order, replayed by the reference interpreter.
    pub steps: Vec<Step>,
    /// What the programmer is taken to assume, and the schedule breaks.
    pub assumption: String,
    /// What to do about it.
    pub hint: String,
    /// Stable across moved lines: hash of class, variable and the functions and accesses involved. 16 hex digits.
    pub fingerprint: String,
    /// The crate or file it was found in.
    pub unit: String,
}

/// The property that a finding violates.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Property {
    /// The tasks of one event do not always act in the order the program text suggests.
    Determinism {
        /// The event.
        event: String,
    },
    /// Events that overlap do not always act as if one ran after the other.
    Serializability {
        /// The events on the cycle; the delayed one first.
        events: Vec<String>,
        /// Whether some event is not deterministic, so that the answer is not exact in the sense of the paper.
        despite_nondeterminism: bool,
    },
}

/// The pattern of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Read, then written from what was read, while another write came in between.
    LostUpdate,
    /// A check is acted on after what was checked may have changed.
    CheckThenAct,
    /// Two reads of one event that belong together see different states.
    TornRead,
    /// Two writes of one event that belong together are seen apart.
    TornWrite,
    /// Tasks of one event act in an order that the program text does not suggest.
    Order,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Not shown.
    Allow,
    /// Shown, never fails a run.
    Note,
    /// Shown, fails a run only when asked to.
    Warn,
    /// Fails the run.
    Deny,
}

/// One task in a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lane {
    /// The task's name in the user's words: a function, or what spawned it.
    pub name: String,
    /// The event instance the task belongs to, counted from 0.
    pub instance: u32,
    /// Whether the task is the event itself (not something it started).
    pub is_event: bool,
    /// The executor it runs on, `any` for a thread of its own.
    pub executor: String,
    /// Where the event or task is declared.
    pub place: Option<SourcePlace>,
}

/// One step of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Index into [`Finding::lanes`].
    pub lane: usize,
    /// What happens: "reads `self.sessions`", "takes lock `state`", "starts `worker`".
    pub text: String,
    /// Where, when the step stands in the source.
    pub place: Option<SourcePlace>,
    /// Its part in the violation.
    pub role: Role,
}

/// The part a step has in a violation (section 2 of the specification).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// None: it only leads there.
    Step,
    /// The last access of a borderline violation.
    Pivot,
    /// Determinism: the earlier access that conflicts with the pivot.
    Root,
    /// Serializability: an access that conflicts with the previous event's exit.
    Entry,
    /// Serializability: an access that the next event's entry conflicts with.
    Exit,
    /// Entry and exit at once.
    EntryExit,
}

impl Finding {
    /// Of two findings with the same fingerprint the one to keep, whatever the order in which they were found: the one with
    /// fewer steps.
    pub fn comes_before(&self, other: &Finding) -> bool {
        let text =
            |finding: &Finding| format!("{:?} {:?} {:?}", finding.message, finding.steps, finding.lanes);
        self.steps.len().cmp(&other.steps.len()).then_with(|| text(self).cmp(&text(other))).is_lt()
    }
}

impl Property {
    /// Notes whether some event is not deterministic; only serializability cares.
    pub fn set_despite_nondeterminism(&mut self, despite: bool) {
        if let Property::Serializability { despite_nondeterminism, .. } = self {
            *despite_nondeterminism = despite;
        }
    }
}
