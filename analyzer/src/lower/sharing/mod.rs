//! Which places are shared, which variable each of them is, and what each access of one depends on.

mod absent;
mod alternatives;
pub(crate) mod basis;
mod captures;
pub(crate) mod choose;
mod claimed;
mod constants;
mod decisive;
mod derived;
mod filled;
mod flows;
pub(crate) mod followed;
mod frozen;
mod handed_out;
pub(crate) mod made;
mod marks;
pub(crate) mod observed;
pub(crate) mod own;
mod parts;
mod publication;
mod resumed;
pub(crate) mod share;
mod spared;
mod tries;
pub(crate) mod undoes;
mod waits;
