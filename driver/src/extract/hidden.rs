//! Items of crates that a crate cannot name by itself, but gets from another one: `framework::runtime::sync::Mutex`, where only the framework
//! depends on the runtime. Models know them by the runtime's name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use super::cargo::Project;
use super::identity::{Crates, Definition, definitions};
use super::store::Manifest;

/// So many files of one crate's name are tried.
const MOST_FILES: usize = 16;

/// What models call the items of such crates, by their definitions. `known` are definitions that are known already, `resolved` those of what was
/// printed.
pub(super) fn items<'m>(
    (project, manifest): (&Project, &Manifest),
    crates: &Crates,
    models: &'m BTreeSet<String>,
    known: &BTreeMap<&str, &str>,
    resolved: &BTreeMap<&str, Definition<'_>>,
    late: &dyn Fn() -> bool,
) -> BTreeMap<String, &'m str> {
    let here: BTreeSet<&str> = known.keys().filter_map(|path| Definition::home_of(path)).collect();
    let hidden = resolved.values().filter_map(|definition| Definition::home_of(definition.path));
    let hidden: BTreeSet<&str> = hidden.filter(|home| !here.contains(home)).collect();
    let mut found = BTreeMap::new();
    for home in hidden {
        let name = home.split('[').next().unwrap_or(home);
        let of_crate = |path: &&String| path.split("::").next() == Some(name);
        let paths: BTreeSet<String> = models.iter().filter(of_crate).cloned().collect();
        if paths.is_empty() {
            continue;
        }
        for file in files(manifest, name).into_iter().take(MOST_FILES) {
            let crates = crates.with(name, file);
            let source = crates.source(&BTreeSet::new(), &paths);
            let Ok(tree) = crates.ask(project, manifest, &source, late) else { continue };
            let definitions = definitions(&tree);
            let named = models.iter().filter(of_crate).enumerate().filter_map(|(line, path)| {
                let definition = definitions.get(&(crates.head() + line + 1))?;
                Some((definition.without_number()?.to_owned(), path.as_str()))
            });
            // The crate of that very compilation, and no other version of it.
            let named: Vec<_> = named.filter(|(path, _)| path.starts_with(home)).collect();
            if !named.is_empty() {
                for (definition, path) in named {
                    found.entry(definition).or_insert(path);
                }
                break;
            }
        }
    }
    found
}

/// The files that a crate of this name may be in, the newest first.
fn files(manifest: &Manifest, name: &str) -> Vec<PathBuf> {
    let folders = manifest.linked.iter().filter_map(|arg| arg.strip_prefix("dependency="));
    let begin = format!("lib{name}-");
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten() {
        let path = entry.path();
        let is_it = entry.file_name().to_str().is_some_and(|file| file.starts_with(&begin));
        if is_it && path.extension().is_some_and(|end| end == "rmeta") {
            let time = entry.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
            found.push((time, path));
        }
    }
    found.sort();
    found.into_iter().rev().map(|(_, path)| path).collect()
}
