//! Where the values of reads go, and what depends on them: which looks still matter when something is changed.
//!
//! **Invariants.** Everything here is about one body and what it calls; nothing runs in between.

pub(crate) mod access_path;
pub(crate) mod agree;
pub(crate) mod alone;
mod answering;
pub(crate) mod compared;
pub(crate) mod components;
pub(crate) mod control;
pub(crate) mod depend;
mod drawn;
pub(crate) mod fresh;
pub(crate) mod inline_readers;
pub(crate) mod keys;
pub(crate) mod listened;
pub(crate) mod owned;
pub(crate) mod plain;
pub(crate) mod presence;
pub(crate) mod rechecks;
mod references;
pub(crate) mod revalidate;
mod spread;
pub(crate) mod stale;
pub(crate) mod value;
pub(crate) mod waiting;
