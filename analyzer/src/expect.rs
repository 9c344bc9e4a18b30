//! What a program in text form says of itself: lines `// expect:`, and an outcome held against them. For tests and benchmarks; the
//! kinds of lines are described in `tests/rob/README.md`.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::{Outcome, Verdict};
use crate::finding::{Finding, Level, Property, Role, Step};

/// The parts of a violation: role, line and task (`pivot 23 worker`) each.
type Parts = BTreeSet<String>;

/// What a program is expected to come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// `determinism EVENT` and `serializability` to "holds" or "violated".
    verdicts: BTreeMap<String, String>,
    /// Lines and names that findings may have in each part.
    parts: BTreeMap<String, Vec<String>>,
    /// All violations; none where they are not listed.
    violations: BTreeSet<Parts>,
    /// The worst level of what is found.
    level: Option<String>,
}

impl Expected {
    /// Reads the lines of a program.
    ///
    /// # Errors
    /// A line of no known kind, or no verdict at all.
    pub fn read(source: &str) -> Result<Expected, String> {
        let mut expected = Expected::default();
        for line in source.lines().filter_map(|line| line.trim().strip_prefix("// expect: ")) {
            if let Some(parts) = line.strip_prefix("violation ") {
                expected.violations.insert(parts.split(", ").map(str::to_owned).collect());
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["determinism", event, verdict] => {
                    expected.verdicts.insert(format!("determinism {event}"), verdict.into());
                }
                ["serializability", verdict] => {
                    expected.verdicts.insert("serializability".into(), verdict.into());
                }
                ["level", level] => expected.level = Some(level.into()),
                [part, value] => expected.parts.entry(part.into()).or_default().push(value.into()),
                _ => return Err(format!("odd expectation: {line}")),
            }
        }
        if expected.verdicts.is_empty() { Err("nothing is expected".into()) } else { Ok(expected) }
    }

    /// Whether something has to be found.
    pub fn is_violated(&self) -> bool {
        self.verdicts.values().any(|verdict| verdict == "violated")
    }

    /// What is not as expected; empty when everything is.
    pub fn differences(&self, outcome: &Outcome) -> Vec<String> {
        let mut wrong = self.verdicts(outcome);
        let worst = outcome.findings.iter().map(|finding| finding.level).max().map(level_word);
        if self.level.is_some() && self.level.as_deref() != worst {
            wrong.push(format!("expected level {:?}, got {worst:?}", self.level));
        }
        let nondeterministic =
            self.verdicts.iter().any(|(q, verdict)| q.starts_with("determinism") && verdict == "violated");
        for finding in &outcome.findings {
            let is_determinism = matches!(finding.property, Property::Determinism { .. });
            // The expected parts are those of the determinism violations where there are any.
            if is_determinism == nondeterministic {
                wrong.extend(self.parts_not_allowed(finding));
            }
        }
        wrong.extend(self.violations(outcome));
        wrong
    }

    fn verdicts(&self, outcome: &Outcome) -> Vec<String> {
        let got = |question: &str| match question.strip_prefix("determinism ") {
            Some(event) => outcome.determinism.get(event).map(word),
            None => Some(word(&outcome.serializability)),
        };
        let wrong = self.verdicts.iter().filter(|(question, verdict)| got(question) != Some(verdict));
        wrong
            .map(|(q, verdict)| format!("{q}: expected {verdict}, got {}", got(q).unwrap_or("nothing")))
            .collect()
    }

    /// Lines of a finding's parts that are not among those of their kind.
    fn parts_not_allowed(&self, finding: &Finding) -> Vec<String> {
        let check = |part: &str, value: String| match self.parts.get(part) {
            Some(allowed) if !allowed.contains(&value) => Some(format!("{part} {value}")),
            _ => None,
        };
        let mut wrong = Vec::new();
        if let Property::Serializability { events, .. } = &finding.property {
            wrong.extend(events.first().and_then(|delayed| check("delayed", delayed.clone())));
        }
        for step in &finding.steps {
            wrong.extend(parts(step.role).iter().filter_map(|part| check(part, line(step))));
        }
        wrong
    }

    /// Violations that are listed and not found, or found and not listed.
    fn violations(&self, outcome: &Outcome) -> Vec<String> {
        if self.violations.is_empty() {
            return Vec::new();
        }
        let found: BTreeSet<Parts> = outcome.findings.iter().map(violation).collect();
        let text = |what: &str, parts: &Parts| {
            format!("{what}: {}", parts.iter().map(String::as_str).collect::<Vec<_>>().join(", "))
        };
        let missing = self.violations.difference(&found).map(|parts| text("not found", parts));
        missing.chain(found.difference(&self.violations).map(|parts| text("not listed", parts))).collect()
    }
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Violated => "violated",
        Verdict::Holds { .. } => "holds",
        Verdict::Unknown { .. } => "unknown",
    }
}

fn level_word(level: Level) -> &'static str {
    match level {
        Level::Allow => "allow",
        Level::Note => "note",
        Level::Warn => "warn",
        Level::Deny => "deny",
    }
}

/// The names of a role in the files.
fn parts(role: Role) -> &'static [&'static str] {
    match role {
        Role::Step => &[],
        Role::Pivot => &["pivot"],
        Role::Root => &["root"],
        Role::Entry => &["entry"],
        Role::Exit => &["exit"],
        Role::EntryExit => &["entry", "exit"],
        // Of programs that have places, which these have not.
        Role::Start | Role::Hop | Role::Offence => &[],
    }
}

fn line(step: &Step) -> String {
    step.place.as_ref().map_or("nowhere".into(), |place| place.line.to_string())
}

/// The parts of a finding.
fn violation(finding: &Finding) -> Parts {
    let task = |step: &Step| finding.lanes.get(step.lane).map_or("nobody", |lane| lane.name.as_str());
    let of = |step: &Step| {
        let names = parts(step.role).iter();
        names.map(|part| format!("{part} {} {}", line(step), task(step))).collect::<Vec<_>>()
    };
    finding.steps.iter().flat_map(of).collect()
}
