//! Steps and lanes in words, the same in every format for readers.

use robust_analyzer::finding::{Finding, Lane, Role, Step, StepKind};
use robust_analyzer::ir::SourcePlace;

use super::names::property_name;
use super::{Replay, Report, Sources};

/// What the compiler calls a closure or an async block in a function's path.
const CLOSURE: &str = "::{closure#";

/// The report with names that a reader knows.
pub fn spoken(report: &Report, sources: &Sources) -> Report {
    let findings = report.findings.iter().map(|finding| spoken_finding(finding, sources));
    Report { findings: findings.collect(), ..report.clone() }
}

fn spoken_finding(finding: &Finding, sources: &Sources) -> Finding {
    let mut finding = finding.clone();
    let names = finding.lanes.iter().map(|lane| (lane.name.clone(), lane_in_words(lane, &finding, sources)));
    let mut names: Vec<_> = names.filter(|(old, new)| old != new).collect();
    names.sort();
    names.dedup();
    for lane in &mut finding.lanes {
        if let Some((_, new)) = names.iter().find(|(old, _)| *old == lane.name) {
            lane.name.clone_from(new);
        }
    }
    for step in finding.steps.iter_mut().filter(|step| step.kind == StepKind::Spawn) {
        // Its place says which, and the task's own steps say more.
        if names.iter().any(|(old, new)| *old == step.subject && new.contains('`')) {
            step.text = "starts a task".to_owned();
        }
    }
    let steps = finding.steps.iter_mut().map(|step| &mut step.text);
    let texts = [&mut finding.message, &mut finding.hint, &mut finding.excuse];
    for text in steps.chain(texts) {
        for (old, new) in &names {
            *text = text.replace(&format!("`{old}`"), &quoted(new));
        }
    }
    drop_numbers(&mut finding);
    finding
}

/// A name between back quotes; a phrase, which has such names in it, as it is.
pub(super) fn quoted(name: &str) -> String {
    if name.contains('`') { name.to_owned() } else { format!("`{name}`") }
}

/// A closure or an async block, which the compiler numbers, is called by its place and the function that it is in:
/// "task spawned at main.rs:7 (in `serve`)". When an attribute like `#[tokio::main]` made it, it is the function.
fn lane_in_words(lane: &Lane, finding: &Finding, sources: &Sources) -> String {
    // A number behind the name tells several events of one function apart, which only matters where they meet.
    let plain = without_number(&lane.name);
    let meet =
        finding.lanes.iter().any(|other| other.name != lane.name && without_number(&other.name) == plain);
    let name = if meet { &lane.name } else { plain };
    let (Some((outer, _)), Some(place)) = (name.rsplit_once(CLOSURE), &lane.place) else {
        return name.to_owned();
    };
    let starts_with_attribute = sources
        .locate(place)
        .is_some_and(|(source, range)| source.text().get(range).is_some_and(|text| text.starts_with("#[")));
    let function = function(outer);
    match starts_with_attribute && function == outer {
        true => function.to_owned(),
        false => {
            let what = match (lane.is_spawned, lane.is_event) {
                (true, _) => "task spawned",
                (false, true) => "handler",
                (false, false) => "closure",
            };
            format!("{what} at {}:{} (in `{function}`)", file_name(place), place.line)
        }
    }
}

/// A name without the number that tells things of one name apart: `unlock` for `unlock#2`.
fn without_number(name: &str) -> &str {
    match name.rsplit_once('#') {
        Some((plain, number)) if !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) => plain,
        _ => name,
    }
}

/// Numbers of variables and locks go where only one of that name takes part.
fn drop_numbers(finding: &mut Finding) {
    let mut subjects: Vec<&str> = finding.steps.iter().map(|step| step.subject.as_str()).collect();
    subjects.extend([finding.variable.as_str()]);
    subjects.sort_unstable();
    subjects.dedup();
    let is_only = |name: &&&str| {
        let plain = without_number(name);
        plain != **name && !subjects.iter().any(|other| other != *name && without_number(other) == plain)
    };
    let numbered: Vec<String> = subjects.iter().filter(is_only).map(|name| (*name).to_owned()).collect();
    let steps = finding.steps.iter_mut().flat_map(|step| [&mut step.text, &mut step.subject]);
    let own = [&mut finding.message, &mut finding.hint, &mut finding.excuse, &mut finding.variable];
    for text in steps.chain(own) {
        for name in &numbered {
            let plain = without_number(name);
            *text = if text == name {
                plain.to_owned()
            } else {
                text.replace(&format!("`{name}`"), &format!("`{plain}`"))
            };
        }
    }
}

/// The last part of a place's file name.
pub(super) fn file_name(place: &SourcePlace) -> &str {
    place.file.rsplit(['/', '\\']).next().unwrap_or(&place.file)
}

/// A task's name, with the number of its event's instance when others have the same name.
pub(super) fn lane_name(lane: &Lane, finding: &Finding) -> String {
    let mut others = finding.lanes.iter().filter(|other| other.instance != lane.instance);
    match others.any(|other| other.name == lane.name) {
        true => format!("{} #{}", quoted(&lane.name), u64::from(lane.instance) + 1),
        false => quoted(&lane.name),
    }
}

/// A task's name, what it is, and where it runs.
pub(super) fn lane_title(lane: &Lane, finding: &Finding) -> String {
    let name = lane_name(lane, finding);
    let kind = match (name.starts_with('`'), lane.is_event, lane.name == MAIN) {
        (false, ..) | (_, true, true) => "",
        (_, true, false) => "handler ",
        (_, false, _) => "task ",
    };
    let place = match lane.executor.as_str() {
        "any" | "" => String::new(),
        // It does one thing after the other: that is its own business.
        own if own.contains(CLOSURE) => String::new(),
        executor => format!(" on {executor}"),
    };
    format!("{kind}{name}{place}")
}

/// What a program begins with is no handler.
const MAIN: &str = "main";

/// Who does what, and which later steps that conflicts with.
pub(super) fn sentence(finding: &Finding, index: usize) -> String {
    let Some(step) = finding.steps.get(index) else { return String::new() };
    format!("{}{}", deed(finding, step), conflict(step))
}

/// Who does what.
pub(super) fn deed(finding: &Finding, step: &Step) -> String {
    let lane = finding.lanes.get(step.lane).map(|lane| lane_name(lane, finding)).unwrap_or_default();
    format!("{lane} {}", step.text)
}

/// The later steps that a step conflicts with, in words; empty when there are none.
pub(super) fn conflict(step: &Step) -> String {
    let steps: Vec<String> = step.conflicts_with.iter().map(u32::to_string).collect();
    match &steps[..] {
        [] => String::new(),
        [one] => format!(", conflicts with step {one}"),
        several => format!(", conflicts with steps {}", several.join(" and ")),
    }
}

/// What there is to say below a finding, each with the word it begins with: why it need not be a bug, what to do about it, how tasks
/// come to the accesses in conflict, who does the same, what the code is taken to be meant to do.
pub(super) fn remarks(finding: &Finding, report: &Report) -> Vec<(&'static str, String)> {
    let assumes = match finding.assumption.is_empty() {
        true => String::new(),
        false => format!("assumes: {}", finding.assumption),
    };
    let first = [("note", finding.excuse.clone()), ("help", finding.hint.clone())];
    let ways = (0..finding.steps.len()).map(|index| ("note", way(finding, index)));
    let replayed = report.replays.get(&finding.fingerprint).map(Replay::text).unwrap_or_default();
    let watched = property_name(finding.class).map_or_else(String::new, |property| {
        format!("`cargo robust monitor` watches runs for this as `{property}`")
    });
    let last = [("note", finding.same_elsewhere()), ("note", assumes), ("note", watched), ("note", replayed)];
    let remarks = first.into_iter().chain(ways).chain(last);
    remarks.filter(|(_, text)| !text.is_empty()).collect()
}

/// In which function a step in conflict is, and how the task came there; empty when it is the task's own function.
fn way(finding: &Finding, index: usize) -> String {
    let Some(step) = finding.steps.get(index).filter(|step| is_in_conflict(step)) else {
        return String::new();
    };
    let own = finding.lanes.get(step.lane).map(|lane| lane.name.as_str()).unwrap_or_default();
    let mut frames = step.stack.iter();
    let Some(first) = frames.next() else { return String::new() };
    let mut at = function(&first.function);
    let mut text = format!("step {} is in `{at}`", index + 1);
    let mut calls = 0;
    for frame in frames {
        let name = function(&frame.function);
        if name == at {
            continue;
        }
        // The task's own closure, or the function that it is in.
        let (verb, within) = match frame.function.contains(CLOSURE) {
            true => ("called", "a closure in "),
            false => ("reached", ""),
        };
        text.push_str(&match &frame.place {
            Some(place) => format!(", called from {within}`{name}` ({}:{})", file_name(place), place.line),
            None => format!(", {verb} from {within}`{name}`"),
        });
        at = name;
        calls += 1;
    }
    let is_own = calls == 0 && (own == at || own.contains(&format!("`{at}`")) || function(own) == at);
    if is_own { String::new() } else { text }
}

/// A function's name without what the compiler, or the analysis, adds to tell its parts and its uses apart.
pub(super) fn function(name: &str) -> &str {
    without_number(name.split(CLOSURE).next().unwrap_or(name))
}

/// The places of the steps in conflict.
pub(super) fn is_in_conflict(step: &Step) -> bool {
    step.role != Role::Step
}
