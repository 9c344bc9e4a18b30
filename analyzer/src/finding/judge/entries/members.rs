//! Violations that take two fields of one struct for one: of what is in a map, or in an option, the program has one variable.

use crate::finding::violation::{Held, Violation};
use crate::ir::Member;

/// Whether what the pivot's event does first is to another field than what the others do that it conflicts with. With what it does last it is
/// otherwise: a schedule ends there, before what comes with it.
pub fn have_other_members(violation: &Violation<'_>) -> bool {
    violation.ends().is_some_and(|(first, _)| {
        violation.met(first).all(|other| violation.are_of_other_members(first, other))
    })
}

impl Violation<'_> {
    /// Whether two accesses are to two fields of one type of structs, or one only finds the struct of which the other is to a field.
    pub(in crate::finding) fn are_of_other_members(&self, one: &Held, other: &Held) -> bool {
        let members = |held: &Held| self.basis(held).map_or(&[][..], |basis| &basis.members);
        let finds = |one: &Held, other: &Held| {
            let found = self.basis(one).and_then(|basis| basis.finds.as_ref());
            found.is_some_and(|found| members(other).iter().any(|member| member.of == *found))
        };
        one.access.var == other.access.var
            && (are_others(members(one), members(other)) || finds(one, other) || finds(other, one))
    }

    /// Whether others have since changed other fields only than an access is about.
    pub(in crate::finding) fn is_left_by_others(&self, look: &Held, last: &Held) -> bool {
        let mut others = self
            .between(look, last)
            .filter(|held| held.instance != look.instance && !held.reads())
            .filter(|held| held.access.var == look.access.var)
            .peekable();
        others.peek().is_some() && others.all(|other| self.are_of_other_members(look, other))
    }
}

/// Whether there is a type of which both have one field, and it is not the same.
pub(in crate::finding) fn are_others(one: &[Member], other: &[Member]) -> bool {
    let only = |members: &[Member], of: &str| {
        let mut fields = members.iter().filter(|member| member.of == of).map(|member| member.field);
        fields.next().filter(|_| fields.next().is_none())
    };
    one.iter().any(|member| {
        only(one, &member.of).zip(only(other, &member.of)).is_some_and(|(one, other)| one != other)
    })
}
