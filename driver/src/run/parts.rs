//! Which crates run together: one program for each executable, with all libraries; one for the libraries when there is no
//! executable.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use robust_analyzer::ir::Program;
use robust_analyzer::lower::{EventInfo, Lowered, Statistics};
use robust_analyzer::mir::Crate;
use serde::{Deserialize, Serialize};

use crate::extract::{Extraction, LookedAt};
use crate::report::NotAnalysed;

/// Crates that run together.
pub(super) struct Together {
    /// The crates, dependencies first.
    pub crates: Vec<Arc<Crate>>,
    /// The executable's name, or the first library's.
    pub name: String,
    kind: String,
}

/// A program and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    /// The executable's crate, the library's, or the file's name.
    pub name: String,
    /// Cargo's kind of target, or `rob`.
    pub kind: String,
    /// Names and kinds of the crates it is made of, the one it is named after last.
    pub crates: Vec<(String, String)>,
    /// The program.
    pub program: Arc<Program>,
    /// What the lowering saw, of which the program is what can matter.
    pub seen: Option<(Statistics, Vec<EventInfo>)>,
    /// What the lowering left out.
    pub not_analysed: Vec<NotAnalysed>,
    /// Functions without body and model, and how often they are called.
    pub opaque: BTreeMap<String, u32>,
}

impl Part {
    /// A program in text form.
    pub fn of_file(name: String, program: Program) -> Part {
        Part {
            name,
            kind: "rob".to_owned(),
            crates: Vec::new(),
            program: Arc::new(program),
            seen: None,
            not_analysed: Vec::new(),
            opaque: BTreeMap::new(),
        }
    }

    /// What crates that run together were lowered to.
    pub fn of_crates(together: &Together, lowered: &Lowered) -> Part {
        let missing = lowered.not_analysed.iter().map(|missing| NotAnalysed {
            unit: together.name.clone(),
            name: missing.name.clone(),
            reason: missing.reason.clone(),
        });
        Part {
            name: together.name.clone(),
            kind: together.kind.clone(),
            not_analysed: missing.collect(),
            crates: together
                .crates
                .iter()
                .map(|krate| (krate.name.to_string(), krate.kind.to_string()))
                .collect(),
            program: Arc::new(lowered.program.clone()),
            seen: Some((lowered.statistics, lowered.events.clone())),
            opaque: lowered.opaque.iter().map(|(name, calls)| (name.clone(), *calls as u32)).collect(),
        }
    }
}

impl Together {
    /// All that was extracted.
    pub fn all(extraction: &Extraction) -> Vec<Together> {
        let is_library =
            |krate: &&Arc<Crate>| matches!(&*krate.kind, "lib" | "rlib" | "dylib" | "cdylib" | "staticlib");
        let (libraries, others): (Vec<_>, Vec<_>) = extraction.crates.iter().partition(is_library);
        let libraries: Vec<Arc<Crate>> = libraries.into_iter().cloned().collect();
        let executables: Vec<&Arc<Crate>> = others
            .into_iter()
            .filter(|krate| !matches!(&*krate.kind, "proc-macro" | "custom-build"))
            .collect();
        let together = |krate: &Crate, crates| Together {
            crates,
            name: krate.name.to_string(),
            kind: krate.kind.to_string(),
        };
        match (executables.is_empty(), libraries.first()) {
            (true, Some(first)) => vec![together(first, libraries.clone())],
            _ => executables
                .into_iter()
                .map(|krate| together(krate, libraries.iter().chain([krate]).cloned().collect()))
                .collect(),
        }
    }
}

/// All that the analysis needs of an extraction: what is kept from run to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The programs.
    pub parts: Vec<Part>,
    /// What there is to say about the extraction.
    pub seen: Seen,
    /// The source files that were looked at, with a digest of each; an empty one for what is not there.
    sources: Vec<(PathBuf, String)>,
}

/// What there is to say about an extraction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seen {
    /// How many bodies there are.
    pub bodies: u32,
    /// The source files, each with the crate it belongs to.
    pub files: BTreeMap<String, String>,
    /// What could not be read.
    pub not_analysed: Vec<NotAnalysed>,
}

impl Kept {
    pub fn new(parts: Vec<Part>, seen: Seen, sources: &LookedAt) -> Kept {
        let sources = sources.files().map(|(file, digest)| (file.to_owned(), digest.to_owned())).collect();
        Kept { parts, seen, sources }
    }

    /// Whether the source files are still the same.
    pub fn holds(&self) -> bool {
        self.sources.iter().all(|(file, digest)| LookedAt::digest(file) == *digest)
    }
}

impl Seen {
    pub fn of(extraction: &Extraction) -> Seen {
        let mut seen = Seen::default();
        for krate in &extraction.crates {
            seen.bodies += krate.bodies.len() as u32;
            let spans = krate.bodies.iter().map(|body| &body.span);
            for span in spans.filter(|span| !span.is_none() && !span.is_foreign()) {
                if !seen.files.contains_key(&*span.file) {
                    seen.files.insert(span.file.to_string(), krate.name.to_string());
                }
            }
        }
        let missing = extraction.not_analysed().map(|(krate, missing)| NotAnalysed {
            unit: krate.name.to_string(),
            name: missing.name.clone(),
            reason: missing.reason.clone(),
        });
        seen.not_analysed = missing.collect();
        seen
    }
}
