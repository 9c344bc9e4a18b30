//! Building and running a program that is watched, and collecting what was seen.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use cargo_metadata::MetadataCommand;
use robust_analyzer::cor::{self, Checked, print};
use robust_analyzer::lifecycle::Told;

use super::MonitorError;
use super::sites::Sites;
use super::wrapper::FOLDER_ENV;
use crate::inputs::digest;

/// What is to be watched.
pub struct Asked {
    /// The user's properties, each with the name of its file.
    pub properties: Vec<(String, Checked)>,
    /// Not those that are built in.
    pub only: bool,
    /// No limit is longer.
    pub within: Option<Duration>,
    /// The command of cargo, with its arguments.
    pub command: Vec<String>,
    /// Where outputs go.
    pub target_dir: Option<PathBuf>,
    /// What is known of the places where tasks are started.
    pub sites: Vec<Told>,
    /// Also what was decided to hold is watched.
    pub all_sites: bool,
}

/// A property that was seen to be violated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// Its name.
    pub property: String,
    /// Its level: `deny`, `warn` or `note`.
    pub level: String,
    /// Where the task was started.
    pub place: String,
    /// What happened.
    pub what: String,
    /// It was decided that this does not happen there.
    pub decided: bool,
}

/// What came of it.
pub struct Ended {
    /// What was violated.
    pub violations: BTreeSet<Violation>,
    /// How many times a property was decided at a place where tasks are started, of how many.
    pub decided: (usize, usize),
    /// What was not watched.
    pub notes: BTreeSet<String>,
    /// How the command ended; none if it was killed.
    pub code: Option<i32>,
}

/// Builds, runs, collects.
pub fn run(asked: &Asked) -> Result<Ended, MonitorError> {
    let metadata = MetadataCommand::new().no_deps().exec();
    let metadata = metadata.map_err(|error| MonitorError::Workspace(error.to_string()))?;
    let target = match &asked.target_dir {
        Some(folder) => std::path::absolute(folder).unwrap_or_else(|_| folder.clone()),
        None => metadata.target_directory.join("robust").into(),
    };
    let text: String = robust_monitor::SOURCES.iter().flat_map(|(name, text)| [*name, *text]).collect();
    // Whoever was built with another monitor is built again.
    let folder = target.join("monitor").join(&digest(text.as_bytes())[..12]);
    let write = |path: &Path, text: &str| {
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        let wrong =
            |error: std::io::Error| MonitorError::Write(path.display().to_string(), error.to_string());
        made.and_then(|()| fs::write(path, text)).map_err(wrong)
    };
    for (name, text) in robust_monitor::SOURCES {
        let path = folder.join(name);
        if fs::read_to_string(&path).ok().as_deref() != Some(*text) {
            write(&path, text)?;
        }
    }
    let seen = folder.join(format!("run-{}", std::process::id()));
    let mut notes = BTreeSet::new();
    let built_in = cor::built_in()?;
    let built_in = (!asked.only).then_some(&built_in);
    let all = built_in.into_iter().chain(asked.properties.iter().map(|(_, checked)| checked));
    let mut parts = Vec::new();
    let mut tables = String::new();
    for watched in all.map(print::watched) {
        tables.push_str(&watched.tables());
        notes.extend(watched.left.iter().map(|(name, why)| format!("{name} is not watched: {why}")));
        parts.extend(watched.parts.into_iter().map(|(property, part)| (property.name.as_str(), part)));
    }
    let sites = Sites::new(&asked.sites, &parts, metadata.workspace_root.as_std_path());
    write(&seen.join("tables"), &tables)?;
    write(&seen.join("sites"), &sites.text())?;
    if asked.all_sites {
        write(&seen.join("all-sites"), "")?;
    }
    if let Some(within) = asked.within {
        write(&seen.join("within"), &within.as_millis().to_string())?;
    }
    let own = std::env::current_exe().map_err(|error| MonitorError::Cargo(error.to_string()))?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(&asked.command).env("RUSTC_WORKSPACE_WRAPPER", own).env(FOLDER_ENV, &folder);
    command.env("CARGO_TARGET_DIR", folder.join("build")).env(robust_monitor::FOLDER_ENV, &seen);
    let status = command.status().map_err(|error| MonitorError::Cargo(error.to_string()))?;
    let mut violations = BTreeSet::new();
    for entry in fs::read_dir(&seen).into_iter().flatten().flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "violations") {
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            violations.extend(text.lines().filter_map(violation));
        }
    }
    for entry in fs::read_dir(folder.join("notes")).into_iter().flatten().flatten() {
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        notes.extend(text.lines().map(str::to_owned));
    }
    // It is ours, and nobody looks at it any more.
    let _ = fs::remove_dir_all(&seen);
    Ok(Ended { violations, decided: sites.decided(), notes, code: status.code() })
}

fn violation(line: &str) -> Option<Violation> {
    let parts: [&str; 5] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
    let [property, level, place, what, decided] = parts.map(str::to_owned);
    Some(Violation { property, level, place, what, decided: decided == "true" })
}
