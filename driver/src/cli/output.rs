//! Where text goes: reports to standard output, errors to standard error, pages to files.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use miette::Diagnostic;
use robust_analyzer::finding::Class;

use super::args::{Color, Format, ShowOptions};
use super::{exit, interrupt};
use crate::extract::ExtractError;
use crate::replay::ReplayError;
use crate::report::human::{self, Detail, Look};
use crate::report::{
    Report, Sources, concise, explain, github, gitlab, html, json, junit, rustc, sarif, spoken,
};
use crate::run::{Finished, RunError};
use crate::whole;

/// At least and at most so many columns are used.
const WIDTHS: (usize, usize) = (40, 160);

/// How to write on this run's standard output and standard error.
pub(super) struct Output {
    out: Look,
    err: Look,
}

impl Output {
    pub(super) fn new(options: &ShowOptions) -> Output {
        let detail = match (options.quiet, options.verbose) {
            (true, _) => Detail::Quiet,
            (_, true) => Detail::Verbose,
            _ => Detail::Normal,
        };
        let look = |terminal: bool, wanted: ColorChoice, stream: supports_unicode::Stream, width| Look {
            color: use_color(options.color, wanted != ColorChoice::Never),
            unicode: terminal && supports_unicode::on(stream),
            width,
            detail,
        };
        let width = |size: Option<(terminal_size::Width, terminal_size::Height)>| match size {
            Some((width, _)) => usize::from(width.0).clamp(WIDTHS.0, WIDTHS.1),
            None => std::env::var("COLUMNS")
                .ok()
                .and_then(|columns| columns.parse().ok())
                .map_or(Look::default().width, |columns: usize| columns.clamp(WIDTHS.0, WIDTHS.1)),
        };
        let (out, err) = (io::stdout(), io::stderr());
        Output {
            out: look(
                out.is_terminal(),
                AutoStream::choice(&out),
                supports_unicode::Stream::Stdout,
                width(terminal_size::terminal_size_of(&out)),
            ),
            err: look(
                err.is_terminal(),
                AutoStream::choice(&err),
                supports_unicode::Stream::Stderr,
                width(terminal_size::terminal_size_of(&err)),
            ),
        }
    }

    /// Prints why running the user's code came to nothing, unless somebody interrupted it.
    pub(super) fn not_run(&self, error: &ReplayError) -> ExitCode {
        if interrupt::asked() {
            return ExitCode::from(exit::INTERRUPTED);
        }
        self.diagnostic(error);
        ExitCode::from(exit::INCOMPLETE)
    }

    /// Prints the report; the code says whether that went well.
    pub(super) fn report(&self, finished: &Finished, format: Format) -> ExitCode {
        let code = text(&self.render(&finished.report, &finished.sources, format));
        if finished.baseline_written && self.out.detail > Detail::Quiet {
            let count = finished.report.findings.len();
            let _ = writeln!(io::stderr(), "the baseline now has what is reported here ({count})");
        }
        code
    }

    fn render(&self, report: &Report, sources: &Sources, format: Format) -> String {
        let plain = &spoken(report, sources);
        match format {
            Format::Human => human::render(plain, sources, &self.out),
            Format::Json => json::render(report),
            Format::Sarif => sarif::render(plain, sources),
            Format::Github => github::render(plain, sources),
            Format::Rustc => rustc::render(plain, sources),
            Format::Concise => concise::render(plain, sources),
            Format::Gitlab => gitlab::render(plain, sources),
            Format::Junit => junit::render(plain, sources),
        }
    }

    /// Prints a report of a run that came to nothing, in formats that programs read. People read standard error.
    pub(super) fn failed(&self, error: &RunError, format: Format) {
        if !matches!(format, Format::Human | Format::Concise) {
            let sources = Sources::new(std::env::current_dir().unwrap_or_default());
            text(&self.render(&Report::failed(error.to_string()), &sources, format));
        }
    }

    /// Prints the summary of an earlier run, which is the last one there is.
    pub(super) fn earlier(&self, report: &Report) {
        text(&format!("as of the last run that completed: {}\n", human::headline(report, &self.out)));
    }

    /// Prints a line between a run and the next.
    pub(super) fn between(&self, title: &str) {
        let (title, line) = (format!(" {title} "), if self.out.unicode { "─" } else { "-" });
        let rest = self.out.width.saturating_sub(title.chars().count() + 2);
        text(&format!("\n{}{title}{}\n", line.repeat(2), line.repeat(rest)));
    }

    /// Prints what a class means: for people on a terminal, as Markdown elsewhere.
    pub(super) fn explain(&self, class: Class) -> ExitCode {
        match self.out.color {
            true => text(&explain::render(class, &self.out)),
            false => text(explain::text(class)),
        }
    }

    /// Writes the page, if there is to be one.
    pub(super) fn html(&self, finished: &Finished, file: Option<&Path>) -> Result<(), RunError> {
        let Some(file) = file else { return Ok(()) };
        let page = html::render(&spoken(&finished.report, &finished.sources), &finished.sources);
        whole::write(file, &page).map_err(|source| RunError::Write { file: file.into(), source })
    }

    /// Says what went wrong; the code tells whether the user wanted it so.
    pub(super) fn error(&self, error: RunError) -> ExitCode {
        // What fails after the user stopped everything failed because of that.
        if interrupt::asked() || matches!(error, RunError::Extract(ExtractError::Interrupted)) {
            return ExitCode::from(exit::INTERRUPTED);
        }
        self.diagnostic(&error);
        ExitCode::from(exit::INCOMPLETE)
    }

    /// Writes a diagnostic to standard error.
    pub(super) fn diagnostic(&self, error: &dyn Diagnostic) {
        let text = human::draw(&self.err, error);
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

/// Writes text to standard output. A reader that closed it is no error.
pub(super) fn text(text: &str) -> ExitCode {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::from(exit::NOTHING_FOUND),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::from(exit::NOTHING_FOUND),
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: cannot write to standard output: {error}");
            ExitCode::from(exit::INCOMPLETE)
        }
    }
}

/// The option decides, then cargo's setting, then what the stream and the usual variables (`NO_COLOR`, `CLICOLOR`,
/// `CLICOLOR_FORCE`, `TERM`) ask for.
fn use_color(option: Option<Color>, wanted: bool) -> bool {
    let cargo = std::env::var("CARGO_TERM_COLOR").ok();
    match (option, cargo.as_deref()) {
        (Some(Color::Always), _) | (None, Some("always")) => true,
        (Some(Color::Never), _) | (None, Some("never")) => false,
        _ => wanted,
    }
}

/// Prints what came of running the user's code: whether something was wrong, and whether anything ran.
pub(super) fn of_runs(text: &str, wrong: bool, ran: bool) -> ExitCode {
    let code = self::text(text);
    match (wrong, ran) {
        _ if code != ExitCode::from(exit::NOTHING_FOUND) => code,
        (true, _) => ExitCode::from(exit::FINDINGS),
        (false, false) => ExitCode::from(exit::INCOMPLETE),
        (false, true) => code,
    }
}
