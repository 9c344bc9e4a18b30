//! Passes over a program, in the order in which `lower` runs them.
//!
//! 1. [`simplify`] leaves out what cannot matter, so that the others see less.
//! 2. [`resolve_choices`] moves what is asked of a choice to where it is made.
//! 3. [`alike`] makes procedures that do the same one procedure.
//! 4. [`merge_events`] makes events that do the same one event.
//! 5. [`raise`] tells the order of changes that are all alike from those that matter.
//! 6. [`compact`] renumbers what is left.
//!
//! Each takes about as long as the program is large: what procedures do by what they call is found from the callees up ([`callers`]).
//!
//! [`startup`] and [`beginning`] are part of the first: what happens before everything else becomes the initial state. [`arguments`] is part
//! of tidying up after a program was cut.
//!
//! [`bypass`] is none of these: it makes a smaller program that does less, for questions that are too large otherwise ([`ways`] finds
//! what it goes around by).

pub(crate) mod alike;
mod arguments;
pub(crate) mod beginning;
mod branches;
pub(crate) mod bypass;
pub(crate) mod callers;
pub(crate) mod compact;
pub(crate) mod merge_events;
pub(crate) mod raise;
pub(crate) mod resolve_choices;
pub(crate) mod simplify;
pub(crate) mod startup;
mod ways;
