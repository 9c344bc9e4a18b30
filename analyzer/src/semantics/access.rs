//! Accesses and when they conflict (section 1).

use serde::{Deserialize, Serialize};

use crate::ir::{ClassId, VarId};

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
