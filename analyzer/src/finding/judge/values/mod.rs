//! What values are at the end: changes that commute, that change nothing, that nobody else makes.

pub(crate) mod commuting;
pub(crate) mod frozen;
pub(crate) mod order;
pub(crate) mod replaced;
pub(crate) mod silent;
