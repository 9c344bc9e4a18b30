//! What the extraction tells while it runs.

use cargo_metadata::Message;

/// The stages, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Looking at toolchain and workspace.
    Prepare,
    /// `cargo check` with the passes.
    Cargo,
    /// Reading what the passes printed.
    Parse,
}

/// Somebody who watches. Every method has a default that does nothing; `()` watches nothing.
pub trait Progress {
    /// A stage begins.
    fn stage(&mut self, _stage: Stage) {}
    /// Cargo is done with a crate of the workspace or a dependency; `fresh` when nothing had to be done.
    fn checked(&mut self, _crate_name: &str, _fresh: bool) {}
    /// The compiler said something, when [`CargoOptions::messages`](super::CargoOptions) asks for it.
    fn compiler_message(&mut self, _message: &Message) {}
    /// A crate's MIR was read: `done` of `all`.
    fn parsed(&mut self, _crate_name: &str, _done: usize, _all: usize) {}
    /// Asked now and then; `true` stops cargo and ends the extraction with
    /// [`ExtractError::Interrupted`](super::ExtractError::Interrupted).
    fn cancelled(&self) -> bool {
        false
    }
}

impl Progress for () {}
