//! Messages that are sent too early: who has received one goes by what its sender changes only behind it. And answers that are taken by others
//! than those who have asked.

use std::collections::BTreeSet;

use crate::finding::Role;
use crate::finding::violation::{Held, Violation};
use crate::ir::walk::each;
use crate::ir::{BasisId, Message, StmtKind};

/// Whether sending or receiving has a part in a violation.
pub fn has_messages(violation: &Violation<'_>) -> bool {
    violation.held.iter().any(|held| held.role != Role::Step && side(violation, held).is_some())
}

/// Whether sending or receiving has another part in a violation than that a message is sent too early, or that somebody gets another one's answer.
pub fn sends_otherwise(violation: &Violation<'_>) -> bool {
    has_messages(violation)
        && !is_sent_early(violation)
        && !is_of_another(violation)
        && !is_inquired_and_told(violation)
}

/// Whether the pivot's event asks an actor how things are, and tells it because of the answer how they are to be, and others tell it otherwise in between.
pub(in crate::finding) fn is_inquired_and_told(violation: &Violation<'_>) -> bool {
    let Some((first, last)) = violation.ends() else { return false };
    let is = |held: &Held, message: Message| side(violation, held) == Some(message);
    let same = |held: &&Held| held.access.var == first.access.var && held.instance != first.instance;
    first.access.var == last.access.var
        && first.task == last.task
        && is(first, Message::Inquired)
        && is(last, Message::Told)
        && concerns(violation, first, last)
        && violation.between(first, last).filter(same).any(|held| is(held, Message::Told))
}

/// Whether the pivot's event asks something and takes the next answer, and others do so, too, in between.
pub(in crate::finding) fn is_of_another(violation: &Violation<'_>) -> bool {
    let Some((first, last)) = violation.ends() else { return false };
    let is = |held: &Held, message: Message| side(violation, held) == Some(message);
    let same = |held: &&Held| held.access.var == first.access.var && held.instance != first.instance;
    first.access.var == last.access.var
        && first.task == last.task
        && is(first, Message::Asked)
        && is(last, Message::Answered)
        && concerns(violation, first, last)
        && violation.between(first, last).filter(same).any(|held| is(held, Message::Asked))
        && violation.between(first, last).filter(same).any(|held| is(held, Message::Answered))
}

/// Whether the pivot's event sends something and changes something behind that, and who has received it goes by that in between.
pub(in crate::finding) fn is_sent_early(violation: &Violation<'_>) -> bool {
    let Some((first, last)) = violation.ends() else { return false };
    let Some(sent) = side(violation, first) else { return false };
    // What the event has made it shares with the task that it starts.
    let is_other = sent != Message::Started && violation.recurring([last, last]).is_some();
    if !matches!(sent, Message::Sent | Message::Started)
        || is_other
        || first.task != last.task
        || !concerns(violation, first, last)
        || violation.program.vars[last.access.var.index()].is_many()
    {
        return false;
    }
    // In the rounds of a loop, what is changed behind one message may come before the next one.
    let changed = |held: &Held| {
        held.instance == last.instance
            && held.access.var == last.access.var
            && concerns(violation, first, held)
    };
    let is_received =
        |held: &Held| matches!(side(violation, held), Some(Message::Received | Message::Running));
    let is_missed = |held: &Held| side(violation, held) == Some(Message::Missed);
    let at_channel =
        |held: &Held, early: &Held| held.instance == early.instance && held.access.var == first.access.var;
    let goes_by = |early: &Held| {
        let received = violation.before(early).find(|held| at_channel(held, early) && is_received(held));
        // Who misses it has looked before, and so has who looks again in each round.
        let missed = || {
            let mut behind = violation.after(early).filter(|held| at_channel(held, early));
            behind.find(|held| is_missed(held) || is_received(held) && come_in_turn(violation, held, early))
        };
        received.or_else(missed).is_some_and(|end| concerns(violation, end, early))
    };
    !violation.before(first).any(changed)
        && violation.met(first).all(|held| is_received(held) || is_missed(held))
        && violation.met(last).all(goes_by)
}

/// Whether two accesses are made in the rounds of one loop.
fn come_in_turn(violation: &Violation<'_>, one: &Held, other: &Held) -> bool {
    violation.program.statements().into_iter().any(|stmt| {
        let mut labels = BTreeSet::new();
        if let StmtKind::While(_, body) | StmtKind::Loop(_, body) = &stmt.kind {
            each(body, &mut |stmt| _ = labels.insert(stmt.label));
        }
        labels.contains(&one.label) && labels.contains(&other.label)
    })
}

/// Whether what the pivot's event begins with is the start of a task.
pub(in crate::finding) fn starts(violation: &Violation<'_>) -> bool {
    violation.ends().is_some_and(|(first, _)| side(violation, first) == Some(Message::Started))
}

/// The side of a channel that an access stands for.
fn side(violation: &Violation<'_>, held: &Held) -> Option<Message> {
    violation.basis(held)?.message
}

/// Whether sending or receiving is about this access.
fn concerns(violation: &Violation<'_>, message: &Held, access: &Held) -> bool {
    let among = |id: BasisId| violation.basis(message).is_some_and(|basis| basis.concerns.contains(&id));
    access.basis.is_some_and(among)
}
