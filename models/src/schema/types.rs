//! Types, and traits, of a library: what they are to the heap, to tasks, to streams.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Effect, EventSource, Mode, OneOrMany};
use crate::stream::Signal;

/// How input comes in through a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// From the outside: a connection, standard input.
    Outside,
    /// From what it is made of, which its type arguments are: a buffer, an iterator over lines.
    Inside,
}

/// A trait that the library's users implement for the library to call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trait {
    /// Its path without generic arguments.
    pub path: OneOrMany,
    /// Its methods are events.
    #[serde(default)]
    pub event: Option<EventSource>,
    /// What implements it is a lock by its own protocol, which nobody wants a verdict on.
    #[serde(default)]
    pub lock: bool,
    /// No closure implements it, nor does what is made of closures: a future, an iterator.
    #[serde(default)]
    pub data: bool,
    /// What implements it is something to be told, as an error is: nobody looks behind a pointer to it for state that is shared.
    #[serde(default)]
    pub told: bool,
    /// What implements it is a scheduler: this method is given what it is to run, behind its receiver.
    #[serde(default)]
    pub schedules: Option<String>,
    /// What implements it can be given to a stream: these methods of it are called when the stream has a value, an error, or ended.
    #[serde(default)]
    pub observes: BTreeMap<Signal, String>,
}

/// A type of the library.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Type {
    /// Its path without generic arguments, as the compiler prints it (re-exports as users see them).
    pub path: OneOrMany,
    /// What it is to the heap. Types that are not listed contain their type arguments by value.
    #[serde(default)]
    pub kind: Option<TypeKind>,
    /// Whether input comes in through it from the outside.
    #[serde(default)]
    pub input: Option<Input>,
    /// A pointer that is the only one to what it points to (`Box`).
    #[serde(default)]
    pub unique: bool,
    /// A pointer that owns what it points to together with others: the last one that is dropped drops it (`Arc`).
    #[serde(default)]
    pub counted: bool,
    /// What it holds is not dropped with it (`ManuallyDrop`).
    #[serde(default)]
    pub forgets: bool,
    /// All that can be done with it is to wake a task: one that is left behind does no harm (`Waker`).
    #[serde(default)]
    pub wakes: bool,
    /// What it holds is a pointer to its type argument (`AtomicPtr`).
    #[serde(default, rename = "holds-pointer")]
    pub holds_pointer: bool,
    /// Only `unsafe` code gets to what is inside or behind it.
    #[serde(default)]
    pub raw: bool,
    /// What waiting for it (`.await`, polling) means. A future without this is waited for with a plain `yield`.
    #[serde(default, rename = "await")]
    pub awaits: Option<AwaitEffect>,
    /// A value of it must not leave its thread (`Rc`, `Cell`), nor may what contains it.
    #[serde(default, rename = "single-threaded")]
    pub single_threaded: bool,
    /// It is a lock only when it is made with the number 1 (a semaphore).
    #[serde(default, rename = "one-permit")]
    pub one_permit: bool,
    /// What is written there is for people to read (`Formatter`).
    #[serde(default, rename = "for-readers")]
    pub for_readers: bool,
    /// It is a value, with nothing in it or behind it that others could have, too (`Instant`).
    #[serde(default)]
    pub plain: bool,
    /// What it gives access to belongs to the thread that asks.
    #[serde(default, rename = "thread-local")]
    pub thread_local: bool,
    /// There is a value of it only after a panic (`PoisonError`), and panics are left out: what is done with one is never
    /// done, and a call that can fail with it alone does not fail.
    #[serde(default, rename = "after-panic")]
    pub after_panic: bool,
    /// As an error it tells of a panic, which was reported when it happened, that somebody cancelled a task (`JoinError`), or that nobody
    /// listens any more (`SendError`): nothing is lost if nobody sees it.
    #[serde(default)]
    pub reported: bool,
    /// An iterator over numbers, each of which is another one (`Range`), or over what has such a number in front (`Enumerate`).
    #[serde(default)]
    pub numbers: bool,
    /// An iterator that always has another one (`RangeFrom`, `Repeat`), or may have.
    #[serde(default)]
    pub endless: bool,
    /// It has any number of elements (`Vec`, `HashMap`). They are not told apart.
    #[serde(default)]
    pub many: bool,
    /// The library hands it out, and what it holds is one object per type (`State`).
    #[serde(default)]
    pub handed: bool,
    /// Functions of the program that take a value of it are events (a request).
    #[serde(default)]
    pub event: Option<EventSource>,
    /// While there is a value of it, these are there, too (the guard of an entered runtime): demands.
    #[serde(default)]
    pub enters: Vec<String>,
    /// It is a borrow from a cell, which others must not overlap: alone, or together with others that are shared.
    #[serde(default)]
    pub borrow: Option<Mode>,
    /// What dropping a value of it asks of the place where that happens.
    #[serde(default, rename = "drop")]
    pub dropped: Option<Effect>,
    /// It keeps tasks whose output is its first type argument, or one end of a channel: what dropping it does to them.
    #[serde(default, rename = "on-drop")]
    pub on_drop: Option<OnDrop>,
    /// It is an end of a channel: who gets what is sent.
    #[serde(default)]
    pub channel: Option<Delivery>,
    /// A value of it runs what it is given at this place (a scheduler).
    #[serde(default)]
    pub place: Option<String>,
}

/// Who gets what is sent through a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// One receiver.
    One,
    /// Each receiver.
    All,
}

/// What dropping a value does to the tasks that it keeps, or to its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnDrop {
    /// They go on, and nobody can wait for them any more.
    Detach,
    /// They end where they are suspended next.
    Abort,
    /// It waits for them.
    Join,
    /// When the last of these is gone, who waits at the other end of the channel is told so.
    Close,
}

/// What a function does with a `Result` that it is given, or with a panic in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It looks whether there is an error, or leaves one out, and never at what the error is.
    Discards,
    /// It panics unless the result is a good one.
    Asserts,
    /// It looks at what a task panicked with.
    ReadsPanic,
}

/// What a function has to do with how many hold what a counted pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Holders {
    /// It tells how many there are.
    Asks,
    /// There is one more from then on.
    Adds,
}

/// What a type is to the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TypeKind {
    /// Points to its type argument (`Arc`, `Box`, `Ref`).
    Pointer,
    /// A lock guard: points to what the lock protects and releases it when dropped.
    Guard,
    /// A lock around its type argument.
    Lock,
    /// Shared data that changes through `&`, unguarded (`Cell`, `RefCell`).
    Cell,
    /// Shared data that changes through `&`, each operation at once (atomics, concurrent maps, channels).
    Atomic,
    /// Owns its type arguments and is plain data otherwise (`Vec`, `Option`). Foreign types without an entry may also be
    /// views of other data (iterators, entries).
    Container,
    /// Handle of a task; waiting for it joins.
    Handle,
    /// Never shared, or nothing behind it is of interest.
    Nothing,
}

/// What waiting for a future means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AwaitEffect {
    /// Suspends.
    Yield,
    /// Waits for the task behind the handle.
    Join,
    /// Suspends until the outside sends something: in a loop, an iteration is an event.
    Source,
    /// Suspends until something is sent to it.
    Answer,
    /// Ready at once: no suspension.
    Ready,
    /// The futures in it run side by side, and all have ended when it is ready (`Join`).
    SideBySide,
    /// The same, and there may be many of one kind (`JoinAll`).
    ManySideBySide,
}
