//! What library functions mean to the analysis, as data.
//!
//! One `.toml` file per library, matched by path; users add their own in the same format. This crate loads and merges
//! them and knows nothing of what they are used for: there is no library name in any code.

mod schema;

pub use schema::{
    Access, AccessKind, Acquire, AwaitEffect, Calls, EventSource, Flow, Function, Library, Mode, On,
    OneOrMany, Order, Otherwise, Spawn, Type, TypeKind, Value, When,
};

use std::collections::HashMap;

/// The files this crate ships.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("std", include_str!("../std.toml")),
    ("tokio", include_str!("../tokio.toml")),
    ("futures", include_str!("../futures.toml")),
    ("parking_lot", include_str!("../parking_lot.toml")),
    ("dashmap", include_str!("../dashmap.toml")),
    ("crossbeam", include_str!("../crossbeam.toml")),
    ("axum", include_str!("../axum.toml")),
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
    functions: HashMap<String, (usize, usize)>,
    types: HashMap<String, (usize, usize)>,
    crates: HashMap<String, usize>,
}

impl Models {
    /// The models this crate ships. A file that does not load is left out; a test sees to it that all do.
    pub fn built_in() -> Self {
        let mut models = Models::default();
        for (name, text) in BUILT_IN {
            // Cannot fail in a release: `every_file_loads` reads the same texts.
            let _ = models.add(name, text);
        }
        models
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
                self.functions.insert(path.to_owned(), (index, number));
            }
        }
        for (number, ty) in library.types.iter().enumerate() {
            for path in ty.path.iter() {
                self.types.insert(path.to_owned(), (index, number));
            }
        }
        for name in &library.crates {
            self.crates.insert(name.clone(), index);
        }
        self.libraries.push(library);
    }

    /// What is known of the function with this path without generic arguments: the path itself, then the last
    /// pattern ending in `::*` that covers it.
    pub fn function(&self, path: &str) -> Option<&Function> {
        let &(library, function) = look_up(&self.functions, path)?;
        self.libraries.get(library)?.functions.get(function)
    }

    /// What is known of the type with this path without generic arguments.
    pub fn ty(&self, path: &str) -> Option<&Type> {
        let &(library, ty) = look_up(&self.types, path)?;
        self.libraries.get(library)?.types.get(ty)
    }

    /// Whether functions of this crate that have no model of their own are known to touch nothing behind the analysis's
    /// back: they are no opaque steps.
    pub fn is_known_crate(&self, name: &str) -> bool {
        self.crates.contains_key(name)
    }

    /// The libraries, in the order they were added.
    pub fn libraries(&self) -> &[Library] {
        &self.libraries
    }
}

fn look_up<'a, V>(table: &'a HashMap<String, V>, path: &str) -> Option<&'a V> {
    if let Some(found) = table.get(path) {
        return Some(found);
    }
    let mut rest = path;
    while let Some((head, _)) = rest.rsplit_once("::") {
        if let Some(found) = table.get(&format!("{head}::*")) {
            return Some(found);
        }
        rest = head;
    }
    None
}

/// The JSON schema of a model file.
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(Library)
}

#[cfg(test)]
mod tests;
