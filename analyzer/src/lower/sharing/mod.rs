//! Which places are shared, which variable each of them is, and what each access of one depends on.

mod absent;
mod alternatives;
pub(crate) mod basis;
mod captures;
mod channels;
pub(crate) mod choose;
mod claimed;
mod constants;
mod decisive;
mod flows;
pub(crate) mod followed;
mod frozen;
mod handed_out;
pub(crate) mod made;
pub(crate) mod messages;
pub(crate) mod observed;
pub(crate) mod own;
mod parts;
mod publication;
mod receipts;
mod resumed;
pub(crate) mod share;
mod spared;
pub(crate) mod undoes;
mod waits;
