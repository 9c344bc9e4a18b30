//! `cargo robust`: the command line.
fn main() {}
