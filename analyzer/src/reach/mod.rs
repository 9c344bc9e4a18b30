//! Can a sequential program end with its error flag set?
//!
//! [`symbolic`] runs the program once for all inputs and merges at every join, with procedures inlined and loops unrolled up
//! to a bound; what comes out is a Boolean [`circuit`] over the program's free choices. [`solve`] asks Z3. The
//! seam to the solver is one type, [`solve::Session`]: circuit and goal in, inputs out.

pub mod circuit;
pub mod solve;
pub mod symbolic;

pub use circuit::{Circuit, Lit};
pub use solve::{Answer, Effort, Session};
pub use symbolic::{Bounds, Entry, Frame, Log, Logged, Run, run};
