//! What the analysis found: classes, levels, places, hints, fingerprints. Data only; printing is the driver's business.

mod describe;
mod drawn;
mod found_again;
mod holders;
mod judge;
mod last_out;
mod queued;
mod reliance;
mod schema;
mod section;
mod stack;
mod violation;
mod words;

use judge::{
    agreed, another, belonging, claims, commuting, counted_again, counted_late, crosswise, drained, elements,
    enlisted, excuse, filled, frozen, in_place, members, memo, messages, news, numbered, order, outlived,
    protocol, published, put_back, refilled, registered, replaced, reserved, runs, scattered, signals,
    silent, statistics, taken_entry, total, under_way, unlocked, unobserved, unrelated,
};

pub use agreed::is_found_out;
pub use claims::have_claimed_keys;
pub use commuting::{hands_out_otherwise, have_other_sides, have_own_keys, unheld};
pub use describe::describe;
pub use elements::are_apart;
pub use excuse::{Excuse, Others, excuse, flags};
pub use filled::{is_full_already, leaves_what_was_found, leaves_what_was_missing};
pub use frozen::{is_contrary, is_filled_too_late};
pub use holders::{counts_holders, counts_otherwise};
pub use members::have_other_members;
pub use messages::{has_messages, sends_otherwise};
pub use order::any_order;
pub use queued::leaves_work_otherwise;
pub use reliance::is_partial;
pub use signals::is_in_time;
pub use silent::{found_as_it_was, is_awaited, is_silent, is_sure};
pub use stack::SourceText;
pub use taken_entry::is_of_another_entry;
pub use violation::Violation;

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::mem::Discriminant;

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
    /// Why it need not be a bug, when the program gives a reason: such findings are notes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub excuse: String,
    /// Stable across moved lines: hash of class, variable and the functions and accesses involved. 16 hex digits.
    pub fingerprint: String,
    /// The crate or file it was found in.
    pub unit: String,
    /// Other events that do the same as the one that is torn apart, and of which nothing else is said.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub alike: BTreeSet<String>,
}

impl Finding {
    /// What it shares with findings of the same race: the same two accesses of what is torn apart (who comes in between may
    /// differ), or the same accesses altogether, seen from the other event.
    fn marks(&self) -> [Mark<'_>; 3] {
        let kind = std::mem::discriminant(&self.property);
        let torn = match self.property {
            // There are no two accesses: each operation out of place is a finding.
            Property::Confinement { .. } | Property::Lifecycle { .. } => Told::Print(&self.fingerprint),
            _ => Told::Torn(self.torn()),
        };
        let told = [Told::Print(&self.fingerprint), torn, Told::Accesses(self.accesses(|_| true))];
        told.map(|told| (kind, told))
    }

    /// Where the pivot's event takes part.
    fn torn(&self) -> BTreeSet<&SourcePlace> {
        let instance = |step: &Step| self.lanes.get(step.lane).map(|lane| lane.instance);
        let pivot = self.steps.iter().find(|step| step.role == Role::Pivot).and_then(instance);
        self.accesses(|step| instance(step) == pivot)
    }

    /// The most that others do to what the pivot's event accesses, in between.
    pub fn disturbance(&self) -> Disturbance {
        let instance = |step: &Step| self.lanes.get(step.lane).map(|lane| lane.instance);
        let pivot = self.steps.iter().find(|step| step.role == Role::Pivot).and_then(instance);
        let others = self.steps.iter().filter(|step| step.role != Role::Step && instance(step) != pivot);
        let done = others.map(|step| match step.kind {
            StepKind::Write | StepKind::Update => Disturbance::Changes,
            StepKind::Remove => Disturbance::Removes,
            _ => Disturbance::Looks,
        });
        done.min().unwrap_or(Disturbance::Looks)
    }

    /// Its level, and what others do in between; the most harmful first.
    pub fn harm(&self) -> (Reverse<Level>, Disturbance) {
        (Reverse(self.level), self.disturbance())
    }

    /// Which of its task's steps the first one in conflict is, or the critical section begins with that it is in: who goes by an earlier
    /// look goes by more.
    pub fn first_look(&self) -> usize {
        let Some(first) = self.steps.iter().position(|step| step.role != Role::Step) else { return 0 };
        let own = || self.steps[..first].iter().filter(|step| step.lane == self.steps[first].lane);
        let mut locked = Vec::new();
        for (number, step) in own().enumerate() {
            match step.kind {
                StepKind::Lock | StepKind::LockShared => locked.push(number),
                StepKind::Unlock => _ = locked.pop(),
                _ => {}
            }
        }
        locked.pop().unwrap_or_else(|| own().count())
    }

    /// Who else it is true of, in a sentence; empty when there is nobody.
    pub fn same_elsewhere(&self) -> String {
        let mut names = self.alike.iter().map(|name| format!("`{name}`"));
        let first: Vec<String> = names.by_ref().take(NAMED).collect();
        if first.is_empty() {
            return String::new();
        }
        let more = match names.count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("the same is true of {}{more}", first.join(", "))
    }

    /// The accesses in conflict, in pairs of indices of steps: the cycle of accesses that no serial order has, or the two that come in
    /// another order than the program text suggests.
    pub fn conflicts(&self) -> Vec<(usize, usize)> {
        let steps = || self.steps.iter().enumerate();
        let instance = |step: &Step| self.lanes.get(step.lane).map(|lane| lane.instance);
        let Some((pivot, pivot_step)) = steps().find(|(_, step)| step.role == Role::Pivot) else {
            return Vec::new();
        };
        if let Some((root, _)) = steps().find(|(_, step)| step.role == Role::Root) {
            return vec![(root, pivot)];
        }
        let is_exit = |role| matches!(role, Role::Exit | Role::EntryExit);
        let exit_of = |of| steps().find(|(_, step)| is_exit(step.role) && instance(step) == of);
        let entries = steps().filter(|(_, step)| matches!(step.role, Role::Entry | Role::EntryExit));
        let mut pairs = Vec::new();
        let mut exit = exit_of(instance(pivot_step)).map(|(index, _)| index);
        for (entry, step) in entries {
            pairs.extend(exit.map(|exit| (exit, entry)));
            exit = exit_of(instance(step)).map(|(index, _)| index);
        }
        pairs.extend(exit.map(|exit| (exit, pivot)));
        pairs
    }

    /// All texts in which a name can stand.
    pub(crate) fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let events = match &mut self.property {
            Property::Determinism { event } => std::slice::from_mut(event),
            Property::Serializability { events, .. } => &mut events[..],
            Property::Confinement { root } | Property::Lifecycle { task: root, .. } => {
                std::slice::from_mut(root)
            }
        };
        let lanes = self.lanes.iter_mut().flat_map(|lane| [&mut lane.name, &mut lane.executor]);
        let steps = self.steps.iter_mut().flat_map(|step| {
            let frames = step.stack.iter_mut().map(|frame| &mut frame.function);
            [&mut step.text, &mut step.subject].into_iter().chain(frames)
        });
        let own = [&mut self.variable, &mut self.message, &mut self.assumption, &mut self.hint];
        let own = own.into_iter().chain([&mut self.excuse, &mut self.fingerprint]);
        own.chain(events).chain(lanes).chain(steps)
    }

    /// All places.
    pub(crate) fn places(&mut self) -> impl Iterator<Item = &mut Option<SourcePlace>> {
        let steps = self.steps.iter_mut().flat_map(|step| {
            let frames = step.stack.iter_mut().flat_map(|frame| [&mut frame.declared, &mut frame.place]);
            [&mut step.place].into_iter().chain(frames)
        });
        steps.chain(self.lanes.iter_mut().map(|lane| &mut lane.place))
    }

    /// Makes the fingerprint of what it is made of.
    pub(crate) fn seal(&mut self) {
        self.fingerprint = describe::sealed(&self.fingerprint);
    }

    fn accesses(&self, which: impl Fn(&Step) -> bool) -> BTreeSet<&SourcePlace> {
        let steps = self.steps.iter().filter(|step| step.role != Role::Step && which(step));
        steps.filter_map(|step| step.place.as_ref()).collect()
    }
}

/// What others do in between, the most harmful first. Who looks for something, to make it or to take it out, is harmed by those who put
/// something there; that others took it out is often just as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Disturbance {
    /// Something is put in, stored, counted.
    Changes,
    /// Something is taken out.
    Removes,
    /// Nothing is changed.
    Looks,
}

/// Calls within calls that are followed.
const MAX_CALLS: u32 = 12;

/// So many of the events that do the same are named in a sentence.
const NAMED: usize = 3;

/// Leaves one finding of each race in each unit, and always the same, whatever the order in which they were found: one of the
/// gravest level, with the fewest instances of events, where others do the most in between, of the plainest class, with the fewest
/// steps.
pub fn one_per_race(findings: &mut Vec<Finding>) {
    let mut best_first: Vec<usize> = (0..findings.len()).collect();
    best_first.sort_by_cached_key(|&i| {
        let finding = &findings[i];
        let instances = finding.lanes.iter().map(|lane| lane.instance).max();
        let text = format!("{:?} {:?} {:?}", finding.message, finding.steps, finding.lanes);
        let (level, disturbance) = finding.harm();
        (level, instances, disturbance, finding.class, finding.steps.len(), text)
    });
    let mut known: HashMap<(&str, Mark<'_>), usize> = HashMap::new();
    // By finding: the one that is kept of its race.
    let mut kept: Vec<usize> = (0..findings.len()).collect();
    for i in best_first {
        let unit = findings[i].unit.as_str();
        let marks = findings[i].marks().map(|mark| (unit, mark));
        match marks.iter().find_map(|mark| known.get(mark)) {
            Some(&better) => kept[i] = better,
            None => known.extend(marks.into_iter().map(|mark| (mark, i))),
        }
    }
    for (i, &better) in kept.iter().enumerate().filter(|(i, better)| i != *better) {
        let alike = std::mem::take(&mut findings[i].alike);
        findings[better].alike.extend(alike);
    }
    let mut at = 0..;
    findings.retain(|_| at.next().is_some_and(|i| kept[i] == i));
}

/// What tells a race, and the kind of property that it violates: two findings that share a mark tell of one.
type Mark<'f> = (Discriminant<Property>, Told<'f>);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Told<'f> {
    Print(&'f str),
    Torn(BTreeSet<&'f SourcePlace>),
    Accesses(BTreeSet<&'f SourcePlace>),
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
    /// Operations do not always run where they belong.
    Confinement {
        /// What begins where they do not belong: a handler, a task, `main`.
        root: String,
    },
    /// Tasks do not always end, or are not always heard of, as they should.
    Lifecycle {
        /// Which property of tasks is violated.
        property: String,
        /// The task.
        task: String,
    },
}

/// The pattern of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Another write is lost: it came between a read and the write that goes by it, or between putting something in and taking it out.
    LostUpdate,
    /// A check is acted on after what was checked may have changed.
    CheckThenAct,
    /// What one event reads does not fit what it read, or wrote, before.
    TornRead,
    /// Two writes of one event that belong together are seen apart.
    TornWrite,
    /// Tasks of one event act in an order that the program text does not suggest.
    Order,
    /// What belongs to one thread is used on another.
    ConfinedCallOffThread,
    /// A stream calls what belongs to one thread on another.
    ObserverOffThread,
    /// What needs a runtime around it runs where there is none.
    NoRuntimeHere,
    /// The thread of the user interface waits.
    BlockingOnUi,
    /// A thread that runs tasks waits, and with it its other tasks.
    BlockingInAsync,
    /// A thread that drives a runtime is to drive another one.
    RuntimeInRuntime,
    /// A lock or a borrow is held where the task is suspended, and others wait for it by blocking.
    LockAcrossAwait,
    /// The thread of the user interface is busy for long.
    HeavyOnUi,
    /// A task goes on after whoever it works for is gone.
    OutlivesOwner,
    /// A panic, or a cancellation, passes for a task's answer.
    PanicAsResult,
    /// A task's error is dropped by whoever waits for it.
    LostError,
    /// Nobody waits for a task that may fail.
    NoHandler,
    /// Work that is cancelled never looks whether to go on.
    NeverChecks,
    /// A future is not ready, and nothing wakes its task when it is.
    NeverWoken,
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
    /// Whether the program started it itself: a task that it leaves to run, rather than one that something outside calls for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_spawned: bool,
    /// Whether it is on another object than the others are, with that one's lock.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
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
    /// What kind of thing happens.
    #[serde(default)]
    pub kind: StepKind,
    /// What it happens to: the variable, the lock, the task that is started; empty when there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// Both in words: "reads `self.sessions`", "locks `state`", "starts `worker`".
    pub text: String,
    /// Where, when the step stands in the source.
    pub place: Option<SourcePlace>,
    /// Its part in the violation.
    pub role: Role,
    /// The numbers (from 1) of the later steps that it conflicts with: the conflicts that make the schedule a violation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts_with: Vec<u32>,
    /// The calls that lead from the handler or task to it, the innermost first, as far as there is only one way; known of steps in
    /// conflict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Frame>,
}

impl Step {
    /// A step in words alone: of what is about no variable, and in conflict with nothing.
    pub(crate) fn told(
        lane: usize,
        kind: StepKind,
        role: Role,
        text: String,
        place: Option<SourcePlace>,
    ) -> Step {
        Step {
            lane,
            kind,
            subject: String::new(),
            text,
            place,
            role,
            conflicts_with: Vec::new(),
            stack: Vec::new(),
        }
    }
}

/// A function on the way to a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    /// Its name.
    pub function: String,
    /// Where it is declared.
    pub declared: Option<SourcePlace>,
    /// Where in it the step is, or the call of the function before; none where that is not known.
    pub place: Option<SourcePlace>,
}

/// What a step does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    /// The handler or task begins.
    Begin,
    /// It goes on after it was suspended.
    Resume,
    /// Reads a shared variable.
    Read,
    /// Writes a shared variable.
    Write,
    /// Changes a shared variable in one operation, such as an addition.
    Update,
    /// Takes something out of a shared collection, or empties it.
    Remove,
    /// Sends somebody a key under which something is put in later.
    HandOut,
    /// Sends something.
    Send,
    /// Has received something.
    Receive,
    /// Acquires a lock.
    Lock,
    /// Acquires a lock together with other readers.
    LockShared,
    /// Releases a lock.
    Unlock,
    /// Is suspended and lets others run.
    Suspend,
    /// Starts a task.
    Spawn,
    /// Waits for a task to end.
    Join,
    /// Waits for something that never comes.
    Wait,
    /// Begins to wait until it is woken.
    Enlist,
    /// Wakes those who wait.
    Wake,
    /// Anything else.
    #[default]
    Run,
}

impl StepKind {
    /// Whether it changes a shared variable.
    pub fn is_change(self) -> bool {
        matches!(self, StepKind::Write | StepKind::Update | StepKind::Remove)
    }

    /// Whether it reads or changes a shared variable.
    pub fn is_access(self) -> bool {
        self == StepKind::Read || self.is_change()
    }

    /// In words, with what it happens to.
    pub fn text(self, subject: &str) -> String {
        match self {
            StepKind::Begin => "begins".into(),
            StepKind::Resume => "goes on".into(),
            StepKind::Read => format!("reads `{subject}`"),
            StepKind::Write => format!("writes `{subject}`"),
            StepKind::Update => format!("updates `{subject}`"),
            StepKind::Remove => format!("removes from `{subject}`"),
            StepKind::HandOut => format!("hands out a key of `{subject}`"),
            StepKind::Send => format!("sends on `{subject}`"),
            StepKind::Receive => format!("has received from `{subject}`"),
            StepKind::Lock => format!("locks `{subject}`"),
            StepKind::LockShared => format!("locks `{subject}` for reading"),
            StepKind::Unlock => format!("unlocks `{subject}`"),
            StepKind::Suspend => "is suspended".into(),
            StepKind::Spawn => format!("starts `{subject}`"),
            StepKind::Join => "waits for a task".into(),
            StepKind::Wait => "waits".into(),
            StepKind::Enlist => format!("begins to wait at `{subject}`"),
            StepKind::Wake => format!("wakes who waits at `{subject}`"),
            StepKind::Run => "runs".into(),
        }
    }
}

/// The part a step has in a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// None: it only leads there.
    Step,
    /// The last access: after what came before, it is too late for it.
    #[serde(rename = "too-late")]
    Pivot,
    /// The access of another task that should have come after the last one.
    #[serde(rename = "too-early")]
    Root,
    /// It conflicts with an earlier access of another handler.
    #[serde(rename = "conflicts-with-earlier")]
    Entry,
    /// It conflicts with a later access of another handler.
    #[serde(rename = "conflicts-with-later")]
    Exit,
    /// It conflicts with an earlier access and with a later one.
    #[serde(rename = "conflicts-with-both")]
    EntryExit,
    /// It begins here, on a thread that lacks something, or must not wait.
    #[serde(rename = "starts")]
    Start,
    /// It goes on under other circumstances.
    #[serde(rename = "goes-on-elsewhere")]
    Hop,
    /// The operation that should not be done there.
    #[serde(rename = "out-of-place")]
    Offence,
}

impl Role {
    /// Whether it is what the finding is about: the last access, or the operation out of place.
    pub fn is_last(self) -> bool {
        matches!(self, Role::Pivot | Role::Offence)
    }
}

impl Property {
    /// The event that is not deterministic, or that is torn apart.
    pub fn torn(&self) -> &str {
        match self {
            Property::Determinism { event }
            | Property::Confinement { root: event }
            | Property::Lifecycle { task: event, .. } => event,
            Property::Serializability { events, .. } => events.first().map_or("", String::as_str),
        }
    }

    /// Notes whether some event is not deterministic; only serializability cares.
    pub fn set_despite_nondeterminism(&mut self, despite: bool) {
        if let Property::Serializability { despite_nondeterminism, .. } = self {
            *despite_nondeterminism = despite;
        }
    }
}
