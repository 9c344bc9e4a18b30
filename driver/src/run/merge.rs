//! Joining the reports of runs that shared the questions (`--partition`). The result is that of a single run.

use robust_analyzer::finding::{self, Finding};

use super::RunError;
use crate::gate;
use crate::report::{Answer, Notice, NoticeKind, Report, StageTime, Unit, Verdicts};

/// Joins reports of all parts.
///
/// # Errors
/// They are not all parts, or not parts of one whole.
pub(super) fn merge(mut reports: Vec<Report>) -> Result<Report, RunError> {
    if let Some(error) = reports.iter().find_map(|report| report.error.as_ref()) {
        return Err(RunError::Merge(format!("one of the runs did not complete: {error}")));
    }
    reports.sort_by_key(|report| report.part.map(|part| part.index));
    let parts: Vec<_> = reports.iter().map(|report| report.part.map(|part| (part.index, part.of))).collect();
    let all = (1..=parts.len() as u32).map(|index| Some((index, parts.len() as u32)));
    if !parts.iter().copied().eq(all) {
        let part = |part: &Option<(u32, u32)>| match part {
            Some((index, of)) => format!("{index}/{of}"),
            None => "a whole".to_owned(),
        };
        let given = parts.iter().map(part).collect::<Vec<_>>().join(", ");
        return Err(RunError::Merge(format!("these are not all parts of one run: {given}")));
    }
    let mut rest = reports.into_iter();
    let Some(mut whole) = rest.next() else {
        return Err(RunError::Merge("there is nothing to merge".to_owned()));
    };
    whole.part = None;
    for report in rest {
        join(&mut whole, report)?;
    }
    settle(&mut whole);
    Ok(whole)
}

fn join(whole: &mut Report, more: Report) -> Result<(), RunError> {
    let names = |report: &Report| -> Vec<(String, String)> {
        report.units.iter().map(|unit| (unit.name.clone(), unit.kind.clone())).collect()
    };
    for (same, what) in [
        (whole.schema_version == more.schema_version, "the schema"),
        (whole.tool == more.tool, "the versions of the tools"),
        (whole.bounds == more.bounds, "the bounds of the search"),
        (names(whole) == names(&more) && whole.summary.bodies == more.summary.bodies, "what was analysed"),
    ] {
        if !same {
            return Err(RunError::Merge(format!("the reports differ in {what}")));
        }
    }
    for (unit, other) in whole.units.iter_mut().zip(more.units) {
        unit.verdicts.determinism.extend(other.verdicts.determinism);
        unit.completeness.determinism.extend(other.completeness.determinism);
        let (answer, proof) = (other.verdicts.serializability, &other.completeness.serializability);
        unit.verdicts.outweigh(&mut unit.completeness, answer, proof);
        unit.completeness.unanswered.extend(other.completeness.unanswered);
    }
    whole.findings.extend(more.findings);
    whole.replays.extend(more.replays);
    whole.hidden.allowed += more.hidden.allowed;
    whole.hidden.suppressed += more.hidden.suppressed;
    whole.hidden.baseline += more.hidden.baseline;
    whole.hidden.before += more.hidden.before;
    whole.notices = notices(std::mem::take(&mut whole.notices), more.notices);
    whole.incomplete_fails |= more.incomplete_fails;
    let mut other = more.summary;
    for (sum, more) in whole.summary.answers().into_iter().zip(other.answers()) {
        *sum += *more;
    }
    for StageTime { stage, ms } in &other.stages {
        whole.summary.add_time(stage, *ms);
    }
    Ok(())
}

/// That something is not needed holds when no part needs it.
fn notices(own: Vec<Notice>, other: Vec<Notice>) -> Vec<Notice> {
    let everywhere = |kind| matches!(kind, NoticeKind::UnusedSuppression | NoticeKind::StaleBaseline);
    let mut all: Vec<Notice> =
        own.into_iter().filter(|notice| !everywhere(notice.kind) || other.contains(notice)).collect();
    for notice in other {
        if !everywhere(notice.kind) && !all.contains(&notice) {
            all.push(notice);
        }
    }
    all
}

/// What follows from all parts together.
fn settle(whole: &mut Report) {
    for unit in &mut whole.units {
        let complete =
            |event: &String| unit.completeness.determinism.get(event).is_some_and(|proof| proof.complete);
        let mut answers = unit.verdicts.determinism.iter();
        let proved = answers.all(|(event, answer)| *answer == Answer::Holds && complete(event));
        unit.completeness.despite_nondeterminism = !proved;
    }
    finding::one_per_race(&mut whole.findings);
    note_nondeterminism(&mut whole.findings, &whole.units);
    whole.findings.sort_by(|a, b| b.level.cmp(&a.level).then_with(|| gate::order(a).cmp(&gate::order(b))));
    let units = whole.units.iter();
    (whole.verdicts, whole.completeness) =
        Verdicts::merge(units.map(|unit| (unit.name.as_str(), &unit.verdicts, &unit.completeness)));
    whole.note_gaps();
}

/// Tells findings whether they are there despite nondeterminism: in their own unit, or in any if they are in a library.
pub(super) fn note_nondeterminism(findings: &mut [Finding], units: &[Unit]) {
    for finding in findings {
        let own = |unit: &&Unit| unit.name == finding.unit;
        let despite = match units.iter().find(own) {
            Some(unit) => unit.completeness.despite_nondeterminism,
            None => units.iter().any(|unit| unit.completeness.despite_nondeterminism),
        };
        finding.property.set_despite_nondeterminism(despite);
    }
}
