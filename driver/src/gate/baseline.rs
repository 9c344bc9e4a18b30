//! Findings that are known and accepted: a file of fingerprints, which do not change when lines move.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use robust_analyzer::finding::Finding;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Malformed;
use crate::report::{Notice, NoticeKind, class_name, parse_class};
use crate::whole;

/// The version of the file's form.
const VERSION: u32 = 1;

/// The file's content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    version: u32,
    findings: Vec<Known>,
}

/// A finding, for the machine by its fingerprint, for the reader by the rest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    unit: String,
    class: String,
    variable: String,
    fingerprint: String,
}

/// Why a baseline cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum BaselineError {
    /// The text is wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Malformed(#[from] Box<Malformed>),
    /// The file cannot be read or written.
    #[error("cannot {action} the baseline `{}`", file.display())]
    #[diagnostic(code(robust::baseline))]
    Io {
        /// What was to be done.
        action: &'static str,
        /// The file.
        file: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl Baseline {
    /// The baseline that has these findings.
    pub fn of(findings: &[Finding]) -> Baseline {
        let known: BTreeSet<Known> = findings.iter().map(Known::of).collect();
        Baseline { version: VERSION, findings: known.into_iter().collect() }
    }

    /// Reads a baseline.
    ///
    /// # Errors
    /// The file cannot be read, or is not a baseline of this version.
    pub fn read(path: &Path) -> Result<Baseline, BaselineError> {
        let text = std::fs::read_to_string(path).map_err(|source| BaselineError::Io {
            action: "read",
            file: path.into(),
            source,
        })?;
        let malformed = |message: String, at: Option<usize>| {
            let help = Some("regenerate it with `--write-baseline`".to_owned());
            let span = at.map(|at| at..at);
            Malformed::new("baseline", &path.to_string_lossy(), &text, message, span, help)
        };
        let baseline: Baseline = serde_json::from_str(&text).map_err(|error| {
            malformed(error.to_string(), Some(offset(&text, error.line(), error.column())))
        })?;
        if baseline.version != VERSION {
            let message = format!("it has version {}, this tool reads version {VERSION}", baseline.version);
            return Err(malformed(message, None).into());
        }
        match baseline.findings.iter().find(|known| !known.is_sound()) {
            Some(known) => {
                let message = format!("`{}` of class `{}` is no finding", known.fingerprint, known.class);
                Err(malformed(message, text.find(&known.fingerprint)).into())
            }
            None => Ok(baseline),
        }
    }

    /// Writes the file, all of it or nothing.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), BaselineError> {
        let text = serde_json::to_string_pretty(self).map_err(io::Error::from);
        let written = text.and_then(|text| whole::write(path, &(text + "\n")));
        written.map_err(|source| BaselineError::Io { action: "write", file: path.into(), source })
    }

    /// Whether a finding is in it.
    pub fn has(&self, finding: &Finding) -> bool {
        self.findings
            .iter()
            .any(|known| known.fingerprint == finding.fingerprint && known.unit == finding.unit)
    }

    /// A remark on each entry of the analysed units that no finding used.
    pub(super) fn stale(&self, used: &BTreeSet<String>, units: &BTreeSet<String>) -> Vec<Notice> {
        let unused = |known: &&Known| !used.contains(&known.fingerprint) && units.contains(&known.unit);
        let notice = |known: &Known| Notice {
            kind: NoticeKind::StaleBaseline,
            message: format!(
                "the baseline has a finding that is gone: {} of `{}` in {} ({})",
                known.class, known.variable, known.unit, known.fingerprint
            ),
            place: None,
        };
        self.findings.iter().filter(unused).map(notice).collect()
    }
}

impl Known {
    fn of(finding: &Finding) -> Known {
        Known {
            unit: finding.unit.clone(),
            class: class_name(finding.class).to_owned(),
            variable: finding.variable.clone(),
            fingerprint: finding.fingerprint.clone(),
        }
    }

    fn is_sound(&self) -> bool {
        let hex = self.fingerprint.chars().all(|c| c.is_ascii_hexdigit());
        hex && self.fingerprint.len() == 16 && parse_class(&self.class).is_some()
    }
}

/// The byte where serde_json's line and column (in bytes, from 1) point.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (start + column.saturating_sub(1)).min(text.len())
}
