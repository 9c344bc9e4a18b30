//! What is in collections, and behind the pointers in them: one module per question. Lines that take part in a finding end with a comment;
//! everything else is fine.

pub mod absent;
pub mod again;
pub mod concurrent;
pub mod entries;
pub mod facets;
pub mod grown;
pub mod lent;
pub mod lent_items;
pub mod owned;
pub mod recurring;
pub mod sharded;
pub mod small;
pub mod tables;
pub mod visited;
pub mod within;
