//! Entries of collections and keys: claimed, marked, made where there was none, taken out again.

pub(crate) mod absent;
pub(crate) mod claimed;
mod free;
mod handed_back;
mod leading;
mod listed;
pub(crate) mod marks;
mod taken_keys;
pub(crate) mod undoes;
