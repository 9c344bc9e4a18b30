//! Why a violation need not matter: each file knows one kind of reason, and tells it from the program. [`excuse`] asks them in order.

mod entries;
pub(crate) mod excuse;
mod notes;
mod numbers;
mod values;
mod waits;

pub(crate) use entries::{
    agreed, another, claims, elements, filled, in_place, members, put_back, refilled, taken_entry,
};
pub(crate) use notes::{
    belonging, memo, outlived, runs, scattered, statistics, total, under_way, unlocked, unobserved, unrelated,
};
pub(crate) use numbers::{counted_again, counted_late, crosswise, numbered, reserved};
pub(crate) use values::{commuting, frozen, order, replaced, silent};
pub(crate) use waits::{drained, enlisted, messages, news, protocol, published, registered, signals};
