//! Accesses and when they conflict (section 1).

use serde::{Deserialize, Serialize};

use crate::ir::{ClassId, ENLIST, Program, VarId, WAKE};

/// How a statement touches a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AccessKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Updates in a way that commutes with the other updates of its class.
    Update(ClassId),
}

/// An access of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Access {
    /// What is touched.
    pub var: VarId,
    /// How.
    pub kind: AccessKind,
}

impl Access {
    /// Whether the order of the two matters: same variable, not both reads, not both updates of one class.
    pub fn conflicts(self, other: Access) -> bool {
        self.var == other.var
            && match (self.kind, other.kind) {
                (AccessKind::Read, AccessKind::Read) => false,
                (AccessKind::Update(a), AccessKind::Update(b)) => a != b,
                _ => true,
            }
    }
}

/// What an access to a condition does, where tasks wait to be woken.
///
/// The only order that matters there is a wake that comes before whom it is meant for begins to wait. So no more
/// is asked: a wait can come too late, and a wake too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Begins to wait.
    Enlist,
    /// Wakes who waits.
    Wake,
}

/// The accesses to conditions, told by the class of their updates.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    by_class: Vec<Option<Signal>>,
}

impl Signals {
    /// Those of a program.
    pub fn new(program: &Program) -> Self {
        let signal = |class: &String| match class.as_str() {
            ENLIST => Some(Signal::Enlist),
            WAKE => Some(Signal::Wake),
            _ => None,
        };
        Signals { by_class: program.classes.iter().map(signal).collect() }
    }

    /// What an access does to a condition; none when it is about something else.
    pub fn of(&self, access: Access) -> Option<Signal> {
        let AccessKind::Update(class) = access.kind else { return None };
        self.by_class.get(class.index()).copied().flatten()
    }

    /// Whether others may come between this access and a later one of its event, and may not.
    pub fn may_be_exit(&self, access: Access) -> bool {
        self.of(access).is_none()
    }

    /// Whether an access may come too late.
    pub fn may_be_pivot(&self, access: Access) -> bool {
        self.of(access) != Some(Signal::Wake)
    }
}

/// The distinct accesses of a program, numbered.
#[derive(Clone, Debug, Default)]
pub struct AccessClasses {
    /// By number, in ascending order.
    pub list: Vec<Access>,
}

impl AccessClasses {
    /// Numbers the accesses that occur.
    pub fn new(accesses: impl IntoIterator<Item = Access>) -> Self {
        let mut list: Vec<_> = accesses.into_iter().collect();
        list.sort();
        list.dedup();
        AccessClasses { list }
    }

    /// The number of an access that occurs.
    pub fn number(&self, access: Access) -> Option<usize> {
        self.list.binary_search(&access).ok()
    }

    /// The numbers of the accesses that conflict with this one.
    pub fn conflicting(&self, access: Access) -> impl Iterator<Item = usize> + '_ {
        self.list.iter().enumerate().filter(move |(_, a)| a.conflicts(access)).map(|(i, _)| i)
    }
}
