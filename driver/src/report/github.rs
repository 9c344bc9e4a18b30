//! Annotations on a pull request: workflow commands of GitHub Actions, one line each.

use std::fmt::Write;

use robust_analyzer::finding::{Finding, Level};
use robust_analyzer::ir::SourcePlace;

use super::sources::is_unsafe;
use super::steps::{remarks, sentence};
use super::{Report, Sources, class_name, main_place};

/// One command for what is missing, each finding and each notice.
pub fn render(report: &Report, sources: &Sources) -> String {
    let mut out = String::new();
    if let Some((level, missing)) = report.missing() {
        write(&mut out, command(level), None, "cargo robust", &missing, sources);
    }
    for finding in &report.findings {
        let place = main_place(finding);
        let title = format!("cargo robust: {}", class_name(finding.class));
        write(&mut out, command(finding.level), place, &title, &body(finding, report, sources), sources);
    }
    for notice in &report.notices {
        write(&mut out, "warning", notice.place.as_ref(), "cargo robust", &notice.message, sources);
    }
    out
}

fn command(level: Level) -> &'static str {
    match level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Note | Level::Allow => "notice",
    }
}

fn body(finding: &Finding, report: &Report, sources: &Sources) -> String {
    let mut text = finding.message.clone();
    for index in 0..finding.steps.len() {
        let _ = write!(text, "\n{}. {}", index + 1, line(finding, index, sources));
    }
    for (head, remark) in remarks(finding, report) {
        let _ = write!(text, "\n{head}: {remark}");
    }
    text
}

fn line(finding: &Finding, index: usize, sources: &Sources) -> String {
    let text = sentence(finding, index);
    match finding.steps.get(index).and_then(|step| step.place.as_ref()) {
        Some(place) => format!("{text} ({}:{})", sources.from_base(&place.file), place.line),
        None => text,
    }
}

fn write(
    out: &mut String,
    command: &str,
    place: Option<&SourcePlace>,
    title: &str,
    message: &str,
    sources: &Sources,
) {
    let _ = write!(out, "::{command} ");
    if let Some(place) = place {
        let _ = write!(out, "file={},line={}", property(&sources.from_base(&place.file)), place.line);
        // Columns are only understood within one line.
        if place.end_line <= place.line {
            let _ = write!(out, ",col={},endColumn={}", place.column, place.end_column.max(place.column));
        } else {
            let _ = write!(out, ",endLine={}", place.end_line);
        }
        out.push(',');
    }
    let _ = writeln!(out, "title={}::{}", property(title), data(message));
}

/// Escapes the text of a command. Other control characters than line breaks have no escapes; logs are terminals, so they go.
fn data(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' => out.push_str("%25"),
            '\r' => out.push_str("%0D"),
            '\n' => out.push_str("%0A"),
            c if is_unsafe(c) && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
