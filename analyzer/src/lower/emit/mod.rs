//! From actions to statements of the IR.

pub(crate) mod access;
pub(crate) mod all_elements;
mod around;
mod contract;
mod course;
mod drained;
mod elsewhere;
pub(crate) mod emitter;
mod failed;
pub(crate) mod kept_guards;
pub(crate) mod known;
mod left_out;
pub(crate) mod main_and_task;
mod may_hold;
pub(crate) mod provisional;
pub(crate) mod steps;
pub(crate) mod structure;
mod whole;
