//! What holds locks, guards and tasks, and what is none of what they protect.

pub(crate) mod by_hand;
pub(crate) mod guards;
pub(crate) mod kept;
pub(crate) mod of_callers;
pub(crate) mod spine;
