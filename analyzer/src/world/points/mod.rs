//! What points where, and who calls whom: a points-to analysis that finds the calls while it follows the pointers
//! ([`points_to`]), over the bodies of all crates ([`bodies`]).
//!
//! **Invariants.** Nothing here knows the IR. What a function of another crate does is in `robust_models`, or follows from its
//! types ([`foreign`], [`transfer`]).

pub(crate) mod aggregates;
pub(crate) mod bodies;
pub(crate) mod calls;
mod depths;
pub(crate) mod drops;
mod emptied;
pub(crate) mod escape;
mod fields;
pub(crate) mod foreign;
pub(crate) mod foreign_callers;
pub(crate) mod given;
pub(crate) mod heap;
pub(crate) mod kept;
pub(crate) mod lent;
pub(crate) mod names;
pub(crate) mod object;
pub(crate) mod outside;
mod passage;
pub(crate) mod points_to;
pub(crate) mod recursion;
pub(crate) mod served;
pub(crate) mod streams;
pub(crate) mod through;
pub(crate) mod transfer;
pub(crate) mod types;
