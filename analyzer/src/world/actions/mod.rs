//! What each block of a body does to shared state, in order ([`effects`]): accesses, locks, spawns, joins, calls.
//!
//! **Invariants.** Actions say what the source does; whether a place is shared is not known here.

pub(crate) mod call_effects;
pub(crate) mod cfg;
pub(crate) mod choice;
pub(crate) mod clock;
pub(crate) mod decided;
pub(crate) mod effects;
pub(crate) mod enums;
pub(crate) mod flags;
pub(crate) mod given;
pub(crate) mod holders;
mod locks;
pub(crate) mod optional;
pub(crate) mod outcome;
pub(crate) mod promised;
pub(crate) mod replaced;
pub(crate) mod tags;
pub(crate) mod updates;
pub(crate) mod used;
mod variants;

pub(crate) use locks::{by_hand, guards, kept, of_callers, spine};
