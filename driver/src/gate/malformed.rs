//! A file that has the wrong content.

use std::ops::Range;

use miette::{Diagnostic, NamedSource, SourceSpan};
use thiserror::Error;

/// What is wrong in a file, and where.
#[derive(Debug, Error, Diagnostic)]
#[error("malformed {what} `{file}`: {message}")]
#[diagnostic(code(robust::malformed))]
pub struct Malformed {
    what: &'static str,
    file: String,
    message: String,
    #[source_code]
    text: NamedSource<String>,
    #[label("here")]
    span: Option<SourceSpan>,
    #[help]
    help: Option<String>,
}

impl Malformed {
    /// The error about the part `span` of `text`.
    pub(super) fn new(
        what: &'static str,
        file: &str,
        text: &str,
        message: String,
        span: Option<Range<usize>>,
        help: Option<String>,
    ) -> Box<Malformed> {
        Box::new(Malformed {
            what,
            file: file.to_owned(),
            message,
            text: NamedSource::new(file, text.to_owned()),
            span: span.map(SourceSpan::from),
            help,
        })
    }

    /// Where it is.
    #[cfg(test)]
    pub(super) fn wrong(&self) -> Option<&str> {
        let span = self.span?;
        self.text.inner().get(span.offset()..span.offset() + span.len())
    }
}
