//! What is said of replays.

use std::fmt::Write as _;

use robust_analyzer::finding::{Class, Finding, Level};
use robust_analyzer::ir::SourcePlace;
use serde::Serialize;

use super::force::{AGAIN, Confirmed, is_whole};
use super::harness::Operation;
use super::judge::Kind;
use super::outcome::Outcome;
use super::plan::Plan;
use super::worker::Run;
use crate::report::class_name;

/// What became of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
    NotDriven,
}

impl Verdict {
    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            Verdict::Confirmed => "confirmed",
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
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    pub call: String,
    pub result: String,
}

/// Calls and their results.
#[derive(Clone, Debug, Serialize)]
pub struct Course {
    pub before: Vec<Shown>,
    pub lanes: Vec<Vec<Shown>>,
    pub after: Vec<Shown>,
    /// The object after the lanes.
    pub state: String,
    /// How it ended.
    pub end: String,
}

/// The answer about a finding.
#[derive(Clone, Debug, Serialize)]
pub struct Replayed {
    pub fingerprint: String,
    pub class: Class,
    pub level: Level,
    pub message: String,
    pub verdict: Verdict,
    /// What was tried, or what is missing.
    pub reason: String,
    /// The step at which it took another course, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<SourcePlace>,
    /// How often the finding's own schedule was tried, and forced to its end.
    pub tries: u64,
    pub forced: u64,
    /// Runs of the harness altogether.
    pub runs: u64,
    pub seconds: f64,
    /// What was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<Course>,
    /// What the orders of whole calls show.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub serial: Vec<Course>,
    /// Who was held where.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<String>,
}

impl Replayed {
    /// Nothing is known yet.
    pub fn of(finding: &Finding) -> Replayed {
        Replayed {
            fingerprint: finding.fingerprint.clone(),
            class: finding.class,
            level: finding.level,
            message: finding.message.clone(),
            verdict: Verdict::NotDriven,
            reason: String::new(),
            step: None,
            place: None,
            tries: 0,
            forced: 0,
            runs: 0,
            seconds: 0.0,
            seen: None,
            serial: Vec::new(),
            held: Vec::new(),
        }
    }

    pub fn set(&mut self, verdict: Verdict, reason: String) {
        self.verdict = verdict;
        self.reason = reason;
    }

    pub fn at_step(&mut self, finding: &Finding, step: usize) {
        self.step = Some(step + 1);
        self.place = finding.steps[step].place.clone();
    }

    /// What was seen, and how often.
    pub fn confirmed(
        &mut self,
        finding: &Finding,
        plan: &Plan,
        confirmed: &Confirmed,
        operations: &[Operation],
    ) {
        let violation = &confirmed.violation;
        let what = match violation.kind {
            Kind::Outcome => "results and state are those of no order of whole calls",
            Kind::Deadlock => "the calls never end, as they do in each order of whole calls",
            Kind::Livelock => "the calls go round in circles, and in no order of whole calls",
            Kind::Abort => "the process ends itself, and in no order of whole calls",
        };
        let how = match confirmed.between {
            None => "the finding's own schedule".to_owned(),
            Some(op) => format!("the same place, with `{}` as a whole in between", operations[op].name),
        };
        self.set(Verdict::Confirmed, format!("{how}, forced {} of {AGAIN} times: {what}", confirmed.again));
        self.seen = Some(course(&violation.run, operations));
        self.serial = violation.serial.iter().map(|run| course(run, operations)).collect();
        for gate in confirmed.gates.iter().filter(|gate| !is_whole(gate)) {
            let place = &plan.places[gate.place as usize];
            let step = finding.steps.iter().find(|step| step.place.as_ref() == Some(place));
            let text = step.map_or("", |step| step.text.as_str());
            self.held.push(format!("#{} {text} ({}:{})", gate.lane + 1, place.file, place.line));
        }
    }
}

/// The calls of a run, as they are shown.
pub fn course(run: &Run, operations: &[Operation]) -> Course {
    // As they are compared: addresses by number.
    let Outcome(texts) = Outcome::of(run);
    let of = |part: i32| -> Vec<Shown> {
        run.calls
            .iter()
            .zip(&texts)
            .filter(|(call, _)| call.part == part)
            .map(|(call, result)| {
                let name = operations.get(call.op).map_or("", |operation| operation.name.as_str());
                let name = name.rsplit("::").next().unwrap_or(name);
                let result = if call.end == 0 { "never ends".to_owned() } else { result.clone() };
                Shown { call: format!("{name}({})", call.arguments), result }
            })
            .collect()
    };
    let lanes = run.calls.iter().map(|call| call.part).max().unwrap_or(-1);
    Course {
        before: of(-1),
        lanes: (0..=lanes).map(of).collect(),
        after: of(-2),
        state: texts.get(run.calls.len()).cloned().unwrap_or_default(),
        end: format!("{:?}", run.end).to_lowercase(),
    }
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

/// All answers, for people.
pub fn human(all: &[Replayed]) -> String {
    let mut text = String::new();
    for one in all {
        let _ = writeln!(
            text,
            "{}  {} {}: {}",
            one.verdict.text(),
            class_name(one.class),
            one.fingerprint,
            one.message
        );
        if let Some(place) = &one.place {
            let _ = writeln!(text, "  --> {}:{}:{}", place.file, place.line, place.column);
        }
        let _ = writeln!(text, "  {} ({:.1} s, {} runs)", one.reason, one.seconds, one.runs);
        for held in &one.held {
            let _ = writeln!(text, "    {held}");
        }
        if let Some(seen) = &one.seen {
            if !seen.before.is_empty() {
                let _ = writeln!(text, "  before       {}", calls(&seen.before));
            }
            for (at, lane) in seen.lanes.iter().enumerate() {
                let _ = writeln!(text, "  lane #{}      {}", at + 1, calls(lane));
            }
            if !seen.after.is_empty() {
                let _ = writeln!(text, "  after        {}", calls(&seen.after));
            }
            let _ = writeln!(text, "  state        {}", short(&seen.state));
        }
        for (at, course) in one.serial.iter().enumerate() {
            let start = if at == 0 { "one by one   " } else { "          or " };
            let _ = writeln!(text, "  {start}{}", course.line());
        }
        if one.verdict == Verdict::Confirmed {
            let _ = writeln!(text, "  again: cargo robust replay {}", one.fingerprint);
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{}", summary(all));
    text
}

/// How many of each.
pub fn summary(all: &[Replayed]) -> String {
    let counts: Vec<String> = VERDICTS
        .iter()
        .map(|verdict| (all.iter().filter(|one| one.verdict == *verdict).count(), verdict.text()))
        .filter(|(count, _)| *count > 0)
        .map(|(count, text)| format!("{count} {text}"))
        .collect();
    match counts.is_empty() {
        true => "there is nothing to replay".to_owned(),
        false => format!("{} replayed: {}", all.len(), counts.join(", ")),
    }
}
