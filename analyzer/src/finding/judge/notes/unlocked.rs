//! Accesses that Rust would not let meet: see `lower/sharing/plain.rs`.

use crate::finding::violation::{Held, Keeper, Violation};

/// Why two accesses on a cycle cannot meet, if that is so: what they are to changes through exclusive references only, and no lock is held for both.
/// One of them holds none, or one keeps its locks for all that its event does on the cycle: were one of these the other's, nobody would come in between.
pub(in crate::finding) fn unlocked(violation: &Violation<'_>) -> Option<String> {
    let is_plain = |held: &Held| violation.program.vars[held.access.var.index()].plain;
    let have_common =
        |one: &Held, other: &Held| one.by.iter().any(|keeper: &Keeper| other.by.contains(keeper));
    let (first, last) = violation.ends()?;
    let keeps_all = |end: &Held| end.is_kept_for(if std::ptr::eq(end, first) { last } else { first });
    let cannot_meet = |one: &Held, other: &Held| {
        is_plain(one)
            && !have_common(one, other)
            && (!(one.is_locked() && other.is_locked()) || keeps_all(one))
    };
    let end =
        [first, last].into_iter().find(|end| violation.met(end).any(|other| cannot_meet(end, other)))?;
    Some(format!(
        "`{}` changes through exclusive references only, and no lock is seen that is held for it by both: a bug only if one is there, and both \
         accesses are to the same one",
        violation.name(end)
    ))
}
