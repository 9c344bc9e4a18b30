//! What bounds the search.

use std::time::Duration;

use clap::Args;
use clap::builder::TypedValueParser;
use robust_analyzer::check::{Options, Part};

/// How far to search.
#[derive(Args, Debug)]
pub struct LimitOptions {
    /// Greatest number of concurrent calls of handlers in a run, all handlers together
    #[arg(long, alias = "events", value_name = "N", default_value_t = Options::default().events, help_heading = "Search",
        value_parser = positive())]
    pub instances: u32,
    /// Greatest number of times a loop is unrolled and a recursive function is nested; fewer are tried first
    #[arg(long, value_name = "N", default_value_t = Options::default().unroll, help_heading = "Search",
        value_parser = positive())]
    pub unroll: u32,
    /// Time for one check
    #[arg(long, value_name = "SECONDS", default_value_t = Options::default().timeout.as_secs(), help_heading = "Search",
        value_parser = seconds())]
    pub timeout: u64,
    /// What the run may take.
    #[command(flatten)]
    pub run: RunLimits,
    /// Maximum findings per check
    #[arg(long, value_name = "N", default_value_t = Options::default().findings as u32, help_heading = "Search",
        value_parser = positive())]
    pub findings: u32,
    /// Checks worked on at a time; 0 for as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    pub question_jobs: usize,
    /// Run only the I-th of N parts of the checks; `cargo robust merge` joins the parts' JSON reports
    #[arg(long, value_name = "I/N", value_parser = part, help_heading = "Search")]
    pub partition: Option<Part>,
}

/// What a run may take, whatever it does.
#[derive(Args, Debug)]
pub struct RunLimits {
    /// Time for the whole run; what cargo takes to compile comes on top
    #[arg(long, value_name = "SECONDS", default_value_t = Options::default().total.as_secs(), help_heading = "Search",
        value_parser = seconds())]
    pub total_timeout: u64,
    /// Memory for the run: what would need more is looked at less closely, or left out, and said to be
    #[arg(long, value_name = "MB", default_value_t = Options::default().memory, help_heading = "Search",
        value_parser = positive())]
    pub memory: u32,
}

impl RunLimits {
    /// In the analysis' terms.
    pub fn options(&self) -> Options {
        let total = Duration::from_secs(self.total_timeout);
        Options { total, memory: self.memory, ..Options::default() }
    }
}

/// A number that is not zero. Said in words: clap's own range would name the type's greatest number.
pub(super) fn positive() -> impl TypedValueParser<Value = u32> {
    clap::builder::StringValueParser::new().try_map(|text| match text.parse() {
        Ok(0) => Err("it must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err(format!("expected a number from 1 to {}", u32::MAX)),
    })
}

/// A time of at most a day.
fn seconds() -> impl TypedValueParser<Value = u64> {
    const DAY: u64 = 24 * 60 * 60;
    positive().try_map(|seconds| match u64::from(seconds) {
        seconds if seconds <= DAY => Ok(seconds),
        _ => Err(format!("it must be at most {DAY}, a day")),
    })
}

/// `2/4`
fn part(text: &str) -> Result<Part, String> {
    let numbers = text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
    match numbers {
        Some((index, of)) if 1 <= index && index <= of => Ok(Part { index, of }),
        _ => Err("expected a part and the number of parts, as in `2/4`".to_owned()),
    }
}

impl LimitOptions {
    /// In the analysis' terms.
    pub fn options(&self) -> Options {
        Options {
            events: self.instances,
            unroll: self.unroll,
            findings: self.findings as usize,
            timeout: Duration::from_secs(self.timeout),
            jobs: self.question_jobs,
            part: self.partition,
            ..self.run.options()
        }
    }
}
