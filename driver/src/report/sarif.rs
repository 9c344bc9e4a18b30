//! SARIF 2.1.0, as code scanning services read it.
//!
//! File names are relative to the sources' base (the repository, where it is known). The schedule is there three times, for
//! readers of different ability: in the message with links to the related locations, as one code flow, and as a code
//! flow with a thread flow per task.

use std::collections::BTreeMap;
use std::path::Path;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use robust_analyzer::finding::{Class, Finding, Level, Step};
use robust_analyzer::ir::SourcePlace;
use serde_json::json;
use serde_sarif::sarif::{
    ArtifactLocation, CodeFlow, Invocation, Location, LogicalLocation, Message, MultiformatMessageString,
    Notification, PhysicalLocation, PropertyBag, Region, ReportingConfiguration, ReportingDescriptor, Result,
    ResultLevel, Run, RunAutomationDetails, Sarif, Stack, StackFrame, ThreadFlow, ThreadFlowLocation, Tool,
    ToolComponent, Version,
};

use super::steps::{function, is_in_conflict, lane_name, remarks, sentence};
use super::{CLASSES, Report, Sources, class_name, explain, main_place};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const ROOT: &str = "%SRCROOT%";

/// What a relative URI reference must not have as it is.
const IN_PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b':')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b']')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The report as a SARIF log with one run. A run that did not complete has no results, rather than none found: alerts stay open.
pub fn render(report: &Report, sources: &Sources) -> String {
    let results = report.findings.iter().map(|finding| result(finding, report, sources)).collect();
    let results = report.error.is_none().then_some(results);
    log(report, sources.base(), invocation(report, sources), results)
}

fn log(report: &Report, base: &Path, invocation: Invocation, results: Option<Vec<Result>>) -> String {
    let uri = format!("file://{}/", encode(&base.to_string_lossy()));
    let mut run = Run::builder()
        .tool(Tool::builder().driver(tool(report)).build())
        .column_kind(json!("unicodeCodePoints"))
        .automation_details(RunAutomationDetails::builder().id(category(report)).build())
        .original_uri_base_ids(BTreeMap::from([(
            ROOT.to_owned(),
            ArtifactLocation::builder().uri(uri).build(),
        )]))
        .invocations(vec![invocation])
        .build();
    run.results = results;
    let log =
        Sarif::builder().schema(SCHEMA).version(json!(Version::V2_1_0.to_string())).runs(vec![run]).build();
    let mut text = serde_json::to_string_pretty(&log).expect("maps have string keys");
    text.push('\n');
    text
}

/// What tells runs about other programs apart: an upload takes the place of an earlier one of the same category.
fn category(report: &Report) -> String {
    let mut units: Vec<&str> = report.units.iter().map(|unit| unit.name.as_str()).collect();
    units.sort_unstable();
    units.dedup();
    format!("cargo-robust/{}/", encode(&units.join("+").replace('/', "-")))
}

fn tool(report: &Report) -> ToolComponent {
    ToolComponent::builder()
        .name(report.tool.name.clone())
        .version(report.tool.version.clone())
        .semantic_version(report.tool.version.clone())
        .information_uri(env!("CARGO_PKG_REPOSITORY"))
        .rules(CLASSES.map(rule).to_vec())
        .build()
}

fn rule(class: Class) -> ReportingDescriptor {
    let text = explain::text(class);
    let title = text.lines().next().unwrap_or_default().trim_start_matches("# ").to_owned();
    let plain = |text: String| MultiformatMessageString::builder().text(text).build();
    let tags = ["concurrency", "correctness", "external/cwe/cwe-362"].into_iter();
    let tags = tags.chain((class == Class::CheckThenAct).then_some("external/cwe/cwe-367"));
    let precision = BTreeMap::from([("precision".to_owned(), json!("high"))]);
    ReportingDescriptor::builder()
        .id(class_name(class))
        .name(title.clone())
        .short_description(plain(title))
        .full_description(plain(explain::short(class)))
        .help(MultiformatMessageString::builder().text(explain::plain(class)).markdown(text).build())
        .help_uri(explain::url(class))
        .default_configuration(
            ReportingConfiguration::builder().level(json!(result_level(Level::Deny))).build(),
        )
        .properties(
            PropertyBag::builder()
                .tags(tags.map(str::to_owned).collect::<Vec<_>>())
                .additional_properties(precision)
                .build(),
        )
        .build()
}

fn invocation(report: &Report, sources: &Sources) -> Invocation {
    let gaps = report.missing().map(|(level, text)| {
        Notification::builder().message(message(text)).level(json!(result_level(level))).build()
    });
    let missing = report.summary.not_analysed.iter().map(|missing| {
        let text = format!("not analysed: {}: {}: {}", missing.unit, missing.name, missing.reason);
        Notification::builder().message(message(text)).level(json!("note")).build()
    });
    let notices = report.notices.iter().map(|notice| {
        let places: Vec<_> = notice.place.iter().map(|place| location(place, sources)).collect();
        Notification::builder()
            .message(message(notice.message.clone()))
            .level(json!("warning"))
            .locations(places)
            .build()
    });
    Invocation::builder()
        .execution_successful(report.error.is_none())
        .tool_execution_notifications(gaps.into_iter().chain(missing).chain(notices).collect::<Vec<_>>())
        .properties(
            PropertyBag::builder()
                .additional_properties(BTreeMap::from([("complete".to_owned(), json!(report.complete))]))
                .build(),
        )
        .build()
}

fn result_level(level: Level) -> ResultLevel {
    match level {
        Level::Deny => ResultLevel::Error,
        Level::Warn => ResultLevel::Warning,
        Level::Note => ResultLevel::Note,
        Level::Allow => ResultLevel::None,
    }
}

fn result(finding: &Finding, report: &Report, sources: &Sources) -> Result {
    let rule = CLASSES.iter().position(|&class| class == finding.class);
    let prints = ["robust/v1", "primaryLocationLineHash"];
    Result::builder()
        .rule_id(class_name(finding.class))
        .rule_index(rule.map_or(-1, |index| index as i64))
        .level(result_level(finding.level))
        .message(schedule(finding, report))
        .locations(vec![primary(finding, sources)])
        .related_locations(related(finding, sources))
        .code_flows(flows(finding, sources))
        .partial_fingerprints(BTreeMap::from(
            prints.map(|name| (name.to_owned(), finding.fingerprint.clone())),
        ))
        .properties(PropertyBag::builder().additional_properties(properties(finding, report)).build())
        .build()
}

fn properties(finding: &Finding, report: &Report) -> BTreeMap<String, serde_json::Value> {
    let own = [("unit".to_owned(), json!(finding.unit)), ("variable".to_owned(), json!(finding.variable))];
    let replay = report.replays.get(&finding.fingerprint).map(|replay| ("replay".to_owned(), json!(replay)));
    own.into_iter().chain(replay).collect()
}

/// What goes wrong, and the steps; those with a place link to their related location.
fn schedule(finding: &Finding, report: &Report) -> Message {
    let mut text = format!("{}\n\n", finding.message);
    let mut markdown = text.clone();
    for (index, step) in finding.steps.iter().enumerate() {
        let plain = sentence(finding, index);
        let linked = plain.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]");
        let line = match &step.place {
            Some(_) => format!("{}. [{linked}]({})\n", index + 1, index + 1),
            None => format!("{}. {linked}\n", index + 1),
        };
        text.push_str(&line);
        markdown.push_str(&line);
    }
    for (head, body) in remarks(finding, report) {
        text.push_str(&format!("\n{head}: {body}\n"));
        markdown.push_str(&format!("\n**{head}**: {body}\n"));
    }
    Message::builder().text(text).markdown(markdown).build()
}

/// A result without a location is refused.
fn primary(finding: &Finding, sources: &Sources) -> Location {
    match main_place(finding) {
        Some(place) => location(place, sources),
        None => Location::builder().physical_location(in_file("Cargo.toml", None, sources)).build(),
    }
}

fn related(finding: &Finding, sources: &Sources) -> Vec<Location> {
    let places = placed(finding).map(|(index, _, place)| {
        let mut related = location(place, sources);
        related.id = Some(index as i64 + 1);
        related.message = Some(message(sentence(finding, index)));
        related
    });
    places.collect()
}

fn placed(finding: &Finding) -> impl Iterator<Item = (usize, &Step, &SourcePlace)> {
    let steps = finding.steps.iter().enumerate();
    steps.filter_map(|(index, step)| step.place.as_ref().map(|place| (index, step, place)))
}

fn flows(finding: &Finding, sources: &Sources) -> Vec<CodeFlow> {
    let steps = |lane: Option<usize>| -> Vec<ThreadFlowLocation> {
        let steps = placed(finding).filter(|(_, step, _)| lane.is_none_or(|lane| step.lane == lane));
        let steps = steps.map(|(index, step, place)| {
            let mut at = location(place, sources);
            at.message = Some(message(sentence(finding, index)));
            let importance = if is_in_conflict(step) { "essential" } else { "important" };
            let mut at = ThreadFlowLocation::builder()
                .location(at)
                .execution_order(index as i64 + 1)
                .importance(json!(importance))
                .build();
            at.stack = stack(step, sources);
            at
        });
        steps.collect()
    };
    let flow = |id: String, locations: Vec<ThreadFlowLocation>| {
        (!locations.is_empty()).then(|| ThreadFlow::builder().id(id).locations(locations).build())
    };
    let whole: Vec<_> = flow("schedule".to_owned(), steps(None)).into_iter().collect();
    if whole.is_empty() {
        return Vec::new();
    }
    let lanes = finding.lanes.iter().enumerate();
    let lanes = lanes.filter_map(|(index, lane)| flow(lane_name(lane, finding), steps(Some(index))));
    let code_flow = |text: &str, threads: Vec<ThreadFlow>| {
        CodeFlow::builder().message(message(text.to_owned())).thread_flows(threads).build()
    };
    vec![code_flow("the schedule", whole), code_flow("the schedule by task", lanes.collect())]
}

/// The calls that lead to a step, where they are known.
fn stack(step: &Step, sources: &Sources) -> Option<Stack> {
    let frames = step.stack.iter().map(|frame| {
        let name =
            LogicalLocation::builder().fully_qualified_name(function(&frame.function)).kind("function");
        let mut at =
            frame.place.as_ref().map_or_else(|| Location::builder().build(), |p| location(p, sources));
        at.logical_locations = Some(vec![name.build()]);
        StackFrame::builder().location(at).build()
    });
    let frames: Vec<StackFrame> = frames.collect();
    (!frames.is_empty()).then(|| Stack::builder().frames(frames).build())
}

fn location(place: &SourcePlace, sources: &Sources) -> Location {
    Location::builder().physical_location(in_file(&place.file, Some(place), sources)).build()
}

fn in_file(file: &str, place: Option<&SourcePlace>, sources: &Sources) -> PhysicalLocation {
    let name = sources.from_base(file).replace('\\', "/");
    let artifact = if name.starts_with('/') {
        ArtifactLocation::builder().uri(format!("file://{}", encode(&name))).build()
    } else {
        ArtifactLocation::builder().uri(encode(&name)).uri_base_id(ROOT).build()
    };
    let mut physical = PhysicalLocation::builder().artifact_location(artifact).build();
    physical.region = Some(region(place));
    physical
}

fn region(place: Option<&SourcePlace>) -> Region {
    let Some(place) = place else { return Region::builder().start_line(1).build() };
    let (line, column) = (place.line.max(1), place.column.max(1));
    let mut region = Region::builder().start_line(i64::from(line)).start_column(i64::from(column)).build();
    if (place.end_line, place.end_column) > (line, column) {
        region.end_line = Some(i64::from(place.end_line));
        region.end_column = Some(i64::from(place.end_column.max(1)));
    }
    region
}

fn encode(path: &str) -> String {
    utf8_percent_encode(path, IN_PATH).to_string()
}

fn message(text: String) -> Message {
    Message::builder().text(text).build()
}
