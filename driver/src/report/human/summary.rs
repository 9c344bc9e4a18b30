//! What was looked at, what came of it, and what was left out.

use std::collections::BTreeMap;
use std::fmt::Write;

use robust_analyzer::finding::Level;

use super::{Detail, Look};
use crate::report::sources::clean;
use crate::report::{Hidden, Report, Summary};

/// Without `--verbose`, so many reasons and functions are named.
const NAMED: usize = 3;

pub(super) fn write(out: &mut String, report: &Report, look: &Look) {
    let summary = &report.summary;
    let _ = writeln!(out, "{}", headline(report, look));
    let _ = writeln!(out, "  {}", seen(summary));
    let _ = writeln!(out, "  {}", questions(summary));
    not_analysed(out, summary, look);
    opaque(out, summary, look);
    unknown(out, report);
    if let Some(text) = hidden(&report.hidden) {
        let _ = writeln!(out, "  not shown: {text}");
    }
    if summary.not_replayed > 0 && look.detail == Detail::Verbose {
        let count = plural(summary.not_replayed as usize, "proposed schedule");
        let _ = writeln!(out, "  {count} dropped that did not replay");
    }
    if !summary.stages.is_empty() {
        let stages = summary.stages.iter().map(|time| format!("{} {}", time.stage, seconds(time.ms)));
        let _ = writeln!(out, "  time: {}", stages.collect::<Vec<_>>().join(", "));
    }
}

fn headline(report: &Report, look: &Look) -> String {
    let units = match &report.units[..] {
        [unit] => format!(" in {}", clean(&unit.name)),
        units => format!(" in {} units", units.len()),
    };
    if report.findings.is_empty() {
        return format!("{} nothing found{units}", look.bold("robust:"));
    }
    let levels = [Level::Deny, Level::Warn, Level::Note].into_iter().filter_map(|level| {
        let count = report.count(level);
        let name = match level {
            Level::Deny => "denied",
            Level::Warn => "warned about",
            _ => "noted",
        };
        (count > 0).then(|| look.level(level, &format!("{count} {name}")))
    });
    let levels = levels.collect::<Vec<_>>().join(", ");
    format!("{} {}{units}: {levels}", look.bold("robust:"), plural(report.findings.len(), "finding"))
}

fn seen(summary: &Summary) -> String {
    let counts = [
        (summary.bodies, "body"),
        (summary.events, "event"),
        (summary.tasks, "task"),
        (summary.locks, "lock"),
        (summary.variables, "shared variable"),
    ];
    let counts = counts.into_iter().filter(|&(count, what)| what != "body" || count > 0);
    let counts = counts.map(|(count, what)| plural(count as usize, what));
    format!("seen: {}", counts.collect::<Vec<_>>().join(", "))
}

fn questions(summary: &Summary) -> String {
    let parts = [
        (summary.filtered, "filtered"),
        (summary.proved, "proved"),
        (summary.bounded, "hold up to the bound"),
        (summary.violated, "violated"),
        (summary.unknown, "unknown"),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<_> = parts.map(|(count, what)| format!("{count} {what}")).collect();
    let head = plural(summary.questions as usize, "question");
    if parts.is_empty() { head } else { format!("{head}: {}", parts.join(", ")) }
}

fn not_analysed(out: &mut String, summary: &Summary, look: &Look) {
    if summary.not_analysed.is_empty() {
        return;
    }
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for missing in &summary.not_analysed {
        *reasons.entry(&missing.reason).or_default() += 1;
    }
    let texts = reasons.into_iter().map(|(reason, count)| (count, clean(reason)));
    let count = summary.not_analysed.len();
    let _ = writeln!(out, "  {count} not analysed: {}", most(texts, look));
    if look.detail == Detail::Verbose {
        for missing in &summary.not_analysed {
            let (unit, name, reason) = (clean(&missing.unit), clean(&missing.name), clean(&missing.reason));
            let _ = writeln!(out, "    {unit}: {name}: {reason}");
        }
    }
}

fn opaque(out: &mut String, summary: &Summary, look: &Look) {
    if summary.opaque.is_empty() {
        return;
    }
    let names = summary.opaque.iter().map(|(name, count)| (*count as usize, clean(name)));
    let count = plural(summary.opaque.len(), "function");
    let _ = writeln!(out, "  {count} without a body or a model: {}", most(names, look));
}

/// The most frequent ones; all of them when verbose.
fn most(texts: impl Iterator<Item = (usize, String)>, look: &Look) -> String {
    let mut texts: Vec<_> = texts.collect();
    texts.sort_by(|(a, a_text), (b, b_text)| b.cmp(a).then_with(|| a_text.cmp(b_text)));
    let limit = if look.detail == Detail::Verbose { texts.len() } else { NAMED };
    let rest = texts.len().saturating_sub(limit);
    let mut shown: Vec<_> =
        texts.iter().take(limit).map(|(count, text)| format!("{text} ({count})")).collect();
    if rest > 0 {
        shown.push(format!("{rest} more (-v)"));
    }
    shown.join(", ")
}

fn unknown(out: &mut String, report: &Report) {
    for unit in &report.units {
        let determinism = unit.completeness.determinism.iter().map(|(event, proof)| (event.as_str(), proof));
        let all = determinism.chain([("all events together", &unit.completeness.serializability)]);
        for (event, proof) in all {
            if let Some(reason) = &proof.reason {
                let (unit, event) = (clean(&unit.name), clean(event));
                let _ = writeln!(out, "  unknown: {unit}, {event}: {}", clean(reason));
            }
        }
    }
}

fn hidden(hidden: &Hidden) -> Option<String> {
    let parts = [
        (hidden.allowed, "allowed"),
        (hidden.suppressed, "suppressed in the source"),
        (hidden.baseline, "in the baseline"),
    ];
    let parts: Vec<_> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn plural(count: usize, what: &str) -> String {
    match (count, what) {
        (1, _) => format!("1 {what}"),
        (_, "body") => format!("{count} bodies"),
        _ => format!("{count} {what}s"),
    }
}

fn seconds(ms: u64) -> String {
    format!("{}.{:02} s", ms / 1000, ms % 1000 / 10)
}
