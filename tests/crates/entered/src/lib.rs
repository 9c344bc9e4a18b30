//! What is entered too late: somebody who goes by one thing comes before another one that belongs to it is there.

pub mod answered;
pub mod ended;
pub mod in_hand;
pub mod listed;
pub mod noted;
pub mod received;
pub mod started;
pub mod woken;
