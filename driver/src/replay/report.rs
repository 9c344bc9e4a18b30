//! What is said of replays.

use std::fmt::Write as _;

use robust_analyzer::finding::{Class, Finding, Level};
use serde::Serialize;

use super::force::{AGAIN, Confirmed, is_whole};
use super::harness::Operation;
use super::outcome::Outcome;
use super::plan::Plan;
use super::worker::Run;
use crate::report::class_name;
use crate::report::replay::{Course, Replay, Shown, Verdict, counts};

/// The answer about a finding, with what it is about.
#[derive(Clone, Debug, Serialize)]
pub struct Replayed {
    pub fingerprint: String,
    pub class: Class,
    pub level: Level,
    pub message: String,
    #[serde(flatten)]
    pub answer: Replay,
}

impl Replayed {
    /// What there is to say of a finding.
    pub fn of(finding: &Finding, answer: Replay) -> Replayed {
        Replayed {
            fingerprint: finding.fingerprint.clone(),
            class: finding.class,
            level: finding.level,
            message: finding.message.clone(),
            answer,
        }
    }
}

impl Replay {
    /// Where it took another course.
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
        let what = violation.kind.text();
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
        self.again = format!("cargo robust replay {}", finding.fingerprint);
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

/// All answers, for people.
pub fn human(all: &[Replayed]) -> String {
    let mut text = String::new();
    for one in all {
        let (verdict, class) = (one.answer.verdict.text(), class_name(one.class));
        let _ = writeln!(text, "{verdict}  {class} {}: {}", one.fingerprint, one.message);
        if let Some(place) = &one.answer.place {
            let _ = writeln!(text, "  --> {}:{}:{}", place.file, place.line, place.column);
        }
        for line in one.answer.lines() {
            let _ = writeln!(text, "  {line}");
        }
        text.push('\n');
    }
    let _ = match all.is_empty() {
        true => writeln!(text, "there is nothing to replay"),
        false => writeln!(text, "{} replayed: {}", all.len(), counts(all.iter().map(|one| &one.answer))),
    };
    text
}
