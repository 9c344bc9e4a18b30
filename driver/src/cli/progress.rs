//! What is going on, on a terminal and on the error output only.

use std::fmt;
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use cargo_metadata::Message;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use robust_analyzer::db;

use super::interrupt;
use crate::extract::{Progress, Stage};
use crate::run::Watch;

/// A line that tells the stage. While cargo runs it gives way to cargo's own.
pub(super) struct Terminal {
    bar: ProgressBar,
    quiet: bool,
}

impl Terminal {
    pub(super) fn new(quiet: bool) -> Terminal {
        Terminal { bar: ProgressBar::hidden(), quiet: quiet || !std::io::stderr().is_terminal() }
    }

    /// Takes the line away.
    pub(super) fn finish(&mut self) {
        self.bar.finish_and_clear();
        self.bar = ProgressBar::hidden();
        interrupt::wind_up_in_order(false);
    }

    /// Something that is no part of the analysis.
    pub(super) fn aside(&mut self, what: &str) {
        interrupt::wind_up_in_order(false);
        self.say(what);
    }

    fn say(&mut self, text: impl Into<String>) {
        self.show(text, ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}").ok());
    }

    fn show(&mut self, text: impl Into<String>, style: Option<ProgressStyle>) {
        if self.quiet {
            return;
        }
        if self.bar.is_hidden() {
            self.bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(Duration::from_millis(120));
        }
        if let Some(style) = style {
            self.bar.set_style(style);
        }
        self.bar.set_message(text.into());
    }
}

impl Progress for Terminal {
    fn stage(&mut self, stage: Stage) {
        interrupt::wind_up_in_order(true);
        match stage {
            Stage::Prepare => self.say("looking at the workspace"),
            Stage::Cargo => {
                self.bar.finish_and_clear();
                self.bar = ProgressBar::hidden();
            }
            Stage::Parse => self.say("reading MIR"),
        }
    }

    fn compiler_message(&mut self, message: &Message) {
        // A message that cannot be printed any more is nobody's.
        if let Ok(line) = serde_json::to_string(message) {
            let _ = writeln!(std::io::stdout().lock(), "{line}");
        }
    }

    fn parsed(&mut self, crate_name: &str, done: usize, all: usize) {
        self.say(format!("reading MIR: {crate_name} ({done} of {all})"));
    }

    fn cancelled(&self) -> bool {
        interrupt::asked()
    }
}

impl Watch for Terminal {
    fn extraction(&mut self) -> &mut dyn Progress {
        self
    }

    fn warn(&mut self, what: &str) {
        self.bar.suspend(|| eprintln!("warning: {what}"));
    }

    fn analysing(&mut self, what: &str) {
        interrupt::wind_up_in_order(false);
        self.say(what);
    }

    fn checking(&mut self, what: &str, progress: Arc<db::Progress>) {
        interrupt::wind_up_in_order(false);
        let checks = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            let (done, most) = progress.get();
            if done < most {
                let _ = write!(out, ": check {} of up to {most}", done + 1);
            }
        };
        let style = ProgressStyle::with_template("{spinner} {msg}{checks} {elapsed}").ok();
        self.show(what, style.map(|style| style.with_key("checks", checks)));
    }
}
