//! What was looked at, what came of it, and what was left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use robust_analyzer::finding::Level;

use super::{Detail, Look};
use crate::report::sources::clean;
use crate::report::{Hidden, Report, Summary, nothing, replay};

/// Without `--verbose`, so many reasons and functions are named.
const NAMED: usize = 3;

pub(super) fn write(out: &mut String, report: &Report, look: &Look) {
    let summary = &report.summary;
    let verbose = look.detail == Detail::Verbose;
    let _ = writeln!(out, "{}", headline(report, look));
    let mut line = |text: String| out.push_str(&wrapped(&text, look));
    if verbose {
        line(seen(summary));
        coverage(&mut line, summary);
        places(&mut line, summary);
        lifecycles(&mut line, summary, look);
        line(questions(report));
    } else if let Some(text) = reach(report) {
        line(text);
    }
    not_analysed(&mut line, summary, look);
    not_followed(&mut line, summary, look);
    opaque(&mut line, summary, look);
    unknown(&mut line, report, look);
    if summary.limited > 0 {
        let questions = plural(summary.limited as usize, "check");
        let limit = report.bounds.findings;
        line(format!("there may be more findings: {questions} stopped looking (--findings {limit})"));
    }
    if summary.unguarded > 0 {
        let count = plural(summary.unguarded as usize, "place");
        line(format!(
            "no race is looked for in {count} where what a lock guards seems to be accessed without it"
        ));
    }
    if summary.unasked > 0 {
        let pairs = plural(summary.unasked as usize, "pair");
        line(format!("{pairs} of handlers not, or not fully, checked, for lack of time or memory"));
    }
    if !report.replays.is_empty() {
        line(format!("replayed: {}", replay::counts(report.replays.values())));
    }
    if let Some(text) = hidden(&report.hidden) {
        line(format!("not shown: {text}"));
    }
    if !verbose {
        return;
    }
    if summary.not_replayed > 0 {
        let count = plural(summary.not_replayed as usize, "proposed schedule");
        line(format!("{count} dropped that did not replay"));
    }
    let stages: Vec<_> =
        summary.stages.iter().map(|time| format!("{} {}", time.stage, seconds(time.ms))).collect();
    if !stages.is_empty() {
        line(format!("time: {}", stages.join(", ")));
    }
}

/// A line below the headline, on as many as the width asks for.
fn wrapped(text: &str, look: &Look) -> String {
    let wrapping = look.wrapping().initial_indent("  ").subsequent_indent("    ");
    textwrap::fill(text, wrapping) + "\n"
}

/// `robust: 5 errors, 2 notes in server (10 handlers, 8 shared variables, 0.4 s)`
pub(crate) fn headline(report: &Report, look: &Look) -> String {
    let names: Vec<String> = report.units.iter().map(|unit| clean(&unit.name)).collect();
    let units = match &names[..] {
        [] => String::new(),
        few if few.len() <= NAMED => format!(" in {}", few.join(", ")),
        many => format!(" in {} programs", many.len()),
    };
    let summary = &report.summary;
    let time: u64 = summary.stages.iter().map(|stage| stage.ms).sum();
    let about = [
        plural(summary.events as usize, "handler"),
        plural(summary.variables as usize, "shared variable"),
        format!("{}.{} s", time / 1000, time % 1000 / 100),
    ];
    let found = match report.findings.is_empty() {
        true => nothing(report).to_owned(),
        false => levels(report).map(|(level, text)| look.level(level, &text)).collect::<Vec<_>>().join(", "),
    };
    format!("{} {found}{units} ({})", look.bold("robust:"), about.join(", "))
}

/// How many findings of each level there are.
fn levels(report: &Report) -> impl Iterator<Item = (Level, String)> {
    [Level::Deny, Level::Warn, Level::Note].into_iter().filter_map(|level| {
        let count = report.count(level);
        let name = match level {
            Level::Deny => "error",
            Level::Warn => "warning",
            _ => "note",
        };
        (count > 0).then(|| (level, plural(count, name)))
    })
}

/// What it means that nothing, or nothing else, was found.
fn reach(report: &Report) -> Option<String> {
    let summary = &report.summary;
    if summary.questions == summary.violated + summary.unknown {
        return None;
    }
    let rest = if report.findings.is_empty() { "" } else { " else" };
    match &reached(report)[..] {
        [] if summary.bounded == 0 => None,
        [] => Some(format!("nothing{rest} up to the bounds of the search")),
        bounds => Some(format!("nothing{rest} up to the bounds of the search: {}", bounds.join("; "))),
    }
}

fn seen(summary: &Summary) -> String {
    let counts = [
        (summary.bodies, "body"),
        (summary.events, "handler"),
        (summary.tasks, "task"),
        (summary.locks, "lock"),
        (summary.variables, "shared variable"),
    ];
    let counts = counts.into_iter().filter(|&(count, what)| what != "body" || count > 0);
    let counts = counts.map(|(count, what)| plural(count as usize, what));
    format!("seen: {}", counts.collect::<Vec<_>>().join(", "))
}

/// What silence is worth. The first line of the report has the numbers when they differ.
fn coverage(line: &mut impl FnMut(String), summary: &Summary) {
    let Some(coverage) = &summary.coverage else { return };
    let functions = plural(coverage.functions as usize, "function");
    let reached = coverage.reached;
    line(format!(
        "coverage: {functions} with locks, atomics or cells, {reached} of them reached from a handler"
    ));
    for missing in &coverage.unreached {
        let place = missing.place.as_ref().map(|place| format!(" ({}:{})", clean(&place.file), place.line));
        let (unit, name) = (clean(&missing.unit), clean(&missing.name));
        line(format!("  not reached: {unit}: {name}{}", place.unwrap_or_default()));
    }
}

/// Of how much code it is known where it runs.
fn places(line: &mut impl FnMut(String), summary: &Summary) {
    let Some(places) = &summary.places else { return };
    let functions = places.functions;
    line(format!(
        "places: {functions} functions, closures and futures, {} of them run where it is known",
        places.placed
    ));
}

/// Of how many tasks it is known what becomes of them.
fn lifecycles(line: &mut impl FnMut(String), summary: &Summary, look: &Look) {
    let Some(lifecycles) = summary.lifecycles.as_ref().filter(|lifecycles| lifecycles.sites > 0) else {
        return;
    };
    let sites = plural(lifecycles.sites as usize, "place");
    let texts = lifecycles.undecided.iter().map(|missing| {
        let (name, reason) = (clean(&missing.name), clean(&missing.reason));
        (1, format!("{name}: {reason}"))
    });
    let undecided = lifecycles.undecided.len();
    let named = if undecided == 0 { String::new() } else { format!(": {}", most(texts, look)) };
    line(format!("tasks: started in {sites}, {undecided} of them not decided{named}"));
}

/// Code that may run where it should not.
fn not_followed(line: &mut impl FnMut(String), summary: &Summary, look: &Look) {
    let Some(places) = summary.places.as_ref().filter(|places| !places.not_followed.is_empty()) else {
        return;
    };
    let texts = places.not_followed.iter().map(|missing| {
        let (name, reason) = (clean(&missing.name), clean(&missing.reason));
        (1, format!("{name}: {reason}"))
    });
    line(format!("where it runs is not known: {}: {}", places.not_followed.len(), most(texts, look)));
}

/// Each check is about one handler, or about a pair or larger group of handlers that share state.
fn questions(report: &Report) -> String {
    let summary = &report.summary;
    let bounds = match &reached(report)[..] {
        [] => "bounded".to_owned(),
        bounds => format!("bounded ({})", bounds.join("; ")),
    };
    let parts = [
        (summary.filtered, "trivially safe"),
        (summary.proved, "proved"),
        (summary.bounded, &bounds),
        (summary.violated, "violated"),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts = parts.chain([(summary.unknown, "without an answer")]);
    let parts: Vec<_> = parts.map(|(count, what)| format!("{count} {what}")).collect();
    format!("{}: {}", plural(summary.questions as usize, "check"), parts.join(", "))
}

/// The bounds that searches reached, each once.
fn reached(report: &Report) -> Vec<&str> {
    let proofs = report
        .units
        .iter()
        .flat_map(|unit| unit.completeness.determinism.values().chain([&unit.completeness.serializability]));
    let bounds: BTreeSet<&str> =
        proofs.filter_map(|proof| proof.bound.as_deref()).flat_map(|bound| bound.split("; ")).collect();
    bounds.into_iter().collect()
}

fn not_analysed(line: &mut impl FnMut(String), summary: &Summary, look: &Look) {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for missing in &summary.not_analysed {
        *reasons.entry(&missing.reason).or_default() += 1;
    }
    if reasons.is_empty() {
        return;
    }
    let texts = reasons.into_iter().map(|(reason, count)| (count, clean(reason)));
    line(format!("not analysed: {}: {}", summary.not_analysed.len(), most(texts, look)));
    if look.detail == Detail::Verbose {
        for missing in &summary.not_analysed {
            let (unit, name, reason) = (clean(&missing.unit), clean(&missing.name), clean(&missing.reason));
            line(format!("  {unit}: {name}: {reason}"));
        }
    }
}

fn opaque(line: &mut impl FnMut(String), summary: &Summary, look: &Look) {
    if summary.opaque.is_empty() {
        return;
    }
    let names = summary.opaque.iter().map(|(name, count)| (*count as usize, clean(name)));
    let count = plural(summary.opaque.len(), "function");
    line(format!("{count} without a body or a model, taken to do nothing: {}", most(names, look)));
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

fn unknown(line: &mut impl FnMut(String), report: &Report, look: &Look) {
    for unit in &report.units {
        let determinism = unit.completeness.determinism.iter();
        let alone = determinism
            .filter_map(|(event, proof)| Some((format!("the tasks of {event}"), proof.reason.as_ref()?)));
        let together = unit
            .completeness
            .unanswered
            .iter()
            .map(|unanswered| (unanswered.events.join(" and "), &unanswered.reason));
        // Where nothing could be asked, there is only the answer as a whole.
        let whole = unit.completeness.serializability.reason.as_ref();
        let whole = whole.filter(|_| unit.completeness.unanswered.is_empty());
        let whole = whole.map(|reason| ("all handlers together".to_owned(), reason));
        let all: Vec<_> = alone.chain(together).chain(whole).collect();
        let shown = if look.detail == Detail::Verbose { all.len() } else { NAMED };
        for (events, reason) in all.iter().take(shown) {
            line(format!("no answer: {}, {}: {}", clean(&unit.name), clean(events), clean(reason)));
        }
        if all.len() > shown {
            line(format!("no answer: {}: {} more checks (-v)", clean(&unit.name), all.len() - shown));
        }
    }
}

fn hidden(hidden: &Hidden) -> Option<String> {
    let parts = [
        (hidden.allowed, "allowed"),
        (hidden.suppressed, "suppressed in the source"),
        (hidden.baseline, "in the baseline"),
        (hidden.before, "older than the revision compared with"),
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
