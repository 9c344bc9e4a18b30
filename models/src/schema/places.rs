//! Where code runs, and what operations ask of that.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::On;

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
    /// A disk, until it has what was written.
    Disk,
    /// The network.
    Net,
    /// A connection that is there already, or a port: until somebody sends something, or takes it.
    Socket,
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
    /// One for each that runs there (`std::thread::spawn`), or waits there (`block_on`).
    Each,
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
