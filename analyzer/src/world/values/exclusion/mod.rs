//! What nobody else can access meanwhile: by Rust's borrow rules, or because it is owned.

pub(crate) mod alone;
pub(crate) mod plain;
pub(crate) mod references;
pub(crate) mod spread;
