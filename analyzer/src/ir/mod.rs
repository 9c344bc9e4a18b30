//! Programs of events, tasks, locks and shared variables: what the analysis reasons about.
//!
//! This is the language of the specification (sections 1 and 8): it knows no Rust. Rust is lowered into it
//! ([`crate::lower`]), `.rob` files are parsed into it ([`text`]), and the translations ([`crate::translate`]) map
//! programs to programs.
//!
//! **Invariants.** Every id is an index into the table of its kind in the same [`Program`]. Executor 0 is `main`.
//! Statement labels are unique in a program. The first [`Proc::params`] locals of a procedure are its parameters.

mod basis;
pub(crate) mod calls;
mod flatten;
pub(crate) mod passes;
mod print;
mod reached;
mod stmt;
pub mod text;
mod validate;
pub(crate) mod walk;

pub(crate) use basis::NOTHING;
pub use basis::{
    AccessPath, Basis, By, Causes, Change, Count, Derived, Facet, Frozen, Home, Mark, Member, Message,
    Number, OneOf, Own, RenumberBases, Side, Test,
};
pub use flatten::flatten;
pub use stmt::{BinOp, Expr, Mode, SourcePlace, Stmt, StmtKind, Where};
pub use validate::{Invalid, Type, Types, validate};

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u32);
        impl $name {
            /// The id as an index into its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
id!(
    /// A shared variable: index into [`Program::vars`].
    VarId
);
id!(
    /// A lock: index into [`Program::locks`].
    LockId
);
id!(
    /// An executor: index into [`Program::executors`]; 0 is `main`.
    ExecId
);
id!(
    /// A procedure, task or event: index into [`Program::procs`].
    ProcId
);
id!(
    /// A class of commuting updates: index into [`Program::classes`].
    ClassId
);
id!(
    /// A local variable of a procedure: index into [`Proc::locals`].
    LocalId
);
id!(
    /// A source place: index into [`Program::places`].
    PlaceId
);
id!(
    /// What an access is based on: index into [`Program::bases`].
    BasisId
);
id!(
    /// A statement: unique in its program.
    Label
);

/// The class of updates that set a flag, a truth value that nobody clears. They leave it true.
pub const RAISE: &str = "raise";

/// The class of updates that clear a truth value that nobody sets. They leave it false.
pub const LOWER: &str = "lower";

/// The class of updates by which a task begins to wait at a condition: what was told there before, it has missed.
pub const ENLIST: &str = "enlist";

/// The class of updates by which those are woken who wait at a condition by now, and nobody else.
pub const WAKE: &str = "wake";

/// The class of updates by which one more holds something of which it is asked how many hold it.
pub const HOLD: &str = "hold";

/// The class of updates by which one fewer does.
pub const LEAVE: &str = "leave";

/// The classes that have a meaning of their own.
pub const MEANT: [&str; 6] = [RAISE, LOWER, ENLIST, WAKE, HOLD, LEAVE];

/// A whole program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Executors; the first is `main`, which every program has.
    pub executors: Vec<Executor>,
    /// Locks.
    pub locks: Vec<Lock>,
    /// Shared variables.
    pub vars: Vec<Var>,
    /// Names of the classes of commuting updates.
    pub classes: Vec<String>,
    /// Events, tasks and procedures.
    pub procs: Vec<Proc>,
    /// Source places that statements and declarations point to.
    pub places: Vec<SourcePlace>,
    /// What accesses are based on. The text form does not say; nothing is then known of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bases: Vec<Basis>,
    /// By variable: how the source changes it. Empty when that is not known, as in the text form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Changed>,
}

/// How the source changes a variable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// For each place where it does, the variables that are always changed with it, in one critical section.
    pub with: Vec<BTreeSet<VarId>>,
    /// How many events do so, their tasks left out.
    pub events: u32,
    /// How many events access it at all, their tasks left out.
    #[serde(default)]
    pub users: u32,
}

/// A place that runs one task at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executor {
    /// Name, unique among executors.
    pub name: String,
    /// Whether a task keeps it across `yield` and `await` (an actor); a cooperative one is given back there.
    pub exclusive: bool,
}

/// A lock, acquired alone or shared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    /// Name, unique among locks.
    pub name: String,
}

impl Lock {
    /// Whether the source has no such lock: it stands for something else, which a remark in parentheses behind its name
    /// says, as `state.version (compared)`.
    pub fn is_ghost(&self) -> bool {
        self.name.ends_with(')') && self.name.contains(" (")
    }
}

/// A shared variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Var {
    /// Name, unique among variables; for Rust, the access path in the user's words.
    pub name: String,
    /// Which values it takes, or `None` when its value is not tracked (every read gives any value).
    pub domain: Option<Domain>,
    /// Initial value; [`Value::Bool`]`(false)` when untracked.
    pub init: Value,
    /// Its first value is not known: any of the domain, for which `init` stands. Integers are not open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// The lock that it is in: whoever accesses it together with others holds that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<LockId>,
    /// It is made again and again, by each run of something, and then kept where others find it (a session, a request): two accesses need
    /// not be to the same one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recurring: bool,
    /// It changes through exclusive references only: two accesses at once, one of which holds no lock, are never to the same one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub plain: bool,
    /// The object that it is a part of, without a pointer in between, by number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<u32>,
    /// What it holds is one function, which is called: a handler that somebody sets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub handler: bool,
    /// An event makes it for its tasks: what these do with it as events of their own is none of other events.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
}

/// What the name of a variable has in it that stands for all elements of something.
pub const ELEMENTS: &str = "[..]";

impl Var {
    /// A variable of which no more is known than its values.
    pub fn new(name: String, domain: Option<Domain>, init: Value) -> Var {
        let (open, guard, recurring, plain, object) = (false, None, false, false, None);
        Var { name, domain, init, open, guard, recurring, plain, object, handler: false, own: false }
    }

    /// Whether this is the value that it has at first.
    pub fn is_first(&self, value: Value) -> bool {
        !self.open && self.init == value
    }

    /// Whether it stands for many things, of which two accesses need not mean the same one.
    pub fn is_many(&self) -> bool {
        self.name.contains(ELEMENTS)
    }
}

/// The values of a tracked variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Domain {
    /// `bool`.
    Bool,
    /// `presence`: whether there is something, a truth value. Updates, other than [`RAISE`] and [`LOWER`], change what is there,
    /// which stays there: who updates what is not there goes no further.
    Presence,
    /// `variant lo..hi`: which variant an enum is, a number. Updates change what is in it, and leave it as it is.
    Variant {
        /// Least number.
        lo: i128,
        /// Greatest number.
        hi: i128,
    },
    /// `int lo..hi`, both ends included, within [`INTEGERS`]. Storing a value outside wraps around within the range.
    Int {
        /// Least value.
        lo: i128,
        /// Greatest value.
        hi: i128,
    },
}

impl Domain {
    /// Whether the first value may be open: there are few.
    pub fn may_be_open(self) -> bool {
        !matches!(self, Domain::Int { .. })
    }
}

/// What an update leaves in a tracked variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Updated {
    /// Any value of its domain.
    Any,
    /// What it had before.
    Same,
    /// What it had before, which is true; otherwise the task goes no further.
    Present,
    /// This truth value.
    Value(bool),
}

/// The integers that a program can name: all values of Rust's integer types of up to 64 bits, signed and unsigned.
pub const INTEGERS: RangeInclusive<i128> = i64::MIN as i128..=u64::MAX as i128;

/// Bits, in two's complement, of the results of arithmetic: enough for all of [`INTEGERS`]. A sum or difference of two
/// integers that does not fit wraps around there, so that storing it in a range of 2^64 values comes out as in Rust.
pub const INTEGER_BITS: u32 = 65;

/// An integer wrapped around at so many bits, in two's complement.
pub fn wrap(value: i128, bits: u32) -> i128 {
    let unused = i128::BITS.saturating_sub(bits.max(1));
    value << unused >> unused
}

/// An integer as a variable of the range `lo..hi` keeps it: wrapped around within the range.
pub fn wrap_into(value: i128, lo: i128, hi: i128) -> i128 {
    lo + (value - lo).rem_euclid(hi - lo + 1)
}

/// Bits that every integer of a range fits into, in two's complement.
pub fn bits_of(lo: i128, hi: i128) -> u32 {
    let bits = |value: i128| i128::BITS + 1 - (value ^ (value >> (i128::BITS - 1))).leading_zeros();
    bits(lo).max(bits(hi))
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer, one of [`INTEGERS`].
    Int(i128),
}

/// An event, a task or a procedure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proc {
    /// Name, unique among procedures.
    pub name: String,
    /// How it comes to run.
    pub kind: ProcKind,
    /// How many of the locals are parameters.
    pub params: usize,
    /// Names of all locals, parameters first.
    pub locals: Vec<String>,
    /// What it does.
    pub body: Block,
    /// Where it is declared.
    pub place: Option<PlaceId>,
    /// How it goes on.
    #[serde(default)]
    pub course: Course,
    /// It is what another event does on another object, with that one's lock, as far as it may be to the same things.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
}

/// How an event or a task goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Course {
    /// It does its work, and ends.
    #[default]
    Ends,
    /// It waits for the outside again and again, and each round is an event of its own: it has no work that ends.
    Serves,
    /// It is a round of one that serves.
    Round {
        /// The object that this was called on by whoever uses the library, to be run for as long as that is there, by its number.
        of: Option<u32>,
    },
    /// It stands for all that one of those who serve does, of which it has two changes alone: what is put in before the rounds, and what is
    /// taken out after them.
    Whole,
}

/// How a procedure comes to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProcKind {
    /// Started by the environment, in any number of instances.
    Event {
        /// At most one instance in a run.
        once: bool,
        /// Nothing else happens in a run with it, and its guard counts as true: only its determinism is asked. It happens
        /// once, too.
        alone: bool,
        /// Where it runs.
        on: Where,
        /// It may start only while this Boolean variable is true.
        guard: Option<VarId>,
    },
    /// Started by `async`.
    Task {
        /// Where it runs.
        on: Where,
    },
    /// Called synchronously, as part of the calling task.
    Proc,
}

/// Statements in order.
pub type Block = Vec<Stmt>;

impl Program {
    /// What the access of a statement is based on, if it has one and that is known.
    pub fn basis_of(&self, stmt: &Stmt) -> Option<&Basis> {
        self.bases.get(stmt.basis?.index())
    }

    /// The statements that change a variable.
    pub(crate) fn changes_of(&self, var: VarId) -> impl Iterator<Item = &Stmt> {
        self.statements().into_iter().filter(move |stmt| stmt.changed() == Some(var))
    }

    /// What an update of a tracked variable by a class leaves there.
    pub fn updated(&self, domain: Domain, class: ClassId) -> Updated {
        match (domain, self.left_by(class)) {
            (Domain::Bool | Domain::Presence, Some(left)) => Updated::Value(left),
            (Domain::Presence, None) => Updated::Present,
            (Domain::Variant { .. }, _) => Updated::Same,
            _ => Updated::Any,
        }
    }

    /// What an update of this class leaves in a truth value, whatever it was; `None` if it may be either.
    pub fn left_by(&self, class: ClassId) -> Option<bool> {
        match self.classes.get(class.index())?.as_str() {
            RAISE => Some(true),
            LOWER => Some(false),
            _ => None,
        }
    }

    /// The class of that name; a new one if there is none yet.
    pub fn class(&mut self, name: &str) -> ClassId {
        let known = self.classes.iter().position(|class| class == name);
        let index = known.unwrap_or_else(|| {
            self.classes.push(name.to_owned());
            self.classes.len() - 1
        });
        ClassId(index as u32)
    }

    /// A program with nothing in it but the executor `main`.
    pub fn new() -> Self {
        Program {
            executors: vec![Executor { name: "main".into(), exclusive: false }],
            locks: Vec::new(),
            vars: Vec::new(),
            classes: Vec::new(),
            procs: Vec::new(),
            places: Vec::new(),
            bases: Vec::new(),
            changed: Vec::new(),
        }
    }

    /// The procedure behind an id.
    pub fn proc(&self, id: ProcId) -> &Proc {
        &self.procs[id.index()]
    }

    /// The ids of all events, in order of declaration.
    pub fn events(&self) -> impl Iterator<Item = ProcId> + '_ {
        (0..self.procs.len() as u32)
            .map(ProcId)
            .filter(|&p| matches!(self.proc(p).kind, ProcKind::Event { .. }))
    }

    /// All statements, nested ones included, in order.
    pub fn statements(&self) -> Vec<&Stmt> {
        self.procs.iter().flat_map(Proc::statements).collect()
    }
}

impl Proc {
    /// The executor that it runs on, if it is a task that has one.
    pub fn executor(&self) -> Option<ExecId> {
        match self.kind {
            ProcKind::Event { on: Where::On(e), .. } | ProcKind::Task { on: Where::On(e) } => Some(e),
            _ => None,
        }
    }

    /// All statements of the body, nested ones included, in order.
    pub fn statements(&self) -> Vec<&Stmt> {
        fn collect<'p>(block: &'p Block, into: &mut Vec<&'p Stmt>) {
            for s in block {
                into.push(s);
                match &s.kind {
                    StmtKind::If(_, yes, no) => [yes, no].into_iter().for_each(|b| collect(b, into)),
                    StmtKind::While(_, body) | StmtKind::Loop(_, body) => collect(body, into),
                    _ => {}
                }
            }
        }
        let mut all = Vec::new();
        collect(&self.body, &mut all);
        all
    }
}

impl Default for Program {
    fn default() -> Self {
        Program::new()
    }
}
