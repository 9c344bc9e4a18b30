//! What waits in a library.

pub mod around;
pub mod queued;
pub mod workers;
