//! What waits in a library.

pub mod workers;
