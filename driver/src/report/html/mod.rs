//! One page that needs nothing else: findings with their schedules as swim lanes.

mod lanes;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use robust_analyzer::finding::{Class, Finding};

use super::sources::clean;
use super::steps::remarks;
use super::{
    CLASSES, Coverage, LEVELS, Report, Sources, class_name, explain, level_name, main_place, nothing,
};

/// Nothing is loaded from anywhere, whatever a finding's text may contain.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// The whole page.
pub fn render(report: &Report, sources: &Sources) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "cargo robust: " (headline(report)) }
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body {
                (lanes::arrow_head())
                header {
                    h1 { "cargo robust" }
                    p { (headline(report)) }
                    (versions(report))
                    @if let Some((_, missing)) = report.missing() { p.missing { (clean(&missing)) } }
                }
                @if !report.findings.is_empty() { (filters(report)) (index(report)) }
                main {
                    @for (index, finding) in report.findings.iter().enumerate() {
                        (card(index, finding, report, sources))
                    }
                    p #none hidden[!report.findings.is_empty()] {
                        @if report.findings.is_empty() { (sentence_case(nothing(report))) "." } @else { "No finding matches the filter." }
                    }
                }
                (notices(report))
                (summary(report))
                script { (PreEscaped(include_str!("script.js"))) }
            }
        }
    };
    page.into_string()
}

fn headline(report: &Report) -> String {
    let units: Vec<_> = report.units.iter().map(|unit| unit.name.as_str()).take(5).collect();
    let more = if report.units.len() > units.len() { ", ..." } else { "" };
    let count = match report.findings.len() {
        0 => nothing(report).to_owned(),
        1 => "1 finding".to_owned(),
        count => format!("{count} findings"),
    };
    format!("{count} in {}{more}", units.join(", "))
}

fn sentence_case(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// All findings in a line each, to go to.
fn index(report: &Report) -> Markup {
    html! {
        nav aria-label="Findings" {
            ol { @for (number, finding) in report.findings.iter().enumerate() {
                li.{ (level_name(finding.level)) } data-finding={ "finding-" (number + 1) } {
                    span.level { (level_name(finding.level)) } " "
                    a href={ "#finding-" (number + 1) } { (words(&finding.message)) }
                    @if let Some(place) = main_place(finding) {
                        " " span.where { (clean(&place.file)) ":" (place.line) }
                    }
                }
            } }
        }
    }
}

fn versions(report: &Report) -> Markup {
    let tool = &report.tool;
    html! {
        p.versions {
            (tool.name) " " (tool.version)
            @if let Some(rustc) = &tool.rustc { ", rustc " (rustc) }
            ", Z3 " (tool.z3)
        }
    }
}

fn filters(report: &Report) -> Markup {
    let mut units: Vec<_> = report.findings.iter().map(|finding| finding.unit.as_str()).collect();
    units.sort_unstable();
    units.dedup();
    let has_class = |class| report.findings.iter().any(|finding| finding.class == class);
    let classes: Vec<_> = CLASSES.into_iter().filter(|&class| has_class(class)).map(class_name).collect();
    let levels: Vec<_> = LEVELS.into_iter().rev().filter(|&l| report.count(l) > 0).map(level_name).collect();
    html! {
        form #filter {
            @for (name, title, values) in [("class", "Class", classes), ("level", "Level", levels), ("unit", "Crate", units)] {
                label { (title) " "
                    select name=(name) {
                        option value="" { "all" }
                        @for value in values { option value=(value) { (value) } }
                    }
                }
            }
            output {}
        }
    }
}

fn card(index: usize, finding: &Finding, report: &Report, sources: &Sources) -> Markup {
    let (class, level) = (class_name(finding.class), level_name(finding.level));
    html! {
        article .{ (level) } id={ "finding-" (index + 1) } data-class=(class) data-level=(level) data-unit=(finding.unit) {
            h2 {
                span.level { (level) }
                " " (words(&finding.message))
            }
            p.about {
                code { (class) } " in " (finding.unit) ", shared: " code { (clean(&finding.variable)) }
            }
            @if finding.steps.iter().any(|step| step.place.is_some()) { p.print { "Click a step to show or hide its source." } }
            (lanes::diagram(index, finding, sources))
            dl {
                @for (head, text) in remarks(finding, report) { dt { (head) } dd { (words(&text)) } }
            }
            @if let Some(replay) = report.replays.get(&finding.fingerprint).filter(|replay| replay.seen.is_some()) {
                pre { (clean_lines(&replay.details())) }
            }
            details {
                summary { "What is “" (class) "”?" }
                div.explain { (explanation(finding.class)) }
            }
            p.print { "id " code { (finding.fingerprint) } }
        }
    }
}

fn clean_lines(lines: &[String]) -> String {
    lines.iter().map(|line| clean(line) + "\n").collect()
}

/// Text with its names, which stand between back quotes, set as code.
fn words(text: &str) -> Markup {
    let text = clean(text);
    let parts: Vec<&str> = text.split('`').collect();
    // An odd number of back quotes quotes nothing.
    if parts.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! { @for (index, part) in parts.into_iter().enumerate() {
        @if index % 2 == 0 { (part) } @else { code { (part) } }
    } }
}

/// The class's page, below a heading that the summary has already.
fn explanation(class: Class) -> Markup {
    let text = explain::text(class);
    let body = text.split_once('\n').map_or(text, |(_, body)| body);
    let mut page = String::new();
    pulldown_cmark::html::push_html(&mut page, pulldown_cmark::Parser::new(body));
    PreEscaped(page)
}

fn notices(report: &Report) -> Markup {
    html! {
        @if !report.notices.is_empty() {
            section {
                h2 { "Remarks" }
                ul {
                    @for notice in &report.notices {
                        li {
                            (clean(&notice.message))
                            @if let Some(place) = &notice.place { " (" (clean(&place.file)) ":" (place.line) ")" }
                        }
                    }
                }
            }
        }
    }
}

fn summary(report: &Report) -> Markup {
    let summary = &report.summary;
    let counts = [
        ("bodies", summary.bodies),
        ("handlers", summary.events),
        ("tasks", summary.tasks),
        ("locks", summary.locks),
        ("shared variables", summary.variables),
        ("checks", summary.questions),
        ("trivially safe", summary.filtered),
        ("proved", summary.proved),
        ("bounded", summary.bounded),
        ("violated", summary.violated),
        ("without an answer", summary.unknown),
    ];
    html! {
        section {
            h2 { "Summary" }
            p.counts {
                @for (name, count) in counts { span { b { (count) } " " (name) } " " }
            }
            p { "Bounds: " (report.bounds.events) " concurrent handlers, " (report.bounds.unroll) " rounds of a loop, "
                (report.bounds.timeout_s) " s and " (report.bounds.findings) " findings for a check." }
            @if summary.limited > 0 {
                p { "There may be more findings: " (summary.limited) " of the checks stopped looking." }
            }
            @if summary.unasked > 0 {
                p { (summary.unasked) " pairs of handlers were not, or not fully, checked, for lack of time or memory." }
            }
            @if let Some(coverage) = &summary.coverage { (covered(coverage)) }
            @if !summary.not_analysed.is_empty() {
                details {
                    summary { (summary.not_analysed.len()) " not analysed" }
                    ul { @for missing in &summary.not_analysed {
                        li { code { (clean(&missing.name)) } " (" (missing.unit) "): " (clean(&missing.reason)) }
                    } }
                }
            }
            @if !summary.opaque.is_empty() {
                details {
                    summary { (summary.opaque.len()) " functions without a body or a model" }
                    ul { @for (name, count) in &summary.opaque { li { code { (clean(name)) } " (" (count) ")" } } }
                }
            }
        }
    }
}

fn covered(coverage: &Coverage) -> Markup {
    html! {
        p {
            (coverage.functions) " functions use locks, atomics or cells, " (coverage.reached)
            " of them are reached from a handler."
        }
        @if !coverage.unreached.is_empty() {
            details {
                summary { (coverage.unreached.len()) " not reached" }
                ul { @for missing in &coverage.unreached {
                    li {
                        code { (clean(&missing.name)) } " (" (missing.unit) ")"
                        @if let Some(place) = &missing.place { " " (clean(&place.file)) ":" (place.line) }
                    }
                } }
            }
        }
    }
}
