//! Which crates run together: one program for each executable, with the libraries it uses; one for all libraries that have something
//! to do with one another and whoever calls them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use robust_analyzer::confinement::Confinement;
use robust_analyzer::ir::Program;
use robust_analyzer::lifecycle::Lifecycle;
use robust_analyzer::lower::{EventInfo, Lowered, Scope, Statistics, Unmatched, Usage};
use robust_analyzer::mir::Crate;
use serde::{Deserialize, Serialize};

use crate::extract::{BuiltCrate, LookedAt};
use crate::report::NotAnalysed;

/// Crates that run together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Together {
    /// Which of the crates that were built: libraries first.
    pub crates: Vec<usize>,
    /// The one the program is named after: the executable, or the first of the libraries.
    pub named: usize,
    /// Which executions are meant.
    pub scope: Scope,
}

/// A program and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    /// What no other program of the run is called: the crate's key, or the file's name.
    pub key: String,
    /// The executable's crate, the library's, or the file's name.
    pub name: String,
    /// Cargo's kind of target, or `rob`.
    pub kind: String,
    /// Names and kinds of the crates it is made of, the one it is named after last.
    pub crates: Vec<(String, String)>,
    /// The program.
    pub program: Arc<Program>,
    /// What the lowering saw, of which the program is what can matter.
    pub seen: Option<(Statistics, Vec<EventInfo>)>,
    /// What the lowering left out.
    pub not_analysed: Vec<NotAnalysed>,
    /// What the user named and is not there.
    pub unmatched: Vec<Unmatched>,
    /// The functions that use locks, atomics or cells; none of a program in text form.
    pub usages: Option<Vec<Usage>>,
    /// Functions without body and model, and how often they are called.
    pub opaque: BTreeMap<String, u32>,
    /// What runs where it should not.
    #[serde(default)]
    pub confinement: Confinement,
    /// Which tasks do not end, or are not heard of, as they should.
    #[serde(default)]
    pub lifecycle: Lifecycle,
    /// Whether there was no time for all of it: the next run tries again.
    #[serde(default)]
    pub late: bool,
}

impl Part {
    /// A program in text form.
    pub fn of_file(name: String, program: Program) -> Part {
        Part {
            key: name.clone(),
            name,
            kind: "rob".to_owned(),
            crates: Vec::new(),
            program: Arc::new(program),
            seen: None,
            not_analysed: Vec::new(),
            unmatched: Vec::new(),
            usages: None,
            opaque: BTreeMap::new(),
            confinement: Confinement::default(),
            lifecycle: Lifecycle::default(),
            late: false,
        }
    }

    /// What crates that run together were lowered to.
    pub fn of_crates(named: &BuiltCrate, crates: &[Arc<Crate>], lowered: &Lowered) -> Part {
        let missing = lowered.not_analysed.iter().map(|missing| NotAnalysed {
            unit: named.name.clone(),
            name: missing.name.clone(),
            reason: missing.reason.clone(),
        });
        let crates = crates.iter().map(|krate| (krate.name.to_string(), krate.kind.to_string()));
        Part {
            key: named.key.clone(),
            name: named.name.clone(),
            kind: named.kind.clone(),
            not_analysed: missing.collect(),
            crates: crates.collect(),
            program: Arc::new(lowered.program.clone()),
            seen: Some((lowered.statistics, lowered.events.clone())),
            unmatched: lowered.unmatched.clone(),
            usages: Some(lowered.usages.clone()),
            opaque: lowered.opaque.iter().map(|(name, calls)| (name.clone(), *calls as u32)).collect(),
            confinement: lowered.confinement.clone(),
            lifecycle: lowered.lifecycle.clone(),
            late: lowered.late,
        }
    }
}

impl Together {
    /// What all crates amount to. `apart`: those who call into libraries of executables are a program of their own; else they are
    /// seen with each executable.
    pub fn all(crates: &[BuiltCrate], apart: bool) -> Vec<Together> {
        let (libraries, others): (Vec<usize>, Vec<usize>) =
            (0..crates.len()).partition(|&index| crates[index].is_library());
        let used_by = |index: usize| -> BTreeSet<usize> {
            let uses = crates[index].uses.as_ref();
            let used = |&library: &usize| uses.is_none_or(|uses| uses.contains(&crates[library].key));
            libraries.iter().copied().filter(used).chain([index]).collect()
        };
        let mut all: Vec<Together> = Vec::new();
        for named in others {
            let scope = if apart { Scope::Executables } else { Scope::All };
            all.push(Together { crates: used_by(named).into_iter().collect(), named, scope });
        }
        let of_executables: BTreeSet<usize> = all.iter().flat_map(|one| one.crates.iter().copied()).collect();
        // Libraries that have something to do with one another, none of them with those of another group.
        let mut groups: Vec<BTreeSet<usize>> = Vec::new();
        for library in libraries.iter().copied().filter(|library| apart || !of_executables.contains(library))
        {
            let mut own = used_by(library);
            groups.retain(|other| {
                let apart = own.is_disjoint(other);
                if !apart {
                    own.extend(other);
                }
                apart
            });
            groups.push(own);
        }
        groups.sort();
        for group in groups {
            let mut open = group.iter().copied().filter(|index| !of_executables.contains(index));
            let (named, scope) = match open.next() {
                Some(first) => (Some(first), Scope::All),
                None => (group.first().copied(), Scope::Callers),
            };
            let crates = group.into_iter().collect();
            all.extend(named.map(|named| Together { crates, named, scope }));
        }
        all
    }
}

/// All that the analysis needs of crates that run together: what is kept from run to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The program.
    pub part: Part,
    /// What there is to say about the extraction of each crate, by its key.
    pub seen: Vec<(String, Seen)>,
    /// The source files that were looked at, with a digest of each; an empty one for what is not there.
    sources: Vec<(PathBuf, String)>,
}

/// What there is to say about a crate's extraction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seen {
    /// How many bodies there are.
    pub bodies: u32,
    /// The crate's name.
    pub name: String,
    /// Its source files.
    pub files: BTreeSet<String>,
    /// What could not be read.
    pub not_analysed: Vec<NotAnalysed>,
}

impl Kept {
    /// What became of crates; `seen` and `sources` are of each.
    pub fn new<'s>(
        part: Part,
        seen: Vec<(String, Seen)>,
        sources: impl Iterator<Item = &'s LookedAt>,
    ) -> Kept {
        let sources: BTreeMap<&Path, &str> = sources.flat_map(LookedAt::files).collect();
        let sources =
            sources.into_iter().map(|(file, digest)| (file.to_owned(), digest.to_owned())).collect();
        Kept { part, seen, sources }
    }

    /// Whether the source files are still the same.
    pub fn holds(&self) -> bool {
        self.sources.iter().all(|(file, digest)| LookedAt::digest(file) == *digest)
    }
}

impl Seen {
    pub fn of(krate: &Crate) -> Seen {
        let spans = krate.bodies.iter().map(|body| &body.span);
        let own: BTreeSet<&str> =
            spans.filter(|span| !span.is_none() && !span.is_foreign()).map(|span| &*span.file).collect();
        let missing = krate.not_analysed.iter().map(|missing| NotAnalysed {
            unit: krate.name.to_string(),
            name: missing.name.clone(),
            reason: missing.reason.clone(),
        });
        Seen {
            name: krate.name.to_string(),
            bodies: krate.bodies.len() as u32,
            files: own.into_iter().map(str::to_owned).collect(),
            not_analysed: missing.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and scopes of the programs that crates amount to; `core < server` says what a crate uses.
    fn programs(crates: &[&str], apart: bool) -> Vec<(String, Scope)> {
        let built = |text: &&str| {
            let (uses, name) = text.rsplit_once(" < ").unwrap_or(("", text));
            let kind = if name.ends_with('!') { "bin" } else { "lib" };
            let uses = uses.split_whitespace().map(str::to_owned).collect();
            BuiltCrate { name: name.into(), kind: kind.into(), key: name.into(), uses: Some(uses) }
        };
        let crates: Vec<BuiltCrate> = crates.iter().map(built).collect();
        let show = |one: Together| {
            let names: Vec<&str> = one.crates.iter().map(|&index| &*crates[index].name).collect();
            (format!("{}: {}", crates[one.named].name, names.join(" ")), one.scope)
        };
        Together::all(&crates, apart).into_iter().map(show).collect()
    }

    #[test]
    fn an_executable_runs_with_what_it_uses() {
        let crates = ["core", "extra", "core < middle", "core middle < server!", "client!"];
        let apart = [
            ("server!: core middle server!".to_owned(), Scope::Executables),
            ("client!: client!".to_owned(), Scope::Executables),
            ("core: core middle".to_owned(), Scope::Callers),
            ("extra: extra".to_owned(), Scope::All),
        ];
        assert_eq!(programs(&crates, true), apart);
        let whole = [
            ("server!: core middle server!".to_owned(), Scope::All),
            ("client!: client!".to_owned(), Scope::All),
            ("extra: extra".to_owned(), Scope::All),
        ];
        assert_eq!(programs(&crates, false), whole);
    }

    #[test]
    fn libraries_that_use_one_library_share_its_state() {
        let crates = ["core", "other", "core < one", "core < two", "core < app!"];
        let expected = [
            ("app!: core app!".to_owned(), Scope::Executables),
            ("one: core one two".to_owned(), Scope::All),
            ("other: other".to_owned(), Scope::All),
        ];
        assert_eq!(programs(&crates, true), expected);
    }
}
