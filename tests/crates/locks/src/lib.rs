//! Locks of libraries that no model knows.

pub mod by_hand;
pub mod spinning;
pub mod timed;
pub mod waiting;
