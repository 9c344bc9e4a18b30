//! What waits in a library.

pub mod queued;
pub mod workers;
