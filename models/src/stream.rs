//! Streams that call whoever subscribes to them: on which thread each of them does.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a stream tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Signal {
    /// A value.
    Next,
    /// An error: there is nothing after it.
    Error,
    /// That there are no more values.
    Complete,
}

/// What makes a stream tell something, or do something: it is done on the thread where that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The stream that it is made of, or called on (argument 0), has a value.
    Next,
    /// That stream has an error.
    Error,
    /// That stream ended.
    Complete,
    /// Another stream that it is given has a value.
    OtherNext,
    /// Another stream that it is given has an error.
    OtherError,
    /// Another stream that it is given ended.
    OtherComplete,
    /// A stream that a closure of it returned has a value.
    InnerNext,
    /// A stream that a closure of it returned has an error.
    InnerError,
    /// A stream that a closure of it returned ended.
    InnerComplete,
    /// Somebody subscribes to it.
    Subscribe,
    /// The scheduler that it is given gets to it.
    Scheduler,
    /// The scheduler that is an argument of the result's type gets to it.
    Context,
    /// Somebody calls a function that tells it so, on it or on what its closure is given: see `tells`.
    Told,
}

/// A function about streams. What is left out is as of a function that passes on all that its stream tells (`map`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// What makes its result have a value.
    #[serde(default = "next")]
    pub next: Vec<Cause>,
    /// What makes its result have an error.
    #[serde(default = "error")]
    pub error: Vec<Cause>,
    /// What makes its result end.
    #[serde(default = "complete")]
    pub complete: Vec<Cause>,
    /// When the closures run that it is given.
    #[serde(default = "next")]
    pub runs: Vec<Cause>,
    /// When it subscribes to the streams that it is given.
    #[serde(default = "subscribe")]
    pub subscribes: Vec<Cause>,
    /// When it subscribes to the streams that its closures return.
    #[serde(default = "next")]
    pub inner: Vec<Cause>,
    /// It subscribes at once, to whichever stream it is given.
    #[serde(default)]
    pub now: bool,
    /// It makes the stream that is argument 0 tell this.
    #[serde(default)]
    pub tells: Option<Signal>,
}

impl Stream {
    /// What makes its result tell this.
    pub fn causes(&self, signal: Signal) -> &[Cause] {
        match signal {
            Signal::Next => &self.next,
            Signal::Error => &self.error,
            Signal::Complete => &self.complete,
        }
    }
}

fn next() -> Vec<Cause> {
    vec![Cause::Next]
}

fn error() -> Vec<Cause> {
    vec![Cause::Error]
}

fn complete() -> Vec<Cause> {
    vec![Cause::Complete]
}

fn subscribe() -> Vec<Cause> {
    vec![Cause::Subscribe]
}
