//! What has to hold from the next step on: sets of obligations, one of which must be met in full.

use std::collections::BTreeSet;

use super::formula::{Id, Part, Parts};

/// All of these must hold.
pub type Clause = BTreeSet<Id>;

/// A way to meet a clause at a step: what must hold next, and which of its `U` were put off.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    /// What must hold from the next step on.
    pub next: Clause,
    /// These `U` were put off.
    pub postponed: Clause,
}

impl Way {
    fn join(&self, other: &Way) -> Way {
        Way {
            next: self.next.union(&other.next).copied().collect(),
            postponed: self.postponed.union(&other.postponed).copied().collect(),
        }
    }

    fn covers(&self, other: &Way) -> bool {
        self.next.is_subset(&other.next) && self.postponed.is_subset(&other.postponed)
    }
}

/// All ways to meet a clause at a step at which what looks back says this.
pub fn ways(parts: &Parts, clause: &Clause, looks: &[bool]) -> Vec<Way> {
    let done = Way { next: Clause::new(), postponed: Clause::new() };
    clause.iter().fold(vec![done], |all, id| both(parts, &all, &of_part(parts, *id, looks)))
}

fn both(parts: &Parts, left: &[Way], right: &[Way]) -> Vec<Way> {
    // What is cut short here is refused as a whole.
    if !parts.may(1 + left.len() * right.len()) {
        return Vec::new();
    }
    least(parts, left.iter().flat_map(|a| right.iter().map(move |b| a.join(b))).collect())
}

fn either(parts: &Parts, mut left: Vec<Way>, right: Vec<Way>) -> Vec<Way> {
    left.extend(right);
    least(parts, left)
}

/// Without those that others are easier than.
fn least(parts: &Parts, mut ways: Vec<Way>) -> Vec<Way> {
    ways.sort_by_key(|way| way.next.len() + way.postponed.len());
    let mut kept: Vec<Way> = Vec::new();
    for way in ways {
        if parts.may(kept.len() / 8) && !kept.iter().any(|known| known.covers(&way)) {
            kept.push(way);
        }
    }
    kept
}

fn of_part(parts: &Parts, id: Id, looks: &[bool]) -> Vec<Way> {
    let done = || vec![Way { next: Clause::new(), postponed: Clause::new() }];
    match parts.parts[id as usize] {
        Part::True => done(),
        Part::False => Vec::new(),
        Part::Look(past, wanted) => {
            if looks[past as usize] == wanted {
                done()
            } else {
                Vec::new()
            }
        }
        Part::And(a, b) => both(parts, &of_part(parts, a, looks), &of_part(parts, b, looks)),
        Part::Or(a, b) => either(parts, of_part(parts, a, looks), of_part(parts, b, looks)),
        Part::Next(inner) => {
            split(parts, inner).into_iter().map(|next| Way { next, postponed: Clause::new() }).collect()
        }
        Part::Until(a, b) => {
            let later = Way { next: Clause::from([id]), postponed: Clause::from([id]) };
            either(parts, of_part(parts, b, looks), both(parts, &of_part(parts, a, looks), &[later]))
        }
        Part::Release(a, b) => {
            let later = Way { next: Clause::from([id]), postponed: Clause::new() };
            let ends = either(parts, of_part(parts, a, looks), vec![later]);
            both(parts, &of_part(parts, b, looks), &ends)
        }
    }
}

/// The clauses that a part amounts to.
pub fn split(parts: &Parts, id: Id) -> Vec<Clause> {
    match parts.parts[id as usize] {
        Part::True => vec![Clause::new()],
        Part::False => Vec::new(),
        Part::And(a, b) => {
            let (left, right) = (split(parts, a), split(parts, b));
            let join = |a: &Clause, b: &Clause| a.union(b).copied().collect();
            if !parts.may(1 + left.len() * right.len()) {
                return Vec::new();
            }
            absorb(left.iter().flat_map(|a| right.iter().map(move |b| join(a, b))).collect())
        }
        Part::Or(a, b) => {
            let mut all = split(parts, a);
            all.extend(split(parts, b));
            absorb(all)
        }
        _ => vec![Clause::from([id])],
    }
}

/// Without clauses that contain others.
pub fn absorb(mut clauses: Vec<Clause>) -> Vec<Clause> {
    clauses.sort_by_key(BTreeSet::len);
    let mut kept: Vec<Clause> = Vec::new();
    for clause in clauses {
        if !kept.iter().any(|known| known.is_subset(&clause)) {
            kept.push(clause);
        }
    }
    kept.sort();
    kept
}
