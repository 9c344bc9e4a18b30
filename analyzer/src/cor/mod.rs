//! corLTL: properties of tasks in linear temporal logic, and monitors made of them.
//!
//! A file declares events, states and properties ([`syntax`]). A property speaks of each task, or of the whole run; what it says
//! of one is a formula over at most eight atoms, which may look back as well as ahead ([`mod@check`]). A [`monitor`] reads what happens, step by
//! step, and answers as early as can be: violated when no way to go on could satisfy the formula any more, satisfied when none could
//! violate it (LTL3: Bauer, Leucker, Schallhart). It is made from sets of obligations ([`obligations`]), of which those without a model
//! are left out ([`emptiness`]). Where it is known what can happen, there may be nothing left to watch ([`residual`]). [`semantics`] says what formulas mean, on words that end in a loop, and judges the rest.
//!
//! **Invariants.** Nothing here knows Rust, or the analysis. Whatever a file says, the answer is a monitor or an error with a place.

pub mod check;
pub mod emptiness;
pub mod formula;
pub mod monitor;
pub mod obligations;
mod parse;
pub mod print;
pub mod random;
pub mod residual;
pub mod semantics;
pub mod syntax;

pub use check::{Checked, Property, check};
pub use monitor::{Monitor, Verdict};
pub use parse::parse;

/// The properties that are built in.
pub const BUILT_IN: &str = include_str!("lifecycle.cor");

/// Why a file was refused.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{message}")]
pub struct Error {
    /// What is wrong.
    pub message: String,
    /// The file.
    #[source_code]
    pub source_code: std::sync::Arc<miette::NamedSource<String>>,
    /// Where in it.
    #[label("here")]
    pub span: miette::SourceSpan,
    /// What to do about it.
    #[help]
    pub help: Option<String>,
}

/// What is wrong, and where.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub message: String,
    pub span: std::ops::Range<usize>,
    pub help: Option<String>,
}

impl Wrong {
    pub fn new(message: impl Into<String>, span: std::ops::Range<usize>) -> Self {
        Wrong { message: message.into(), span, help: None }
    }

    pub fn with(self, help: &str) -> Self {
        Wrong { help: Some(help.to_owned()), ..self }
    }

    pub fn at(self, name: &str, source: &str) -> Error {
        let end = self.span.end.min(source.len());
        let start = self.span.start.min(end);
        Error {
            message: self.message,
            source_code: miette::NamedSource::new(name, source.to_owned()).into(),
            span: (start..end).into(),
            help: self.help,
        }
    }
}

/// Reads a file, and makes a monitor of each of its properties.
pub fn read(source: &str, name: &str) -> Result<Checked, Error> {
    let file = parse(source, name)?;
    check(&file, source, name)
}

/// The properties that are built in. That they make sense is tested.
pub fn built_in() -> Result<Checked, Error> {
    read(BUILT_IN, "lifecycle.cor")
}
