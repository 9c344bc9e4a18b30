//! The text form of programs, `.rob` (section 8 of the specification): text to [`Program`]. Printing is [`Program`]'s
//! `Display`; the two are inverse to each other up to places and labels.

mod lexer;
mod parser;

use miette::{Diagnostic, NamedSource, SourceSpan};
use thiserror::Error;

use super::Program;

/// Reads a program. `file` is the name that places and errors carry.
///
/// # Errors
/// The first thing that is not a program: a syntax error, an unknown or repeated name, a type error; with its span.
pub fn parse(source: &str, file: &str) -> Result<Program, ParseError> {
    let failed = |message: String, span: std::ops::Range<usize>| {
        let (line, column) = line_column(source, span.start);
        ParseError {
            message,
            file: file.to_string(),
            line,
            column,
            source_code: NamedSource::new(file, source.to_string()),
            span: span.into(),
        }
    };
    let program = parser::parse(source, file).map_err(|e| failed(e.message, e.span))?;
    match super::validate(&program) {
        Ok(_) => Ok(program),
        Err(invalid) => {
            let start = invalid.place.map_or(0, |p| {
                let place = &program.places[p.index()];
                offset(source, place.line, place.column)
            });
            Err(failed(invalid.message, start..(start + 1).min(source.len())))
        }
    }
}

/// Why a text is not a program.
#[derive(Debug, Error, Diagnostic)]
#[error("{file}:{line}:{column}: {message}")]
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

/// Line and column (in characters), both from 1, of a byte offset.
fn line_column(source: &str, offset: usize) -> (u32, u32) {
    let before = &source[..offset.min(source.len())];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    (before.matches('\n').count() as u32 + 1, before[line_start..].chars().count() as u32 + 1)
}

/// The byte offset of a line and column; the inverse of [`line_column`].
fn offset(source: &str, line: u32, column: u32) -> usize {
    let start: usize = source.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
    let rest = &source[start..];
    start + rest.char_indices().nth(column as usize - 1).map_or(rest.len(), |(i, _)| i)
}

/// Whether a name is a word of the language and has to be quoted when used as a name.
pub(super) fn is_keyword(name: &str) -> bool {
    lexer::KEYWORDS.contains(&name)
}
