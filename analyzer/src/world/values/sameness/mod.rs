//! Which values, keys and ways to objects are the same, and which are nobody else's.

pub(crate) mod access_path;
pub(crate) mod components;
pub(crate) mod drawn;
pub(crate) mod fresh;
pub(crate) mod keys;
pub(crate) mod owned;
pub(crate) mod taken;
pub(crate) mod value;
