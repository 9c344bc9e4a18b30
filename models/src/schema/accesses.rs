//! What a call does to data, locks and tasks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A task is started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spawn {
    /// The argument that is run: a closure, or a future.
    pub task: usize,
    /// Where.
    pub on: On,
    /// The task is joined before the construct around it ends (scoped threads).
    #[serde(default)]
    pub scoped: bool,
    /// The argument that points to what keeps the handle (a set of tasks); without it, the result is the handle.
    #[serde(default)]
    pub into: Option<usize>,
    /// The place where it runs; without it, `on` decides.
    #[serde(default)]
    pub at: Option<String>,
}

/// Where tasks and events run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum On {
    /// A thread of its own, or a pool.
    Any,
    /// The thread that spawns, one task at a time.
    Local,
    /// The thread of the user interface.
    Ui,
    /// Within the task that starts it, by turns with all else that runs there: a branch of `join!`.
    Within,
    /// A task that has the value it calls to itself, and takes one call after the other.
    Actor,
}

/// A lock is acquired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Acquire {
    /// Alone or shared.
    pub mode: Mode,
    /// When it happens.
    #[serde(default)]
    pub when: When,
    /// The argument that points to the lock.
    #[serde(default)]
    pub lock: usize,
    /// It waits for nobody: where somebody else has the lock it gives nothing. So it is with `when = "try"`, too.
    #[serde(default, rename = "at-once")]
    pub at_once: bool,
}

/// How a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Alone.
    Exclusive,
    /// With other readers.
    Shared,
}

/// When a lock is acquired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// In the call.
    #[default]
    Call,
    /// When the returned future is awaited.
    Await,
    /// In the call, if the result is `Some` or `Ok`.
    Try,
    /// In the call, and given back at once if the result is `None`.
    Found,
    /// For the time of the call only.
    During,
    /// In the call, after what it calls.
    Return,
}

/// An access to the data behind an argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// What it is.
    pub kind: AccessKind,
    /// The argument that points to the data.
    #[serde(default)]
    pub arg: usize,
    /// It is only about whether there is something, not about what there is (`Option::as_ref`).
    #[serde(default, rename = "tag-only")]
    pub tag_only: bool,
    /// It tells whether there is something, and not what it is (`HashMap::contains_key`).
    #[serde(default)]
    pub presence: bool,
    /// For an update: updates of one class commute.
    #[serde(default)]
    pub class: Option<String>,
    /// What it is instead when the result is `None`, `Err` or `false`.
    #[serde(default)]
    pub otherwise: Option<Otherwise>,
    /// For an update by an amount: the argument that says by how much.
    #[serde(default)]
    pub by: Option<usize>,
    /// The amount is taken away, not added.
    #[serde(default)]
    pub less: bool,
    /// Where things are so already, it changes nothing (a maximum, a bit that is set, a member that is added).
    #[serde(default)]
    pub settles: bool,
    /// It puts something under the key, and what it returns says whether nothing was there before: `true`, or `None`, to whoever comes
    /// first. Without a key: it fills an entry that was found vacant.
    #[serde(default)]
    pub claims: bool,
    /// What it does to a collection.
    #[serde(default)]
    pub change: Option<Change>,
    /// The argument that says which element of a collection it is about.
    #[serde(default)]
    pub key: Option<usize>,
}

/// What is done to a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// An element is put in, whatever else is in there.
    Put,
    /// The same, behind all that is there: each element stays at its index.
    Append,
    /// An element is taken out, be it this or that one.
    Take,
    /// What is under a key, or what it finds itself to be as asked for, is taken out: who does so again finds it gone.
    Remove,
    /// It is emptied.
    Clear,
    /// An element is put in under a key, in place of what was there.
    Set,
}

/// What is left of an access that did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Otherwise {
    /// It looked, and found nothing to change.
    Read,
    /// Nothing.
    Nothing,
}

/// A kind of access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AccessKind {
    /// Reads.
    Read,
    /// Writes, or reads and writes at once.
    Write,
    /// Changes the data in a way that commutes with others of its class, when the result is not used; else writes.
    Update,
    /// As `update`; a result that is not compared for equality is a ticket, and it does not matter who draws which.
    Ticket,
    /// Changes the data in a way that commutes with others of its class, whatever is done with the result.
    UpdateAlways,
}

/// How a result comes from the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Flow {
    /// A pointer to a new object that holds argument 0.
    New,
    /// The arguments themselves.
    Wrap,
    /// Where argument 0 points to.
    Load,
    /// Something of what argument 0 points to, never a reference to that itself (`Iterator::next`).
    Take,
    /// Something in argument 0, or a reference to that; nothing of the other arguments (`HashMap::get`).
    Within,
    /// A reference to something in argument 0, which is put there first if it is missing: what other arguments are or return,
    /// or something new if there are none (`Entry::or_insert`).
    Fill,
    /// All parts of the result point to one new object: what one end stores, the other loads.
    Channel,
    /// Nothing of interest.
    Nothing,
}

/// Which closures are called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    /// How often.
    pub times: Order,
    /// They run as tasks, several at once if they are called many times, that have all ended when the call returns.
    #[serde(default, rename = "side-by-side")]
    pub side_by_side: bool,
    /// The place where they run; without it, where the function is called.
    #[serde(default)]
    pub at: Option<String>,
}

/// How often a closure is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Not at all, or not now.
    Never,
    /// Once.
    Once,
    /// Once or not at all.
    Maybe,
    /// Once if argument 0 is `Some` or `Ok`, else not at all.
    IfOk,
    /// Once if argument 0 is `None` or `Err`, else not at all.
    IfErr,
    /// Once if the call returns `Some` or `Ok`, else not at all.
    IfFound,
    /// Any number of times.
    Many,
    /// Once, before anyone sees what comes of it (`get_or_init`): what it changes, nobody can tell from how it began.
    Initially,
}

/// What a function makes of a tracked value behind argument 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Value {
    /// Makes a variable with the value of argument 0.
    New,
    /// Returns it.
    Get,
    /// Stores argument 1.
    Set,
    /// Stores argument 1, returns the old value.
    Swap,
    /// Stores argument 2 if the value is argument 1; `Ok` if it was.
    CompareExchange,
    /// Takes what is there, so that nothing is: `Some` to whoever comes first.
    Take,
    /// Puts something there, in place of what was there, if anything.
    Fill,
    /// Not of a variable: whether a result is `Ok` (`Some`).
    IsOk,
    /// Not of a variable: whether a result is `Err` (`None`).
    IsErr,
    /// Not of a variable: a result that is `Ok` (`Some`, `Continue`) when argument 0 is.
    Same,
    /// Not of a variable: a result that is `Err` (`None`), whatever its arguments: what `?` returns early.
    Fails,
    /// Not of a variable: panics unless argument 0 is `Ok` (`Some`).
    Asserts,
    /// Not of a variable: equal to argument 0, or to what that refers to, or a reference to it.
    Copy,
    /// Not of a variable: whether arguments 0 and 1 are the same.
    IsEqual,
    /// Not of a variable: whether arguments 0 and 1 are not the same.
    IsDifferent,
    /// Not of a variable: whether argument 1 is among what is in argument 0.
    IsAmong,
    /// Not of a variable: true only if the closure that it calls says so.
    Confirms,
    /// What it returns, it returns to nobody else (a new number, a random name).
    Unique,
    /// Not of a variable: another one for each value of an argument, whatever the others are: its text, what wraps it, what is
    /// in it.
    Distinct,
    /// Not of a variable: what time it is.
    Time,
    /// Not of a variable: a collection with nothing in it, whatever its arguments.
    Empty,
    /// Not of a variable: argument 1 added to argument 0; if it does not fit, nothing, or as much as fits.
    Sum,
    /// Not of a variable: argument 1 taken away from argument 0; if there is not as much, nothing, or as much as there is.
    Difference,
    /// Not of a variable: the greater one of arguments 0 and 1.
    Greater,
    /// Not of a variable: the lesser one of arguments 0 and 1.
    Lesser,
}

/// Functions or closures given to it are events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventSource {
    /// Where they run.
    pub on: On,
    /// Each runs at most once.
    #[serde(default)]
    pub once: bool,
    /// What they are, for readers: "HTTP handler".
    #[serde(default)]
    pub what: String,
    /// The place where they run; without it, `on` decides.
    #[serde(default)]
    pub at: Option<String>,
}
