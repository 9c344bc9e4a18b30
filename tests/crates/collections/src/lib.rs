//! What is behind the pointers in collections: one module per question. Lines that take part in a finding end with a comment;
//! everything else is fine.

pub mod lent;
pub mod sharded;
