//! The format of a model file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stream::{Signal, Stream};

/// How input comes in through a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// From the outside: a connection, standard input.
    Outside,
    /// From what it is made of, which its type arguments are: a buffer, an iterator over lines.
    Inside,
}

/// A model file: one library.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Library {
    /// The library's name, for readers.
    pub library: String,
    /// Names of the crates whose functions have no effect but on their arguments unless a model says otherwise: they are
    /// not counted as unknown.
    #[serde(default)]
    pub crates: Vec<String>,
    /// All types of these crates are listed that change through `&`, and all that lead to what is inside of those (guards): what is not
    /// listed, an iterator say, gives access to nothing but what it owns or borrows.
    #[serde(default)]
    pub complete: bool,
    /// What a function gives is made of what it is given, by all functions of these crates but these: who asks them again may be given
    /// something else, or something that is told from all others. Without a list nothing is known of any.
    #[serde(default)]
    pub varying: Vec<String>,
    /// Types that are more than data.
    #[serde(default, rename = "type")]
    pub types: Vec<Type>,
    /// Functions that do more than compute.
    #[serde(default, rename = "fn")]
    pub functions: Vec<Function>,
    /// Traits whose methods are called from outside.
    #[serde(default, rename = "trait")]
    pub traits: Vec<Trait>,
    /// Kinds of threads, as far as it matters where code runs.
    #[serde(default, rename = "place")]
    pub places: Vec<Place>,
    /// What code may ask of the place where it runs.
    #[serde(default, rename = "demand")]
    pub demands: Vec<Demand>,
    /// What items of other libraries are called here: the compiler prints the shortest path it finds, so
    /// `futures::Future` may stand for `std::future::Future`. A crate may have another name, too: `core` for `std`.
    #[serde(default)]
    pub aliases: BTreeMap<String, String>,
}

impl Library {
    /// The paths of all that it speaks of.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let functions = self.functions.iter().flat_map(|function| function.path.iter());
        let types = self.types.iter().flat_map(|ty| ty.path.iter());
        functions.chain(types).chain(self.traits.iter().flat_map(|tr| tr.path.iter()))
    }

    /// The demands that it names.
    pub(crate) fn demands_used(&self) -> impl Iterator<Item = &str> {
        let places = self.places.iter().flat_map(|place| [&place.has, &place.entered, &place.leaves]);
        let types = self.types.iter().flat_map(|ty| {
            let dropped = ty.dropped.iter().flat_map(|effect| [&effect.needs, &effect.refuses]);
            dropped.chain([&ty.enters])
        });
        let functions = self.functions.iter().flat_map(Function::demands);
        functions.chain(places.chain(types).flatten().map(String::as_str))
    }

    /// The places that it names.
    pub(crate) fn places_used(&self) -> impl Iterator<Item = &str> {
        let functions = self.functions.iter().flat_map(|function| {
            let spawn = function.spawn.iter().filter_map(|spawn| spawn.at.as_deref());
            let calls = function.calls.iter().filter_map(|calls| calls.at.as_deref());
            let made = function.makes.iter().flatten().map(String::as_str);
            let events = function.event.iter().filter_map(|event| event.at.as_deref());
            let schedules = function.schedules.as_deref();
            spawn.chain(calls).chain(events).chain(made).chain(schedules)
        });
        let meant = self.places.iter().filter_map(|place| place.stands_for.as_deref());
        let schedulers = self.types.iter().filter_map(|ty| ty.place.as_deref());
        let types = self.types.iter().filter_map(|ty| ty.event.as_ref());
        let traits = self.traits.iter().filter_map(|tr| tr.event.as_ref());
        let events = types.chain(traits).filter_map(|event| event.at.as_deref());
        functions.chain(meant).chain(schedulers).chain(events)
    }

    /// A path that says nothing, and why; the format alone allows more than makes sense.
    pub fn mistake(&self) -> Option<(String, String)> {
        for path in self.paths() {
            let message = if path.contains(['<', '>', ' ']) {
                "a path is written without generic arguments"
            } else if !path.contains("::") {
                "a path begins with its crate: `pool::Lock`"
            } else {
                continue;
            };
            return Some((path.to_owned(), format!("`{path}`: {message}")));
        }
        let does = |function: &Function| {
            let Function {
                path: _,
                spawn,
                waits_at_address,
                acquire,
                release,
                join,
                yields,
                source,
                source_of,
                items,
                access,
                checks,
                flow,
                calls,
                value,
                event,
                provides,
                drops,
                diverges,
                joins_all: _,
                answers,
                expects,
                receives,
                follows,
                enlists,
                wakes,
                time,
                waits,
                output,
                logs,
                panics,
                needs: _,
                polled: _,
                refuses: _,
                blocks: _,
                tests: _,
                gives: _,
                through: _,
                serves: _,
                makes: _,
                cancels: _,
                detaches: _,
                asks: _,
                outcome: _,
                throws: _,
                stream,
                schedules,
            } = function;
            function.has_effect()
                || function.has_fate()
                || stream.is_some()
                || schedules.is_some()
                || spawn.is_some()
                || *waits_at_address
                || acquire.is_some()
                || release.is_some()
                || join.is_some()
                || *yields
                || *source
                || source_of.is_some()
                || *items
                || access.is_some()
                || *checks
                || flow.is_some()
                || calls.is_some()
                || value.is_some()
                || event.is_some()
                || provides.is_some()
                || drops.is_some()
                || *diverges
                || answers.is_some()
                || expects.is_some()
                || *follows
                || receives.is_some()
                || enlists.is_some()
                || wakes.is_some()
                || *time
                || *waits
                || *output
                || *logs
                || *panics
        };
        let silent = self.functions.iter().find(|function| !does(function))?;
        let path = silent.path.iter().next()?.to_owned();
        let message = format!("`{path}`: nothing is said about it; `access = []` says that it does nothing");
        Some((path, message))
    }
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

/// A path or several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany {
    /// A single path.
    One(String),
    /// Several that mean the same.
    Many(Vec<String>),
}

impl Default for OneOrMany {
    fn default() -> Self {
        OneOrMany::Many(Vec::new())
    }
}

impl OneOrMany {
    /// The paths.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        match self {
            OneOrMany::One(path) => std::slice::from_ref(path),
            OneOrMany::Many(paths) => paths,
        }
        .iter()
        .map(String::as_str)
    }
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
    /// A value of it runs what it is given at this place (a scheduler).
    #[serde(default)]
    pub place: Option<String>,
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

/// A function of the library. Arguments count from 0, the receiver included.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// Its path without generic arguments; a method of a trait by the trait's path; `prefix::*` covers all below that have
    /// no entry of their own, `prefix::*::connect_*` what begins so, at any depth.
    pub path: OneOrMany,
    /// It starts a task.
    #[serde(default)]
    pub spawn: Option<Spawn>,
    /// It waits at an address: whoever calls it writes synchronisation by hand.
    #[serde(default, rename = "waits-at-address")]
    pub waits_at_address: bool,
    /// It acquires a lock; the result is the guard.
    #[serde(default)]
    pub acquire: Option<Acquire>,
    /// It releases the guard in this argument.
    #[serde(default)]
    pub release: Option<usize>,
    /// It waits for the task whose handle is this argument.
    #[serde(default)]
    pub join: Option<usize>,
    /// It gives a cooperative executor back (only when it is awaited, if it returns a future).
    #[serde(default, rename = "yield")]
    pub yields: bool,
    /// It lets those go on who wait at what this argument points to (it sends, it notifies).
    #[serde(default)]
    pub answers: Option<usize>,
    /// It waits until somebody lets it go on at what this argument points to (when awaited, if it returns a future).
    #[serde(default)]
    pub expects: Option<usize>,
    /// What it gives, if anything, was sent at what this argument points to (when awaited, if it returns a future).
    #[serde(default)]
    pub receives: Option<usize>,
    /// It goes where the pointer behind argument 0 leads (`Arc::deref`): whoever puts another pointer there changes what it gives.
    #[serde(default)]
    pub follows: bool,
    /// From this call on, and no sooner, it is told when those are woken who wait at what this argument points to: whoever was
    /// woken before, it was not. A lock that it gives back, it gives back after that.
    #[serde(default)]
    pub enlists: Option<usize>,
    /// It wakes those who wait by now at what this argument points to. Whoever comes later learns nothing of it.
    #[serde(default)]
    pub wakes: Option<usize>,
    /// Of several tasks behind that argument, it waits for all.
    #[serde(default, rename = "joins-all")]
    pub joins_all: bool,
    /// It waits for time to pass, and for nobody: in a loop, an iteration is an event (when awaited, if it returns a future).
    #[serde(default)]
    pub time: bool,
    /// It waits until others have got somewhere (a barrier, a condition).
    #[serde(default)]
    pub waits: bool,
    /// It waits for the outside: in a loop, an iteration is an event (when awaited, if it returns a future).
    #[serde(default)]
    pub source: bool,
    /// It waits for the outside if input comes in through what this argument is: a reader, an iterator.
    #[serde(default, rename = "source-of")]
    pub source_of: Option<usize>,
    /// Its closures are given items of what argument 0 iterates over, or references to them.
    #[serde(default)]
    pub items: bool,
    /// What it does to the data behind its arguments. Left out: a write through each `&mut`, a read through each `&`
    /// (of what is not an atomic type). Empty: nothing.
    #[serde(default)]
    pub access: Option<Vec<Access>>,
    /// It looks before it changes anything (`entry`): what was read earlier only decided whether to get here.
    #[serde(default)]
    pub checks: bool,
    /// How its result comes from its arguments. Left out: judged by the types.
    #[serde(default)]
    pub flow: Option<Flow>,
    /// Which closures it calls. Left out: all it is given, any number of times.
    #[serde(default)]
    pub calls: Option<Calls>,
    /// What it makes of a tracked value (a flag, a small number).
    #[serde(default)]
    pub value: Option<Value>,
    /// It registers handlers.
    #[serde(default)]
    pub event: Option<EventSource>,
    /// What this argument holds is handed to handlers that ask for its type.
    #[serde(default)]
    pub provides: Option<usize>,
    /// It drops this argument (`drop`); of what is given by reference, what it holds (`clear`).
    #[serde(default)]
    pub drops: Option<usize>,
    /// It never returns into the code of interest: it ends the process (`exit`).
    #[serde(default)]
    pub diverges: bool,
    /// Others see what it is given, or that it is called: it prints, writes to a file, sends.
    #[serde(default)]
    pub output: bool,
    /// What it is given goes to a log, which nobody relies on.
    #[serde(default)]
    pub logs: bool,
    /// It panics unless the data behind argument 0 is as expected (an index within bounds).
    #[serde(default)]
    pub panics: bool,
    /// What must be there where it runs: demands. Empty: nothing, whatever was said before. An entry with nothing but this and the next
    /// seven leaves all else as it is.
    #[serde(default)]
    pub needs: Option<Vec<String>>,
    /// What must be there where the future that it returns is polled: demands.
    #[serde(default)]
    pub polled: Option<Vec<String>>,
    /// The runtimes that its thread must not be driving: demands.
    #[serde(default)]
    pub refuses: Option<Vec<String>>,
    /// It keeps its thread from anything else for a while.
    #[serde(default)]
    pub blocks: Option<Blocks>,
    /// Its result tells whether that is there: demands. Who asks is taken to act on the answer.
    #[serde(default)]
    pub tests: Option<Vec<String>>,
    /// The thread that calls it has these from then on: demands.
    #[serde(default)]
    pub gives: Option<Vec<String>>,
    /// The methods of traits that it calls on what it is given, wherever in it that is: `std::iter::Iterator::next`.
    #[serde(default)]
    pub through: Option<Vec<String>>,
    /// The place where methods are called of what it is given: a service, a layer.
    #[serde(default)]
    pub serves: Option<String>,
    /// The places of the threads that it makes.
    #[serde(default)]
    pub makes: Option<Vec<String>>,
    /// The tasks that this argument keeps end where they are suspended next. An entry with nothing but this and the next four leaves all
    /// else as it is.
    #[serde(default)]
    pub cancels: Option<usize>,
    /// Nobody waits for the tasks that this argument keeps any more.
    #[serde(default)]
    pub detaches: Option<usize>,
    /// Its caller learns whether what it does is still needed.
    #[serde(default)]
    pub asks: bool,
    /// What it does with the result that is its first argument.
    #[serde(default)]
    pub outcome: Option<Outcome>,
    /// It panics with a value that it is given, for others to take.
    #[serde(default)]
    pub throws: bool,
    /// What it makes, or is called on, is a stream that calls whoever subscribes to it.
    #[serde(default)]
    pub stream: Option<Stream>,
    /// What it makes runs what it is given at this place (a scheduler).
    #[serde(default)]
    pub schedules: Option<String>,
}

impl Function {
    /// Whether it is said what it asks of the place where it runs.
    pub fn has_effect(&self) -> bool {
        let demands = [&self.needs, &self.polled, &self.refuses, &self.tests, &self.gives];
        let other = self.blocks.is_some() || self.through.is_some() || self.makes.is_some();
        other || self.serves.is_some() || demands.into_iter().any(Option::is_some)
    }

    /// Whether it says what becomes of tasks and of their results.
    pub fn has_fate(&self) -> bool {
        let ends = self.cancels.is_some() || self.detaches.is_some();
        ends || self.asks || self.outcome.is_some() || self.throws
    }

    /// Whether that is all there is.
    pub(crate) fn is_only_effect(&self) -> bool {
        if !self.has_effect() && !self.has_fate() {
            return false;
        }
        let plain = Function {
            needs: None,
            polled: None,
            refuses: None,
            blocks: None,
            tests: None,
            gives: None,
            through: None,
            serves: None,
            makes: None,
            cancels: None,
            detaches: None,
            asks: false,
            outcome: None,
            throws: false,
            ..self.clone()
        };
        plain == Function { path: plain.path.clone(), ..Function::default() }
    }

    /// The demands that are named.
    pub fn demands(&self) -> impl Iterator<Item = &str> {
        let all = [&self.needs, &self.polled, &self.refuses, &self.tests, &self.gives];
        all.into_iter().flatten().flatten().map(String::as_str)
    }
}

/// What an operation without a name of its own asks of the place where it happens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// What must be there: demands.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The runtimes that its thread must not be driving: demands.
    #[serde(default)]
    pub refuses: Vec<String>,
    /// It keeps its thread from anything else for a while.
    #[serde(default)]
    pub blocks: Option<Blocks>,
}

/// What a thread waits for, or is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Blocks {
    /// A lock.
    Lock,
    /// A look at a file's name, size or times.
    Stat,
    /// What is in a file.
    File,
    /// The network.
    Net,
    /// Another process.
    Process,
    /// Time.
    Sleep,
    /// Another thread or task.
    Wait,
    /// Somebody at a keyboard.
    Input,
    /// A long computation.
    Cpu,
}

/// A kind of thread, as far as it matters where code runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// What `at` says: `tokio::worker`.
    pub name: String,
    /// In the user's words: "a worker thread of tokio".
    pub shown: String,
    /// What to do with what must not run there, in an imperative sentence.
    #[serde(default)]
    pub hint: String,
    /// The thread that was there before goes on: this place adds to the one before, and takes from it.
    #[serde(default)]
    pub here: bool,
    /// What is there: demands.
    #[serde(default)]
    pub has: Vec<String>,
    /// The runtimes that its thread is driving: demands.
    #[serde(default)]
    pub entered: Vec<String>,
    /// With `here`: the runtimes that its thread drives no more.
    #[serde(default)]
    pub leaves: Vec<String>,
    /// What it means that something blocks there. Left out: that is not known, or as before.
    #[serde(default)]
    pub block: Option<Block>,
    /// How many such threads there are. Left out: that is not known, or as before.
    #[serde(default)]
    pub threads: Option<Threads>,
    /// Nobody knows what is there: nothing is needed or refused there in vain.
    #[serde(default)]
    pub unknown: bool,
    /// Events and tasks that run `on` this, and of which no more is said, run there.
    #[serde(default)]
    pub on: Option<On>,
    /// What runs there of which nothing is said.
    #[serde(default)]
    pub hosts: Vec<Host>,
    /// It is what this other place means in a program that makes this one, and none of the others.
    #[serde(default, rename = "stands-for")]
    pub stands_for: Option<String>,
}

/// Code of which no model says where it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Host {
    /// `main`.
    Main,
    /// Public `async` functions of libraries.
    Futures,
    /// All else.
    Others,
}

/// What it means that something blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Block {
    /// Others wait that should not have to.
    Never,
    /// Only what is done there waits, and all that it polls.
    Itself,
    /// Nothing.
    Fine,
}

/// How many threads a place has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Threads {
    /// One, so nothing there runs at the same time.
    One,
    /// Several.
    Many,
}

/// What code may ask of the place where it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// What `needs`, `has` and the like say: `tokio`.
    pub name: String,
    /// In the user's words: "a tokio runtime".
    pub shown: String,
    /// What happens where it is missing, or in the way.
    pub otherwise: Breach,
    /// It is a runtime; else it belongs to a thread.
    #[serde(default)]
    pub runtime: bool,
    /// What to do about it when it is missing, in an imperative sentence.
    #[serde(default)]
    pub hint: String,
}

/// What happens when a demand is not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Breach {
    /// It panics.
    Panics,
    /// Anything may happen.
    Undefined,
    /// It never ends.
    Hangs,
    /// It returns an error, or nothing.
    Fails,
    /// It does not do what it should.
    Misbehaves,
}

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
    /// first.
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
    /// Not of a variable: argument 1 added to argument 0, or nothing if it does not fit.
    Sum,
    /// Not of a variable: argument 1 taken away from argument 0, or nothing if there is not as much.
    Difference,
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
