//! One module per reason for which accesses may come in any order: what the reason is true of, and what looks alike but ends
//! differently (the lines that take part end with a comment).

pub mod about;
pub mod again;
pub mod alone;
pub mod claimed;
pub mod collected;
pub mod compared;
pub mod dependence;
pub mod drawn;
pub mod entries;
pub mod flags;
pub mod gone;
pub mod handed;
pub mod keys;
pub mod lent;
pub mod loose;
pub mod meant;
pub mod moved;
pub mod once;
pub mod optional;
pub mod owned;
pub mod presence;
pub mod queued;
pub mod reserved;
pub mod rounds;
pub mod settled;
pub mod sooner;
pub mod spared;
pub mod stamps;
pub mod started;
pub mod stored;
pub mod sums;
pub mod taken_back;
pub mod tokens;
pub mod told;
pub mod turns;
