//! The format of a model file.

mod accesses;
mod functions;
mod places;
mod types;

pub use accesses::*;
pub use functions::*;
pub use places::*;
pub use types::*;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
                polls,
                answers,
                room: _,
                expects,
                receives,
                follows,
                shows: _,
                enlists,
                wakes,
                wakes_one,
                time,
                waits,
                output,
                logs,
                panics,
                needs: _,
                polled: _,
                refuses: _,
                blocks: _,
                unblocks: _,
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
                holders,
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
                || *polls
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
                || *wakes_one
                || *time
                || *waits
                || *output
                || *logs
                || *panics
                || holders.is_some()
        };
        let silent = self.functions.iter().find(|function| !does(function))?;
        let path = silent.path.iter().next()?.to_owned();
        let message = format!("`{path}`: nothing is said about it; `access = []` says that it does nothing");
        Some((path, message))
    }
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
