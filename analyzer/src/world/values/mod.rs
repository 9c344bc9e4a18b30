//! Where the values of reads go, and what depends on them: which looks still matter when something is changed.
//!
//! **Invariants.** Everything here is about one body and what it calls; nothing runs in between.

pub(crate) mod control;
pub(crate) mod depend;
mod exclusion;
mod looks;
mod sameness;

pub(crate) use exclusion::{alone, plain};
use exclusion::{references, spread};
use looks::answering;
pub(crate) use looks::{
    agree, compared, inline_readers, leaving, listened, presence, queued, rechecks, revalidate, stale,
    waiting,
};
pub(crate) use sameness::{access_path, components, fresh, keys, owned, value};
