//! The text form of programs, `.rob` (section 8 of the specification): text to [`Program`]. Printing is [`Program`]'s
//! `Display`; the two are inverse to each other up to places and labels.

mod lexer;
mod lines;
mod parser;

use miette::{Diagnostic, NamedSource, SourceSpan};
use thiserror::Error;

use super::Program;

/// Reads a program. `file` is the name that places and errors carry.
///
/// # Errors
/// The first thing that is not a program: a syntax error, an unknown or repeated name, a type error; with its span.
pub fn parse(source: &str, file: &str) -> Result<Program, Box<ParseError>> {
    // Some editors put a byte order mark in front of what they save.
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let lines = lines::Lines::new(source);
    let failed = |message: String, span: std::ops::Range<usize>| {
        let (line, column) = lines.place(span.start);
        Box::new(ParseError {
            message,
            file: file.to_string(),
            line,
            column,
            source_code: NamedSource::new(file, source.to_string()),
            span: span.into(),
        })
    };
    let program = parser::parse(source, file, &lines).map_err(|e| failed(e.message, e.span))?;
    match super::validate(&program) {
        Ok(_) => Ok(program),
        Err(invalid) => {
            let span = invalid.place.map_or(0..0, |p| {
                let place = &program.places[p.index()];
                lines.offset(place.line, place.column)..lines.offset(place.end_line, place.end_column)
            });
            Err(failed(invalid.message, span))
        }
    }
}

/// Why a text is not a program.
#[derive(Debug, Error, Diagnostic)]
#[error("{file}:{line}:{column}: {message}")]
#[diagnostic(code(robust::parse))]
pub struct ParseError {
    /// What is wrong.
    pub message: String,
    /// The file's name as given.
    pub file: String,
    /// Line of the first character that is wrong, from 1.
    pub line: u32,
    /// Column of it in characters, from 1.
    pub column: u32,
    #[source_code]
    source_code: NamedSource<String>,
    #[label("here")]
    span: SourceSpan,
}

/// Whether a name is a word of the language and has to be quoted when used as a name.
pub(super) fn is_keyword(name: &str) -> bool {
    lexer::KEYWORDS.contains(&name)
}
