//! Locations: what they hold, what they are called, what a copy carries along, and which of them callers have or rounds share.

pub(crate) mod heap;
pub(crate) mod inner_locks;
pub(crate) mod kept;
pub(crate) mod names;
pub(crate) mod object;
pub(crate) mod outside;
pub(crate) mod passage;
