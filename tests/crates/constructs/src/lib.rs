//! One module per construct: a bug that the construct does not prevent (the lines that take part say so with a comment
//! that starts with `//~` and names the class), and what is fine.

pub mod atomics;
pub mod channels;
pub mod join;
pub mod locks;
pub mod pools;
pub mod select;
pub mod spawning;
pub mod statics;
pub mod streams;
pub mod sync;
