//! The code-to-code translations `detStr`, `seq` and `robSeq` (sections 4 to 6 of the specification; sections 5 and 6 of
//! the paper): from "does some interleaving violate robustness?" to "does a sequential program set its error flag?".
//!
//! [`detstr`] and [`robstr`] instrument the tasks of a program; [`seq`] turns the result into a sequential program, in
//! which a task started by `async` is a call that waits on its parent's list. Everything is a [`Program`] and prints as
//! one. Statements that come from the original program keep its labels and places; the others have [`GENERATED`].
//!
//! **Where this goes beyond the specification's wording** (found with the oracle, see `ARCHITECTURE.md`):
//! * *Prophecy instead of bookkeeping.* Whether a lock's holder will stop while holding it is guessed when it is
//!   acquired (`dies`), and checked at the release and at the task's end. The holder then counts as stopped from the
//!   acquisition on: its accesses enter the sets at once, and its children inherit `after` at the spawn.
//! * *Waiting holders.* A task that joins while it holds a lock and goes on afterwards excludes the joined tasks from
//!   that lock only as far as they happen after its acquisition, and not the tasks that these start: those may
//!   run when it is over.
//! * *Spanning sections* ([`Precision::Fine`]). Completed sections of one lock are ordered among each other, too.

mod build;
mod driver;
mod instrument;
mod names;
mod seq;

use std::collections::HashSet;

use crate::ir::{ExecId, Invalid, Label, LockId, Proc, ProcId, Program, Types, VarId, validate};
use crate::reach::Relevant;
use crate::semantics::{AccessClasses, Code, Op};

pub use driver::{Start, detstr, robstr};
pub use seq::seq;

/// The label of statements that no statement of the original program stands behind.
pub const GENERATED: Label = Label(u32::MAX);

/// A translated program and the names of the flags in it.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The program. Procedures of the original keep their ids; they are the tasks' instrumented wrappers.
    pub program: Program,
    /// Where it starts.
    pub entry: ProcId,
    /// The flag that is set when a violation was found, to be looked at when the program ended.
    pub error: VarId,
    /// The instrumentation variables that the witness is read from.
    pub flags: Flags,
    /// The accesses that `pivot`, `exit` and `temp_exit` count, from 1.
    pub accesses: AccessClasses,
    /// Flags of a task that the task which joins it looks at.
    pub returned: Vec<VarId>,
    /// What of the state between two events decides what can follow. For coarse translations.
    pub between: Relevant,
}

impl Translated {
    /// The types of the translated program. What integers are is up to the original one, whose types are given.
    ///
    /// # Errors
    /// The translation is not a valid program: a bug of the translation.
    pub fn types(&self, original: &Types) -> Result<Types, Invalid> {
        let own = validate(&self.program)?;
        Ok(Types { any_int: original.any_int, ..own })
    }
}

/// Instrumentation variables whose assignments tell the witness what was chosen.
#[derive(Clone, Copy, Debug)]
pub struct Flags {
    /// Set to false when a task begins.
    pub skip: VarId,
    /// Set to the number of the pivot's access when a task stops at it.
    pub pivot: VarId,
    /// Determinism: set when the statement just executed is chosen as the root.
    pub root: VarId,
    /// Serializability: set when the statement just executed is chosen as exit of the delayed event.
    pub exit: VarId,
    /// Serializability: set when the statement just executed is chosen as exit of a later event on the cycle.
    pub temp_exit: VarId,
    /// Serializability: set when the statement just executed is an entry.
    pub entered: VarId,
    /// Serializability: set at the start of an event, to whether it takes part in the cycle.
    pub taking_part: VarId,
    /// Serializability: set at the start of an event, to whether it is the delayed one.
    pub delayed: VarId,
}

/// How exactly the order of completed sections of one lock is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Only against holders that stopped, or wait. Small; now and then a run is let through that cannot be scheduled, which
    /// the replay notices.
    #[default]
    Coarse,
    /// Also among each other, where one spans the acquisition of a holder that stopped: hand-over-hand locking needs it.
    Fine,
}

/// What is deliberately left out of a translation. For tests of the tests only: each omission makes the translation wrong,
/// and the comparison with the oracle has to notice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mutation {
    /// Nothing.
    #[default]
    None,
    /// A started task does not inherit what its parent happens after.
    SpawnEdge,
    /// A completed section is not checked against stopped holders.
    LockCheck,
    /// Several tasks may stop as holders of one lock.
    OneHolder,
    /// Commuting updates conflict like writes.
    Commuting,
    /// What happened before an event changes nothing for it.
    Before,
    /// Integers are cut to so many bits (where the translated program is run).
    Narrow(u32),
}

/// What the size of a translation has as a factor besides that of the program: for each lock or executor that is taken, each
/// access is followed.
pub fn product(program: &Program) -> usize {
    let ops: Vec<Op> = program.procs.iter().flat_map(|p| Code::new(p).ops).map(|(op, _)| op).collect();
    let accesses = AccessClasses::new(ops.iter().filter_map(Op::access));
    let locks: HashSet<LockId> =
        ops.iter().filter_map(|op| if let Op::Acquire(lock, _) = op { Some(*lock) } else { None }).collect();
    let executors: HashSet<ExecId> = program.procs.iter().filter_map(Proc::executor).collect();
    (locks.len() + executors.len()) * accesses.list.len()
}

/// `detSeq(e)`: [`seq`] of [`detstr`].
pub fn detseq(program: &Program, event: ProcId, start: Start, precision: Precision) -> Translated {
    seq(detstr(program, event, start, precision, Mutation::None))
}

/// `robSeq`: [`seq`] of [`robstr`].
pub fn robseq(program: &Program, events: u32, precision: Precision) -> Translated {
    seq(robstr(program, events, precision, Mutation::None))
}
