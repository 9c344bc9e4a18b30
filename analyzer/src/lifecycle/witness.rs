//! What happens to a task when a property is violated: the property's own monitor has to say so.

use std::sync::OnceLock;

use crate::cor::check::{Atom, Says, Slice, Truth};
use crate::cor::formula::Letter;
use crate::cor::monitor::Verdict;
use crate::cor::{self, Checked};

/// What happens to a task, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Witness {
    /// What is known of it from the beginning on.
    fixed: &'static [&'static str],
    /// What happens to it; after that, all limits of time pass.
    events: &'static [&'static str],
}

impl Witness {
    /// Its error goes with its handle, which was dropped where it was started.
    pub const UNHEARD: Witness =
        Witness { fixed: &["launch", "fallible"], events: &["spawn", "resume", "detached", "failed"] };
    /// Its error is in what is dropped unread.
    pub const LOST: Witness =
        Witness { fixed: &["fallible"], events: &["spawn", "resume", "failed", "lost"] };
    /// It panics.
    pub const PANIC: Witness = Witness { fixed: &[], events: &["spawn", "resume", "panicked"] };
    /// What it was started for is gone, and it goes on.
    pub const ORPHAN: Witness = Witness {
        fixed: &["owned"],
        events: &["spawn", "resume", "suspend", "detached", "owner_gone", "resume", "suspend"],
    };
    /// Nobody needs it any more, and it goes on.
    pub const DEAF: Witness = Witness { fixed: &["pool"], events: &["spawn", "resume", "abort", "unneeded"] };
    /// It waits, and nothing can wake it.
    pub const FORGOTTEN: Witness =
        Witness { fixed: &[], events: &["spawn", "resume", "suspend", "unwakeable"] };

    /// Whether the monitor of a property that is built in says that it violates it.
    pub fn violates(&self, property: &str) -> bool {
        static BUILT_IN: OnceLock<Option<Checked>> = OnceLock::new();
        let built_in = BUILT_IN.get_or_init(|| cor::built_in().ok());
        let mut all = built_in.iter().flat_map(|checked| &checked.properties);
        all.find(|known| known.name == property).is_some_and(|known| self.falsifies(&known.says))
    }

    fn falsifies(&self, says: &Says) -> bool {
        match says {
            Says::And(a, b) => self.falsifies(a) || self.falsifies(b),
            Says::Or(a, b) => self.falsifies(a) && self.falsifies(b),
            Says::Each(true, _, filter, slice) => {
                let fixed = |truth: &Truth| truth.values[self.letter(&truth.atoms, None, &[])];
                filter.as_ref().is_none_or(fixed) && self.ends_in(slice) == Verdict::False
            }
            Says::Each(..) | Says::Not(_) | Says::Run(_) => false,
        }
    }

    /// What a monitor says at the end.
    fn ends_in(&self, slice: &Slice) -> Verdict {
        let mut lasting = vec!["alive"];
        let mut begun = vec![false; slice.limits.len()];
        let mut state = 0;
        for event in self.events {
            match *event {
                "resume" => lasting.push("running"),
                "suspend" => lasting.retain(|atom| *atom != "running"),
                "returned" | "failed" | "panicked" | "cancelled" => lasting = vec!["ended"],
                _ => {}
            }
            let now: Vec<&str> = lasting.iter().copied().chain([*event]).collect();
            let letter = self.letter(&slice.atoms, None, &now);
            state = slice.monitor.step(state, letter as Letter);
            for (begun, limit) in begun.iter_mut().zip(&slice.limits) {
                *begun = !limit.to[letter] && (*begun || limit.from[letter]);
            }
        }
        for limit in (0..begun.len()).filter(|limit| begun[*limit]) {
            state = slice.monitor.step(state, self.letter(&slice.atoms, Some(limit), &lasting) as Letter);
        }
        slice.monitor.verdicts[usize::from(state)]
    }

    fn letter(&self, atoms: &[Atom], late: Option<usize>, now: &[&str]) -> usize {
        let holds = |atom: &Atom| match atom {
            Atom::Known(name) => self.fixed.contains(&name.as_str()) || now.contains(&name.as_str()),
            Atom::Late(limit) => late == Some(*limit),
            Atom::Site(_) | Atom::Own(..) | Atom::Count(..) => false,
        };
        atoms.iter().enumerate().fold(0, |letter, (number, atom)| letter | usize::from(holds(atom)) << number)
    }
}

#[cfg(test)]
mod tests {
    use super::Witness;

    #[test]
    fn witnesses_violate_their_properties_and_no_others() {
        let all = [
            (Witness::UNHEARD, "NeedHandler"),
            (Witness::LOST, "ExceptionalAsync"),
            (Witness::PANIC, "NormalAsync"),
            (Witness::ORPHAN, "DestroyedWithOwner"),
            (Witness::DEAF, "ResumeIfNeeded"),
            (Witness::FORGOTTEN, "ResumeIfNeeded"),
        ];
        for (witness, property) in all {
            let names = all.map(|(_, name)| name);
            let violated: Vec<&str> = names.into_iter().filter(|name| witness.violates(name)).collect();
            assert!(violated.iter().all(|name| *name == property) && !violated.is_empty(), "{violated:?}");
        }
    }
}
