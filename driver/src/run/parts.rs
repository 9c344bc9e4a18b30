//! Which crates run together: one program for each executable, with all libraries; one for the libraries when there is no
//! executable.

use std::collections::BTreeMap;

use robust_analyzer::ir::Program;

use super::RunError;
use crate::extract::Extraction;
use crate::report::NotAnalysed;

/// A program and where it comes from.
#[derive(Debug)]
pub(super) struct Part {
    /// The executable's crate, the library's, or the file's name.
    pub name: String,
    /// Cargo's kind of target, or `rob`.
    pub kind: String,
    /// The program.
    pub program: Program,
    /// What the lowering left out.
    pub not_analysed: Vec<NotAnalysed>,
    /// Functions without body and model, and how often they are called.
    pub opaque: BTreeMap<String, u32>,
}

impl Part {
    /// A program in text form.
    pub fn of_file(name: String, program: Program) -> Part {
        Part { name, kind: "rob".to_owned(), program, not_analysed: Vec::new(), opaque: BTreeMap::new() }
    }
}

/// The programs of what was extracted.
pub(super) fn of(_extraction: &Extraction) -> Result<Vec<Part>, RunError> {
    Err(RunError::NoLowering)
}
