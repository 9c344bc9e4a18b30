//! What the analysis found: classes, levels, places, hints, fingerprints. Data only; printing is the driver's business.

mod describe;
mod elements;
mod excuse;
mod schema;
mod unrelated;

pub use describe::describe;
pub use elements::are_apart;
pub use excuse::{excuse, flags};

use std::collections::BTreeSet;

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

impl Finding {
    /// Whether two findings tell of the same race: the same two accesses of what is torn apart (who comes in between may
    /// differ), or the same accesses altogether, seen from the other event.
    pub fn is_same_race(&self, other: &Finding) -> bool {
        let kind = |finding: &Finding| std::mem::discriminant(&finding.property);
        kind(self) == kind(other)
            && (self.fingerprint == other.fingerprint
                || self.torn() == other.torn()
                || self.accesses(|_| true) == other.accesses(|_| true))
    }

    /// Where the pivot's event takes part.
    fn torn(&self) -> BTreeSet<&SourcePlace> {
        let instance = |step: &Step| self.lanes.get(step.lane).map(|lane| lane.instance);
        let pivot = self.steps.iter().find(|step| step.role == Role::Pivot).and_then(instance);
        self.accesses(|step| instance(step) == pivot)
    }

    fn accesses(&self, which: impl Fn(&Step) -> bool) -> BTreeSet<&SourcePlace> {
        let steps = self.steps.iter().filter(|step| step.role != Role::Step && which(step));
        steps.filter_map(|step| step.place.as_ref()).collect()
    }
}

/// Leaves one finding of each race in each unit, and always the same, whatever the order in which they were found: one of the
/// gravest level, with the fewest instances of events, of the plainest class, with the fewest steps.
pub fn one_per_race(findings: &mut Vec<Finding>) {
    let mut best_first: Vec<usize> = (0..findings.len()).collect();
    best_first.sort_by_cached_key(|&i| {
        let finding = &findings[i];
        let instances = finding.lanes.iter().map(|lane| lane.instance).max();
        let text = format!("{:?} {:?} {:?}", finding.message, finding.steps, finding.lanes);
        (std::cmp::Reverse(finding.level), instances, finding.class, finding.steps.len(), text)
    });
    let mut kept: Vec<usize> = Vec::new();
    for i in best_first {
        let same =
            |&k: &usize| findings[k].unit == findings[i].unit && findings[k].is_same_race(&findings[i]);
        if !kept.iter().any(same) {
            kept.push(i);
        }
    }
    let mut at = 0..;
    findings.retain(|_| at.next().is_some_and(|i| kept.contains(&i)));
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

impl Property {
    /// Notes whether some event is not deterministic; only serializability cares.
    pub fn set_despite_nondeterminism(&mut self, despite: bool) {
        if let Property::Serializability { despite_nondeterminism, .. } = self {
            *despite_nondeterminism = despite;
        }
    }
}
