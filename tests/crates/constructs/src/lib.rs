//! One module per construct: a bug that the construct does not prevent (the lines that take part end with a comment), and
//! what is fine.

pub mod arguments;
pub mod atomics;
pub mod attempts;
pub mod captures;
pub mod channels;
pub mod guards;
pub mod join;
pub mod listened;
pub mod locks;
pub mod made;
pub mod looks;
pub mod objects;
pub mod pools;
pub mod parts;
pub mod queues;
pub mod raw;
pub mod select;
pub mod signals;
pub mod spawning;
pub mod statics;
pub mod streams;
pub mod subscribed;
pub mod sync;
