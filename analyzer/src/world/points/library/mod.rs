//! Functions without a body: what they lend, call and hand on, and what their callers get.

pub(crate) mod callbacks;
pub(crate) mod escape;
pub(crate) mod foreign;
pub(crate) mod foreign_callers;
pub(crate) mod given_away;
pub(crate) mod given_out;
pub(crate) mod lent;
pub(crate) mod served;
pub(crate) mod streams;
pub(crate) mod through;
pub(crate) mod transfer;
