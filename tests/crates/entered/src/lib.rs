//! What is entered too late: somebody who goes by one thing comes before another one that belongs to it is there.

pub mod answered;
pub mod cleared;
pub mod ended;
pub mod in_hand;
pub mod listed;
pub mod looked_up;
pub mod named;
pub mod noted;
pub mod received;
pub mod replaced;
pub mod started;
pub mod woken;
