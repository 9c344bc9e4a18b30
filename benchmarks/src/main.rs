//! Measures `cargo robust`.
fn main() {}
