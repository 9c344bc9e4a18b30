//! What was found out about a question, in all of its parts.

use serde::{Deserialize, Serialize};

use crate::check::{Statistics, Verdict, worse};
use crate::finding::Finding;

/// What was found out about a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The verdict.
    pub verdict: Verdict,
    /// The violations, at the places of the case.
    pub findings: Vec<Finding>,
    /// Times, and the number of runs that were not replayed; the other counts are left at zero.
    pub statistics: Statistics,
    /// Whether more time, or more room for the solver, would have changed nothing.
    pub settled: bool,
}

impl Answered {
    /// There was no time.
    pub fn late() -> Answered {
        Answered { settled: false, ..Answered::unknown("timeout".into()) }
    }

    /// Nothing was found.
    pub(super) fn nothing() -> Answered {
        Answered { verdict: Verdict::Holds { bound: None }, ..Answered::unknown(String::new()) }
    }

    pub(super) fn unknown(reason: String) -> Answered {
        Answered {
            verdict: Verdict::Unknown { reason },
            findings: Vec::new(),
            statistics: Statistics::default(),
            settled: true,
        }
    }

    /// Adds what was found in another part of the question.
    pub(super) fn and_more(mut self, other: Answered) -> Answered {
        self.add(other.findings);
        self.verdict = worse(self.verdict, other.verdict);
        self.statistics.not_replayed += other.statistics.not_replayed;
        self.statistics = self.statistics.with_times_of(other.statistics);
        self.settled &= other.settled;
        self
    }

    /// Whether there is nothing more to be asked.
    pub(super) fn is_all(&self) -> bool {
        match &self.verdict {
            Verdict::Violated => self.statistics.limited == 0,
            Verdict::Holds { bound } => self.settled || bound.is_none(),
            Verdict::Unknown { .. } => false,
        }
    }

    /// What an attempt has found that came to no end, or found others than all; the rest is asked again.
    pub(super) fn found(self) -> Answered {
        let verdict = match self.verdict {
            Verdict::Violated => Verdict::Violated,
            _ => Verdict::Holds { bound: None },
        };
        Answered { verdict, settled: true, ..self }
    }

    /// What was found while there was little time stands, unless a longer search comes to its end: its answer is the same in every run.
    pub(crate) fn and_again(self, again: Answered) -> Answered {
        if again.settled { again } else { self.found().and_whole(again) }
    }

    fn add(&mut self, findings: Vec<Finding>) {
        for finding in findings {
            match self.findings.iter_mut().find(|known| known.fingerprint == finding.fingerprint) {
                Some(known) if finding.harm() < known.harm() => *known = finding,
                Some(_) => {}
                None => self.findings.push(finding),
            }
        }
    }

    /// What was found in parts of a question stands, whatever becomes of the whole.
    pub(super) fn and_whole(mut self, whole: Answered) -> Answered {
        self.add(whole.findings);
        let not_replayed = self.statistics.not_replayed + whole.statistics.not_replayed;
        let is_open = !self.findings.is_empty() && whole.verdict != Verdict::Violated;
        self.verdict = if is_open { Verdict::Violated } else { whole.verdict };
        let limited = whole.statistics.limited.max(u32::from(is_open));
        self.statistics =
            Statistics { limited, not_replayed, ..whole.statistics.with_times_of(self.statistics) };
        // What the whole says for sure does not depend on its parts.
        self.settled = whole.settled && (self.settled || limited == 0);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(verdict: Verdict, limited: u32, settled: bool) -> Answered {
        let statistics = Statistics { limited, ..Statistics::default() };
        Answered { verdict, statistics, settled, ..Answered::nothing() }
    }

    fn holds(bound: Option<&str>) -> Verdict {
        Verdict::Holds { bound: bound.map(str::to_owned) }
    }

    #[test]
    fn what_a_first_attempt_had_no_time_for_is_asked_again() {
        let bounded = holds(Some("loops unrolled 2 times (timeout)"));
        for (verdict, limited, settled, is_all) in [
            (holds(None), 0, false, true),
            (bounded.clone(), 0, true, true),
            (bounded.clone(), 0, false, false),
            (Verdict::Violated, 0, true, true),
            (Verdict::Violated, 1, true, false),
        ] {
            assert_eq!(answered(verdict.clone(), limited, settled).is_all(), is_all, "{verdict:?}");
        }
        assert!(!Answered::late().is_all());
        assert_eq!(answered(bounded, 0, false).found(), Answered::nothing());
    }

    /// An answer that is kept is the same in every run.
    #[test]
    fn an_answer_is_settled_when_all_of_it_is() {
        let open = || Answered { settled: false, ..Answered::nothing() };
        assert!(!answered(Verdict::Violated, 1, true).and_more(open()).settled);
        assert!(answered(Verdict::Violated, 1, true).and_more(Answered::nothing()).settled);
        assert!(open().and_whole(answered(holds(None), 0, true)).settled, "that is proved");
        assert!(!open().and_whole(answered(Verdict::Violated, 1, true)).settled);
        assert!(!Answered::nothing().and_whole(Answered::late()).settled);
        let short = answered(Verdict::Violated, 1, false);
        assert_eq!(short.clone().and_again(answered(holds(None), 0, true)).verdict, holds(None));
        assert!(!short.and_again(Answered::late()).settled);
    }
}
