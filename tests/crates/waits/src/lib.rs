//! What waits in a library.

pub mod around;
pub mod emptied;
pub mod queued;
pub mod workers;
