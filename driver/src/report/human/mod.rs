//! Reports for a person at a terminal, and for logs, as rustc writes them.

mod failure;
mod lanes;
mod snippet;
mod summary;

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
pub(crate) use failure::draw;
use robust_analyzer::finding::{Finding, Level};
pub(crate) use summary::headline;

use super::sources::clean;
use super::steps::remarks;
use super::{Notice, NoticeKind, Replay, Report, Sources, class_name};

/// How to write for the reader at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// With colours.
    pub color: bool,
    /// With box drawing and other characters beyond ASCII.
    pub unicode: bool,
    /// Columns there are.
    pub width: usize,
    /// How much to say.
    pub detail: Detail,
}

/// How much to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Findings only.
    Quiet,
    /// And a summary.
    #[default]
    Normal,
    /// And everything that was left out.
    Verbose,
}

impl Default for Look {
    fn default() -> Self {
        Look { color: false, unicode: false, width: 100, detail: Detail::Normal }
    }
}

impl Look {
    /// Text in a style, when there are colours.
    fn paint(&self, style: Style, text: &str) -> String {
        if self.color { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    pub(super) fn bold(&self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    /// Code, line by line: some pagers forget colours at the end of a line.
    pub(super) fn code(&self, text: &str) -> String {
        let style = AnsiColor::Cyan.on_default();
        text.lines().map(|line| self.paint(style, line) + "\n").collect()
    }

    /// Lines as long as the width allows. They are broken at spaces only: a name or an option is one word.
    fn wrapping<'o>(&self) -> textwrap::Options<'o> {
        textwrap::Options::new(self.width)
            .break_words(false)
            .word_separator(textwrap::WordSeparator::AsciiSpace)
            .word_splitter(textwrap::WordSplitter::NoHyphenation)
    }

    fn level(&self, level: Level, text: &str) -> String {
        let color = match level {
            Level::Deny => AnsiColor::Red,
            Level::Warn => AnsiColor::Yellow,
            Level::Note | Level::Allow => AnsiColor::Cyan,
        };
        self.paint(color.on_default().bold(), text)
    }
}

/// The whole report.
pub fn render(report: &Report, sources: &Sources, look: &Look) -> String {
    let mut out = String::new();
    missing_text(&mut out, report, look);
    for finding in &report.findings {
        out.push_str(&finding_text(finding, report, sources, look));
        out.push('\n');
    }
    for notice in &report.notices {
        notice_text(&mut out, notice, look);
    }
    if look.detail > Detail::Quiet {
        summary::write(&mut out, report, look);
    }
    out
}

fn finding_text(finding: &Finding, report: &Report, sources: &Sources, look: &Look) -> String {
    let mut out = snippet::render(finding, sources, look);
    out.push_str(&lanes::render(finding, sources, look));
    for (head, text) in remarks(finding, report) {
        out.push_str(&remark(head, &clean(&text), look));
    }
    let details = report.replays.get(&finding.fingerprint).map(Replay::details).unwrap_or_default();
    for line in details {
        let _ = writeln!(out, "      {}", clean(&line));
    }
    if let Some(repair) = snippet::repair(finding, sources, look) {
        out.push_str(&repair);
    }
    let class = class_name(finding.class);
    out.push_str(&remark(
        "note",
        &format!("for examples and repairs, run `cargo robust --explain {class}`"),
        look,
    ));
    if look.detail == Detail::Verbose {
        out.push_str(&remark("note", &format!("fingerprint {}", finding.fingerprint), look));
    }
    out
}

/// `note: ` and a text, on as many lines as the width asks for.
fn remark(head: &str, text: &str, look: &Look) -> String {
    let head = format!("{head}: ");
    let indent = " ".repeat(head.len());
    let wrapping = look.wrapping().initial_indent(&indent).subsequent_indent(&indent);
    let text = textwrap::fill(text, wrapping);
    let head = match head.starts_with("help") {
        true => look.paint(AnsiColor::BrightCyan.on_default().bold(), head.trim_end()),
        false => look.paint(AnsiColor::BrightGreen.on_default().bold(), head.trim_end()),
    };
    format!("{head} {}\n", text.trim_start())
}

/// What silence is not about: always there, and before everything else.
fn missing_text(out: &mut String, report: &Report, look: &Look) {
    let Some((level, missing)) = report.missing() else { return };
    let head = match level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Note | Level::Allow => "note",
    };
    let _ = writeln!(out, "{}: {}\n", look.level(level, head), clean(&missing));
}

fn notice_text(out: &mut String, notice: &Notice, look: &Look) {
    let _ = writeln!(out, "{}: {}", look.level(Level::Warn, "warning"), clean(&notice.message));
    if let Some(place) = &notice.place {
        let _ = writeln!(out, "  --> {}:{}:{}", clean(&place.file), place.line, place.column);
    }
    if notice.kind == NoticeKind::StaleBaseline {
        out.push_str(&remark("help", "`--write-baseline` drops such entries", look));
    }
    out.push('\n');
}
