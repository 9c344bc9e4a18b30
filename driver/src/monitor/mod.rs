//! Watching programs while they run: stand-ins for libraries tell what happens to tasks, tables made from properties say when that
//! is wrong.
//!
//! The project's sources, manifests and lock files stay as they are: cargo runs us in the compiler's place for the crates of the
//! workspace, and we give the compiler a stand-in where cargo names a library ([`wrapper`]). What a stand-in breaks is compiled
//! with one that keeps the library's types, or as it is; that is said.

mod build;
mod run;
mod sites;
pub mod wrapper;

pub use run::{Asked, Ended, Violation, run};

/// Why nothing was watched.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum MonitorError {
    /// A file of properties cannot be read.
    #[error("`{0}` cannot be read: {1}")]
    #[diagnostic(code(robust::monitor))]
    Read(String, String),
    /// A file of properties makes no sense.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Cor(#[from] robust_analyzer::cor::Error),
    /// Our files cannot be written.
    #[error("`{0}` cannot be written: {1}")]
    #[diagnostic(code(robust::monitor))]
    Write(String, String),
    /// Cargo does not run.
    #[error("`cargo` cannot be run: {0}")]
    #[diagnostic(code(robust::monitor))]
    Cargo(String),
    /// The workspace is not found.
    #[error("cargo finds no workspace here: {0}")]
    #[diagnostic(code(robust::monitor))]
    Workspace(String),
    /// The command is not one that runs a program.
    #[error("`{0}` is nothing to be watched: say `run`, `test` or `nextest`")]
    #[diagnostic(code(robust::monitor))]
    Command(String),
}
