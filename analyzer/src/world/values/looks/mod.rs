//! Which looks still matter: those that are made again, compared with others, waited with, or answered with.

pub(crate) mod agree;
pub(crate) mod answering;
pub(crate) mod compared;
pub(crate) mod inline_readers;
pub(crate) mod leaving;
pub(crate) mod listened;
pub(crate) mod presence;
pub(crate) mod queued;
pub(crate) mod rechecks;
pub(crate) mod revalidate;
pub(crate) mod stale;
mod unique;
pub(crate) mod waiting;
