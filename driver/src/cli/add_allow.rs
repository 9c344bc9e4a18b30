//! `--add-allow`: comments that allow what is found, written into the source.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path};

use robust_analyzer::ir::SourcePlace;

use crate::fix::{self, NO_REASON};
use crate::report::{Sources, class_name, places_to_allow};
use crate::run::{Finished, RunError};
use crate::whole;

/// What `--add-allow` did.
#[derive(Debug, Default)]
pub(super) struct Added {
    /// Each comment: the file, the line that it is above, the classes.
    pub comments: Vec<(String, u32, Vec<&'static str>)>,
    /// The findings that got none: their messages.
    pub left: Vec<String>,
}

impl Added {
    /// What was done, in words.
    pub fn text(&self) -> String {
        let line = |(file, line, classes): &(String, u32, Vec<&str>)| {
            format!("{file}:{line}: added `robust: allow({})`\n", classes.join(", "))
        };
        let left = self.left.iter().map(|message| format!("no comment can be added for: {message}\n"));
        let lines: String = self.comments.iter().map(line).chain(left).collect();
        if lines.is_empty() { "there is nothing to allow\n".to_owned() } else { lines }
    }
}

/// Writes a comment above the last access of every finding of the report, one for those that have it in the same line. Files outside
/// of the workspace are left alone.
///
/// # Errors
/// A file cannot be read or written.
pub(super) fn add_allow(finished: &Finished, reason: &str) -> Result<Added, RunError> {
    let (report, sources) = (&finished.report, &finished.sources);
    let mut wanted: BTreeMap<&str, BTreeMap<u32, BTreeSet<&'static str>>> = BTreeMap::new();
    let mut added = Added::default();
    for finding in &report.findings {
        let places = places_to_allow(finding);
        let can =
            |place: &&SourcePlace| is_own(sources.relative(&place.file)) && can_stand_before(place, sources);
        if places.is_empty() || !places.iter().all(can) {
            added.left.push(finding.message.clone());
            continue;
        }
        for place in places {
            let line = wanted.entry(&place.file).or_default().entry(place.line).or_default();
            line.insert(class_name(finding.class));
        }
    }
    for (name, lines) in wanted {
        let file = sources.root().join(name);
        let text =
            fs::read_to_string(&file).map_err(|source| RunError::Read { file: file.clone(), source })?;
        let mut out = String::with_capacity(text.len());
        let mut shift = 0;
        for (index, own) in text.split_inclusive('\n').enumerate() {
            let number = index as u32 + 1;
            if let Some(classes) = lines.get(&number) {
                let classes: Vec<&str> = classes.iter().copied().collect();
                let indent: String = own.chars().take_while(|c| *c == ' ' || *c == '\t').collect();
                let end = if own.ends_with("\r\n") { "\r\n" } else { "\n" };
                out += &fix::comment(&indent, &classes, &one_line(reason));
                out += end;
                shift += 1;
                added.comments.push((sources.relative(name).to_owned(), number + shift, classes));
            }
            out += own;
        }
        whole::write(&file, &out).map_err(|source| RunError::Write { file, source })?;
    }
    Ok(added)
}

/// A reason that stays within its comment.
fn one_line(reason: &str) -> String {
    match reason.split_whitespace().collect::<Vec<_>>().join(" ") {
        empty if empty.is_empty() => NO_REASON.to_owned(),
        reason => reason,
    }
}

fn can_stand_before(place: &SourcePlace, sources: &Sources) -> bool {
    let source = sources.get(&place.file);
    source.is_some_and(|source| fix::indent_of(source.text(), place.line).is_some())
}

/// Whether a file name is one below the workspace's root.
fn is_own(name: &str) -> bool {
    let path = Path::new(name);
    path.is_relative() && path.components().all(|part| matches!(part, Component::Normal(_)))
}
