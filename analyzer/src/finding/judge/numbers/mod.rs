//! Numbers that are counted up and down: reservations, counts that are late, or taken back.

pub(crate) mod counted_again;
pub(crate) mod counted_late;
pub(crate) mod crosswise;
pub(crate) mod numbered;
pub(crate) mod paid_back;
pub(crate) mod reserved;
