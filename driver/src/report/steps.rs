//! Steps and lanes in words, the same in every format for readers.

use robust_analyzer::finding::{Finding, Lane, Role, Step};
use robust_analyzer::ir::SourcePlace;

use super::{Report, Sources, role_name};

/// What the compiler calls a closure or an async block in a function's path.
const CLOSURE: &str = "::{closure#";

/// The report with names that a reader knows: closures and async blocks, which the compiler numbers, are named by their place.
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
    for text in finding.steps.iter_mut().map(|step| &mut step.text).chain([&mut finding.message]) {
        for (old, new) in &names {
            *text = text.replace(&format!("`{old}`"), &format!("`{new}`"));
        }
    }
    finding
}

/// `main::{closure#0}` is `closure at main.rs:7` (`task at main.rs:7` when it was started as one); when an attribute like `#[tokio::main]` made it, it is `main`.
fn lane_in_words(lane: &Lane, finding: &Finding, sources: &Sources) -> String {
    // A number behind the name tells several events of one function apart, which only matters where they meet.
    if let Some((name, number)) = lane.name.rsplit_once('#')
        && !number.is_empty()
        && number.chars().all(|c| c.is_ascii_digit())
        && !finding.lanes.iter().any(|other| other.name != lane.name && is_named(other, name))
    {
        return lane_in_words(&Lane { name: name.to_owned(), ..lane.clone() }, finding, sources);
    }
    let (Some((function, _)), Some(place)) = (lane.name.rsplit_once(CLOSURE), &lane.place) else {
        return lane.name.clone();
    };
    let starts_with_attribute = sources
        .locate(place)
        .is_some_and(|(source, range)| source.text().get(range).is_some_and(|text| text.starts_with("#[")));
    match starts_with_attribute && !function.contains(CLOSURE) {
        true => function.to_owned(),
        false => {
            let what = if lane.is_event { "closure" } else { "task" };
            format!("{what} at {}:{}", file_name(place), place.line)
        }
    }
}

/// Whether a lane has that name, number or not.
fn is_named(lane: &Lane, name: &str) -> bool {
    lane.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
}

/// The last part of a place's file name.
pub(super) fn file_name(place: &SourcePlace) -> &str {
    place.file.rsplit(['/', '\\']).next().unwrap_or(&place.file)
}

/// A task's name, with the number of its event's instance when the schedule has several.
pub(super) fn lane_name(lane: &Lane, finding: &Finding) -> String {
    if several_instances(finding) {
        format!("{} #{}", lane.name, u64::from(lane.instance) + 1)
    } else {
        lane.name.clone()
    }
}

/// Whether more than one event instance takes part.
fn several_instances(finding: &Finding) -> bool {
    finding.lanes.windows(2).any(|pair| pair[0].instance != pair[1].instance)
}

/// A task's name, what it is, and where it runs.
pub(super) fn lane_title(lane: &Lane, finding: &Finding) -> String {
    let kind = if lane.is_event { "event" } else { "task" };
    let place = match lane.executor.as_str() {
        "any" | "" => String::new(),
        executor => format!(" on {executor}"),
    };
    format!("{} ({kind}{place})", lane_name(lane, finding))
}

/// Who does what, in which role.
pub(super) fn sentence(finding: &Finding, step: &Step) -> String {
    let lane = finding.lanes.get(step.lane).map(|lane| lane_name(lane, finding)).unwrap_or_default();
    match role_name(step.role) {
        "" => format!("{lane} {}", step.text),
        role => format!("{lane} {} ({role})", step.text),
    }
}

/// The accesses in conflict, in pairs of steps: the cycle of a serializability violation, or root and pivot.
pub(super) fn conflicts(finding: &Finding) -> Vec<(usize, usize)> {
    let steps = || finding.steps.iter().enumerate();
    let instance = |step: &Step| finding.lanes.get(step.lane).map(|lane| lane.instance);
    let Some((pivot, pivot_step)) = steps().find(|(_, step)| step.role == Role::Pivot) else {
        return Vec::new();
    };
    if let Some((root, _)) = steps().find(|(_, step)| step.role == Role::Root) {
        return vec![(root, pivot)];
    }
    let is_exit = |role| matches!(role, Role::Exit | Role::EntryExit);
    let exit_of = |of| steps().find(|(_, step)| is_exit(step.role) && instance(step) == of);
    let entries = steps().filter(|(_, step)| matches!(step.role, Role::Entry | Role::EntryExit));
    let mut pairs = Vec::new();
    let mut exit = exit_of(instance(pivot_step)).map(|(index, _)| index);
    for (entry, step) in entries {
        pairs.extend(exit.map(|exit| (exit, entry)));
        exit = exit_of(instance(step)).map(|(index, _)| index);
    }
    pairs.extend(exit.map(|exit| (exit, pivot)));
    pairs
}
