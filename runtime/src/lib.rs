//! What runs inside processes of the user's, as source text, and the other end of the channel to them.
//!
//! Nothing of the text is compiled with the tool, which has no unsafe code: the user's own rustc compiles the scheduler to a library that is
//! preloaded (`rt/`), and the fixed part of a harness (`harness.rs`) as part of the crate that is run.
//!
//! The modules speak with such a process ([`worker`]), judge what it shows ([`judge`], [`outcome`]) and build it ([`build`], [`pieces`],
//! [`tree`]). They need nothing but std, since they are text as well: [`written`] is a test that is left in the user's hands.

pub mod build;
pub mod judge;
pub mod outcome;
pub mod pieces;
pub mod tree;
pub mod worker;
pub mod written;

/// The files of the scheduler's crate, by name; the first is its root.
pub const SCHEDULER: [(&str, &str); 6] = [
    ("lib.rs", include_str!("../rt/lib.rs")),
    ("system.rs", include_str!("../rt/system.rs")),
    ("schedule.rs", include_str!("../rt/schedule.rs")),
    ("atomics.rs", include_str!("../rt/atomics.rs")),
    ("interpose.rs", include_str!("../rt/interpose.rs")),
    ("serve.rs", include_str!("../rt/serve.rs")),
];

/// The fixed part of a harness: a module's text. Macros have to come before what uses them.
pub const HARNESS: &str =
    concat!(include_str!("../rt/make.rs"), include_str!("../rt/show.rs"), include_str!("../rt/harness.rs"));

/// What a harness has around the calls of a crate that uses a library: the library's crate, and texts to try in turn. The last one,
/// of no library, fits all.
pub const SURROUNDINGS: [(&str, &str); 2] = [
    ("tokio", include_str!("../rt/surroundings/tokio.rs")),
    ("", include_str!("../rt/surroundings/none.rs")),
];

/// The modules of a test that is left in the user's hands, by name.
pub const WRITTEN: [(&str, &str); 7] = [
    ("build.rs", include_str!("build.rs")),
    ("judge.rs", include_str!("judge.rs")),
    ("outcome.rs", include_str!("outcome.rs")),
    ("pieces.rs", include_str!("pieces.rs")),
    ("tree.rs", include_str!("tree.rs")),
    ("worker.rs", include_str!("worker.rs")),
    ("written.rs", include_str!("written.rs")),
];
