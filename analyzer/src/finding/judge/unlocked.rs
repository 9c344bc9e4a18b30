//! Accesses that Rust would not let meet: see `lower/sharing/plain.rs`.

use crate::finding::violation::{Held, Keeper, Violation};

/// Why two accesses on a cycle cannot meet, if that is so: what they are to changes through exclusive references only, and one of them holds no
/// lock.
pub(in crate::finding) fn unlocked(violation: &Violation<'_>) -> Option<String> {
    let is_plain = |held: &Held| violation.program.vars[held.access.var.index()].plain;
    let have_common =
        |one: &Held, other: &Held| one.by.iter().any(|keeper: &Keeper| other.by.contains(keeper));
    let cannot_meet = |one: &Held, other: &Held| {
        is_plain(one) && !(one.is_locked() && other.is_locked()) && !have_common(one, other)
    };
    let (first, last) = violation.ends()?;
    let end =
        [first, last].into_iter().find(|end| violation.met(end).any(|other| cannot_meet(end, other)))?;
    Some(format!(
        "`{}` changes through exclusive references only, and no lock is seen that is held for it: a bug only if one is there, and both \
         accesses are to the same one",
        violation.name(end)
    ))
}
