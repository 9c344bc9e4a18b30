//! Which places are shared, which variable each of them is, and what each access of one depends on.

pub(crate) mod basis;
pub(crate) mod choose;
mod ended;
mod entries;
pub(crate) mod followed;
mod frozen;
mod had;
pub(crate) mod made;
mod messaging;
mod one_thread;
mod outcomes;
pub(crate) mod own;
mod plain;
mod publication;
mod received;
mod resumed;
pub(crate) mod share;
mod unchanged;
pub(crate) mod whose;

pub(crate) use messaging::messages;
use messaging::{channels, handed_out, receipts, state};
use outcomes::{captures, parts};
use unchanged::constants;
