//! Pairs of events that can be on a cycle of two instances.

use super::{Filter, Located, Users, can_be_torn};
use crate::ir::ProcId;
use crate::plan::Class;
use crate::semantics::Access;

/// So many events of one form that enable a pair are with it: one for each of the two.
const ENABLING: usize = 2;

/// A group of events, by forms: which pairs of them can be on a cycle.
pub struct Pairs<'f> {
    filter: &'f Filter,
    classes: &'f [Class],
    /// By class: where the first of its events is in the filter, and its accesses.
    firsts: Vec<(usize, Vec<Located>)>,
    /// By class.
    users: Users,
}

impl<'f> Pairs<'f> {
    /// Looks at a group. Events of one class are of one form, so what is said of the first goes for all of them.
    pub fn new(filter: &'f Filter, classes: &'f [Class]) -> Pairs<'f> {
        let first = |class: &Class| {
            let index = filter.index.get(class.first()?).copied()?;
            Some((index, filter.events[index].all()))
        };
        let firsts: Vec<(usize, Vec<Located>)> = classes.iter().filter_map(first).collect();
        let users = Users::of(firsts.iter().map(|(_, all)| all).enumerate());
        Pairs { filter, classes, firsts, users }
    }

    /// Whether an instance of an event of one class and one of the other (which may be the same) can be on a cycle.
    pub fn may_be_cyclic(&self, one: usize, other: usize) -> bool {
        match one == other {
            true => (self.classes[one].len() > 1 || !self.once(one)) && self.torn(one, one),
            false => self.torn(one, other) || self.torn(other, one),
        }
    }

    fn once(&self, class: usize) -> bool {
        self.filter.events[self.firsts[class].0].once
    }

    /// Whether an event of the other class can come between two accesses of one of the first.
    fn torn(&self, one: usize, other: usize) -> bool {
        let (own, theirs) = (&self.firsts[one].1, &self.firsts[other].1);
        if own.len().saturating_mul(theirs.len()) > super::MOST * super::MOST {
            return true;
        }
        let others = |access: Access| {
            let conflicts = move |(other, _): &&Located| other.conflicts(access);
            theirs.iter().filter(conflicts).map(|(_, context)| &context.locks)
        };
        can_be_torn(own, &self.filter.signals, others)
    }

    /// The events of a pair, one of each class.
    pub fn events(&self, one: usize, other: usize) -> Vec<ProcId> {
        let mut pair = vec![self.classes[one][0]];
        match one == other {
            // What happens once is on no cycle with itself, but with another one of its form.
            true => pair.extend(self.classes[one].get(1).filter(|_| self.once(one))),
            false => pair.push(self.classes[other][0]),
        }
        pair
    }

    /// The events that write what guards an event of one of the classes, those of a pair apart.
    pub fn enabling(&self, one: usize, other: usize, pair: &[ProcId]) -> Vec<ProcId> {
        let guard = |class: usize| self.filter.events[self.firsts[class].0].guard;
        let mut found = Vec::new();
        for guard in [guard(one), guard(other)].into_iter().flatten() {
            for writers in self.users.partners(guard) {
                for event in self.classes[writers].iter().take(ENABLING) {
                    if !pair.contains(event) && !found.contains(event) {
                        found.push(*event);
                    }
                }
            }
        }
        found
    }
}
