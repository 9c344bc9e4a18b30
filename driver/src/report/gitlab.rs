//! GitLab's code quality report: findings in the merge request.

use std::fmt::Write;

use robust_analyzer::finding::{Finding, Level};
use serde_json::{Value, json};

use super::sources::clean;
use super::steps::{remarks, sentence};
use super::{Report, Sources, class_name, main_place};

/// An array with an entry for each finding, and one for what is missing.
pub fn render(report: &Report, sources: &Sources) -> String {
    let missing = report.missing().filter(|(level, _)| *level != Level::Note).map(|(level, text)| {
        json!({
            "description": text,
            "check_name": "robust::incomplete",
            "fingerprint": "robust-incomplete",
            "severity": severity(level),
            "location": { "path": "Cargo.toml", "lines": { "begin": 1 } },
        })
    });
    let findings = report.findings.iter().map(|finding| entry(finding, report, sources));
    let entries: Vec<Value> = missing.into_iter().chain(findings).collect();
    let mut text = serde_json::to_string_pretty(&entries).expect("maps have string keys");
    text.push('\n');
    text
}

fn entry(finding: &Finding, report: &Report, sources: &Sources) -> Value {
    let place = main_place(finding);
    let path = place.map_or_else(|| "Cargo.toml".to_owned(), |place| sources.from_base(&place.file));
    json!({
        "description": clean(&finding.message),
        "content": { "body": body(finding, report) },
        "check_name": format!("robust::{}", class_name(finding.class)),
        "categories": ["Bug Risk"],
        "fingerprint": finding.fingerprint,
        "severity": severity(finding.level),
        "location": { "path": path, "lines": { "begin": place.map_or(1, |place| place.line.max(1)) } },
    })
}

/// The schedule, as Markdown.
fn body(finding: &Finding, report: &Report) -> String {
    let mut text = String::new();
    for index in 0..finding.steps.len() {
        let _ = writeln!(text, "{}. {}", index + 1, clean(&sentence(finding, index)));
    }
    for (head, remark) in remarks(finding, report) {
        let _ = write!(text, "\n{head}: {}\n", clean(&remark));
    }
    text
}

fn severity(level: Level) -> &'static str {
    match level {
        Level::Deny => "major",
        Level::Warn => "minor",
        Level::Note | Level::Allow => "info",
    }
}
