//! Why a run did not complete.

use std::io;
use std::path::PathBuf;

use miette::Diagnostic;
use robust_analyzer::ir::text::ParseError;
use thiserror::Error;

use crate::extract::ExtractError;
use crate::gate::{BaselineError, ConfigError};
use crate::revision::RevisionError;

/// Why a run did not complete.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum RunError {
    /// No MIR.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Extract(#[from] ExtractError),

    /// The configuration is wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Config(#[from] ConfigError),

    /// The baseline is wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Baseline(#[from] BaselineError),

    /// There is nothing to compare with.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Revision(#[from] RevisionError),

    /// The analysis of what is to be compared with did not complete.
    #[error("`{revision}` could not be analysed, so it is unknown what is new since then")]
    #[diagnostic(
        code(robust::revision),
        help("compare with a revision that builds with these options, or use `--baseline FILE`")
    )]
    Before {
        /// The revision.
        revision: String,
        /// Why not.
        #[source]
        source: Box<RunError>,
    },

    /// A text is no program.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Parse(Box<ParseError>),

    /// An input cannot be read.
    #[error("cannot read `{}`", file.display())]
    #[diagnostic(code(robust::io))]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },

    /// A program in text form is too large.
    #[error(
        "`{file}` has more than the {most} bytes that a program in text form may have with `--memory {memory}`"
    )]
    #[diagnostic(code(robust::memory), help("give it more memory"))]
    TooLarge {
        /// The file.
        file: String,
        /// What it may have.
        most: u64,
        /// The memory in megabytes.
        memory: u32,
    },

    /// An output cannot be written.
    #[error("cannot write `{}`", file.display())]
    #[diagnostic(code(robust::io))]
    Write {
        /// The file.
        file: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },

    /// A configuration is there already.
    #[error("`{}` exists already; it was left as it is", .0.display())]
    #[diagnostic(
        code(robust::exists),
        help("to see all settings, run `cargo robust init` in another folder, or read the guide")
    )]
    Exists(PathBuf),

    /// Reports do not belong together, or are none.
    #[error("cannot merge: {0}")]
    #[diagnostic(
        code(robust::merge),
        help(
            "give the JSON reports of all parts: `--partition 1/n` to `--partition n/n`, with the same options"
        )
    )]
    Merge(String),

    /// The system does not tell about changed files.
    #[error("cannot watch for changes")]
    #[diagnostic(code(robust::watch))]
    Watch(#[source] notify_debouncer_full::notify::Error),

    /// MIR was asked for a program in text form.
    #[error("there is no MIR of `{}`", .0.display())]
    #[diagnostic(
        code(robust::no_mir),
        help(
            "a program in text form starts at the stage `ir`; without a file, the crate in this directory is dumped"
        )
    )]
    NoMir(PathBuf),

    /// A program in text form has nothing that could be checked.
    #[error("there is no event in `{0}`")]
    #[diagnostic(code(robust::empty), help("an event is written `event NAME on any {{ ... }}`"))]
    NoEvents(String),

    /// An event was asked for that is not there.
    #[error("there is no event `{0}`")]
    #[diagnostic(code(robust::no_event), help("`cargo robust events` lists them"))]
    NoEvent(String),
}
