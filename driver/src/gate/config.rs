//! Levels, events and models from `robust.toml`, `[workspace.metadata.robust]` and `[package.metadata.robust]`.
//!
//! The more specific place has the last word: the workspace's `Cargo.toml`, then `robust.toml` beside it, then the
//! `Cargo.toml` of the package a finding is in. What they say about events adds up, and models hold for the whole workspace,
//! wherever they are given.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use robust_analyzer::finding::{Class, Level};
use robust_analyzer::ir::SourcePlace;
use robust_analyzer::lower::{Told, ToldEvent, Unmatched, Wanted};
use robust_analyzer::nearest::nearest;
use robust_models::Library;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use thiserror::Error;
use toml::Spanned;

use super::events::{Event, Events};
use super::{Levels, Malformed};
use crate::replay;
use crate::report::{
    CLASSES, INCOMPLETE, LEVELS, Notice, NoticeKind, class_name, level_name, parse_class, parse_level,
};

/// The file's name.
pub const FILE: &str = "robust.toml";

/// What the files of a project say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    everywhere: Levels,
    /// By unit.
    packages: BTreeMap<String, Levels>,
    /// What the user says about libraries, in the order in which it counts.
    pub models: Vec<Library>,
    /// The user's word on events.
    pub told: Told,
    /// The user's word on replaying.
    pub replay: replay::Told,
    /// Whether a run that is not complete fails.
    pub incomplete_fails: bool,
    /// Names of things in the program, and where they are written.
    names: Vec<Written>,
}

/// A name in the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Written {
    wanted: Wanted,
    name: String,
    place: SourcePlace,
    /// The program need not have it: it describes a library, of which one does not use everything.
    described: bool,
}

/// A configuration that cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum ConfigError {
    /// The text is wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Malformed(#[from] Box<Malformed>),
    /// The file cannot be read.
    #[error("cannot read `{}`", file.display())]
    #[diagnostic(code(robust::config))]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Robust {
    #[serde(default)]
    lints: BTreeMap<Spanned<String>, Spanned<String>>,
    /// Model files, relative to this one.
    #[serde(default)]
    models: Vec<Spanned<String>>,
    #[serde(default)]
    crates: Vec<String>,
    #[serde(default, rename = "type")]
    types: Vec<robust_models::Type>,
    #[serde(default, rename = "fn")]
    functions: Vec<robust_models::Function>,
    #[serde(default, rename = "trait")]
    traits: Vec<robust_models::Trait>,
    #[serde(default, rename = "place")]
    places: Vec<robust_models::Place>,
    #[serde(default, rename = "demand")]
    demands: Vec<robust_models::Demand>,
    #[serde(default)]
    aliases: BTreeMap<String, String>,
    #[serde(default)]
    setup: Vec<Spanned<String>>,
    /// The older spelling of `discover = false`.
    #[serde(default)]
    events: Events,
    discover: Option<bool>,
    #[serde(default)]
    event: Vec<Event>,
    #[serde(default)]
    make: Vec<Maker>,
}

/// How values of a type are made, for replaying.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Maker {
    /// The type's name.
    r#type: Spanned<String>,
    /// The path of a function that makes one.
    with: Spanned<String>,
}

impl Maker {
    fn into_inner(self) -> (String, String) {
        (self.r#type.into_inner(), self.with.into_inner())
    }
}

#[derive(Deserialize)]
struct Manifest {
    package: Option<Table>,
    workspace: Option<Table>,
}

#[derive(Deserialize)]
struct Table {
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Metadata {
    robust: Option<Robust>,
}

impl Config {
    /// Reads the files of the workspace at `root`; `packages` are its members' manifests with the names of their units.
    ///
    /// # Errors
    /// A file that is there but cannot be read or does not mean anything. Manifests that are no TOML are cargo's to report.
    pub fn read(root: &Path, packages: &[(PathBuf, Vec<String>)]) -> Result<Config, ConfigError> {
        let mut config = Config::default();
        let manifest = root.join("Cargo.toml");
        if manifest.is_file() {
            config.everywhere = config.table_in(&manifest, |manifest: Manifest| manifest.workspace)?;
        }
        let own = root.join(FILE);
        if own.exists() {
            let file = File::read(&own)?;
            let robust: Robust = file.parse()?;
            let levels = config.take(&file, &own, robust)?;
            config.everywhere.extend(levels);
        }
        for (manifest, units) in packages {
            let levels = config.table_in(manifest, |manifest: Manifest| manifest.package)?;
            config.packages.extend(units.iter().map(|unit| (unit.clone(), levels.clone())));
        }
        // As places in the source are: from the root on.
        for written in &mut config.names {
            if let Ok(below) = Path::new(&written.place.file).strip_prefix(root) {
                written.place.file = below.to_string_lossy().into_owned();
            }
        }
        Ok(config)
    }

    /// Takes the models of a manifest's table, and returns its levels.
    fn table_in(
        &mut self,
        manifest: &Path,
        table: fn(Manifest) -> Option<Table>,
    ) -> Result<Levels, ConfigError> {
        let file = File::read(manifest)?;
        let robust = table(file.parse()?).and_then(|table| table.metadata).and_then(|data| data.robust);
        self.take(&file, manifest, robust.unwrap_or_default())
    }

    /// Takes what a file says, and returns its levels.
    fn take(&mut self, file: &File, path: &Path, mut robust: Robust) -> Result<Levels, ConfigError> {
        for (model, described) in file.models(path, &robust)? {
            self.names.extend(model.names(described));
            self.models.push(model.library);
        }
        let setup = robust.setup.iter().map(|name| (Wanted::Function, name));
        let made = robust
            .make
            .iter()
            .flat_map(|maker| [(Wanted::Made, &maker.r#type), (Wanted::Maker, &maker.with)]);
        let named = setup.chain(robust.event.iter().flat_map(Event::names)).chain(made);
        let written = named.map(|(wanted, name)| Written {
            wanted,
            name: name.get_ref().clone(),
            place: file.place(name.span()),
            // What makes values for tests need not be compiled without them.
            described: wanted == Wanted::Maker,
        });
        self.names.extend(written);
        self.hear(&mut robust);
        self.incomplete_fails |= file.denies_incomplete(&mut robust)?;
        file.levels(robust)
    }

    /// Remarks on names that nothing in the program has.
    pub fn unmatched(&self, unmatched: &[Unmatched]) -> Vec<Notice> {
        let mut notices = Vec::new();
        for missing in unmatched {
            let is = |written: &&Written| (written.wanted, &written.name) == (missing.wanted, &missing.name);
            for written in self.names.iter().filter(is) {
                // A library may well have more than is used.
                if !written.described || missing.nearest.is_some() {
                    notices.push(notice(missing, Some(written.place.clone())));
                }
            }
            if missing.wanted == Wanted::Commented {
                notices.push(notice(missing, commented(&missing.name)));
            }
        }
        notices
    }

    /// The level of a class in a unit, if one is given.
    pub fn level(&self, class: Class, unit: &str) -> Option<Level> {
        let own = self.packages.get(unit).and_then(|levels| levels.get(&class));
        own.or_else(|| self.everywhere.get(&class)).copied()
    }

    fn hear(&mut self, robust: &mut Robust) {
        self.told.setup.extend(robust.setup.drain(..).map(Spanned::into_inner));
        self.told.only |= robust.events == Events::Named || robust.discover == Some(false);
        self.replay.makers.extend(robust.make.drain(..).map(Maker::into_inner));
        self.told.events.extend(robust.event.drain(..).map(ToldEvent::from));
    }
}

/// The remark on a name that nothing has.
fn notice(missing: &Unmatched, place: Option<SourcePlace>) -> Notice {
    let Unmatched { wanted, name, nearest } = missing;
    let (kind, message) = match wanted {
        Wanted::Function => (NoticeKind::UnmatchedEvent, format!("there is no function `{name}`")),
        Wanted::Commented => (
            NoticeKind::UnmatchedEvent,
            "the function below this comment was not compiled: it is no event".to_owned(),
        ),
        Wanted::Before => {
            (NoticeKind::UnmatchedEvent, format!("there is no event `{name}` in the configuration"))
        }
        Wanted::Variable => (NoticeKind::UnmatchedEvent, format!("no event changes a variable `{name}`")),
        Wanted::Modelled => {
            (NoticeKind::UnmatchedModel, format!("nothing in the program is called `{name}`"))
        }
        Wanted::Crate => {
            (NoticeKind::UnmatchedModel, format!("the program uses nothing of a crate `{name}`"))
        }
        Wanted::Made => (NoticeKind::UnmatchedModel, format!("there is no type `{name}`")),
        Wanted::Maker => (NoticeKind::UnmatchedModel, format!("there is no function `{name}`")),
    };
    let message = match nearest {
        Some(meant) => format!("{message}; did you mean `{meant}`?"),
        None => message,
    };
    Notice { kind, message, place }
}

/// The place of a comment about an event: `src/lib.rs:7`.
fn commented(name: &str) -> Option<SourcePlace> {
    let (file, line) = name.rsplit_once(':')?;
    let line = line.parse().ok()?;
    Some(SourcePlace { file: file.to_owned(), line, column: 1, end_line: line, end_column: 1 })
}

/// A model, and the file that it is in.
struct Model {
    library: Library,
    file: File,
}

impl Model {
    /// The paths and crates in it. `described`: it is a file of its own, about a library.
    fn names(&self, described: bool) -> impl Iterator<Item = Written> + '_ {
        let paths = self.library.paths().map(|path| (Wanted::Modelled, path));
        let crates = self.library.crates.iter().map(|name| (Wanted::Crate, name.as_str()));
        let aliases = self.library.aliases.keys().map(|name| (Wanted::Modelled, name.as_str()));
        paths.chain(crates).chain(aliases).map(move |(wanted, name)| {
            let at =
                self.file.text.find(&format!("\"{name}\"")).map_or(0..0, |at| at + 1..at + 1 + name.len());
            Written { wanted, name: name.to_owned(), place: self.file.place(at), described }
        })
    }
}

/// A file's name and text, for errors.
#[derive(Clone)]
struct File {
    name: String,
    text: String,
}

impl File {
    fn read(path: &Path) -> Result<File, ConfigError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(File { name: path.to_string_lossy().into_owned(), text }),
            Err(source) => Err(ConfigError::Unreadable { file: path.into(), source }),
        }
    }

    fn parse<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        toml::from_str(&self.text)
            .map_err(|error| self.malformed(error.message().to_owned(), error.span(), None))
    }

    /// The models given here, and those in files named here.
    fn models(&self, path: &Path, robust: &Robust) -> Result<Vec<(Model, bool)>, ConfigError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut models = Vec::new();
        for name in &robust.models {
            let path = folder.join(name.get_ref());
            if !path.is_file() {
                let message = format!("there is no file `{}`", path.display());
                return Err(self.malformed(message, Some(name.span()), None));
            }
            let file = File::read(&path)?;
            let library: Library = file.parse()?;
            file.check(&library)?;
            models.push((Model { library, file }, true));
        }
        let own = Library {
            complete: false,
            varying: Vec::new(),
            library: self.name.clone(),
            crates: robust.crates.clone(),
            types: robust.types.clone(),
            functions: robust.functions.clone(),
            traits: robust.traits.clone(),
            places: robust.places.clone(),
            demands: robust.demands.clone(),
            aliases: robust.aliases.clone(),
        };
        self.check(&own)?;
        if own != (Library { library: self.name.clone(), ..Library::default() }) {
            models.push((Model { library: own, file: self.clone() }, false));
        }
        Ok(models)
    }

    /// What the format allows, but makes no sense.
    fn check(&self, library: &Library) -> Result<(), ConfigError> {
        match library.mistake() {
            None => Ok(()),
            Some((path, message)) => {
                let at = self.text.find(&format!("\"{path}\"")).map(|at| at + 1..at + 1 + path.len());
                Err(self.malformed(message, at, None))
            }
        }
    }

    /// Lines and columns of a part of the text.
    fn place(&self, span: std::ops::Range<usize>) -> SourcePlace {
        let position = |offset: usize| {
            let before = self.text.get(..offset).unwrap_or(&self.text);
            let line = before.rsplit('\n').next().unwrap_or_default();
            (before.matches('\n').count() as u32 + 1, line.chars().count() as u32 + 1)
        };
        let ((line, column), (end_line, end_column)) = (position(span.start), position(span.end));
        SourcePlace { file: self.name.clone(), line, column, end_line, end_column }
    }

    /// Takes the level of runs that are not complete.
    fn denies_incomplete(&self, robust: &mut Robust) -> Result<bool, ConfigError> {
        let key = robust.lints.keys().find(|class| class.get_ref() == INCOMPLETE).cloned();
        let Some(level) = key.and_then(|key| robust.lints.remove(&key)) else { return Ok(false) };
        match parse_level(level.get_ref()) {
            Some(Level::Deny) => Ok(true),
            Some(Level::Warn) => Ok(false),
            _ => {
                let message = format!("a run that is not complete cannot be `{}`", level.get_ref());
                Err(self.malformed(message, Some(level.span()), Some(one_of(["deny", "warn"]))))
            }
        }
    }

    fn levels(&self, robust: Robust) -> Result<Levels, ConfigError> {
        let mut levels = Levels::new();
        for (class, level) in robust.lints {
            let Some(known_class) = parse_class(class.get_ref()) else {
                let mut message = format!("there is no class `{}`", class.get_ref());
                if let Some(meant) =
                    nearest(class.get_ref(), CLASSES.map(class_name).into_iter().chain([INCOMPLETE]))
                {
                    message = format!("{message}; did you mean `{meant}`?");
                }
                return Err(self.malformed(
                    message,
                    Some(class.span()),
                    Some(one_of(CLASSES.map(class_name))),
                ));
            };
            let Some(known_level) = parse_level(level.get_ref()) else {
                let message = format!("there is no level `{}`", level.get_ref());
                return Err(self.malformed(
                    message,
                    Some(level.span()),
                    Some(one_of(LEVELS.map(level_name))),
                ));
            };
            levels.insert(known_class, known_level);
        }
        Ok(levels)
    }

    fn malformed(
        &self,
        message: String,
        span: Option<std::ops::Range<usize>>,
        help: Option<String>,
    ) -> ConfigError {
        ConfigError::Malformed(Malformed::new(
            "configuration in",
            &self.name,
            &self.text,
            message,
            span,
            help,
        ))
    }
}

fn one_of<const N: usize>(names: [&str; N]) -> String {
    format!("one of {}", names.map(|name| format!("`{name}`")).join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn the_more_specific_file_has_the_last_word() {
        let folder = tempfile::tempdir().unwrap();
        write(
            folder.path(),
            "Cargo.toml",
            "[workspace.metadata.robust.lints]\norder = \"note\"\ntorn-read = \"warn\"\nlost-update = \"note\"\n",
        );
        write(folder.path(), FILE, "[lints]\ntorn-read = \"deny\"\nlost-update = \"warn\"\n");
        let text = "[package]\nname = \"a\"\n[package.metadata.robust.lints]\nlost-update = \"allow\"\n";
        let member = write(folder.path(), "a/Cargo.toml", text);

        let config = Config::read(folder.path(), &[(member, vec!["a".into()])]).unwrap();
        assert_eq!(config.level(Class::Order, "a"), Some(Level::Note));
        assert_eq!(config.level(Class::TornRead, "a"), Some(Level::Deny));
        assert_eq!(config.level(Class::LostUpdate, "a"), Some(Level::Allow));
        assert_eq!(config.level(Class::LostUpdate, "b"), Some(Level::Warn));
        assert_eq!(config.level(Class::TornWrite, "a"), None);
    }

    #[test]
    fn models_of_all_files_add_up() {
        let folder = tempfile::tempdir().unwrap();
        let own = "[[type]]\npath = \"pool::Lock\"\nkind = \"lock\"\n";
        write(folder.path(), FILE, &format!("models = [\"models/pool.toml\"]\n{own}"));
        write(folder.path(), "models/pool.toml", "library = \"pool\"\ncrates = [\"pool\"]\n");
        let text =
            "[package]\nname = \"a\"\n[[package.metadata.robust.fn]]\npath = \"pool::run\"\naccess = []\n";
        let member = write(folder.path(), "a/Cargo.toml", text);
        let models = Config::read(folder.path(), &[(member, vec!["a".into()])]).unwrap().models;
        let counts =
            models.iter().map(|model| (model.crates.len(), model.types.len(), model.functions.len()));
        assert_eq!(counts.collect::<Vec<_>>(), [(1, 0, 0), (0, 1, 0), (0, 0, 1)]);
    }

    #[test]
    fn a_model_file_is_to_blame_itself() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), FILE, "models = [\"pool.toml\"]\n");
        write(folder.path(), "pool.toml", "library = \"pool\"\nwrong = 1\n");
        match Config::read(folder.path(), &[]) {
            Err(ConfigError::Malformed(malformed)) => {
                assert_eq!(malformed.wrong(), Some("wrong"));
                assert!(malformed.to_string().contains("pool.toml"), "{malformed}");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn events_of_all_files_add_up() {
        let folder = tempfile::tempdir().unwrap();
        let text = "events = \"named\"\nsetup = [\"start\"]\n[[event]]\nfunction = \"Chat::send\"\non = \"ui\"\nonce = true\n";
        write(folder.path(), FILE, text);
        let text = "[package]\nname = \"a\"\n[[package.metadata.robust.event]]\nfunction = \"open\"\nwhen = \"shown\"\n";
        let member = write(folder.path(), "a/Cargo.toml", text);
        let told = Config::read(folder.path(), &[(member, vec!["a".into()])]).unwrap().told;
        assert!(told.only && told.setup == ["start"]);
        let events: Vec<_> = told
            .events
            .iter()
            .map(|e| (e.function.to_string(), e.on_ui, e.once, e.when.as_deref()))
            .collect();
        assert_eq!(
            events,
            [("Chat::send".into(), true, true, None), ("open".into(), false, false, Some("shown"))]
        );
    }

    #[test]
    fn errors_point_at_what_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        for (text, wrong) in [
            ("[lints]\nlost-upate = \"deny\"\n", "lost-upate"),
            ("[lints]\norder = \"forbid\"\n", "\"forbid\""),
            ("[lint]\norder = \"deny\"\n", "lint"),
            ("[lints]\norder = 3\n", "3"),
            ("models = [\"none.toml\"]\n", "\"none.toml\""),
            ("[[fn]]\npath = \"pool::run\"\nacess = []\n", "acess"),
            ("[[fn]]\npath = \"pool::run\"\n", "pool::run"),
            ("[[fn]]\npath = \"run\"\naccess = []\n", "run"),
            ("[[type]]\npath = \"pool::Lock\"\nkind = \"lok\"\n", "\"lok\""),
            ("[[event]]\nfunction = \"a\"\nexecutor = \"ui\"\n", "executor"),
            ("[[event]]\nfunction = \"a\"\non = \"gui\"\n", "\"gui\""),
        ] {
            write(folder.path(), FILE, text);
            match Config::read(folder.path(), &[]) {
                Err(ConfigError::Malformed(malformed)) => assert_eq!(malformed.wrong(), Some(wrong)),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
