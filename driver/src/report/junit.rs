//! JUnit's XML, as most services that show test results read it: a finding is a test case that failed.

use std::fmt::Write;

use robust_analyzer::finding::{Finding, Level};

use super::sources::is_unsafe;
use super::steps::{remarks, sentence};
use super::{Report, Sources, class_name, concise, main_place};

/// One suite for each program. A finding that does not fail the run is a test case that was skipped, with its message; a program
/// without findings has one test case that passed.
pub fn render(report: &Report, sources: &Sources) -> String {
    let mut suites: Vec<(&str, Vec<&Finding>)> = Vec::new();
    let units = report.units.iter().map(|unit| unit.name.as_str());
    for name in units.chain(report.findings.iter().map(|finding| finding.unit.as_str())) {
        if !suites.iter().any(|(known, _)| *known == name) {
            let own = report.findings.iter().filter(|finding| finding.unit == name);
            suites.push((name, own.collect()));
        }
    }
    let missing = report.missing().filter(|(level, _)| *level != Level::Note);
    let failed = missing.iter().filter(|(level, _)| *level == Level::Deny).count();
    let failures = report.count(Level::Deny) + failed;
    let tests: usize = suites.iter().map(|(_, own)| own.len().max(1)).sum::<usize>() + missing.iter().count();
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _ = writeln!(out, "<testsuites name=\"cargo robust\" tests=\"{tests}\" failures=\"{failures}\">");
    if let Some((level, text)) = &missing {
        suite(&mut out, "completeness", 1, failed, (*level != Level::Deny).into(), |out| {
            case(out, "everything was looked at", "completeness", *level, text, "");
        });
    }
    for (name, own) in &suites {
        let failures = own.iter().filter(|finding| finding.level == Level::Deny).count();
        suite(&mut out, name, own.len().max(1), failures, own.len() - failures, |out| {
            if own.is_empty() {
                let _ = writeln!(out, "    <testcase name=\"no finding\" classname=\"{}\"/>", escape(name));
            }
            for finding in own {
                one(out, finding, report, sources);
            }
        });
    }
    out.push_str("</testsuites>\n");
    out
}

fn suite(
    out: &mut String,
    name: &str,
    tests: usize,
    failures: usize,
    skipped: usize,
    cases: impl FnOnce(&mut String),
) {
    let name = escape(name);
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"");
    let _ = writeln!(out, "  <testsuite name=\"{name}\" {counts}>");
    cases(out);
    out.push_str("  </testsuite>\n");
}

fn one(out: &mut String, finding: &Finding, report: &Report, sources: &Sources) {
    let class = class_name(finding.class);
    let place = main_place(finding).map(|place| format!("{}:{}", sources.from_base(&place.file), place.line));
    let name = format!("{class} at {}", place.unwrap_or_else(|| finding.variable.clone()));
    let mut body = String::new();
    for index in 0..finding.steps.len() {
        let place = finding.steps[index].place.as_ref();
        let place = place.map(|place| format!(" ({}:{})", sources.from_base(&place.file), place.line));
        let _ = writeln!(body, "{}. {}{}", index + 1, sentence(finding, index), place.unwrap_or_default());
    }
    for (head, remark) in remarks(finding, report) {
        let _ = writeln!(body, "{head}: {remark}");
    }
    case(out, &name, &format!("robust.{class}"), finding.level, &finding.message, &body);
}

fn case(out: &mut String, name: &str, class: &str, level: Level, message: &str, body: &str) {
    let [name, class, message, body] = [name, class, message, body].map(escape);
    let _ = writeln!(out, "    <testcase name=\"{name}\" classname=\"{class}\">");
    let _ = match level {
        Level::Deny => writeln!(
            out,
            "      <failure message=\"{message}\" type=\"{}\">{body}</failure>",
            concise::word(level)
        ),
        _ => writeln!(out, "      <skipped message=\"{message}\"/>\n      <system-out>{body}</system-out>"),
    };
    out.push_str("    </testcase>\n");
}

/// Text and attributes alike. Characters that XML does not have are replaced.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if is_unsafe(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
