//! What there is before anything points anywhere: bodies, types and their fields, constants that are given, and who calls itself.

pub(crate) mod aggregates;
pub(crate) mod bodies;
pub(crate) mod fields;
pub(crate) mod given;
pub(crate) mod recursion;
pub(crate) mod types;
