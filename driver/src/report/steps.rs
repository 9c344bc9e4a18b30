//! Steps and lanes in words, the same in every format.

use robust_analyzer::finding::{Finding, Lane, Step};

use super::role_name;

/// A task's name, with the number of its event's instance when the schedule has several.
pub(super) fn lane_name(lane: &Lane, finding: &Finding) -> String {
    let several = finding.lanes.iter().any(|other| other.instance != lane.instance);
    if several { format!("{} #{}", lane.name, u64::from(lane.instance) + 1) } else { lane.name.clone() }
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
