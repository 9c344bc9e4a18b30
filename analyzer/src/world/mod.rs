//! What the crates do: what points where ([`points`]), what each block does ([`actions`]), what becomes of the values of
//! reads ([`values`]), which events and tasks there are ([`units`]) and what may run beside what ([`parallel`]).

pub(crate) mod actions;
pub(crate) mod answers;
pub(crate) mod api;
pub(crate) mod callers;
pub(crate) mod coverage;
pub(crate) mod elements;
pub(crate) mod event_config;
pub(crate) mod exclusive;
pub(crate) mod facts;
pub(crate) mod followed;
pub(crate) mod foreign_locks;
pub(crate) mod handlers;
pub(crate) mod of_data;
pub(crate) mod parallel;
pub(crate) mod points;
pub(crate) mod print;
pub(crate) mod rounds;
pub(crate) mod singletons;
pub(crate) mod units;
pub(crate) mod values;
