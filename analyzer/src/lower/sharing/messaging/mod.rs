//! What is sent and received, which channel it goes through, and what is waited for.

mod actors;
mod asked;
pub(crate) mod channels;
pub(crate) mod handed_out;
mod let_on;
mod listeners;
pub(crate) mod messages;
mod missed;
pub(crate) mod receipts;
pub(crate) mod state;
pub(crate) mod waits;
