//! Why a violation need not matter: each file knows one kind of reason, and tells it from the program.

pub(crate) mod agreed;
pub(crate) mod another;
pub(crate) mod belonging;
pub(crate) mod claims;
pub(crate) mod commuting;
pub(crate) mod counted_late;
pub(crate) mod crosswise;
pub(crate) mod elements;
pub(crate) mod enlisted;
pub(crate) mod excuse;
pub(crate) mod filled;
pub(crate) mod frozen;
pub(crate) mod members;
pub(crate) mod messages;
pub(crate) mod news;
pub(crate) mod numbered;
pub(crate) mod order;
pub(crate) mod paid_back;
pub(crate) mod protocol;
pub(crate) mod replaced;
pub(crate) mod reserved;
pub(crate) mod signals;
pub(crate) mod silent;
pub(crate) mod under_way;
pub(crate) mod unrelated;
pub(crate) mod withdrawn;
