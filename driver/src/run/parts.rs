//! Which crates run together: one program for each executable, with all libraries; one for the libraries when there is no
//! executable.

use std::collections::BTreeMap;

use robust_analyzer::ir::Program;
use robust_analyzer::lower::{self, EventInfo, Lowered, Statistics, Told};
use robust_analyzer::mir::Crate;
use robust_models::Models;

use crate::extract::Extraction;
use crate::report::NotAnalysed;

/// A program and where it comes from.
#[derive(Debug)]
pub(super) struct Part {
    /// The executable's crate, the library's, or the file's name.
    pub name: String,
    /// Cargo's kind of target, or `rob`.
    pub kind: String,
    /// Names and kinds of the crates it is made of, the one it is named after last.
    pub crates: Vec<(String, String)>,
    /// The program.
    pub program: Program,
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
            program,
            seen: None,
            not_analysed: Vec::new(),
            opaque: BTreeMap::new(),
        }
    }

    fn of_crates(krate: &Crate, together: &[Crate], lowered: Lowered) -> Part {
        let missing = lowered.not_analysed.into_iter().map(|missing| NotAnalysed {
            unit: krate.name.to_string(),
            name: missing.name,
            reason: missing.reason,
        });
        Part {
            name: krate.name.to_string(),
            kind: krate.kind.to_string(),
            crates: together.iter().map(|krate| (krate.name.to_string(), krate.kind.to_string())).collect(),
            program: lowered.program,
            seen: Some((lowered.statistics, lowered.events)),
            not_analysed: missing.collect(),
            opaque: lowered.opaque.into_iter().map(|(name, calls)| (name, calls as u32)).collect(),
        }
    }
}

/// The programs of what was extracted, with the user's word on events.
pub(super) fn of(extraction: &Extraction, models: &Models, told: &Told) -> Vec<Part> {
    let is_library =
        |krate: &&Crate| matches!(&*krate.kind, "lib" | "rlib" | "dylib" | "cdylib" | "staticlib");
    let (libraries, others): (Vec<&Crate>, Vec<&Crate>) = extraction.crates.iter().partition(is_library);
    let executables: Vec<&Crate> =
        others.into_iter().filter(|krate| !matches!(&*krate.kind, "proc-macro" | "custom-build")).collect();
    let lowered = |krate: &Crate, together: Vec<Crate>| {
        Part::of_crates(krate, &together, lower::lower_told(&together, models, told))
    };
    let clones = || libraries.iter().map(|krate| (*krate).clone()).collect::<Vec<_>>();
    match (executables.is_empty(), libraries.first()) {
        (true, Some(first)) => vec![lowered(first, clones())],
        _ => executables
            .into_iter()
            .map(|krate| lowered(krate, clones().into_iter().chain([krate.clone()]).collect()))
            .collect(),
    }
}
