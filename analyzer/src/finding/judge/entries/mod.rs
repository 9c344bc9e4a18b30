//! Collections and their entries: which of them it is, whose they are, what was there already.

pub(crate) mod agreed;
pub(crate) mod another;
pub(crate) mod claims;
pub(crate) mod elements;
pub(crate) mod filled;
pub(crate) mod in_place;
pub(crate) mod members;
pub(crate) mod put_back;
pub(crate) mod refilled;
pub(crate) mod taken_entry;
pub(crate) mod withdrawn;
