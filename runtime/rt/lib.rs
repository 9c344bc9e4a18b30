//! The scheduler that is preloaded into a process of the user's. It has no dependencies.
//!
//! One known thread runs at a time: the one that has the baton. It can be stopped at *points*: every atomic operation (the compiler's
//! pass calls us in place of it), every wait and wake of a futex, thread start, join, sleep, yield. Blocking is emulated: it only changes who
//! may run. Time is virtual: it passes when nobody can run.
//!
//! **Invariant.** Nothing here does anything unless the process was started as a harness: without `serve`, every symbol does what
//! the one that it stands for does.
#![allow(clippy::missing_safety_doc)]

mod atomics;
mod interpose;
mod schedule;
mod serve;
mod system;
