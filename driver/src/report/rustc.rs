//! Findings as cargo passes on the compiler's: one JSON message per line. Editors that run `cargo check` read this.

use robust_analyzer::finding::Finding;
use robust_analyzer::ir::SourcePlace;
use serde_json::{Value, json};

use super::human::{Detail, Look};
use super::steps::{is_in_conflict, remarks, sentence};
use super::{CargoTarget, Report, Sources, class_name, concise, explain, human};
use crate::fix::{Certain, Edit, NO_REASON, fixes};

/// A `compiler-message` for what is missing and for each finding, then `build-finished`.
pub fn render(report: &Report, sources: &Sources) -> String {
    let mut out = String::new();
    let mut line = |value: Value| {
        out.push_str(&value.to_string());
        out.push('\n');
    };
    if let Some((level, text)) = report.missing() {
        let target = target(report, "").cloned().unwrap_or_else(|| stand_in(""));
        line(compiler_message(&target, missing(concise::word(level), &text)));
    }
    for finding in &report.findings {
        let target = target(report, &finding.unit).cloned().unwrap_or_else(|| stand_in(&finding.unit));
        line(compiler_message(&target, message(finding, report, sources)));
    }
    out + &finished(!report.fails())
}

fn compiler_message(target: &CargoTarget, message: Value) -> Value {
    json!({
        "reason": "compiler-message",
        "package_id": target.package_id,
        "manifest_path": target.manifest_path,
        "target": {
            "kind": target.kinds,
            "crate_types": target.crate_types,
            "name": target.name,
            "src_path": target.src_path,
            "edition": target.edition,
            "doc": false,
            "doctest": false,
            "test": false,
        },
        "message": message,
    })
}

/// What silence is not about, as a message without a place.
fn missing(level: &str, text: &str) -> Value {
    json!({
        "$message_type": "diagnostic",
        "message": text,
        "code": null,
        "level": level,
        "spans": [],
        "children": [],
        "rendered": format!("{level}: {text}\n\n"),
    })
}

/// The last message.
fn finished(success: bool) -> String {
    json!({ "reason": "build-finished", "success": success }).to_string() + "\n"
}

/// The crate with that name, or else any.
fn target<'r>(report: &'r Report, name: &str) -> Option<&'r CargoTarget> {
    let mut crates = report.units.iter().flat_map(|unit| &unit.crates).rev();
    let own = crates.clone().find(|krate| krate.name.replace('-', "_") == name);
    own.or_else(|| crates.next())
}

/// For a unit that cargo does not know: a program in text form.
fn stand_in(unit: &str) -> CargoTarget {
    CargoTarget {
        package_id: unit.to_owned(),
        name: unit.to_owned(),
        kinds: vec!["bin".to_owned()],
        crate_types: vec!["bin".to_owned()],
        src_path: unit.to_owned(),
        edition: "2024".to_owned(),
        ..CargoTarget::default()
    }
}

/// The spans are the last access, with the message, and the others in conflict, with what they do, in the order of the schedule.
fn message(finding: &Finding, report: &Report, sources: &Sources) -> Value {
    let class = class_name(finding.class);
    let steps = finding.steps.iter().enumerate().filter(|(_, step)| is_in_conflict(step));
    let spans = steps.filter_map(|(index, step)| {
        let label = format!("{}. {}", index + 1, sentence(finding, index));
        Some(span(step.place.as_ref()?, Some(label), step.role.is_last(), sources))
    });
    let look = Look { detail: Detail::Quiet, ..Look::default() };
    let only =
        Report { findings: vec![finding.clone()], replays: report.replays.clone(), ..Report::default() };
    json!({
        "$message_type": "diagnostic",
        "message": finding.message,
        "code": { "code": format!("robust::{class}"), "explanation": explain::text(finding.class) },
        "level": concise::word(finding.level),
        "spans": spans.collect::<Vec<_>>(),
        "children": children(finding, report, sources),
        "rendered": human::render(&only, sources, &look),
    })
}

/// What is said below the schedule, and what can be done about it. The schedule itself is in the text: as children with places, editors
/// would scatter its steps over the file.
fn children(finding: &Finding, report: &Report, sources: &Sources) -> Vec<Value> {
    let child = |level: &str, text: String, spans: Vec<Value>| {
        json!({
            "message": text, "code": null, "level": level, "spans": spans, "children": [], "rendered": null,
        })
    };
    let said = remarks(finding, report).into_iter().map(|(level, text)| child(level, text, Vec::new()));
    let fixes = fixes(finding, sources).into_iter().map(|fix| {
        let spans = fix.edits.iter().map(|edit| replacement(edit, fix.certain, sources)).collect();
        child("help", fix.title, spans)
    });
    said.chain(fixes).collect()
}

/// The part of the source that a fix changes, with what it is to be.
fn replacement(edit: &Edit, certain: Certain, sources: &Sources) -> Value {
    let mut span = span(&edit.place, None, true, sources);
    span["suggested_replacement"] = json!(edit.text);
    span["suggestion_applicability"] = json!(match certain {
        Certain::Yes => "MachineApplicable",
        Certain::No if edit.text.contains(NO_REASON) => "HasPlaceholders",
        Certain::No => "MaybeIncorrect",
    });
    span
}

fn span(place: &SourcePlace, label: Option<String>, primary: bool, sources: &Sources) -> Value {
    let located = sources.locate(place);
    let (start, end) = located.as_ref().map_or((0, 0), |(_, range)| (range.start, range.end));
    let lines = located.iter().flat_map(|(source, _)| {
        let last = place.end_line.clamp(place.line, place.line.saturating_add(20));
        (place.line..=last).filter_map(move |number| {
            let text = source.line(number)?;
            let columns = text.chars().count() as u32 + 1;
            let from = if number == place.line { place.column } else { 1 };
            let to = if number == place.end_line { place.end_column } else { columns };
            Some(json!({ "text": text, "highlight_start": from, "highlight_end": to }))
        })
    });
    json!({
        "file_name": sources.relative(&place.file),
        "byte_start": start,
        "byte_end": end,
        "line_start": place.line,
        "line_end": place.end_line,
        "column_start": place.column,
        "column_end": place.end_column,
        "is_primary": primary,
        "text": lines.collect::<Vec<_>>(),
        "label": label,
        "suggested_replacement": null,
        "suggestion_applicability": null,
        "expansion": null,
    })
}
