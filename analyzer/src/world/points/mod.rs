//! What points where, and who calls whom: a points-to analysis that finds the calls while it follows the pointers
//! ([`points_to`]), over the bodies of all crates ([`bodies`]).
//!
//! **Invariants.** Nothing here knows the IR. What a function of another crate does is in `robust_models`, or follows from its
//! types ([`foreign`], [`transfer`]).

mod at_drop;
pub(crate) mod calls;
mod code;
mod depths;
pub(crate) mod drops;
mod library;
mod memory;
pub(crate) mod points_to;

pub(crate) use code::{aggregates, bodies, given, recursion, types};
pub(crate) use library::{
    callbacks, escape, foreign, foreign_callers, given_away, given_out, lent, served, streams, through,
    transfer,
};
use memory::passage;
pub(crate) use memory::{heap, inner_locks, kept, names, object, outside};
