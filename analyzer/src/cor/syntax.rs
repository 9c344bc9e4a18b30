//! What a file says, as data.

use std::ops::Range;
use std::time::Duration;

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// What is declared beside the atoms that are built in.
    pub declared: Vec<Declared>,
    /// The properties.
    pub properties: Vec<Said>,
}

/// An event or a state of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// A state, which lasts; else an event.
    pub lasts: bool,
    /// Its name.
    pub name: String,
    /// Its parameters: the first is the running task.
    pub params: Vec<String>,
    /// What begins it.
    pub from: Source,
    /// What ends it.
    pub to: Option<Source>,
    /// Where it is declared.
    pub span: Range<usize>,
}

/// What makes an event happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// How.
    pub how: How,
    /// The function's path, or the event's name.
    pub path: String,
}

/// How an event is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// A function is entered.
    Enter,
    /// A function is left.
    Leave,
    /// A function is called.
    Call,
    /// The program says so itself.
    Emit,
}

/// A property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Its name.
    pub name: String,
    /// How much it matters: `deny`, `warn` or `note`.
    pub level: Level,
    /// What it says.
    pub outer: Outer,
    /// Where.
    pub span: Range<usize>,
}

/// How much a property matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// A violation fails the run.
    #[default]
    Deny,
    /// It is shown.
    Warn,
    /// It is mentioned.
    Note,
}

/// What a variable ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// All tasks that are started.
    Task,
    /// All values that an event's parameter has.
    Key,
}

/// What a property says: of all tasks, of some, of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outer {
    /// Of all (`true`) or of some.
    Each {
        /// All, or some.
        all: bool,
        /// The variable.
        var: String,
        /// What it ranges over.
        sort: Sort,
        /// Only those of which this holds from the beginning.
        filter: Option<Spanned>,
        /// What holds of each.
        body: Box<Spanned>,
    },
    /// Both.
    And(Box<Outer>, Box<Outer>),
    /// Either.
    Or(Box<Outer>, Box<Outer>),
    /// Not.
    Not(Box<Outer>),
    /// Of the run.
    Run(Spanned),
}

/// A formula and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned {
    /// The formula.
    pub inner: Inner,
    /// Where.
    pub span: Range<usize>,
}

/// A formula about one task, or about the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inner {
    /// Something that is so, or happens, at a step.
    Atom {
        /// What.
        name: String,
        /// Of whom.
        args: Vec<String>,
        /// A path, of `site`.
        path: Option<String>,
    },
    /// With one operand.
    Unary(Unary, Box<Spanned>),
    /// With two.
    Binary(Binary, Box<Spanned>, Box<Spanned>),
    /// `G (a => b within d)`.
    Within(Box<Spanned>, Box<Spanned>, Duration),
    /// So many at most.
    Count {
        /// The variable.
        var: String,
        /// What is counted.
        body: Box<Spanned>,
        /// At most.
        most: u32,
    },
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// Not.
    Not,
    /// At the next step.
    Next,
    /// From now on.
    Always,
    /// Now or later.
    Finally,
    /// At the step before.
    Yesterday,
    /// Now or earlier.
    Once,
    /// Up to now.
    Historically,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// Both.
    And,
    /// Either.
    Or,
    /// If, then.
    Implies,
    /// The first until the second, which comes.
    Until,
    /// The first until the second, if that comes.
    WeakUntil,
    /// The second up to and including the first, if that comes.
    Release,
    /// The second happened, and the first since.
    Since,
}
