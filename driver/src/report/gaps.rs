//! What was not looked at, or not answered: why silence may mean nothing.

use std::collections::BTreeMap;

use robust_analyzer::finding::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Notice, NoticeKind, Report, Summary, Unit};

/// Something that silence does not speak of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// What kind of gap.
    pub kind: GapKind,
    /// One clause.
    pub message: String,
}

/// The kinds of gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GapKind {
    /// There is nothing to look at: no function uses locks, atomics or cells. Such a run is complete.
    Nothing,
    /// There are no events.
    NoEvents,
    /// Functions that use locks, atomics or cells are reached from no event.
    NotReached,
    /// Questions have no answer.
    Unknown,
    /// Parts of the program were not understood, or given up.
    NotAnalysed,
}

impl Report {
    /// Notes what is missing.
    pub(crate) fn note_gaps(&mut self) {
        self.gaps = gaps(self);
        self.complete = self.gaps.iter().all(|gap| gap.kind == GapKind::Nothing);
    }

    /// Whether there is anything that silence is about.
    pub(super) fn looked(&self) -> bool {
        let Summary { questions, unknown, .. } = self.summary;
        let blind = self.gaps.iter().any(|gap| matches!(gap.kind, GapKind::Nothing | GapKind::NoEvents));
        let reached = self.summary.coverage.as_ref().is_none_or(|coverage| coverage.reached > 0);
        let asked = self.units.iter().any(|unit| !could_not_be_asked(unit));
        !blind && reached && (questions == 0 && (asked || self.units.is_empty()) || unknown < questions)
    }

    /// What is missing, in one line, and how much that matters; none when nothing is.
    pub(super) fn missing(&self) -> Option<(Level, String)> {
        if let Some(error) = &self.error {
            return Some((Level::Deny, format!("the analysis did not complete: {error}")));
        }
        let clauses: Vec<&str> = self.gaps.iter().map(|gap| gap.message.as_str()).collect();
        let head = match (self.gaps.is_empty(), self.complete, self.looked()) {
            (true, ..) => return None,
            (_, true, _) => "nothing to look at",
            (_, _, true) => "incomplete",
            (_, _, false) => "nothing was looked at",
        };
        let level = match (self.complete, self.incomplete_fails) {
            (true, _) => Level::Note,
            (_, true) => Level::Deny,
            (_, false) => Level::Warn,
        };
        Some((level, format!("{head}: {}", clauses.join("; "))))
    }
}

fn gaps(report: &Report) -> Vec<Gap> {
    let summary = &report.summary;
    let clauses =
        [uses(summary), unknown(report), unasked(summary), not_analysed(summary), unmatched(report)];
    clauses.into_iter().flatten().map(|(kind, message)| Gap { kind, message }).collect()
}

/// Whether handlers were found, and what they reach.
fn uses(summary: &Summary) -> Option<(GapKind, String)> {
    const USE: &str = "locks, atomics or cells";
    let events = summary.events;
    let Some(coverage) = &summary.coverage else {
        return (events == 0).then(|| (GapKind::Nothing, "there are no handlers".to_owned()));
    };
    let (all, reached) = (coverage.functions, coverage.reached);
    let (functions, them) =
        if all == 1 { ("1 function uses", "it") } else { (&*format!("{all} functions use"), "any of them") };
    let none = if summary.not_analysed.is_empty() { "no function" } else { "no function that was read" };
    Some(match (events, all) {
        (0, 0) => (GapKind::Nothing, format!("there are no handlers, and {none} uses {USE}")),
        (_, 0) => (GapKind::Nothing, format!("{none} uses {USE}")),
        (0, _) => (
            GapKind::NoEvents,
            format!(
                "there are no handlers (nothing that can be called, or that runs, from outside), although {functions} {USE}"
            ),
        ),
        _ if reached == 0 => {
            (GapKind::NotReached, format!("{functions} {USE}, and no handler reaches {them}"))
        }
        _ if reached < all => {
            let verb = if all - reached == 1 { "is" } else { "are" };
            let missing = all - reached;
            (
                GapKind::NotReached,
                format!("{missing} of {all} functions with {USE} {verb} reached from no handler"),
            )
        }
        _ => return None,
    })
}

/// Whether there is no answer for a unit as a whole, and not because single checks have none.
fn could_not_be_asked(unit: &Unit) -> bool {
    unit.completeness.serializability.reason.is_some() && unit.completeness.unanswered.is_empty()
}

fn unknown(report: &Report) -> Option<(GapKind, String)> {
    let Summary { questions, unknown, .. } = report.summary;
    let unasked: Vec<_> = report.units.iter().filter(|unit| could_not_be_asked(unit)).collect();
    let count = match (unknown, questions) {
        (0, _) if unasked.is_empty() => return None,
        (0, _) => {
            let names: Vec<&str> = unasked.iter().map(|unit| unit.name.as_str()).collect();
            format!("the checks of {} could not be made", names.join(", "))
        }
        (1, 1) => "the only check has no answer".to_owned(),
        (some, all) if some == all => format!("all {all} checks have no answer"),
        (1, all) => format!("1 of {all} checks has no answer"),
        (some, all) => format!("{some} of {all} checks have no answer"),
    };
    let proofs = report.units.iter().map(|unit| &unit.completeness);
    let proofs = proofs.flat_map(|unit| unit.determinism.values().chain([&unit.serializability]));
    let reasons = most(proofs.filter_map(|proof| proof.reason.as_deref()));
    let reasons = if reasons.is_empty() { reasons } else { format!(" ({reasons})") };
    Some((GapKind::Unknown, format!("{count}{reasons}")))
}

fn unasked(summary: &Summary) -> Option<(GapKind, String)> {
    let count = match summary.unasked {
        0 => return None,
        1 => "1 pair of handlers was not, or not fully, checked".to_owned(),
        count => format!("{count} pairs of handlers were not, or not fully, checked"),
    };
    Some((GapKind::Unknown, format!("{count}, for lack of time or memory")))
}

fn not_analysed(summary: &Summary) -> Option<(GapKind, String)> {
    let count = match summary.not_analysed.len() {
        0 => return None,
        1 => "1 part of the program was not analysed".to_owned(),
        count => format!("{count} parts of the program were not analysed"),
    };
    let reasons = most(summary.not_analysed.iter().map(|missing| missing.reason.as_str()));
    Some((GapKind::NotAnalysed, format!("{count} ({reasons})")))
}

/// What the user wants to have looked at, and is not there.
fn unmatched(report: &Report) -> Option<(GapKind, String)> {
    let is = |notice: &&Notice| notice.kind == NoticeKind::UnmatchedEvent;
    let message = match report.notices.iter().filter(is).count() {
        0 => return None,
        1 => "what the configuration says of a handler fits nothing in the program".to_owned(),
        count => format!("what the configuration says of {count} handlers fits nothing in the program"),
    };
    Some((GapKind::NotAnalysed, message))
}

/// The most frequent reason, and how many others there are.
fn most<'r>(reasons: impl Iterator<Item = &'r str>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in reasons {
        *counts.entry(reason).or_default() += 1;
    }
    let first = counts.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
    match (first, counts.len()) {
        (None, _) => String::new(),
        (Some((reason, _)), 1) => (*reason).to_owned(),
        (Some((reason, _)), 2) => format!("{reason}, and another reason"),
        (Some((reason, _)), all) => format!("{reason}, and {} other reasons", all - 1),
    }
}
