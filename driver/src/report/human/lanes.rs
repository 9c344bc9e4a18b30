//! The schedule as a table, time runs down: one column per event when several take part, else one per task.

use std::fmt::Write;

use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, ContentLineStyle, LineStyle,
    Table, TableStyle, Width,
};
use robust_analyzer::finding::{Finding, Level, Role, Step};

use super::Look;
use crate::report::Sources;
use crate::report::sources::clean;
use crate::report::steps::{conflict, file_name, lane_name, lane_title, quoted};

/// A column narrower than this is no pleasure to read: then the steps become a list.
const NARROWEST: usize = 18;
/// A longer schedule is cut in the middle.
const LONGEST: usize = 200;

const UNICODE: TableStyle = style('│', '─', '┼');
const ASCII: TableStyle = style('|', '-', '+');

/// Lines between the columns and below the heads, none around.
const fn style(between: char, below: char, cross: char) -> TableStyle {
    let content = ContentLineStyle::none().junction(between);
    let below = LineStyle::none().fill(below).junction(cross);
    TableStyle::new().header_lines(content).header_separator(below).content_lines(content)
}

/// The steps side by side, or one after the other when there are too many columns for the width.
pub(super) fn render(finding: &Finding, sources: &Sources, look: &Look) -> String {
    if finding.steps.is_empty() {
        return String::new();
    }
    let schedule = Schedule::new(finding, sources, look);
    // The columns, their gaps, and the two with numbers.
    let fits = schedule.heads.len() * (NARROWEST + 3) + 14 <= look.width;
    if fits && !schedule.heads.is_empty() {
        let table = schedule.table().to_string();
        table.lines().fold("\n".to_owned(), |text, line| text + line.trim_end() + "\n") + "\n"
    } else {
        schedule.list()
    }
}

struct Schedule<'a> {
    finding: &'a Finding,
    sources: &'a Sources,
    look: &'a Look,
    /// The event instances that have a column each; empty when it is tasks that have.
    instances: Vec<u32>,
    heads: Vec<String>,
    /// The file that all steps are in: then it need not be repeated.
    only_file: Option<&'a str>,
}

impl<'a> Schedule<'a> {
    fn new(finding: &'a Finding, sources: &'a Sources, look: &'a Look) -> Self {
        let lanes = &finding.lanes;
        let mut instances: Vec<u32> = lanes.iter().map(|lane| lane.instance).collect();
        instances.sort_unstable();
        instances.dedup();
        if instances.len() < 2 {
            instances.clear();
        }
        let of_instance = |instance: &u32| {
            let mut own = lanes.iter().filter(|lane| lane.instance == *instance);
            own.clone().find(|lane| lane.is_event).or_else(|| own.next())
        };
        let columns: Vec<_> = match instances.is_empty() {
            true => lanes.iter().collect(),
            false => instances.iter().filter_map(of_instance).collect(),
        };
        let heads = columns.into_iter().map(|lane| clean(&lane_title(lane, finding)));
        let mut files: Vec<_> =
            finding.steps.iter().filter_map(|step| Some(step.place.as_ref()?.file.as_str())).collect();
        files.dedup();
        Schedule {
            finding,
            sources,
            look,
            instances,
            heads: heads.collect(),
            only_file: files.first().copied().filter(|_| files.len() == 1),
        }
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        table
            .load_style(if self.look.unicode { UNICODE } else { ASCII })
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(self.look.width.min(usize::from(u16::MAX)) as u16);
        if self.look.color {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        let heads = ["", if self.only_file.is_some() { "line" } else { "where" }].into_iter();
        let heads = heads.chain(self.heads.iter().map(String::as_str));
        table.set_header(heads.map(|head| Cell::new(head).add_attribute(Attribute::Bold)));
        for step in shown(&self.finding.steps) {
            let mut row = vec![Cell::new(""); self.heads.len() + 2];
            match step {
                None => row.fill(Cell::new("...")),
                Some((index, step)) => {
                    row[0] = Cell::new(index + 1).set_alignment(CellAlignment::Right);
                    row[1] = Cell::new(self.place(step))
                        .add_attribute(Attribute::Dim)
                        .set_alignment(CellAlignment::Right);
                    let column = self.column(step);
                    row[column + 2] = self.cell(index, step);
                }
            }
            table.add_row(row);
        }
        for index in [0, 1] {
            if let Some(column) = table.column_mut(index) {
                column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(24)));
            }
        }
        table
    }

    fn column(&self, step: &Step) -> usize {
        let lane = self.finding.lanes.get(step.lane);
        let of_instance = lane.and_then(|lane| self.instances.iter().position(|i| *i == lane.instance));
        let column = of_instance.unwrap_or(step.lane);
        column.min(self.heads.len().saturating_sub(1))
    }

    fn cell(&self, index: usize, step: &Step) -> Cell {
        let cell = Cell::new(self.step(index, step));
        match step.role {
            Role::Step => cell.add_attribute(Attribute::Dim),
            Role::Pivot | Role::Root | Role::Offence => {
                cell.add_attribute(Attribute::Bold).fg(match self.finding.level {
                    Level::Deny => Color::Red,
                    Level::Warn => Color::Yellow,
                    Level::Note | Level::Allow => Color::Cyan,
                })
            }
            _ => cell.add_attribute(Attribute::Bold),
        }
    }

    /// What happens. In an event's column, what one of its tasks does is marked with the task's name, once for steps in a row.
    fn step(&self, index: usize, step: &Step) -> String {
        let lane =
            self.finding.lanes.get(step.lane).filter(|lane| !self.instances.is_empty() && !lane.is_event);
        let before = self.finding.steps[..index].iter().rev();
        let goes_on = before
            .into_iter()
            .find(|other| self.column(other) == self.column(step))
            .is_some_and(|o| o.lane == step.lane);
        let text = match lane {
            None => String::new(),
            Some(_) if goes_on => if self.look.unicode { "… " } else { "... " }.to_owned(),
            Some(lane) => format!("{}: ", clean(&quoted(&lane.name))),
        };
        text + &clean(&step.text) + &conflict(step)
    }

    fn place(&self, step: &Step) -> String {
        match &step.place {
            None => String::new(),
            Some(place) if self.only_file.is_some() => place.line.to_string(),
            Some(place) => format!("{}:{}", clean(file_name(place)), place.line),
        }
    }

    fn list(&self) -> String {
        let mut out = "\n".to_owned();
        for step in shown(&self.finding.steps) {
            let _ = match step {
                None => writeln!(out, "  ..."),
                Some((index, step)) => {
                    let lane = self.finding.lanes.get(step.lane);
                    let lane = lane.map(|lane| clean(&lane_name(lane, self.finding))).unwrap_or_default();
                    let text = clean(&step.text) + &conflict(step);
                    let place = step.place.as_ref().map(|place| match self.only_file {
                        Some(_) => format!(" (line {})", place.line),
                        None => format!(" ({}:{})", clean(self.sources.relative(&place.file)), place.line),
                    });
                    let head = format!("  {:>3}. ", index + 1);
                    let indent = " ".repeat(head.len());
                    let wrapping = self.look.wrapping().initial_indent(&head).subsequent_indent(&indent);
                    let text = format!("{lane} {text}{}", place.unwrap_or_default());
                    writeln!(out, "{}", textwrap::fill(&text, wrapping))
                }
            };
        }
        out.push('\n');
        out
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
