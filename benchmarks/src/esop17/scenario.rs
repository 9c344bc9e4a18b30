//! The scenarios, as they are written down.

use std::path::{Path, PathBuf};

use robust_analyzer::lower::{Told, ToldEvent};
use serde::Deserialize;

/// One driver of the artifact: what is set up, which events there are, what is to be found out about them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scenario {
    /// The property in question.
    pub question: Property,
    /// Functions that run first.
    pub setup: Vec<String>,
    /// Whether to ask about any number of instances of each event, too.
    #[serde(default = "yes")]
    pub any_number: bool,
    /// The events.
    pub event: Vec<cargo_robust::gate::Event>,
    /// What is to be found out.
    pub expect: Expect,
}

/// The property in question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Property {
    /// Of the only event.
    Determinism,
    /// Of all events together.
    Serializability,
}

/// What is to be found out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// What the definition gives.
    pub verdict: Verdict,
    /// What paper or artifact say.
    pub paper: String,
    /// The worst level of what is found, where that is no error.
    pub level: Option<String>,
    /// Functions that the report has to name, `fragment` of a function's name each.
    #[serde(default)]
    pub names: Vec<String>,
    /// All parts of a violation that has to be among those that are found.
    #[serde(default)]
    pub part: Vec<Part>,
    /// Why.
    #[allow(dead_code)]
    pub why: String,
}

/// A part of a violation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// `pivot`, `root`, `entry`, `exit` or `entry-exit`.
    pub role: String,
    /// The task that does it.
    pub task: String,
    /// The line of the source where it is done.
    pub code: String,
}

/// A verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// There is no violation.
    Holds,
    /// There is one.
    Violated,
}

impl Verdict {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
        }
    }
}

impl Scenario {
    /// The user's word on the events: as in the driver, or each in any number of instances.
    pub fn told(&self, any_number: bool) -> Told {
        let mut events: Vec<ToldEvent> = self.event.iter().cloned().map(ToldEvent::from).collect();
        if any_number {
            events.iter_mut().for_each(|event| event.once = false);
        }
        Told { setup: self.setup.clone(), only: true, events }
    }
}

fn yes() -> bool {
    true
}

/// The crates of the applications.
pub fn applications(root: &Path) -> Vec<PathBuf> {
    sorted(root, |path| path.join("scenarios").is_dir())
}

/// The scenarios of an application with their names.
pub fn of(application: &Path) -> Result<Vec<(String, Scenario)>, String> {
    let files = sorted(&application.join("scenarios"), |path| path.extension().is_some_and(|e| e == "toml"));
    let read = |path: PathBuf| {
        let said = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|error| said(&error))?;
        let scenario = toml::from_str(&text).map_err(|error| said(&error))?;
        Ok((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), scenario))
    };
    files.into_iter().map(read).collect()
}

/// The entries of a folder that are wanted, in order.
pub fn sorted(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| wanted(path)).collect();
    paths.sort();
    paths
}
