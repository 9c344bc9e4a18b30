//! Looks that need not be fresh, and numbers that nobody goes by: what that is true of, and what looks alike but ends differently (the lines that take part end with a
//! comment).

pub mod as_it_was;
pub mod asked_of_content;
pub mod compared;
pub mod counted_again;
pub mod ended;
pub mod hinted;
pub mod insisted;
pub mod last_wakes;
pub mod optional;
pub mod phases;
pub mod statistics;
pub mod third;
