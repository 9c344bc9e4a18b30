//! From a model of the sequential program to a schedule of the original one.
//!
//! [`extract`] reads off the model what each task did and who plays which part in the violation, in depth-first order;
//! [`schedule::replay`] finds an interleaving of the same steps, with the same order of conflicting accesses, that the
//! reference interpreter accepts, and checks the violation on it. Only what replays is reported.

mod exclude;
mod extract;
mod schedule;
mod sections;
mod shorten;

pub use exclude::{
    Alike, exclude_cycle, exclude_cycle_without, exclude_history, exclude_run, exclude_violation,
};
pub use extract::{Act, Action, Trace, TraceTask, extract};
pub use schedule::{Replayed, replay};
pub use shorten::{least, shortest};
