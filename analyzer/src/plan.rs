//! Which questions are asked of a program. None is made before its turn, so a plan takes no more room than the program, however many
//! questions there are.
//!
//! **Events of one form are one event.** Events whose [`Case::form`] is the same do the same to the same variables, under the same locks,
//! on the same executors; they differ in names and places, and in which of several equal procedures they call. Putting one in the
//! place of the other in a run (all that belongs to that instance, tasks included) gives a run of the program with the same accesses in
//! the same order, serial ones stay serial, and conflicts are the same, since these are about variables alone. So there is a
//! violation with one if there is one with the other, and:
//!
//! * a question about events has the answer of the question about the first events of their forms;
//! * what is asked of two instances of one event (or of several) is asked for all instances of all events of its form, unless they happen
//!   once each: these keep apart, and two of them are asked about instead.
//!
//! **Large groups are asked about two events at a time.** Two instances of such a pair are not enough where it is a third one that leaves the
//! state in which they do one another harm: once all pairs of all groups were asked about, those that go by what others can have left are
//! asked about again, with one more instance of an event that leaves it, or of one of the two.
//!
//! Of `n` events of `k` forms there are `k (k + 1) / 2` questions about pairs, in place of `n (n + 1) / 2`. What is found with the first
//! events is then told of the others, whose questions are the same case: see [`Asked::others`]. `tests/alike.rs` compares this
//! with asking about each pair.

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::case::{Case, Form, Origin, part_of};
use crate::check::Options;
use crate::feeders::Feeders;
use crate::filter::{Filter, Pairs};
use crate::finding;
use crate::ir::{ProcId, ProcKind, Program};
use crate::limits::{Allowance, Deadline, Limits};
use crate::question::Question;
use crate::semantics::Machine;

/// Groups with events of more forms than this are looked at two events at a time.
const GROUP: usize = 6;
/// Pairs of events that are asked about for each megabyte of memory: an answer takes some hundred bytes.
const PAIRS: u64 = 512;
/// Events that leave another state that a pair is asked about again with.
const BEFORE: usize = 2;
/// Instances that a run has beside the two when a pair is asked about again.
const BESIDE: u32 = 1;
/// Finding out what to ask may take one of so many parts of the memory.
const PART: u64 = 4;
/// Bytes that an event takes in its class.
const EVENT: usize = 64;

/// What is to be asked of a program.
pub struct Plan {
    /// What it is asked about, or why nothing can be asked.
    subject: Result<Subject, String>,
    options: Options,
}

struct Subject {
    machine: Machine,
    flags: Vec<Option<bool>>,
    feeders: Feeders,
    /// None when there was too little time or memory for it.
    filter: Option<Filter>,
    /// How many pairs of events there are whose groups are not known.
    unplanned: u64,
    /// The events that may not be deterministic, and those that the filter proves to be.
    open: Vec<ProcId>,
    deterministic: Vec<ProcId>,
    groups: Vec<Group>,
}

/// Events that share state, by form.
struct Group {
    classes: Vec<Class>,
    /// Asked about at once, or two at a time.
    whole: bool,
}

/// Events of one form.
pub type Class = Arc<[ProcId]>;

/// A question of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The event whose determinism it is about; none: serializability.
    pub event: Option<ProcId>,
    /// The question.
    pub question: Question,
    /// Events of one form of which some are in the question. What is found with these goes for the others, too.
    pub others: Vec<Class>,
}

impl Plan {
    /// The questions about a program, as far as they are known by the deadline and in the memory that is allowed.
    pub fn new(program: &Program, options: &Options, deadline: Deadline) -> Plan {
        let limits = Limits::of_memory(options.memory).until(deadline);
        let subject = |machine| Subject::new(machine, limits.allow(PART));
        let subject = Machine::new(&program.reached()).map(subject).map_err(|invalid| invalid.message);
        Plan { subject, options: options.clone() }
    }

    /// A plan of nothing.
    pub fn nothing() -> Plan {
        Plan::new(&Program::new(), &Options::default(), Deadline::never())
    }

    /// Why nothing can be asked.
    pub fn invalid(&self) -> Option<&str> {
        self.subject.as_ref().err().map(String::as_str)
    }

    /// Whether there was too little time or memory to find out what to ask: with more there would be more questions.
    pub fn is_cut(&self) -> bool {
        self.subject.as_ref().is_ok_and(|subject| subject.unplanned > 0)
    }

    /// What bounds the search.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The name of an event.
    pub fn name(&self, event: ProcId) -> &str {
        self.subject.as_ref().map_or("", |subject| &subject.machine.program.proc(event).name)
    }

    /// The events that the filter proves to be deterministic, of the part that is asked.
    pub fn deterministic(&self) -> impl Iterator<Item = &str> {
        let proved = self.subject.iter().flat_map(|subject| &subject.deterministic);
        proved.map(|event| self.name(*event)).filter(|event| {
            let part = self.options.part;
            part.is_none_or(|part| part_of(&Sha256::digest(event).into(), part.of) == part.index)
        })
    }

    /// The questions, one after the other: determinism first. Behind the deadline only those about single events are left.
    pub fn questions(&self, deadline: Deadline) -> Questions<'_> {
        let most = u64::from(self.options.memory) * PAIRS;
        let subject = self.subject.as_ref().ok();
        let again =
            self.options.events > 2 && subject.is_some_and(|subject| subject.feeders.leave_anything());
        Questions { subject, deadline, open: 0, group: 0, pairs: None, again, behind: false, most }
    }

    /// Cuts a question loose; none when another part asks it. Each question is in one part, whatever else the program holds.
    pub fn cut(&self, question: &Question) -> Option<(Case, Origin)> {
        let subject = self.subject.as_ref().ok()?;
        let (case, origin) =
            Case::cut(question, &subject.machine, &subject.flags, &subject.feeders, &self.options);
        let is_here = self.options.part.is_none_or(|part| case.part(part.of) == part.index);
        is_here.then_some((case, origin))
    }
}

/// Plans are equal when what they are made of is.
impl PartialEq for Plan {
    fn eq(&self, other: &Plan) -> bool {
        let programs = match (&self.subject, &other.subject) {
            (Ok(one), Ok(other)) => one.machine.program == other.machine.program,
            (Err(one), Err(other)) => one == other,
            _ => false,
        };
        programs && self.options == other.options
    }
}

impl Eq for Plan {}

impl Subject {
    fn new(machine: Machine, mut allowance: Allowance) -> Subject {
        let program = &machine.program;
        let filter = Filter::new(&machine, &mut allowance);
        let may_be = |event: &ProcId| filter.as_ref().is_none_or(|f| f.may_be_nondeterministic(*event));
        let (open, deterministic) = program.events().partition(may_be);
        let groups = filter.as_ref().and_then(|filter| filter.groups(&mut allowance));
        let groups = groups.and_then(|groups| {
            let mut group = |events| Group::new(events, &machine, &mut allowance);
            groups.into_iter().map(&mut group).collect::<Option<Vec<_>>>()
        });
        let unplanned = if groups.is_none() { triangle(program.events().count()) } else { 0 };
        let flags = finding::flags(program);
        let feeders = Feeders::new(program, &mut allowance);
        let groups = groups.unwrap_or_default();
        Subject { flags, feeders, filter, unplanned, open, deterministic, groups, machine }
    }
}

impl Group {
    /// None when it takes more than is allowed.
    fn new(events: Vec<ProcId>, machine: &Machine, allowance: &mut Allowance) -> Option<Group> {
        if events.len() <= GROUP {
            let classes = events.into_iter().map(|event| Class::from([event])).collect();
            return Some(Group { classes, whole: true });
        }
        let mut classes: Vec<Vec<ProcId>> = Vec::new();
        let mut known: HashMap<Form, usize> = HashMap::new();
        for event in events {
            if !allowance.take(EVENT) {
                return None;
            }
            let class = *known.entry(Case::form(event, &machine.program)).or_insert(classes.len());
            match classes.get_mut(class) {
                Some(others) => others.push(event),
                None => classes.push(vec![event]),
            }
        }
        let once =
            |event: &ProcId| matches!(machine.program.proc(*event).kind, ProcKind::Event { once: true, .. });
        let apart = classes.iter().any(|class| class.len() > 1 && once(&class[0]));
        let whole = classes.len() <= GROUP && !apart;
        Some(Group { classes: classes.into_iter().map(Class::from).collect(), whole })
    }

    /// A question about events of these classes.
    fn asked(&self, question: Question, classes: impl Iterator<Item = usize>) -> Asked {
        let classes = classes.map(|class| &self.classes[class]).filter(|class| class.len() > 1);
        let others = classes.cloned().collect();
        Asked { event: None, question, others }
    }
}

impl Asked {
    /// The same question with two events in each other's place.
    pub fn exchanged(&self, one: ProcId, other: ProcId) -> Question {
        let exchange = |event: &ProcId| match *event {
            event if event == one => other,
            event if event == other => one,
            event => event,
        };
        let all = |events: &[ProcId]| events.iter().map(exchange).collect();
        match &self.question {
            Question::Determinism(event) => Question::Determinism(exchange(event)),
            Question::Serializability(events) => Question::Serializability(all(events)),
            Question::Pair { events, before, beside } => {
                Question::Pair { events: all(events), before: all(before), beside: *beside }
            }
        }
    }
}

/// The questions of a plan that are still to be asked.
pub struct Questions<'p> {
    subject: Option<&'p Subject>,
    deadline: Deadline,
    /// Which event, or which group, is next.
    open: usize,
    group: usize,
    /// The pairs of that group, when it is asked about two events at a time.
    pairs: Option<Walk<'p>>,
    /// Whether pairs are asked about again, behind an event that leaves another state; and whether that is what is done now.
    again: bool,
    behind: bool,
    /// How many pairs may still be looked at.
    most: u64,
}

/// A way through the pairs of classes, such that each class comes soon: each with itself, then each with the next one, and so on.
struct Walk<'p> {
    pairs: Pairs<'p>,
    classes: usize,
    apart: usize,
    first: usize,
}

impl Questions<'_> {
    /// Whether there is no time for more.
    pub fn is_late(&self) -> bool {
        self.deadline.is_over()
    }

    /// The most questions that there can be from here on: pairs of events that have nothing to do with one another are passed over.
    pub fn most(&self) -> u64 {
        let open = self.subject.map_or(0, |subject| subject.open.len().saturating_sub(self.open));
        open as u64 + self.left()
    }

    /// How many pairs of forms of events are not looked at, or not as often as they should be, if it stays with the questions so far.
    pub fn left(&self) -> u64 {
        let Some(subject) = self.subject else { return 0 };
        let begun = self.pairs.as_ref().map(Walk::left);
        let next = self.group + usize::from(begun.is_some());
        let groups = subject.groups.iter().enumerate().map(|(number, group)| match group.whole {
            true => u64::from(!self.behind && number >= next),
            // What was asked about once is asked about again.
            false if number >= next || self.again && !self.behind => triangle(group.classes.len()),
            false => 0,
        });
        let begun = begun.filter(|_| !self.again || self.behind).unwrap_or_default();
        subject.unplanned + begun + groups.sum::<u64>()
    }

    /// The question about two classes of a group.
    fn about(&self, subject: &Subject, walk: &Walk<'_>, (one, other): (usize, usize)) -> Option<Question> {
        if !walk.pairs.may_be_cyclic(one, other) {
            return None;
        }
        let events = walk.pairs.events(one, other);
        let mut before = walk.pairs.enabling(one, other, &events);
        // Those that enable the pair run once each.
        let mut beside = before.len() as u32;
        if self.behind {
            let leaving = subject.feeders.leaving_another_state(&events, BEFORE);
            if leaving.is_empty() {
                return None;
            }
            before.extend(leaving.into_iter().filter(|event| !events.contains(event)));
            before.sort_unstable();
            before.dedup();
            beside += BESIDE;
        }
        Some(Question::Pair { events, before, beside })
    }
}

impl Iterator for Questions<'_> {
    type Item = Asked;

    fn next(&mut self) -> Option<Asked> {
        let subject = self.subject?;
        if self.deadline.is_over() && self.open >= subject.open.len() {
            return None;
        }
        if let Some(&event) = subject.open.get(self.open) {
            self.open += 1;
            let question = Question::Determinism(event);
            return Some(Asked { event: Some(event), question, others: Vec::new() });
        }
        loop {
            let Some(group) = subject.groups.get(self.group) else {
                if !self.again || self.behind {
                    return None;
                }
                (self.group, self.behind) = (0, true);
                continue;
            };
            if group.whole {
                self.group += 1;
                if self.behind {
                    continue;
                }
                let events = group.classes.iter().map(|class| class[0]).collect();
                return Some(group.asked(Question::Serializability(events), 0..group.classes.len()));
            }
            let filter = subject.filter.as_ref()?;
            let mut walk = self.pairs.take().unwrap_or_else(|| Walk {
                pairs: Pairs::new(filter, &group.classes),
                classes: group.classes.len(),
                apart: 0,
                first: 0,
            });
            while let Some((one, other)) = walk.peek() {
                let left = self.most.checked_sub(1).filter(|_| !self.deadline.is_over());
                let Some(left) = left else {
                    self.pairs = Some(walk);
                    return None;
                };
                self.most = left;
                walk.step();
                if let Some(question) = self.about(subject, &walk, (one, other)) {
                    self.pairs = Some(walk);
                    let classes = std::iter::once(one).chain((one != other).then_some(other));
                    return Some(group.asked(question, classes));
                }
            }
            self.group += 1;
        }
    }
}

impl Walk<'_> {
    fn peek(&self) -> Option<(usize, usize)> {
        (self.apart < self.classes).then_some((self.first, self.first + self.apart))
    }

    fn step(&mut self) {
        self.first += 1;
        if self.first + self.apart == self.classes {
            (self.apart, self.first) = (self.apart + 1, 0);
        }
    }

    fn left(&self) -> u64 {
        // Of the pairs that are as far apart as this, and of those that are farther.
        triangle(self.classes - self.apart) - self.first as u64
    }
}

/// How many pairs there are of so many, each with itself included.
fn triangle(of: usize) -> u64 {
    let of = of as u64;
    of * (of + 1) / 2
}
