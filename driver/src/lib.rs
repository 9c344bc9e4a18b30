//! The parts of `cargo robust` that know cargo, rustc, the terminal and the file system, as a library.
pub mod extract;
