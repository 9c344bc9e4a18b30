//! What `cargo robust monitor` puts into programs: tasks and what happens to them, held against tables that say when that is wrong.
//!
//! The stand-ins for libraries (`stand-ins/`) tell what happens; each property is a table with one state for each task. Both the
//! tables and what is known of the places where tasks are started are read from files at the first event, so other properties need no
//! new build. Without these files nothing is watched.
//!
//! **Invariants.** Nothing here panics, or waits for anything but short locks of its own, which are never held while the program's code runs.
//! What happens to a task takes its number under the task's lock, so numbers extend what happened before what.

#![forbid(unsafe_code)]

mod atoms;
mod future;
mod handle;
mod limits;
mod record;
mod report;
mod states;
mod sync;
mod table;
mod task;
mod waker;

pub use future::{Watched, run_blocking, run_future};
pub use handle::Handle;

#[cfg(test)]
mod tests;

/// The texts of this crate, for whoever compiles it with a program.
pub const SOURCES: &[(&str, &str)] = &[
    ("src/lib.rs", include_str!("lib.rs")),
    ("src/atoms.rs", include_str!("atoms.rs")),
    ("src/future.rs", include_str!("future.rs")),
    ("src/handle.rs", include_str!("handle.rs")),
    ("src/limits.rs", include_str!("limits.rs")),
    ("src/record.rs", include_str!("record.rs")),
    ("src/report.rs", include_str!("report.rs")),
    ("src/states.rs", include_str!("states.rs")),
    ("src/sync.rs", include_str!("sync.rs")),
    ("src/table.rs", include_str!("table.rs")),
    ("src/task.rs", include_str!("task.rs")),
    ("src/waker.rs", include_str!("waker.rs")),
    ("stand-ins/tokio.rs", include_str!("../stand-ins/tokio.rs")),
    ("stand-ins/tokio-functions.rs", include_str!("../stand-ins/tokio-functions.rs")),
];

/// The variable that names the folder of the files to read, and to write.
pub const FOLDER_ENV: &str = "ROBUST_MONITOR";
