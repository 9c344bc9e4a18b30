//! The user's word on the program, from the configuration.

use std::collections::BTreeSet;
use std::sync::Arc;

use robust_analyzer::lower::{Told, Unmatched, Wanted};
use robust_analyzer::mir::{self, Crate};
use robust_models::{Library, Models};

use super::parts::Together;
use crate::extract::{Built, CargoOptions};
use crate::gate::Config;
use crate::inputs::digest;

/// What the user says about the program, beside the program: what the analysis depends on.
pub(super) struct Said {
    pub models: Vec<Library>,
    pub told: Told,
    /// Types, and the functions that make values of them.
    makers: Vec<(String, String)>,
    /// How much is told apart depends on the memory, too.
    memory: u32,
}

impl Said {
    pub fn new(config: &Config, memory: u32) -> Said {
        let makers = config.replay.makers.clone();
        Said { models: config.models.clone(), told: config.told.clone(), makers, memory }
    }

    /// Whether nothing is said of events. What is said may be about executables and their libraries at once.
    pub fn is_silent(&self) -> bool {
        self.told == Told::default()
    }

    /// What is known of libraries: ours, then the user's.
    pub fn all_models(&self) -> Models {
        let mut models = Models::built_in();
        self.models.iter().for_each(|library| models.push(library.clone()));
        models
    }

    /// The options with what the extraction has to know.
    pub fn tell(&self, cargo: &CargoOptions) -> CargoOptions {
        let models = self.all_models();
        let described = self.models.iter().flat_map(|library| library.crates.iter().cloned());
        let modelled = self.models.iter().flat_map(|library| library.paths().map(str::to_owned));
        CargoOptions {
            aliases: models.aliases().collect(),
            described: described.collect(),
            modelled: modelled.collect(),
            ..cargo.clone()
        }
    }

    /// What models, and what is said of makers, speak of and crates do not name.
    pub fn unmatched(&self, crates: &[Arc<Crate>]) -> Vec<Unmatched> {
        if self.models.is_empty() && self.makers.is_empty() {
            return Vec::new();
        }
        let named = mir::mentions(crates.iter().map(|krate| &**krate));
        let first = |path: &str| path.split("::").next().unwrap_or(path).to_owned();
        let used: BTreeSet<String> = named.iter().map(|path| first(path)).collect();
        let mut unmatched = Vec::new();
        for library in &self.models {
            let paths =
                library.paths().filter(|path| !named.iter().any(|name| robust_models::covers(path, name)));
            unmatched.extend(
                paths.map(|path| Unmatched::new(Wanted::Modelled, path, named.iter().map(String::as_str))),
            );
            let other = |name: &&String| !crates.iter().any(|krate| krate.renamed.contains(*name));
            let aliases = library.aliases.keys().filter(other);
            unmatched.extend(
                aliases.map(|name| Unmatched::new(Wanted::Modelled, name, named.iter().map(String::as_str))),
            );
            let crates = library.crates.iter().filter(|name| !used.contains(*name));
            unmatched.extend(
                crates.map(|name| Unmatched::new(Wanted::Crate, name, used.iter().map(String::as_str))),
            );
        }
        unmatched.extend(self.makers_of_nothing(crates, &named));
        unmatched
    }

    /// Types that are to be made, and functions that are to make them, that crates do not have.
    fn makers_of_nothing(&self, crates: &[Arc<Crate>], named: &BTreeSet<String>) -> Vec<Unmatched> {
        let fields = crates.iter().flat_map(|krate| &krate.fields).map(|fields| &*fields.ty);
        let paths = named.iter().map(String::as_str).chain(fields);
        let types: BTreeSet<&str> = paths.map(|path| path.rsplit("::").next().unwrap_or(path)).collect();
        let bodies = crates.iter().flat_map(|krate| &krate.bodies);
        let functions = bodies.flat_map(|body| [body.path.plain(), body.def.to_string()]);
        let functions: BTreeSet<String> = functions.map(|path| format!("crate::{path}")).collect();
        let mut unmatched = Vec::new();
        for (ty, with) in &self.makers {
            if !types.contains(&**ty) {
                unmatched.push(Unmatched::new(Wanted::Made, ty, types.iter().copied()));
            }
            if !functions.contains(with) {
                unmatched.push(Unmatched::new(Wanted::Maker, with, functions.iter().map(String::as_str)));
            }
        }
        unmatched
    }

    /// Stands for all of it.
    pub fn digest(&self) -> String {
        let Said { models, told, makers, memory } = self;
        digest(format!("{models:?}\0{told:?}\0{makers:?}\0{memory}").as_bytes())
    }

    /// Stands for all that a program depends on, source files apart; but where those are is part of it.
    pub fn key(&self, built: &Built, program: &Together) -> Option<String> {
        let printed = built.digest(&program.crates)?;
        let named = program.crates.iter().position(|&index| index == program.named);
        let all = format!("{:?}\0{printed}\0{named:?}\0{:?}\0{}", built.root(), program.scope, self.digest());
        Some(digest(all.as_bytes()))
    }
}
