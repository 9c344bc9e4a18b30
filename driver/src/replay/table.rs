//! Scenarios and interleavings as tables, a column for each lane.

use std::fmt::Write as _;

use super::explore::{Failure, Points};
use super::harness::Operation;
use super::report::course;
use crate::report::replay::{Course, Shown};

/// The scenario with its results.
pub fn scenario(course: &Course) -> String {
    let mut text = String::new();
    let list = |shown: &[Shown]| {
        shown.iter().map(|one| format!("{}: {}", one.call, one.result)).collect::<Vec<_>>().join(", ")
    };
    if !course.before.is_empty() {
        let _ = writeln!(text, "before: {}", list(&course.before));
    }
    let rows = course.lanes.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |lane: &Vec<Shown>, row: usize| {
        lane.get(row).map_or(String::new(), |one| format!("{}: {}", one.call, one.result))
    };
    let rows: Vec<Vec<String>> =
        (0..rows).map(|row| course.lanes.iter().map(|lane| cell(lane, row)).collect()).collect();
    text.push_str(&table(&rows));
    if !course.after.is_empty() {
        let _ = writeln!(text, "after: {}", list(&course.after));
    }
    let _ = writeln!(text, "state: {}", course.state);
    text
}

/// Rows of cells, as wide as they need to be.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        text.push('|');
        for (column, width) in widths.iter().enumerate() {
            let cell = row.get(column).map_or("", String::as_str);
            let _ = write!(text, " {cell:width$} |");
        }
        text.push('\n');
    }
    text
}

/// What happened in the lanes, in order: the places that each came to, and who went on when.
pub fn interleaving(failure: &Failure, points: &Points, operations: &[Operation]) -> String {
    let run = &failure.violation.run;
    let shown = course(run, operations);
    let lanes = shown.lanes.len();
    // One clock: beginnings and ends of calls; places lie between.
    let mut entries: Vec<(u64, usize, usize, String)> = Vec::new();
    for lane in 0..lanes {
        let own = run.calls.iter().filter(|call| call.part == lane as i32);
        for (call, shown) in own.zip(&shown.lanes[lane]) {
            let inside = |event: &&(usize, u32, u64)| {
                event.0 == lane && event.2 >= call.begin && (call.end == 0 || event.2 < call.end)
            };
            let alone = call.end != 0
                && !run
                    .events
                    .iter()
                    .any(|event| event.0 != lane && event.2 > call.begin && event.2 < call.end)
                && call.end == call.begin + 1
                && !between(run, lane, call.begin);
            if alone {
                entries.push((call.begin, 0, lane, format!("{}: {}", shown.call, shown.result)));
                continue;
            }
            entries.push((call.begin, 0, lane, shown.call.clone()));
            for (at, event) in run.events.iter().enumerate() {
                if inside(&event) {
                    let name = points.names.get(event.1 as usize).cloned().unwrap_or_default();
                    entries.push((event.2, at + 1, lane, format!("  {name}")));
                }
            }
            if call.end != 0 {
                entries.push((call.end, 0, lane, format!("  result: {}", shown.result)));
            } else {
                entries.push((u64::MAX, 0, lane, "  never ends".to_owned()));
            }
        }
    }
    entries.sort();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut last: Option<usize> = None;
    for (.., lane, text) in entries {
        if let Some(before) = last.filter(|&before| before != lane)
            && rows
                .last()
                .is_some_and(|row| !row[before].contains("result: ") && row[before].starts_with("  "))
        {
            rows.push(
                (0..lanes)
                    .map(|column| if column == before { "  switch".to_owned() } else { String::new() })
                    .collect(),
            );
        }
        rows.push(
            (0..lanes).map(|column| if column == lane { text.clone() } else { String::new() }).collect(),
        );
        last = Some(lane);
    }
    table(&rows)
}

/// Whether another lane did something while this call, which began then, was under way and no call began or ended.
fn between(run: &super::worker::Run, lane: usize, begin: u64) -> bool {
    run.events.iter().any(|event| event.0 != lane && event.2 == begin)
}
