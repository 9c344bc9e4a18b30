//! What became of a finding when its schedule was forced on the real program.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use robust_analyzer::finding::Level;
use robust_analyzer::ir::SourcePlace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Report;
use crate::gate;

/// Answers, by fingerprint of the finding.
pub type Replays = BTreeMap<String, Replay>;

/// What confirmed findings are called where classes have levels.
pub const CONFIRMED: &str = "confirmed";

/// What became of a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Forced, and what is seen is what no order of whole calls shows; again and again.
    Confirmed,
    /// Forced, and nobody can tell the difference.
    Happens,
    /// Each time somebody waited for the one that was held: an exclusion that the analysis does not know.
    Refuted,
    /// Driven, and each time it took another course.
    NotReproduced,
    /// There is no way to run it.
    #[default]
    NotDriven,
}

impl Verdict {
    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            Verdict::Confirmed => CONFIRMED,
            Verdict::Happens => "happens",
            Verdict::Refuted => "refuted",
            Verdict::NotReproduced => "not reproduced",
            Verdict::NotDriven => "not driven",
        }
    }
}

/// All verdicts, the gravest first.
pub const VERDICTS: [Verdict; 5] =
    [Verdict::Confirmed, Verdict::Happens, Verdict::NotReproduced, Verdict::Refuted, Verdict::NotDriven];

/// A call, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    /// The call, with its arguments.
    pub call: String,
    /// What it returned, or that it panicked.
    pub result: String,
}

/// Calls and their results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Course {
    /// Those before the lanes.
    pub before: Vec<Shown>,
    /// Those side by side.
    pub lanes: Vec<Vec<Shown>>,
    /// Those after the lanes.
    pub after: Vec<Shown>,
    /// The object after the lanes.
    pub state: String,
    /// How it ended.
    pub end: String,
}

/// The answer about a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Replay {
    /// The answer in a word.
    pub verdict: Verdict,
    /// What was tried, or what is missing.
    pub reason: String,
    /// The step at which it took another course, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// Where that step is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<SourcePlace>,
    /// How often the finding's own schedule was tried.
    pub tries: u64,
    /// How often it was forced to its end.
    pub forced: u64,
    /// Runs of the program altogether.
    pub runs: u64,
    /// Milliseconds that all of it took.
    pub ms: u64,
    /// What was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Course>,
    /// What the orders of whole calls show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub serial: Vec<Course>,
    /// Who was held where.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<String>,
    /// What became of the test that was to be written of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub written: String,
    /// How to have the same once more.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub again: String,
}

/// How much of a state is shown.
const STATE: usize = 300;

fn calls(shown: &[Shown]) -> String {
    let all: Vec<String> = shown.iter().map(|one| format!("{}: {}", one.call, short(&one.result))).collect();
    all.join(", ")
}

fn short(text: &str) -> String {
    match text.char_indices().nth(STATE) {
        Some((at, _)) => format!("{}..", &text[..at]),
        None => text.to_owned(),
    }
}

impl Course {
    /// On one line.
    pub fn line(&self) -> String {
        let lanes: Vec<String> = self.lanes.iter().map(|lane| calls(lane)).collect();
        let mut text = lanes.join(" | ");
        if !self.after.is_empty() {
            let _ = write!(text, ", then {}", calls(&self.after));
        }
        let _ = write!(text, "; state {}", short(&self.state));
        text
    }
}

impl Replay {
    /// An answer without a run.
    pub fn new(verdict: Verdict, reason: String) -> Replay {
        Replay { verdict, reason, ..Replay::default() }
    }

    /// Sets the answer.
    pub fn set(&mut self, verdict: Verdict, reason: String) {
        self.verdict = verdict;
        self.reason = reason;
    }

    /// In words: what was tried, and what was seen.
    pub fn lines(&self) -> Vec<String> {
        let effort = match self.runs {
            0 => String::new(),
            runs => format!(" ({}.{} s, {runs} runs)", self.ms / 1000, self.ms % 1000 / 100),
        };
        let mut all = vec![format!("{}{effort}", self.reason)];
        all.extend(self.details());
        all
    }

    /// What was seen, and what would have been right.
    pub fn details(&self) -> Vec<String> {
        let mut all = Vec::new();
        all.extend(self.held.iter().map(|held| format!("  {held}")));
        if let Some(seen) = &self.seen {
            if !seen.before.is_empty() {
                all.push(format!("before       {}", calls(&seen.before)));
            }
            let lanes = seen.lanes.iter().enumerate();
            all.extend(lanes.map(|(at, lane)| format!("lane #{}      {}", at + 1, calls(lane))));
            if !seen.after.is_empty() {
                all.push(format!("after        {}", calls(&seen.after)));
            }
            all.push(format!("state        {}", short(&seen.state)));
        }
        for (at, course) in self.serial.iter().enumerate() {
            let start = if at == 0 { "one by one   " } else { "          or " };
            all.push(format!("{start}{}", course.line()));
        }
        if !self.again.is_empty() {
            all.push(format!("again: {}", self.again));
        }
        if !self.written.is_empty() {
            all.push(format!("as a test: {}", self.written));
        }
        all
    }

    /// The answer on one line.
    pub fn text(&self) -> String {
        format!("replayed: {}: {}", self.verdict.text(), self.reason)
    }
}

/// How many of each verdict there are.
pub fn counts<'r>(all: impl Iterator<Item = &'r Replay> + Clone) -> String {
    let counts: Vec<String> = VERDICTS
        .iter()
        .map(|verdict| (all.clone().filter(|one| one.verdict == *verdict).count(), verdict.text()))
        .filter(|(count, _)| *count > 0)
        .map(|(count, text)| format!("{count} {text}"))
        .collect();
    counts.join(", ")
}

impl Report {
    /// Of the findings that would fail the run, only those do that were confirmed; the others are warnings.
    pub fn deny_confirmed(&mut self) {
        for finding in self.findings.iter_mut().filter(|finding| finding.level == Level::Deny) {
            let confirmed = self.replays.get(&finding.fingerprint).map(|replay| replay.verdict);
            if confirmed != Some(Verdict::Confirmed) {
                finding.level = Level::Warn;
            }
        }
        self.findings.sort_by(|a, b| b.level.cmp(&a.level).then_with(|| gate::order(a).cmp(&gate::order(b))));
    }
}
