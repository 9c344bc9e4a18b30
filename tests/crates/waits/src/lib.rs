//! What waits in a library.

pub mod around;
pub mod emptied;
pub mod queued;
pub mod waited_first;
pub mod woken_early;
pub mod workers;
