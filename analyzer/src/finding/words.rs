//! What a finding says: one sentence, and what to do about it. Sentences state what the schedule shows and the program has, no more.

use super::Class;
use super::reliance::Reliance;
use crate::ir::Mode;
use crate::semantics::{AccessKind, Signal};

/// An access of the schedule, as sentences speak of it.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    /// The variable.
    pub variable: String,
    /// What is done to it.
    pub kind: AccessKind,
    /// What is done to it, if it is a condition.
    pub signal: Option<Signal>,
    /// The number of its step, counted from 1.
    pub step: usize,
    /// Its task.
    pub task: usize,
    /// The locks held for it.
    pub locks: Vec<String>,
}

/// An event that comes in between: where it comes after what is torn apart, and where it comes before the rest of it.
#[derive(Clone, Debug)]
pub(super) struct Other {
    pub name: String,
    pub enters: Spot,
    pub leaves: Spot,
}

/// Two accesses of one event that others come between.
#[derive(Clone, Debug)]
pub(super) struct Torn {
    /// The event.
    pub event: String,
    pub first: Spot,
    pub last: Spot,
    /// How the second access depends on what was seen before.
    pub reliance: Option<Reliance>,
    /// Whether the event is suspended in between.
    pub suspended: bool,
    /// The locks that are held all the time, which keep those who come in between from nothing; the accesses do not name them.
    pub kept: Vec<(String, Mode)>,
    /// Those who come in between.
    pub others: Vec<Other>,
}

/// Two accesses of one event's tasks that come in another order than the program text suggests.
#[derive(Clone, Debug)]
pub(super) struct Reordered {
    /// The access that comes first, and its task's name.
    pub early: (Spot, String),
    /// The access that comes too late, and its task's name.
    pub late: (Spot, String),
    /// Whether the task of the early access started that of the late one.
    pub is_starter: bool,
    /// The events that ran before.
    pub before: Vec<String>,
    /// The early one takes out what the late one puts in.
    pub in_vain: bool,
}

fn verb(spot: &Spot) -> &'static str {
    match (spot.kind, spot.signal) {
        (_, Some(Signal::Enlist)) => "begins to wait at",
        (_, Some(Signal::Wake)) => "wakes who waits at",
        (AccessKind::Read, None) => "reads",
        (AccessKind::Write, None) => "writes",
        (AccessKind::Update(_), None) => "updates",
    }
}

fn reads(spot: &Spot) -> bool {
    spot.kind == AccessKind::Read
}

impl Torn {
    fn is_one_variable(&self) -> bool {
        self.first.variable == self.last.variable
    }

    /// Whether what is done last is a look and nothing more. A violation may end with the look that a change begins with.
    fn ends_with_look(&self) -> bool {
        let relies = matches!(self.reliance, Some(Reliance::Data | Reliance::Branch));
        reads(&self.last) && !(reads(&self.first) && relies)
    }

    /// Whether it ends with a wait that begins too late.
    fn ends_with_wait(&self) -> bool {
        self.last.signal == Some(Signal::Enlist)
    }

    pub(super) fn class(&self) -> Class {
        match (reads(&self.first), self.ends_with_look()) {
            _ if self.ends_with_wait() => Class::CheckThenAct,
            _ if matches!(
                self.reliance,
                Some(
                    Reliance::HandedOut
                        | Reliance::Sent
                        | Reliance::Started
                        | Reliance::Answered
                        | Reliance::Named
                        | Reliance::Apart
                        | Reliance::Emptied
                )
            ) =>
            {
                Class::TornWrite
            }
            _ if self.reliance == Some(Reliance::Left) => Class::CheckThenAct,
            (_, true) => Class::TornRead,
            (true, false) if self.is_one_variable() && self.reliance != Some(Reliance::Branch) => {
                Class::LostUpdate
            }
            (true, false) => Class::CheckThenAct,
            (false, false) if matches!(self.reliance, Some(Reliance::Replaced | Reliance::Overwritten)) => {
                Class::LostUpdate
            }
            (false, false) => Class::TornWrite,
        }
    }

    pub(super) fn message(&self) -> String {
        let lost = if self.ends_with_wait() { ", which it misses" } else { "" };
        format!("`{}` {}; {}{lost}", self.event, self.deeds(), self.between())
    }

    /// What the event does apart.
    fn deeds(&self) -> String {
        let (first, last) = (&self.first, &self.last);
        let before = verb(first);
        let after = if reads(last) && !self.ends_with_look() { "changes" } else { verb(last) };
        let variable = &first.variable;
        let again = match self.is_one_variable() {
            true => "it".to_owned(),
            false => format!("`{}`", last.variable),
        };
        match (reads(first), self.ends_with_look(), self.reliance) {
            (_, _, Some(Reliance::Sent)) if self.ends_with_wait() => {
                format!("sends on `{variable}` and only then {after} {again}")
            }
            (true, _, None | Some(Reliance::Independent)) if self.ends_with_wait() => {
                format!("looks at `{variable}` and then {after} {again}")
            }
            _ if self.ends_with_wait() => {
                format!("checks `{variable}` and then {after} {again} because of what it saw")
            }
            (_, _, Some(Reliance::HandedOut)) => {
                format!("hands out a key of `{variable}` and only then puts something in under it")
            }
            (_, _, Some(Reliance::Sent)) if self.is_missed() => {
                format!("wakes who waits at `{variable}` and only then {after} {again}")
            }
            (_, _, Some(Reliance::Sent)) => {
                format!("sends on `{variable}` and only then {after} {again}")
            }
            (_, _, Some(Reliance::Started)) => {
                format!("starts `{variable}` and only then {after} {again}")
            }
            (_, _, Some(Reliance::Answered)) => {
                format!("asks something and only then takes the next answer of `{variable}`")
            }
            (_, _, Some(Reliance::Told)) => {
                format!("asks for `{variable}` and then tells what it is to be, going by the answer")
            }
            (_, _, Some(Reliance::Named)) => {
                format!("puts a key into `{variable}` and only then what it leads to into {again}")
            }
            (_, _, Some(Reliance::Apart)) => {
                format!(
                    "takes out of `{variable}` what is under a key and only then puts in what replaces it"
                )
            }
            (_, _, Some(Reliance::Emptied)) => {
                format!("empties `{variable}` and only then puts in what is to be there")
            }
            (_, _, Some(Reliance::Cleared)) => {
                format!(
                    "takes out what is in `{variable}` and later clears {again}, whatever is there by then"
                )
            }
            (_, _, Some(Reliance::Left)) => {
                format!("asks for the number of `{variable}` and only then stops being one of them")
            }
            (true, false, Some(Reliance::Branch)) => {
                format!("checks `{variable}` and later {after} {again} because of what it saw")
            }
            (true, false, Some(Reliance::Data)) => {
                format!("reads `{variable}` and later {after} {again}, going by what it read")
            }
            (false, false, Some(Reliance::Overwritten)) => {
                format!("{before} `{variable}` and later overwrites it because of what was there")
            }
            (false, false, Some(Reliance::Replaced)) => {
                format!("puts something into `{variable}` and later takes out what is there under its key")
            }
            _ if self.is_one_variable() && before == after => format!("{before} `{variable}` twice"),
            _ => format!("{before} `{variable}` and later {after} {again}"),
        }
    }

    /// What others do meanwhile.
    fn between(&self) -> String {
        let within = self.first.step..=self.last.step;
        let inside = self.others.iter().flat_map(|other| [&other.enters, &other.leaves]);
        let when = if inside.into_iter().all(|spot| within.contains(&spot.step)) {
            "in between"
        } else {
            "meanwhile"
        };
        match &self.others[..] {
            [] => format!("others come {when}"),
            [other] => {
                let who = self.named(&other.name);
                let (enters, leaves) = (&other.enters, &other.leaves);
                if self.reliance == Some(Reliance::Started) {
                    return format!("{who} {} `{}` {when}", verb(leaves), leaves.variable);
                }
                if self.reliance == Some(Reliance::Answered) {
                    return format!("{who} does so, too, {when}: each may get the answer to the other");
                }
                if self.reliance == Some(Reliance::Told) {
                    return format!("{who} tells it, too, {when}: that is overwritten");
                }
                if self.reliance == Some(Reliance::Left) {
                    return format!("{who} does so, too, {when}: each has seen the other");
                }
                if matches!(self.reliance, Some(Reliance::Named | Reliance::Apart)) {
                    return format!("{who} looks for it {when}, and takes it for granted that it is there");
                }
                if self.is_missed() {
                    let what = &leaves.variable;
                    return format!(
                        "{who} {} `{what}` {when} and begins to wait: nobody wakes it",
                        verb(leaves)
                    );
                }
                if self.reliance == Some(Reliance::Sent) {
                    return format!("{who} receives that and {} `{}` {when}", verb(leaves), leaves.variable);
                }
                let what = match (enters.variable == leaves.variable, verb(enters), verb(leaves)) {
                    (true, one, two) => {
                        let what = if one == two { one } else { "changes" };
                        let same = self.is_one_variable() && enters.variable == self.first.variable;
                        let it = if same { "it".to_owned() } else { format!("`{}`", enters.variable) };
                        format!("{what} {it}")
                    }
                    (false, one, two) if one == two => format!("{one} both"),
                    (false, one, two) => {
                        format!("{one} `{}` and {two} `{}`", enters.variable, leaves.variable)
                    }
                };
                format!("{who} {what} {when}")
            }
            several => {
                let mut names: Vec<String> = several.iter().map(|other| self.named(&other.name)).collect();
                names.dedup();
                match names.len() {
                    1 => format!("others of its kind come {when}"),
                    _ => format!("{} come {when}", names.join(" and ")),
                }
            }
        }
    }

    /// Whether somebody begins to wait behind what would have woken it.
    fn is_missed(&self) -> bool {
        self.reliance == Some(Reliance::Sent)
            && self.others.iter().any(|other| other.enters.signal == Some(Signal::Enlist))
    }

    fn named(&self, other: &str) -> String {
        match other == self.event {
            true => format!("a second, concurrent `{other}`"),
            false => format!("`{other}`"),
        }
    }

    pub(super) fn hint(&self) -> String {
        let (first, last) = (&self.first, &self.last);
        let (from, to) = (first.step, last.step);
        if self.ends_with_wait() && self.reliance != Some(Reliance::Sent) {
            return self.hint_to_wait();
        }
        if self.reliance == Some(Reliance::HandedOut) {
            return format!("do step {to} before step {from}: whoever answers finds it then");
        }
        if self.is_missed() {
            return format!("do step {to} before step {from}: whoever looks finds it done, or is woken");
        }
        if self.reliance == Some(Reliance::Sent) {
            return format!("do step {to} before step {from}: whoever receives that finds it done then");
        }
        if self.reliance == Some(Reliance::Started) {
            return format!("do step {to} before step {from}: the task finds it done then");
        }
        if self.reliance == Some(Reliance::Answered) {
            return format!(
                "ask in step {from} under the lock under which the answer is taken in step {to}, or send along with the question where its answer is to go"
            );
        }
        if self.reliance == Some(Reliance::Told) {
            return "make one message of both: the actor looks and changes as it takes that".to_owned();
        }
        if self.reliance == Some(Reliance::Named) {
            return format!(
                "do step {to} before step {from}: whoever finds the key finds what it leads to then"
            );
        }
        if self.reliance == Some(Reliance::Apart) {
            return format!(
                "leave out step {from}: what is put in under the key in step {to} replaces what was there; or do both under one guard"
            );
        }
        if self.reliance == Some(Reliance::Emptied) {
            return format!("empty and fill it under one guard, kept from step {from} to step {to}");
        }
        if self.reliance == Some(Reliance::Left) {
            return "do what the last one has to do in the `drop` of what is held, which runs once, or count those who hold it by hand, and look at what \
                    the subtraction gives"
                .to_owned();
        }
        if self.reliance == Some(Reliance::Replaced) {
            return format!(
                "take it out in step {to} only if it still is what was put in: put an identifier in with it, and compare that under the \
                 same lock"
            );
        }
        if first.task != last.task {
            return self.hint_across_tasks();
        }
        if let Some(lock) = first.locks.iter().find(|lock| last.locks.contains(lock)) {
            return self.hint_under(lock);
        }
        if first.locks.is_empty() && last.locks.is_empty() {
            return self.hint_kept().unwrap_or_else(|| self.hint_without_lock());
        }
        // A guard is nothing to keep while others run in between: of most locks it must not be kept then.
        if self.suspended {
            return self.hint_suspended();
        }
        // One of the two is made under a lock.
        let unlocked = |lock: &str, under: &Spot, without: &Spot| match under.variable == without.variable {
            true => format!("hold `{lock}` in step {}, too, and from step {from} to step {to}", without.step),
            false => format!(
                "hold `{lock}` from step {from} to step {to}, and wherever `{}` is changed",
                without.variable
            ),
        };
        match (first.locks.first(), last.locks.first()) {
            (Some(one), Some(two)) => {
                format!(
                    "hold `{one}` and `{two}` together from step {from} to step {to}, or keep both values under one lock"
                )
            }
            (Some(lock), None) => unlocked(lock, first, last),
            (None, Some(lock)) => unlocked(lock, last, first),
            (None, None) => self.hint_without_lock(),
        }
    }

    /// The wait begins too late.
    fn hint_to_wait(&self) -> String {
        let (first, last) = (&self.first, &self.last);
        let (variable, condition) = (&first.variable, &last.variable);
        match last.locks.first() {
            Some(lock) if first.locks.contains(lock) => format!(
                "hold `{lock}` wherever `{variable}` is changed, or acquire it between that and the wake: so nobody can come between \
                 the look and the wait"
            ),
            Some(lock) => format!(
                "look at `{variable}` again under the guard of `{lock}` that the wait gives back, and hold `{lock}` wherever it is \
                 changed, or between that and the wake"
            ),
            None => format!(
                "begin to wait at `{condition}` before step {}, and look at `{variable}` after that: what happens then is not missed",
                first.step
            ),
        }
    }

    /// A task of the event does the second half.
    fn hint_across_tasks(&self) -> String {
        let variable = &self.first.variable;
        match (self.class(), self.is_one_variable()) {
            (Class::TornRead, true) if reads(&self.first) => {
                format!("read `{variable}` once, and pass the value on to the task that needs it")
            }
            (Class::TornRead, false) if reads(&self.first) => {
                "read both at once, and pass the values on to the task that needs them".to_owned()
            }
            (Class::TornRead, _) => {
                "pass the task the value that it needs, instead of reading it again there".to_owned()
            }
            _ => format!(
                "do both in one task under one lock; or check in step {}, under the same guard, that `{variable}` is still as it was",
                self.last.step
            ),
        }
    }

    /// Both are done under one lock that is let go in between.
    fn hint_under(&self, lock: &str) -> String {
        let (from, to) = (self.first.step, self.last.step);
        let variable = &self.first.variable;
        if self.suspended {
            return match (reads(&self.first), self.ends_with_look()) {
                (true, true) => {
                    format!("read all that is needed under one guard of `{lock}`, before the suspension")
                }
                (false, true) => format!(
                    "keep what was put into `{variable}` in a local, instead of reading it again after the suspension"
                ),
                (true, false) => format!(
                    "in step {to}, check again under the same guard of `{lock}`: `{variable}` may have changed during the suspension"
                ),
                (false, false) => format!(
                    "make both changes under one guard of `{lock}`; where the second has to wait for something, check before it, \
                     under the same guard, that nobody changed `{variable}` meanwhile (a generation counter will do)"
                ),
            };
        }
        match (reads(&self.first), self.ends_with_look()) {
            (true, true) => {
                format!("read both under one guard of `{lock}`, kept from step {from} to step {to}")
            }
            (false, true) => format!(
                "keep the guard of `{lock}` from step {from} to step {to}, or go on with the value from step {from}"
            ),
            (true, false) => format!(
                "keep the guard of `{lock}` from step {from} to step {to}, or check again under the guard that step {to} is done under"
            ),
            (false, false) => {
                format!("make both changes under one guard of `{lock}`, kept from step {from} to step {to}")
            }
        }
    }

    /// The accesses are made under two locks, or one is made under none, and the event is suspended in between.
    fn hint_suspended(&self) -> String {
        let (variable, to) = (&self.first.variable, self.last.step);
        match (reads(&self.first), self.ends_with_look()) {
            (true, true) => "read all that is needed before the suspension".to_owned(),
            (true, false) => format!(
                "do both before the suspension; or check again in step {to}, with nothing in between that lets others come: `{variable}` \
                 may have changed meanwhile"
            ),
            (false, true) => format!(
                "keep what is needed in a local, instead of reading `{}` after the suspension",
                self.last.variable
            ),
            (false, false) => format!(
                "make both changes on one side of the suspension, or expect in step {to} that `{variable}` was changed during it"
            ),
        }
    }

    /// A lock is held all the time, which the others do not need.
    fn hint_kept(&self) -> Option<String> {
        let (first, last) = (&self.first, &self.last);
        if let Some((lock, _)) = self.kept.iter().find(|(_, mode)| *mode == Mode::Exclusive) {
            let what = match self.is_one_variable() {
                true => format!("`{}`", first.variable),
                false => format!("`{}` or `{}`", first.variable, last.variable),
            };
            return Some(format!("hold `{lock}`, as it is held here, wherever {what} is changed"));
        }
        // Who writes keeps out those who read.
        let (lock, _) = self.kept.first()?;
        let other = self.hint_without_lock();
        Some(format!("{other}: `{lock}` is held here for reading only, and others hold it at the same time"))
    }

    fn hint_without_lock(&self) -> String {
        let (variable, to) = (&self.first.variable, self.last.step);
        match (reads(&self.first), self.ends_with_look()) {
            (true, true) if self.is_one_variable() => {
                format!("read `{variable}` once, and use that value in step {to}, too")
            }
            (true, false) if self.suspended => format!(
                "do both before the suspension; or check again in step {to}: `{variable}` may have changed meanwhile"
            ),
            (true, false) if self.is_one_variable() => {
                "make it one operation (of an atomic: `fetch_update` or `compare_exchange`; of a map: `entry`), or hold one lock \
                 for both"
                    .to_owned()
            }
            (false, _) if self.is_one_variable() && self.suspended => format!(
                "in step {to}, expect that `{variable}` was changed during the suspension: look before it is relied on, or do both \
                 before the suspension"
            ),
            (false, true) if self.is_one_variable() => format!(
                "go on with the value that was put into `{variable}` (atomic updates return the one before), instead of reading it again"
            ),
            (false, false) if self.is_one_variable() => {
                format!("change `{variable}` once, when its value is known, or hold one lock for both changes")
            }
            (true, true) => "keep both values under one lock, and read them under one guard".to_owned(),
            _ => "hold one lock for both, or keep both values in one that is exchanged as a whole".to_owned(),
        }
    }
}

impl Reordered {
    pub(super) fn message(&self) -> String {
        let ((early, first), (late, second)) = (&self.early, &self.late);
        let done = match early.kind {
            AccessKind::Read => "read",
            AccessKind::Write => "written",
            AccessKind::Update(_) => "updated",
        };
        let does = verb(late).trim_end_matches('s');
        let after = match &self.before[..] {
            [] => String::new(),
            names => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                format!(" (after {} ran)", names.join(", then "))
            }
        };
        let (variable, what) = (&late.variable, if early.variable == late.variable { "it" } else { "that" });
        let why = if self.is_starter { "it was started before that" } else { "it was started first" };
        if self.in_vain {
            return format!(
                "`{first}` may take out of `{variable}` what `{second}` puts in only then, and which stays there{after}"
            );
        }
        if first == second {
            return format!(
                "one `{second}` may {does} `{variable}` only after another one has {done} {what}, although {why}{after}"
            );
        }
        format!(
            "`{second}` may {does} `{variable}` only after `{first}` has {done} {what}, although {why}{after}"
        )
    }

    pub(super) fn hint(&self) -> String {
        let (first, second) = (&self.early.1, &self.late.1);
        if self.in_vain {
            return format!(
                "in `{second}`, put it in before `{first}` starts, or keep the lock from before that"
            );
        }
        match self.is_starter {
            true => format!(
                "in `{first}`, wait for `{second}` (`join`, `.await`) before step {}, or do the work of both in one task",
                self.early.0.step
            ),
            false => format!(
                "let `{first}` start only when `{second}` is done (`join`, `.await`), or do the work of both in one task"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::ClassId;

    fn spot(variable: &str, kind: AccessKind, step: usize, lock: &str) -> Spot {
        let locks = Some(lock.to_owned()).filter(|lock| !lock.is_empty()).into_iter().collect();
        Spot { variable: variable.into(), kind, signal: None, step, task: 0, locks }
    }

    fn torn(first: Spot, last: Spot, reliance: Option<Reliance>) -> Torn {
        let write = |variable: &str, step| spot(variable, AccessKind::Write, step, "");
        let (enters, leaves) = (write(&first.variable, 4), write(&last.variable, 5));
        let others = vec![Other { name: "b".into(), enters, leaves }];
        Torn { event: "a".into(), first, last, reliance, suspended: false, kept: Vec::new(), others }
    }

    use AccessKind::{Read, Update, Write};

    #[test]
    fn sentences_say_what_is_done() {
        let said = |first: AccessKind, last: AccessKind, reliance| {
            let torn = torn(spot("x", first, 2, ""), spot("x", last, 7, ""), reliance);
            (torn.class(), torn.message())
        };
        let tail = "; `b` writes it in between";
        for (first, last, reliance, class, deed) in [
            (Read, Read, None, Class::TornRead, "reads `x` twice"),
            (Write, Read, None, Class::TornRead, "writes `x` and later reads it"),
            (Read, Write, None, Class::LostUpdate, "reads `x` and later writes it"),
            (
                Read,
                Update(ClassId(0)),
                Some(Reliance::Branch),
                Class::CheckThenAct,
                "checks `x` and later updates it because of what it saw",
            ),
            (
                Read,
                Read,
                Some(Reliance::Data),
                Class::LostUpdate,
                "reads `x` and later changes it, going by what it read",
            ),
            (Write, Write, None, Class::TornWrite, "writes `x` twice"),
            (
                Write,
                Write,
                Some(Reliance::Overwritten),
                Class::LostUpdate,
                "writes `x` and later overwrites it because of what was there",
            ),
        ] {
            assert_eq!(said(first, last, reliance), (class, format!("`a` {deed}{tail}")));
        }
    }

    #[test]
    fn others_are_told_apart() {
        let two = torn(spot("x", Read, 2, ""), spot("y", Read, 7, ""), None);
        assert_eq!(two.message(), "`a` reads `x` and later reads `y`; `b` writes both in between");
        let mut own = torn(spot("x", Read, 2, ""), spot("x", Read, 7, ""), None);
        own.others[0].name = "a".into();
        assert_eq!(own.message(), "`a` reads `x` twice; a second, concurrent `a` writes it in between");
        own.others[0].enters.step = 1;
        assert!(own.message().ends_with("writes it meanwhile"), "{}", own.message());
    }

    #[test]
    fn hints_go_by_what_is_there() {
        let hint = |one: &str, other: &str, task, suspended| {
            let mut torn = torn(spot("x", Read, 2, one), spot("x", Write, 7, other), Some(Reliance::Branch));
            (torn.last.task, torn.suspended) = (task, suspended);
            torn.hint()
        };
        assert!(hint("l", "l", 0, false).starts_with("keep the guard of `l` from step 2 to step 7"));
        assert!(hint("l", "l", 0, true).contains("check again under the same guard of `l`"));
        assert!(hint("l", "m", 0, false).starts_with("hold `l` and `m` together"));
        assert!(hint("l", "", 0, false).starts_with("hold `l` in step 7, too"));
        assert!(hint("", "", 0, false).contains("`compare_exchange`"));
        assert!(hint("", "", 0, true).starts_with("do both before the suspension"));
        assert!(hint("l", "l", 1, false).starts_with("do both in one task under one lock"));
    }

    #[test]
    fn hints_propose_no_guard_that_cannot_be_kept() {
        let hint = |one: &str, other: &str, kept: Option<Mode>| {
            let mut torn = torn(spot("x", Read, 2, one), spot("x", Write, 7, other), Some(Reliance::Branch));
            (torn.suspended, torn.kept) =
                (kept.is_none(), kept.map(|mode| ("k".into(), mode)).into_iter().collect());
            torn.hint()
        };
        assert!(hint("l", "m", None).starts_with("do both before the suspension"));
        assert!(hint("l", "", None).starts_with("do both before the suspension"));
        let held = hint("", "", Some(Mode::Exclusive));
        assert_eq!(held, "hold `k`, as it is held here, wherever `x` is changed");
        assert!(hint("", "", Some(Mode::Shared)).contains("`k` is held here for reading only"));
        // A guard that is let go in between is another matter.
        assert!(hint("l", "l", Some(Mode::Exclusive)).starts_with("keep the guard of `l`"));
    }

    #[test]
    fn what_comes_too_late_is_named() {
        let spot = |kind, step| spot("x", kind, step, "");
        let mut order = Reordered {
            early: (spot(Write, 2), "e".into()),
            late: (spot(Read, 5), "load".into()),
            is_starter: true,
            before: Vec::new(),
            in_vain: false,
        };
        let said = "`load` may read `x` only after `e` has written it, although it was started before that";
        assert_eq!(order.message(), said);
        assert!(order.hint().starts_with("in `e`, wait for `load`"), "{}", order.hint());
        (order.is_starter, order.before) = (false, vec!["f".into()]);
        assert!(order.message().ends_with("although it was started first (after `f` ran)"));
        order.early.1 = "load".into();
        let said =
            "one `load` may read `x` only after another one has written it, although it was started first";
        assert!(order.message().starts_with(said));
    }
}
