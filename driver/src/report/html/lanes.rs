//! The schedule as swim lanes: a column per task, a row per step, arrows between the accesses in conflict.
//!
//! Columns and rows have fixed sizes, so that the arrows' coordinates are known here.

use maud::{Markup, html};
use robust_analyzer::finding::Finding;
use robust_analyzer::ir::SourcePlace;

use super::words;
use crate::report::Sources;
use crate::report::sources::clean;
use crate::report::steps::{conflict, file_name, is_in_conflict, lane_title};

/// Width of a column and height of a row in pixels; `style.css` has the same numbers.
const COLUMN: usize = 260;
const ROW: usize = 56;
const HEAD: usize = 48;
/// Lines of source shown before and after a step.
const CONTEXT: u32 = 3;
/// A line with more characters is cut: so many are shown on either side of what is pointed to.
const LONG: usize = 400;
const AROUND: usize = 60;
const CUT: &str = "...";

pub(super) fn diagram(card: usize, finding: &Finding, sources: &Sources) -> Markup {
    let (width, height) = (finding.lanes.len() * COLUMN, HEAD + finding.steps.len() * ROW);
    html! { div.beside {
        div.scroll {
            div.lanes style={ "width:" (width) "px;height:" (height) "px" } {
                @for (index, lane) in finding.lanes.iter().enumerate() {
                    div.lane style={ "left:" (index * COLUMN) "px" } {
                        div.head title=(lane_title(lane, finding)) { (words(&lane_title(lane, finding))) }
                    }
                }
                (arrows(finding, width, height))
                @for index in 0..finding.steps.len() {
                    (step_box(card, index, finding))
                }
            }
        }
        div.sources {
            @for (index, step) in finding.steps.iter().enumerate() {
                @if let Some(place) = &step.place { (source(card, index, place, sources, is_in_conflict(step))) }
            }
        }
    } }
}

fn step_box(card: usize, index: usize, finding: &Finding) -> Markup {
    let step = &finding.steps[index];
    let conflict = conflict(step);
    let class = if is_in_conflict(step) { "step role" } else { "step" };
    let style = format!("left:{}px;top:{}px", step.lane * COLUMN, HEAD + index * ROW);
    let place = step.place.as_ref();
    html! {
        button.(class) type="button" style=(style) disabled[place.is_none()]
            aria-controls=[place.map(|_| source_id(card, index))] aria-expanded=[place.map(|_| is_in_conflict(step).to_string())] {
            span.text title=(step.text) {
                span.number { (index + 1) } " " (words(&step.text))
            }
            span.where {
                @if let Some(place) = place { (clean(file_name(place))) ":" (place.line) }
                @if !conflict.is_empty() { b { (conflict) } }
            }
        }
    }
}

fn source_id(card: usize, index: usize) -> String {
    format!("source-{}-{}", card + 1, index + 1)
}

/// The source around a place, beside the lanes; at first that of the accesses in conflict is shown.
fn source(card: usize, index: usize, place: &SourcePlace, sources: &Sources, shown: bool) -> Markup {
    let source = sources.get(&place.file);
    let from = place.line.saturating_sub(CONTEXT).max(1);
    let lines = (from..=place.line.saturating_add(CONTEXT))
        .filter_map(|number| {
            let (from, to) = if number == place.line { (place.column, place.end_column) } else { (1, 1) };
            Some((number, around(source.as_ref()?.line(number)?, from, to)))
        })
        .collect::<Vec<_>>();
    html! {
        div.source id=(source_id(card, index)) hidden[!shown] {
            p { (index + 1) ". " (clean(&place.file)) ":" (place.line) ":" (place.column) }
            @if lines.is_empty() { p { "The source cannot be shown." } } @else {
                pre { @for (number, line) in lines {
                    span.line.here[number == place.line] { span.number { (number) } bdi { (line) } "\n" }
                } }
            }
        }
    }
}

/// A line around some of its columns, which count from 1 and in characters; all of it when it is not long.
fn around(line: &str, from: u32, to: u32) -> String {
    if line.chars().nth(LONG).is_none() {
        return line.to_owned();
    }
    let (from, to) = (from.max(1) as usize - 1, to.max(1) as usize - 1);
    let start = from.saturating_sub(AROUND);
    let shown: String = line.chars().skip(start).take(to.clamp(from, from + LONG) + AROUND - start).collect();
    let before = if start > 0 { CUT } else { "" };
    let behind = if line.chars().nth(to + AROUND).is_some() { CUT } else { "" };
    format!("{before}{shown}{behind}")
}

fn arrows(finding: &Finding, width: usize, height: usize) -> Markup {
    let lines = finding.conflicts().into_iter().filter_map(|(from, to)| {
        let (from_lane, to_lane) = (finding.steps.get(from)?.lane, finding.steps.get(to)?.lane);
        Some(curve((from, from_lane), (to, to_lane)))
    });
    html! {
        svg width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } aria-hidden="true" {
            @for line in lines { path.arrow d=(line) marker-end="url(#arrow)" {} }
        }
    }
}

/// The head of all arrows, once for the page.
pub(super) fn arrow_head() -> Markup {
    html! {
        svg.defs width="0" height="0" aria-hidden="true" {
            marker #arrow viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto" {
                path d="M0 0L10 5L0 10z" {}
            }
        }
    }
}

/// A curve from one step's edge to the other's, on the sides that face each other. It leaves below the middle and arrives
/// above, so that two arrows at one step can be told apart.
fn curve((from, from_lane): (usize, usize), (to, to_lane): (usize, usize)) -> String {
    let y = |step: usize| HEAD + step * ROW + ROW / 2;
    let (y1, y2) = (y(from) + 9, y(to) - 9);
    let right = |lane: usize| (lane + 1) * COLUMN - 14;
    let left = |lane: usize| lane * COLUMN + 14;
    let (x1, x2) = match from_lane.cmp(&to_lane) {
        std::cmp::Ordering::Less => (right(from_lane), left(to_lane)),
        std::cmp::Ordering::Greater => (left(from_lane), right(to_lane)),
        std::cmp::Ordering::Equal => (right(from_lane), right(to_lane)),
    };
    let middle = if from_lane == to_lane { x1 + 14 } else { (x1 + x2) / 2 };
    format!("M{x1} {y1}C{middle} {y1} {middle} {y2} {x2} {y2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_around_places() {
        assert_eq!(around("let a = 1;", 5, 6), "let a = 1;");
        let line = format!("{}here{}", "\u{e4}".repeat(70_000), "b".repeat(70_000));
        let shown = around(&line, 70_001, 70_005);
        assert!(
            shown.starts_with("...\u{e4}") && shown.ends_with("b...") && shown.contains("here"),
            "{shown}"
        );
        assert_eq!(shown.chars().count(), 2 * AROUND + 4 + 2 * CUT.len());
        assert_eq!(around(&line, 140_005, 140_009), format!("...{}", "b".repeat(AROUND)));
    }
}
