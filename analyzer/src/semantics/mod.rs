//! The reference interpreter of the multi-thread semantics (section 1 of the specification), written for clarity.
//!
//! [`Machine`] takes single steps of a program; [`oracle`] enumerates all of them and decides robustness by definition
//! (section 2); `witness` replays schedules on it. Nothing here knows the translations: what they claim is judged by this.
//!
//! **Invariant.** A step is one *visible* operation (an access, a lock operation, a start, a join, a yield) of one task,
//! followed by its local computation up to the next visible one. Local computation can neither be seen nor disturbed.

mod access;
mod ahead;
mod code;
mod machine;
pub mod oracle;
mod order;
pub mod random;

pub use access::{Access, AccessClasses, AccessKind, Signal, Signals};
pub use code::{Code, Op};
pub use machine::{Event, Machine, State, Status, Step, TaskId};
pub use order::Before;
