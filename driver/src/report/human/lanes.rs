//! The schedule as a table: one column per task, one row per step, time runs down.

use std::fmt::Write;

use comfy_table::{ContentArrangement, Table, presets};
use robust_analyzer::finding::{Finding, Step};

use super::Look;
use crate::report::sources::clean;
use crate::report::steps::lane_title;
use crate::report::{Sources, role_name};

/// A column narrower than this is no pleasure to read: then the steps become a list.
const NARROWEST: usize = 14;
/// A longer schedule is cut in the middle.
const LONGEST: usize = 200;

/// The steps side by side, or one after the other when there are too many tasks for the width.
pub(super) fn render(finding: &Finding, sources: &Sources, look: &Look) -> String {
    let columns = finding.lanes.len();
    let mut out = String::new();
    if finding.steps.is_empty() {
        return out;
    }
    if (columns + 1) * (NARROWEST + 3) + 8 <= look.width {
        let _ = writeln!(out, "{}", table(finding, sources, look));
    } else {
        list(&mut out, finding, sources);
    }
    out
}

fn table(finding: &Finding, sources: &Sources, look: &Look) -> Table {
    let mut table = Table::new();
    table
        .load_style(if look.unicode { presets::UTF8_FULL_CONDENSED } else { presets::ASCII_FULL_CONDENSED })
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(look.width.min(usize::from(u16::MAX)) as u16);
    let heads = finding.lanes.iter().map(|lane| clean(&lane_title(lane, finding)));
    let (first, last) = (String::new(), "where".to_owned());
    table.set_header(std::iter::once(first).chain(heads).chain([last]));
    for step in shown(&finding.steps) {
        let mut row = vec![String::new(); finding.lanes.len() + 2];
        match step {
            None => row.fill("...".to_owned()),
            Some((index, step)) => {
                row[0] = (index + 1).to_string();
                row[(step.lane + 1).min(finding.lanes.len())] = step_text(step, look);
                row[finding.lanes.len() + 1] = place_text(step, sources);
            }
        }
        table.add_row(row);
    }
    table
}

fn list(out: &mut String, finding: &Finding, sources: &Sources) {
    let look = Look::default();
    for step in shown(&finding.steps) {
        let _ = match step {
            Some((index, step)) => {
                let lane = finding.lanes.get(step.lane);
                let lane = lane.map(|lane| clean(&lane_title(lane, finding))).unwrap_or_default();
                let (text, place) = (step_text(step, &look), place_text(step, sources));
                writeln!(out, "  {:>3}. [{lane}] {text} {place}", index + 1)
            }
            None => writeln!(out, "  ..."),
        };
    }
}

/// The steps with their numbers; `None` stands where some are left out.
fn shown(steps: &[Step]) -> impl Iterator<Item = Option<(usize, &Step)>> {
    let numbered = steps.iter().enumerate();
    let half = LONGEST / 2;
    let cut = steps.len() > LONGEST;
    numbered.filter_map(move |(index, step)| match cut && index >= half && index < steps.len() - half {
        true if index == half => Some(None),
        true => None,
        false => Some(Some((index, step))),
    })
}

fn step_text(step: &Step, look: &Look) -> String {
    let mut text = clean(&step.text);
    let role = role_name(step.role);
    if !role.is_empty() {
        let arrow = if look.unicode { "◀" } else { "<--" };
        let _ = write!(text, " {arrow} {}", role.to_uppercase());
    }
    text
}

fn place_text(step: &Step, sources: &Sources) -> String {
    let place = step.place.as_ref();
    place.map_or_else(String::new, |place| format!("{}:{}", clean(sources.relative(&place.file)), place.line))
}
