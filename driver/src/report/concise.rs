//! One line for each finding: `file:line:column: level[class]: message`.

use std::fmt::Write;

use robust_analyzer::finding::Level;

use super::sources::clean;
use super::{Report, Sources, class_name, main_place};

/// A line for what is missing, for each finding and for each notice.
pub fn render(report: &Report, sources: &Sources) -> String {
    let mut out = String::new();
    if let Some((level, missing)) = report.missing() {
        let _ = writeln!(out, "{}: {}", word(level), clean(&missing));
    }
    for finding in &report.findings {
        if let Some(place) = main_place(finding) {
            let file = clean(sources.relative(&place.file));
            let _ = write!(out, "{file}:{}:{}: ", place.line, place.column);
        }
        let (level, class) = (word(finding.level), class_name(finding.class));
        let replay = report.replays.get(&finding.fingerprint);
        let replayed =
            replay.map_or(String::new(), |replay| format!(" (replayed: {})", replay.verdict.text()));
        let _ = writeln!(out, "{level}[robust::{class}]: {}{replayed}", clean(&finding.message));
    }
    for notice in &report.notices {
        if let Some(place) = &notice.place {
            let _ = write!(out, "{}:{}:{}: ", clean(&place.file), place.line, place.column);
        }
        let _ = writeln!(out, "warning: {}", clean(&notice.message));
    }
    out
}

/// What rustc calls a level.
pub(super) fn word(level: Level) -> &'static str {
    match level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Note | Level::Allow => "note",
    }
}
