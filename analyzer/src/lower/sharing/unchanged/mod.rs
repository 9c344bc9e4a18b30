//! Changes that leave what others would leave, or what was there.

pub(crate) mod constants;
pub(crate) mod derived;
pub(crate) mod filled;
pub(crate) mod sifted;
pub(crate) mod spared;
pub(crate) mod tries;
