//! Functions of a library, and what they do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::*;
use crate::stream::Stream;

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
    /// It waits while there is no room at what this argument points to (when awaited, if it returns a future).
    #[serde(default)]
    pub room: Option<usize>,
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
    /// What it gives shows how things are, too: whoever hands that out has not begun to wait.
    #[serde(default)]
    pub shows: bool,
    /// It wakes those who wait by now at what this argument points to. Whoever comes later learns nothing of it.
    #[serde(default)]
    pub wakes: Option<usize>,
    /// With `wakes`: it wakes one of them, whichever that is.
    #[serde(default, rename = "wakes-one")]
    pub wakes_one: bool,
    /// It polls the future that its first argument points to, as `Future::poll` does.
    #[serde(default)]
    pub polls: bool,
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
    /// What is made so that operations of this kind keep nobody waiting any more: they fail instead.
    #[serde(default)]
    pub unblocks: Option<Blocks>,
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
    /// What it has to do with how many hold what the pointer behind its first argument, a counted one, points to.
    #[serde(default)]
    pub holders: Option<Holders>,
}

impl Function {
    /// Whether it is said what it asks of the place where it runs.
    pub fn has_effect(&self) -> bool {
        let demands = [&self.needs, &self.polled, &self.refuses, &self.tests, &self.gives];
        let other = self.blocks.is_some()
            || self.unblocks.is_some()
            || self.through.is_some()
            || self.makes.is_some();
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
            unblocks: None,
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
