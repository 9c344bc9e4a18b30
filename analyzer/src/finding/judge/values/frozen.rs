//! Violations in which what nobody changes would have to be one thing here and another there.

use crate::finding::Role;
use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, Frozen};

/// Whether there is no such run, because of what stays as it is while an event runs: one event would have to see it as this and as that, or
/// two that have to do with one object at a time.
pub fn is_contrary(violation: &Violation<'_>) -> bool {
    let on_cycle = || violation.held.iter().filter(|held| held.role != Role::Step);
    let contrary = |one: &Held, other: &Held, same: fn(&Frozen, &Frozen) -> bool| {
        let all = violation.basis(one).zip(violation.basis(other));
        all.is_some_and(|(one, other)| {
            one.frozen.iter().any(|one| {
                other.frozen.iter().any(|other| same(one, other) && one.is.and(&other.is).is_nothing())
            })
        })
    };
    let in_one = on_cycle().any(|one| {
        let mut own = on_cycle().filter(|other| other.instance == one.instance);
        own.any(|other| contrary(one, other, |one, other| one.value == other.value))
    });
    let beside = |one: &Frozen, other: &Frozen| one.beside.is_some() && one.beside == other.beside;
    in_one || violation.has_end_apart(|end, other| contrary(end, other, beside))
}

/// Whether there is no such run, because of what is filled only once: the pivot is made only where its event's look has found that filled, and
/// others fill it after that look.
pub fn is_filled_too_late(violation: &Violation<'_>) -> bool {
    let Some((first, last)) = violation.ends() else { return false };
    let found =
        violation.basis(last).zip(first.basis).is_some_and(|(last, look)| last.filled.contains(&look));
    let mut met = violation.met(first);
    first.reads() && found && met.all(|held| violation.basis(held).is_some_and(Basis::fills_once))
}
