//! What library functions mean to the analysis, as data.
//!
//! One `.toml` file per library, matched by path; users add their own in the same format. This crate loads and merges
//! them and knows nothing of what they are used for: there is no library name in any code.

mod schema;
mod stream;

pub use schema::{
    Access, AccessKind, Acquire, AwaitEffect, Block, Blocks, Breach, Calls, Change, Delivery, Demand, Effect,
    EventSource, Flow, Function, Holders, Host, Input, Library, Mode, On, OnDrop, OneOrMany, Order,
    Otherwise, Outcome, Place, Spawn, Threads, Trait, Type, TypeKind, Value, When,
};
pub use stream::{Cause, Signal, Stream};

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

/// The files this crate ships.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("std", include_str!("../std.toml")),
    ("threadpool", include_str!("../threadpool.toml")),
    ("data", include_str!("../data.toml")),
    ("tokio", include_str!("../tokio.toml")),
    ("futures", include_str!("../futures.toml")),
    ("parking_lot", include_str!("../parking_lot.toml")),
    ("dashmap", include_str!("../dashmap.toml")),
    ("network", include_str!("../network.toml")),
    ("crossbeam", include_str!("../crossbeam.toml")),
    ("axum", include_str!("../axum.toml")),
    ("once_cell", include_str!("../once_cell.toml")),
    ("arc_swap", include_str!("../arc_swap.toml")),
    ("rayon", include_str!("../rayon.toml")),
    ("async_std", include_str!("../async_std.toml")),
    ("flume", include_str!("../flume.toml")),
    ("moka", include_str!("../moka.toml")),
    ("actix", include_str!("../actix.toml")),
    ("actors", include_str!("../actors.toml")),
    ("serde", include_str!("../serde.toml")),
    ("slab", include_str!("../slab.toml")),
    ("spin", include_str!("../spin.toml")),
    ("warp", include_str!("../warp.toml")),
    ("rocket", include_str!("../rocket.toml")),
    ("poem", include_str!("../poem.toml")),
    ("tonic", include_str!("../tonic.toml")),
    ("tauri", include_str!("../tauri.toml")),
    ("gtk", include_str!("../gtk.toml")),
    ("slint", include_str!("../slint.toml")),
    ("iced", include_str!("../iced.toml")),
    ("winit", include_str!("../winit.toml")),
    ("sharded_slab", include_str!("../sharded_slab.toml")),
    ("ctrlc", include_str!("../ctrlc.toml")),
    ("collections", include_str!("../collections.toml")),
    ("concurrent", include_str!("../concurrent.toml")),
    ("maps", include_str!("../maps.toml")),
    ("metrics", include_str!("../metrics.toml")),
    ("relm4", include_str!("../relm4.toml")),
    ("rfd", include_str!("../rfd.toml")),
    ("rxrust", include_str!("../rxrust.toml")),
    ("reqwest", include_str!("../reqwest.toml")),
    ("rusqlite", include_str!("../rusqlite.toml")),
    ("compute", include_str!("../compute.toml")),
    ("clock", include_str!("../clock.toml")),
    ("identifiers", include_str!("../identifiers.toml")),
    ("blocking", include_str!("../blocking.toml")),
    ("event_listener", include_str!("../event_listener.toml")),
];

/// Why a model file was refused.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {message}")]
pub struct Error {
    /// The file.
    pub name: String,
    /// What the reader of the file has to know, with line and column.
    pub message: String,
}

/// All models, ready to be asked.
#[derive(Clone, Debug, Default)]
pub struct Models {
    libraries: Vec<Library>,
    functions: Table,
    /// Those of which it is said what they ask of the place where they run.
    effects: Table,
    /// Those of which it is said what becomes of tasks and of their results.
    fates: Table,
    types: Table,
    traits: BTreeMap<String, (usize, usize)>,
    /// Patterns of the form `prefix::*::begin*`: what is before and after, the longest prefix first.
    loose: Vec<Loose>,
    /// Such patterns of functions of which it is said what they ask of the place where they run.
    loose_effects: Vec<Loose>,
    crates: HashMap<String, usize>,
}

impl Models {
    /// The models this crate ships. A file that does not load is left out; a test sees to it that all do.
    pub fn built_in() -> Self {
        static READ: LazyLock<Models> = LazyLock::new(|| {
            let mut models = Models::default();
            for (name, text) in BUILT_IN {
                // Cannot fail in a release: `every_file_loads` reads the same texts.
                let _ = models.add(name, text);
            }
            models
        });
        READ.clone()
    }

    /// Adds a file. What it says about a path replaces what was said before.
    pub fn add(&mut self, name: &str, text: &str) -> Result<(), Error> {
        let library: Library = toml::from_str(text)
            .map_err(|error| Error { name: name.to_owned(), message: error.to_string() })?;
        self.push(library);
        Ok(())
    }

    /// Adds a library's model that is already data.
    pub fn push(&mut self, library: Library) {
        let index = self.libraries.len();
        for (number, function) in library.functions.iter().enumerate() {
            for path in function.path.iter() {
                let place = (index, number);
                let loose = path.strip_suffix('*').and_then(|path| path.split_once("::*::"));
                let loose = loose.map(|(prefix, begin)| (format!("{prefix}::"), format!("::{begin}"), place));
                if function.has_effect() {
                    match &loose {
                        Some(loose) => self.loose_effects.push(loose.clone()),
                        None => self.effects.insert(path, place),
                    }
                }
                if function.has_fate() {
                    self.fates.insert(path, place);
                }
                if function.is_only_effect() {
                    continue;
                }
                match loose {
                    Some(loose) => self.loose.push(loose),
                    None => self.functions.insert(path, place),
                }
            }
        }
        for (number, ty) in library.types.iter().enumerate() {
            for path in ty.path.iter() {
                self.types.insert(path, (index, number));
            }
        }
        for (number, tr) in library.traits.iter().enumerate() {
            for path in tr.path.iter() {
                self.traits.insert(path.to_owned(), (index, number));
            }
        }
        for name in &library.crates {
            self.crates.insert(name.clone(), index);
        }
        self.libraries.push(library);
        for loose in [&mut self.loose, &mut self.loose_effects] {
            loose.sort_by_key(|(prefix, _, place)| std::cmp::Reverse((prefix.len(), *place)));
        }
    }

    /// What is known of the function with this path without generic arguments: the path itself, then the last
    /// pattern that covers it.
    pub fn function(&self, path: &str) -> Option<&Function> {
        let (library, function) = self.place(path)?;
        self.libraries.get(library)?.functions.get(function)
    }

    /// What is known of what the function with this path asks of the place where it runs.
    pub fn effect(&self, path: &str) -> Option<&Function> {
        let loose = || covering(&self.loose_effects, path);
        let known = self.effects.paths.get(path).copied();
        let (library, function) = known.or_else(loose).or_else(|| self.effects.get(path))?;
        self.libraries.get(library)?.functions.get(function)
    }

    /// What is known of what the function with this path does to tasks and to their results.
    pub fn fate(&self, path: &str) -> Option<&Function> {
        let (library, function) = self.fates.get(path)?;
        self.libraries.get(library)?.functions.get(function)
    }

    /// False if nothing is known of what any function of this name does to tasks; `first` is its crate.
    pub fn may_have_fate(&self, first: &str, last: &str) -> bool {
        self.fates.may_have(first, last)
    }

    /// False if nothing is known of what any function of this name asks of the place where it runs; `first` is its crate.
    pub fn may_have_effect(&self, first: &str, last: &str) -> bool {
        let covers = |(prefix, begin, _): &Loose| {
            prefix.split("::").next() == Some(first)
                && begin.strip_prefix("::").is_some_and(|b| last.starts_with(b))
        };
        self.effects.may_have(first, last) || self.loose_effects.iter().any(covers)
    }

    /// The places, those that were added last before others of their name.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        let mut seen = BTreeSet::new();
        let all = self.libraries.iter().rev().flat_map(|library| library.places.iter().rev());
        all.filter(move |place| seen.insert(place.name.as_str()))
    }

    /// The demands, those that were added last before others of their name.
    pub fn demands(&self) -> impl Iterator<Item = &Demand> {
        let mut seen = BTreeSet::new();
        let all = self.libraries.iter().rev().flat_map(|library| library.demands.iter().rev());
        all.filter(move |demand| seen.insert(demand.name.as_str()))
    }

    /// The names of places and demands that are used and declared nowhere.
    pub fn undeclared(&self) -> Vec<String> {
        let places: BTreeSet<&str> = self.places().map(|place| place.name.as_str()).collect();
        let demands: BTreeSet<&str> = self.demands().map(|demand| demand.name.as_str()).collect();
        let mut missing = BTreeSet::new();
        for library in &self.libraries {
            missing.extend(library.demands_used().filter(|name| !demands.contains(name)).map(str::to_owned));
            missing.extend(library.places_used().filter(|name| !places.contains(name)).map(str::to_owned));
        }
        missing.into_iter().collect()
    }

    /// The name of the library whose model speaks for the function with this path.
    pub fn library_of(&self, path: &str) -> Option<&str> {
        let (library, _) = self.place(path)?;
        self.libraries.get(library).map(|library| &*library.library)
    }

    fn place(&self, path: &str) -> Option<(usize, usize)> {
        if let Some(found) = self.functions.paths.get(path) {
            return Some(*found);
        }
        covering(&self.loose, path).or_else(|| self.functions.get(path))
    }

    /// What is known of the trait with this path without generic arguments, with the whole path; the last part of it
    /// will do.
    pub fn tr(&self, path: &str) -> Option<(&str, &Trait)> {
        let ends = |known: &str| known.strip_suffix(path).is_some_and(|rest| rest.ends_with("::"));
        let whole = self.traits.get_key_value(path);
        let found = whole.or_else(|| self.traits.iter().find(|(known, _)| ends(known)));
        let (name, &(library, tr)) = found?;
        Some((name, self.libraries.get(library)?.traits.get(tr)?))
    }

    /// The methods by which what implements a trait is given tasks to run: the trait, and the method's name.
    pub fn schedulers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.traits().filter_map(|(path, tr)| Some((path, tr.schedules.as_deref()?)))
    }

    /// The methods by which what implements a trait learns what a stream tells: the trait, what it is told, and the method's name.
    pub fn observers(&self) -> impl Iterator<Item = (&str, Signal, &str)> {
        let all = self.traits().flat_map(|(path, tr)| tr.observes.iter().map(move |entry| (path, entry)));
        all.map(|(path, (signal, method))| (path, *signal, &**method))
    }

    fn traits(&self) -> impl Iterator<Item = (&str, &Trait)> {
        let all = self.traits.iter();
        all.filter_map(|(path, &(library, tr))| Some((&**path, self.libraries.get(library)?.traits.get(tr)?)))
    }

    /// Other names of items and modules, each with the name that models use. Another name of a crate is one of each of its modules.
    pub fn aliases(&self) -> impl Iterator<Item = (String, String)> {
        let aliases = self.libraries.iter().flat_map(|library| &library.aliases);
        aliases.flat_map(|(other, name)| match name.contains("::") {
            true => vec![(other.clone(), name.clone())],
            false => self
                .modules(name)
                .map(|module| (format!("{other}::{module}"), format!("{name}::{module}")))
                .collect(),
        })
    }

    /// The modules of a crate that models speak of.
    fn modules(&self, krate: &str) -> impl Iterator<Item = &str> {
        let below = self.paths().filter_map(move |path| path.strip_prefix(krate)?.strip_prefix("::"));
        let modules: BTreeSet<&str> = below.filter_map(|path| Some(path.split_once("::")?.0)).collect();
        modules.into_iter()
    }

    /// The paths of all that is spoken of.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.libraries.iter().flat_map(Library::paths)
    }

    /// What is known of the type with this path without generic arguments.
    pub fn ty(&self, path: &str) -> Option<&Type> {
        let (library, ty) = self.types.get(path)?;
        self.libraries.get(library)?.types.get(ty)
    }

    /// As [`Self::ty`], of the path with these segments. Most types have no model, which their ends tell.
    pub fn type_of<'p>(
        &self,
        mut segments: impl DoubleEndedIterator<Item = &'p str> + Clone,
    ) -> Option<&Type> {
        let all = segments.clone();
        let last = segments.next_back()?;
        if !self.types.may_have(segments.next().unwrap_or(last), last) {
            return None;
        }
        let mut path = String::with_capacity(64);
        for segment in all {
            path.push_str(if path.is_empty() { "" } else { "::" });
            path.push_str(segment);
        }
        self.ty(&path)
    }

    /// Whether functions of this crate that have no model of their own are known to touch nothing behind the analysis's
    /// back: they are no opaque steps.
    pub fn is_known_crate(&self, name: &str) -> bool {
        self.crates.contains_key(name)
    }

    /// Whether all types of this crate are known that change through `&`, or lead to what is inside of those.
    pub fn is_complete(&self, name: &str) -> bool {
        self.crates
            .get(name)
            .and_then(|library| self.libraries.get(*library))
            .is_some_and(|library| library.complete)
    }

    /// Whether what a function gives is made of what it is given, and of nothing else.
    pub fn is_determined(&self, path: &str) -> bool {
        let of = path.split("::").next().and_then(|name| self.crates.get(name));
        let library = of.and_then(|library| self.libraries.get(*library));
        let varying = |library: &Library| {
            library.varying.is_empty() || library.varying.iter().any(|varying| covers(varying, path))
        };
        library.is_some_and(|library| !varying(library))
    }

    /// The libraries, in the order they were added.
    pub fn libraries(&self) -> &[Library] {
        &self.libraries
    }
}

/// Whether a path of a model, which may be a pattern, speaks of what has this path.
pub fn covers(pattern: &str, path: &str) -> bool {
    let below = |prefix: &str| path.strip_prefix(prefix).and_then(|rest| rest.strip_prefix("::"));
    match (pattern.strip_suffix("::*"), pattern.strip_suffix('*').and_then(|all| all.split_once("::*::"))) {
        (Some(prefix), _) => below(prefix).is_some(),
        (None, Some((prefix, begin))) => below(prefix)
            .is_some_and(|rest| rest.rsplit("::").next().is_some_and(|last| last.starts_with(begin))),
        // Headers name traits without their modules.
        (None, None) => pattern == path || !path.contains("::") && pattern.ends_with(&format!("::{path}")),
    }
}

/// The place of the first of the patterns that covers a path.
fn covering(loose: &[Loose], path: &str) -> Option<(usize, usize)> {
    let covers = |(prefix, begin, _): &&Loose| {
        path.starts_with(prefix.as_str())
            && path.rfind("::").is_some_and(|last| path[last..].starts_with(begin.as_str()))
    };
    loose.iter().find(covers).map(|(_, _, place)| *place)
}

/// What is before and after the star of a pattern, and where it is.
type Loose = (String, String, (usize, usize));

/// Places of models by path, and by the beginnings of paths: patterns of the form `prefix::*`.
#[derive(Clone, Debug, Default)]
struct Table {
    paths: FxHashMap<String, (usize, usize)>,
    prefixes: FxHashMap<String, (usize, usize)>,
    /// The last segments of paths.
    lasts: FxHashSet<String>,
    /// The first segments of prefixes.
    firsts: FxHashSet<String>,
}

impl Table {
    fn insert(&mut self, path: &str, place: (usize, usize)) {
        match path.strip_suffix("::*") {
            Some(prefix) => {
                self.firsts.insert(prefix.split("::").next().unwrap_or(prefix).to_owned());
                self.prefixes.insert(prefix.to_owned(), place);
            }
            None => {
                self.lasts.insert(path.rsplit("::").next().unwrap_or(path).to_owned());
                self.paths.insert(path.to_owned(), place);
            }
        }
    }

    /// False if there is certainly no place for a path with these ends.
    fn may_have(&self, first: &str, last: &str) -> bool {
        self.lasts.contains(last) || self.firsts.contains(first)
    }

    /// The path itself, then the longest prefix that covers it.
    fn get<'p>(&self, path: &'p str) -> Option<(usize, usize)> {
        let above = |path: &&'p str| path.rfind(':').map(|at| path[..at].trim_end_matches(':'));
        let mut above = std::iter::successors(Some(path), above).skip(1);
        let place = self.paths.get(path).or_else(|| above.find_map(|head| self.prefixes.get(head)));
        place.copied()
    }
}

/// The JSON schema of a model file.
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(Library)
}

/// The schema as it is published.
pub fn published_schema() -> String {
    // Cannot fail: the schema is plain data.
    serde_json::to_string_pretty(&json_schema()).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests;
