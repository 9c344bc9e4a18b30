//! What items of other crates are, whatever they are called here.
//!
//! rustc prints the shortest path that it finds to an item. A crate that gives out `std::sync::Mutex` once more, under its own or
//! another name, makes all the types of its users' locks `that_crate::Mutex`. Models are about items, not about their names, so
//! rustc is asked what the names mean: it gets a crate of nothing but `use` items, one for each path that was printed and one for each that
//! models know, and its syntax tree has the definitions. Two paths with one definition are one item. An item of a crate that is
//! analysed, too, gets the name that rustc gives it there.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::PoisonError;
use std::time::{Duration, Instant};
use std::{fs, io};

use aho_corasick::AhoCorasick;
use robust_models::Models;
use serde::{Deserialize, Serialize};
use wait_timeout::ChildExt;

use super::cargo::Project;
use super::store::{Files, Manifest, key_of};
use crate::inputs::{Aspect, digest};

/// What was found out for a crate, kept beside what was printed of it.
#[derive(Serialize, Deserialize)]
struct Known {
    /// Stands for the question.
    question: String,
    pairs: Vec<(String, String)>,
}

/// Pairs of names: as printed, and as models, or the crates that are analysed, know the same items.
pub(super) type Pairs = Vec<(String, String)>;

/// It is not known what some names mean.
#[derive(Clone, Debug)]
pub(super) struct Unresolved {
    /// How many.
    pub names: usize,
    /// Why.
    pub reason: String,
}

/// What is asked, and how: the number of it. Answers to another question are not taken for those to this one.
const ASKED: u32 = 2;
/// How long rustc may think about a crate that has nothing but names in it.
const LONGEST: Duration = Duration::from_secs(60);
/// How often it is looked whether somebody still waits for it.
const POLL: Duration = Duration::from_millis(100);

/// The printed names of items that models, or the crates that are analysed, know by other names, with these. `models` are the models' names of items.
/// `texts` are the bodies and the coroutines as they were printed; they are not looked at when the answer is known.
pub(super) fn other_names<'t>(
    project: &Project,
    files: &Files,
    manifest: &Manifest,
    texts: impl FnOnce() -> [Cow<'t, str>; 2],
    models: &BTreeSet<String>,
    late: &dyn Fn() -> bool,
) -> Result<Pairs, Unresolved> {
    let crates = Crates::of(manifest, &project.root);
    let own = analysed(project, manifest);
    // What was printed has no digest where some of it could not be.
    let question = manifest.digest.as_ref().map(|printed| {
        let crates = (&manifest.linked, crates.states(project), &crates.renamed);
        let all = format!("{ASKED}{}{printed}{crates:?}{own:?}{models:?}", project.rustc_text);
        digest(all.as_bytes())
    });
    let known = || -> Option<Known> { serde_json::from_slice(&fs::read(&files.identities).ok()?).ok() };
    if let Some(known) = known().filter(|known| Some(&known.question) == question.as_ref()) {
        return Ok(known.pairs);
    }
    let texts = texts();
    let printed = crates.paths_in([&texts[0], &texts[1]], models);
    let pairs = match printed.is_empty() {
        true => Vec::new(),
        false => find(project, manifest, &crates, &own, &printed, models, late)
            .map_err(|reason| Unresolved { names: printed.len(), reason })?,
    };
    if let Some(question) = question
        && let Ok(text) = serde_json::to_vec(&Known { question, pairs: pairs.clone() })
    {
        // Without it, it is found out again.
        let _ = fs::write(&files.identities, text);
    }
    Ok(pairs)
}

/// Has rustc tell what names mean.
fn find(
    project: &Project,
    manifest: &Manifest,
    crates: &Crates,
    own: &BTreeSet<String>,
    printed: &BTreeSet<String>,
    models: &BTreeSet<String>,
    late: &dyn Fn() -> bool,
) -> Result<Pairs, String> {
    let tree = crates.ask(project, manifest, &crates.source(printed, models), late)?;
    let definitions = definitions(&tree);
    // Lines of the source: the printed paths, then those of models.
    let define = |line: usize| definitions.get(&(crates.head() + line + 1)).copied();
    let mut items: BTreeMap<&str, &str> = BTreeMap::new();
    for (number, path) in models.iter().enumerate() {
        if let Some(definition) = define(printed.len() + number) {
            items.entry(definition.path).or_insert(path);
        }
    }
    // Every compiler has the standard library.
    if items.is_empty() {
        return Err("rustc's syntax tree has other forms than are known here".to_owned());
    }
    let resolved: BTreeMap<&str, Definition<'_>> = printed
        .iter()
        .enumerate()
        .filter_map(|(number, path)| Some((path.as_str(), define(number)?)))
        .collect();
    let hidden = super::hidden::items((project, manifest), crates, models, &items, &resolved, late);
    let of_hidden = |definition: &Definition<'_>| hidden.get(definition.without_number()?).copied();
    let pair = |path: &String| {
        let item = match resolved.get(path.as_str()) {
            Some(definition) => items
                .get(definition.path)
                .copied()
                .or_else(|| of_hidden(definition))
                .or_else(|| definition.at_home(own)),
            // rustc has no shorter name for what nobody else can name. What is in something with a name goes by that.
            None => renamed_function(path, &resolved, &items)
                .or_else(|| of_crate_given_out(path, &items))
                .or_else(|| {
                    let mut parents = std::iter::successors(parent(path), |path| parent(path));
                    below(path, own).filter(|_| !parents.any(|parent| resolved.contains_key(parent)))
                }),
        };
        item.filter(|item| path != item).map(|item| (path.clone(), item.to_owned()))
    };
    Ok(printed.iter().filter_map(pair).collect())
}

/// The names of the crates that a crate uses, by way of others or not, and that are analysed, too. Those that models know keep the
/// names that models know them by.
fn analysed(project: &Project, manifest: &Manifest) -> BTreeSet<String> {
    let files = manifest.linked.iter().filter_map(|arg| arg.split_once('=')).map(|(_, file)| Path::new(file));
    let mut open: Vec<String> = files.filter_map(key_of).chain(manifest.uses.iter().cloned()).collect();
    let (mut seen, mut names) = (BTreeSet::new(), BTreeSet::new());
    let models = Models::built_in();
    while let Some(key) = open.pop() {
        if !seen.insert(key.clone()) {
            continue;
        }
        let Some(printed) = project.store.files(&key).read_manifest() else { continue };
        open.extend(printed.uses);
        let name = key.rsplit_once('-').map(|(name, _)| name.to_owned());
        names.extend(name.filter(|name| !models.is_known_crate(name)));
    }
    names
}

/// The function that a path means that nothing has. rustc prints functions that a module gives out under another name as if they had
/// kept theirs: it is the one function of that name that models know of those that can be named here.
fn renamed_function<'i>(
    path: &str,
    resolved: &BTreeMap<&str, Definition<'_>>,
    items: &BTreeMap<&str, &'i str>,
) -> Option<&'i str> {
    let (module, name) = path.rsplit_once("::")?;
    let in_module = !module.contains("::") || resolved.get(module).is_some_and(|parent| parent.kind == "Mod");
    let mut same = items.iter().filter(|(definition, _)| definition.rsplit("::").next() == Some(name));
    let (_, item) = same.next().filter(|_| in_module)?;
    same.next().is_none().then_some(*item)
}

/// What a path means that goes through a crate that another one gives out. rustc prints the crate's own name there, whatever it is given out as,
/// and nobody can name it so: it is what models know by a path with another word in that place, if that is defined in this crate.
fn of_crate_given_out<'i>(path: &str, items: &BTreeMap<&str, &'i str>) -> Option<&'i str> {
    let (giver, rest) = path.split_once("::")?;
    let (krate, rest) = rest.split_once("::")?;
    let known = items.iter().find(|(definition, item)| {
        let of_crate = definition.split_once(" ~ ").and_then(|(_, path)| path.split_once('['));
        let last = item.strip_prefix(giver).and_then(|item| item.strip_prefix("::"));
        of_crate.is_some_and(|(name, _)| name == krate)
            && last.and_then(|last| last.split_once("::")).is_some_and(|(_, last)| last == rest)
    });
    known.map(|(_, item)| *item)
}

/// What a `use` item means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Definition<'t> {
    /// rustc's word for what it is: `Struct`, `Fn`, `Mod`.
    kind: &'t str,
    /// Its path, with the crate's number and digest.
    pub path: &'t str,
}

impl<'t> Definition<'t> {
    /// Its path without the crate's number, which is another one wherever rustc is asked.
    pub fn without_number(&self) -> Option<&'t str> {
        self.path.split_once(" ~ ").map(|(_, path)| path)
    }

    /// The crate of a definition with this path, with its digest.
    pub fn home_of(path: &str) -> Option<&str> {
        let (_, path) = path.split_once(" ~ ")?;
        path.find(']').map(|end| &path[..=end])
    }

    /// What the crate that has it calls it, if that is one of these.
    fn at_home(&self, own: &BTreeSet<String>) -> Option<&'t str> {
        // `20:4 ~ own[d0e1]::store::Store`, and of a tuple struct `::{constructor#0}` behind that.
        let (_, path) = self.path.split_once(" ~ ")?;
        let (krate, rest) = path.split_once('[')?;
        let (_, item) = rest.split_once("]::")?;
        let item = item.strip_suffix("::{constructor#0}").unwrap_or(item);
        (own.contains(krate) && !item.contains('{')).then_some(item)
    }
}

fn parent(path: &str) -> Option<&str> {
    path.rsplit_once("::").map(|(parent, _)| parent)
}

/// The rest of a path that begins with the name of one of these crates.
fn below<'p>(path: &'p str, own: &BTreeSet<String>) -> Option<&'p str> {
    path.split_once("::").filter(|(krate, _)| own.contains(*krate)).map(|(_, rest)| rest)
}

/// The crates that a crate can name.
#[derive(Clone)]
pub(super) struct Crates {
    /// By the names that rustc prints, with their files.
    named: BTreeMap<String, PathBuf>,
    /// `extern crate` items with another name: the name, and the item.
    renamed: BTreeMap<String, String>,
}

impl Crates {
    fn of(manifest: &Manifest, root: &Path) -> Crates {
        let mut named = BTreeMap::new();
        for file in
            manifest.linked.iter().filter_map(|arg| arg.split_once('=')).map(|(_, file)| Path::new(file))
        {
            // rustc prints the crate's own name, whatever the manifest calls it.
            if let Some((name, _)) = key_of(file).as_deref().and_then(|key| key.rsplit_once('-'))
                && matches!(file.extension().and_then(|end| end.to_str()), Some("rmeta" | "rlib" | "so"))
            {
                named.insert(name.to_owned(), file.to_owned());
            }
        }
        let text = fs::read_to_string(root.join(&manifest.root_file)).unwrap_or_default();
        let parsed = Some(text)
            .filter(|text| text.contains("extern crate"))
            .and_then(|text| syn::parse_file(&text).ok());
        let items = parsed.into_iter().flat_map(|file| file.items);
        let renamed = items.filter_map(|item| match item {
            syn::Item::ExternCrate(syn::ItemExternCrate { ident, rename: Some((_, name)), .. })
                if ident != "self" =>
            {
                Some((name.to_string(), format!("extern crate {ident} as {name};")))
            }
            _ => None,
        });
        Crates { named, renamed: renamed.filter(|(name, _)| name != "_").collect() }
    }

    /// These and one more.
    pub fn with(&self, name: &str, file: PathBuf) -> Crates {
        let mut more = self.clone();
        more.named.insert(name.to_owned(), file);
        more
    }

    /// The paths below these crates in texts, and those that they begin with, but for what models know as it is.
    fn paths_in(&self, texts: [&str; 2], models: &BTreeSet<String>) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let begins: Vec<String> =
            self.named.keys().chain(self.renamed.keys()).map(|name| format!("{name}::")).collect();
        let Ok(search) = AhoCorasick::new(&begins) else { return found };
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        for text in texts {
            let bytes = text.as_bytes();
            for begin in search.find_iter(text) {
                let before = begin.start().checked_sub(1).map(|at| bytes[at]);
                if before.is_some_and(|byte| is_word(byte) || byte == b':') {
                    continue;
                }
                let mut end = begin.end();
                loop {
                    let word = bytes[end..].iter().take_while(|byte| is_word(**byte)).count();
                    // Constants without a name are no items.
                    if word == 0 || &bytes[end..end + word] == b"_" {
                        break;
                    }
                    end += word;
                    let path = &text[begin.start()..end];
                    if models.contains(path) || !found.contains(path) && !found.insert(path.to_owned()) {
                        break;
                    }
                    if bytes.get(end..end + 2) != Some(b"::") {
                        break;
                    }
                    end += 2;
                }
            }
        }
        found
    }

    /// How many lines come before the `use` items.
    pub fn head(&self) -> usize {
        self.renamed.len()
    }

    pub fn source(&self, printed: &BTreeSet<String>, models: &BTreeSet<String>) -> String {
        let mut source = String::new();
        for item in self.renamed.values() {
            let _ = writeln!(source, "{item}");
        }
        for (number, path) in printed.iter().chain(models).enumerate() {
            let _ = writeln!(source, "use {path} as item{number};");
        }
        source
    }

    /// What is in the crates' files.
    fn states(&self, project: &Project) -> Vec<Option<String>> {
        let mut digests = project.digests.lock().unwrap_or_else(PoisonError::into_inner);
        self.named.values().map(|file| digests.state(file, Aspect::Content).digest.clone()).collect()
    }

    /// Has rustc print the syntax tree of a source. What cannot be resolved is an error, and stays in the tree without a definition.
    pub fn ask(
        &self,
        project: &Project,
        manifest: &Manifest,
        source: &str,
        late: &dyn Fn() -> bool,
    ) -> Result<String, String> {
        let failed = |error: io::Error| format!("rustc could not be asked: {error}");
        let scratch = project.store.scratch().map_err(failed)?;
        let (file, out) = (scratch.path().join("items.rs"), scratch.path().join("items.tree"));
        fs::write(&file, source).map_err(failed)?;
        let mut rustc = Command::new(&manifest.rustc);
        rustc.args([
            "--crate-name=items",
            "--crate-type=lib",
            "--edition=2021",
            "--cap-lints=allow",
            "-Zunpretty=hir-tree",
        ]);
        rustc.args(&manifest.linked);
        for (name, path) in &self.named {
            let mut own = OsString::from(format!("--extern={name}="));
            own.push(path);
            rustc.arg(own);
        }
        if let Some(toolchain) = project.toolchain() {
            rustc.env("RUSTUP_TOOLCHAIN", toolchain);
        }
        rustc.arg(file).env("RUSTC_BOOTSTRAP", "1").stdin(Stdio::null()).stderr(Stdio::null());
        // A file holds all of it, where somebody would have to empty a pipe.
        rustc.stdout(fs::File::create(&out).map_err(failed)?);
        let (mut child, start) = (rustc.spawn().map_err(failed)?, Instant::now());
        while child.wait_timeout(POLL).map_err(failed)?.is_none() {
            if late() || start.elapsed() >= LONGEST {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("timeout: rustc had not answered after {} s", start.elapsed().as_secs()));
            }
        }
        Ok(String::from_utf8_lossy(&fs::read(&out).map_err(failed)?).into_owned())
    }
}

/// The definitions that the `use` items of a syntax tree mean, by their lines.
pub(super) fn definitions(tree: &str) -> BTreeMap<usize, Definition<'_>> {
    let mut found = BTreeMap::new();
    for item in tree.split("kind: Use(").skip(1) {
        // `span: items.rs:3:5: 3:20 (#0),`, then what the path is in each namespace, then its parts.
        let Some((head, _)) = item.split_once("segments: [") else { continue };
        let Some((span, res)) = head.split_once("res: PerNS {") else { continue };
        let line = span.split_once(".rs:").and_then(|(_, rest)| rest.split(':').next()?.parse().ok());
        let definition = res.split_once("Def(").and_then(|(_, rest)| {
            let (kind, rest) = rest.split_once(',')?;
            let path = rest.split_once("DefId(")?.1.split(')').next()?;
            Some(Definition { kind: kind.trim(), path })
        });
        if let (Some(line), Some(definition)) = (line, definition) {
            found.insert(line, definition);
        }
    }
    found
}

/// Items that paths of models are of, or belong to: types, traits, free functions, and the modules that they are in.
pub(super) fn items<'p>(paths: impl Iterator<Item = &'p str>) -> BTreeSet<String> {
    let mut items = BTreeSet::new();
    for path in paths.map(|path| path.split("::*").next().unwrap_or(path)) {
        let ends = path.match_indices("::").skip(1).map(|(at, _)| at);
        for part in ends.map(|end| &path[..end]).chain([path]) {
            // Methods cannot be named by `use`.
            let owner = part.rsplit("::").nth(1).and_then(|owner| owner.chars().next());
            if owner.is_some_and(|first| !first.is_uppercase()) && part.contains("::") {
                items.insert(part.to_owned());
            }
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_what_use_can_name() {
        let found = items(
            ["std::sync::Mutex::lock", "std::thread::spawn", "tokio::sync::mpsc::*", "gtk::*::connect_*"]
                .into_iter(),
        );
        let expected = [
            "std::sync",
            "std::sync::Mutex",
            "std::thread",
            "std::thread::spawn",
            "tokio::sync",
            "tokio::sync::mpsc",
        ];
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn definitions_are_read_off_the_tree() {
        let tree = "kind: Use(\n Path {\n span: /x/items.rs:2:5: 2:9 (#0),\n res: PerNS {\n value_ns: None, type_ns: Some(\n\
                    Def(\n Struct,\n DefId(1:7 ~ std[e2]::sync::Mutex),\n segments: [\n res: Def(Mod, DefId(2:0 ~ dep[9]))\n\
                    kind: Use(\n span: /x/items.rs:3:5: 3:9 (#0),\n res: PerNS {\n value_ns: Some(Err),\n segments: [\n DefId(2:0 ~ dep[9])";
        let lock = Definition { kind: "Struct", path: "1:7 ~ std[e2]::sync::Mutex" };
        assert_eq!(definitions(tree), BTreeMap::from([(2, lock)]));
    }

    #[test]
    fn a_function_that_nothing_has_is_the_only_one_of_its_name() {
        let module = Definition { kind: "Mod", path: "2:1 ~ dep[9]::tasks" };
        let resolved =
            BTreeMap::from([("dep::tasks", module), ("dep::Task", Definition { kind: "Struct", ..module })]);
        let mut items = BTreeMap::from([("1:5 ~ std[e2]::thread::functions::spawn", "std::thread::spawn")]);
        let find =
            |path: &str, items: &BTreeMap<&str, &'static str>| renamed_function(path, &resolved, items);
        assert_eq!(find("dep::spawn", &items), Some("std::thread::spawn"));
        assert_eq!(find("dep::tasks::spawn", &items), Some("std::thread::spawn"));
        assert_eq!(find("dep::Task::spawn", &items), None, "a method");
        items.insert("3:5 ~ rayon[e2]::spawn", "rayon::spawn");
        assert_eq!(find("dep::spawn", &items), None, "it may be either");
    }

    #[test]
    fn a_crate_that_another_one_gives_out_is_known_by_what_it_is_given_out_as() {
        let items = BTreeMap::from([
            ("2:1 ~ all_queue[9]::queue::Queue", "all::queue::Queue"),
            ("3:1 ~ all_channel[7]::queue::Queue", "all::channel::Queue"),
        ]);
        assert_eq!(of_crate_given_out("all::all_channel::Queue", &items), Some("all::channel::Queue"));
        assert_eq!(of_crate_given_out("all::all_queue::Queue", &items), Some("all::queue::Queue"));
        assert_eq!(of_crate_given_out("all::all_list::Queue", &items), None);
        assert_eq!(of_crate_given_out("other::all_queue::Queue", &items), None);
    }

    #[test]
    fn paths_are_those_of_other_crates() {
        let crates =
            Crates { named: BTreeMap::from([("dep".to_owned(), PathBuf::new())]), renamed: BTreeMap::new() };
        let text = "let _1: &dep::Mutex<dep::rc::Rc<u8>>; my::dep::Own, undep::Other, dep::Mutex::<u8>::lock, dep::known::Item";
        let found = crates.paths_in([text, ""], &BTreeSet::from(["dep::known".to_owned()]));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["dep::Mutex", "dep::rc", "dep::rc::Rc"]);
    }
}
