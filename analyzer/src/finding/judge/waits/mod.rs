//! Who waits, and who tells whom: wakers, signals, messages, what is published.

pub(crate) mod drained;
pub(crate) mod enlisted;
pub(crate) mod messages;
pub(crate) mod news;
pub(crate) mod protocol;
pub(crate) mod published;
pub(crate) mod registered;
pub(crate) mod signals;
