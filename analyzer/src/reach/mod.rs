//! Can a sequential program end with its error flag set?
//!
//! [`symbolic`] runs the program once for all inputs and merges at every join, with procedures inlined and loops unrolled up
//! to a bound; what comes out is a Boolean [`circuit`] over the program's free choices. The seam to the solvers is one type,
//! [`solve::Session`]: circuit and goal in, inputs out. A SAT solver in the process answers what is easy, Z3 the rest.

pub mod circuit;
pub mod heads;
pub mod numbers;
mod sat;
#[cfg(feature = "z3")]
mod smt;
pub mod solve;
pub mod symbolic;

use crate::ir::{ProcId, Program, Types, VarId};

pub use circuit::{Circuit, Lit};
pub use heads::Relevant;
pub use numbers::Bits;
pub use solve::{Answer, Effort, Engine, Session};
pub use symbolic::{Bounds, Entry, Frame, Log, Logged, Run, run};

/// The solver for what is hard, and its version.
pub fn version() -> String {
    #[cfg(feature = "z3")]
    return smt::version();
    #[cfg(not(feature = "z3"))]
    return "none".into();
}

/// Does something with a Z3 of its own: what it says does not depend on what it was asked before.
pub(crate) fn afresh<T: Send + Sync>(work: impl FnOnce() -> T + Send + Sync) -> T {
    #[cfg(feature = "z3")]
    return z3::with_z3_config(&z3::Config::new(), work);
    #[cfg(not(feature = "z3"))]
    return work();
}

/// The question whether a program reaches its error flag, in SMT-LIB, as the solver is asked; and whether that is the whole
/// question, or one up to the bounds. Nothing where there is no Z3 in it.
pub fn to_smt(
    program: &Program,
    types: &Types,
    entry: ProcId,
    error: VarId,
    bounds: Bounds,
) -> (String, bool) {
    let run = run(program, types, entry, error, bounds);
    let mut session = Session::new(Engine::Thorough, 0, None);
    session.require(&run.circuit, &run.goals[run.goals.len() - 1..]);
    (session.to_smt(), !run.truncated && !run.too_large)
}
