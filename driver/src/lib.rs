//! The parts of `cargo robust` that know cargo, rustc, the terminal and the file system, as a library.

pub mod cli;
pub mod extract;
pub mod fix;
pub mod gate;
mod inputs;
mod items;
pub mod memory;
pub mod monitor;
pub mod replay;
pub mod report;
pub mod revision;
pub mod run;
mod whole;
