//! Published crates: their sources, and what the tool says of them.

mod run;
mod sources;

pub use run::{Analysed, Finding, Report, Tool, analyse, check, touch};
pub use sources::{fetch, rust_files};

/// A version of a published crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Features beside the default ones.
    pub features: Vec<String>,
}
