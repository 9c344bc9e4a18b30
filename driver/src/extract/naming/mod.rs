//! Names of bodies, read off the source.
//!
//! Pass B calls methods by the place of their impl, `<impl at src/lib.rs:50:62: 50:81>::handle`. What is at that place is the
//! impl's header, or the name of a trait in a `derive`; from it comes the name that pass C would print,
//! `<Wrapper<T> as Handler>::handle`, without compiling the crate once more. What macros write is not there; for that rustc is
//! asked to expand them, which takes a tenth of a compilation, and as bodies come in the order of the source, the impls' methods and those that
//! were printed are paired. What cannot be told for sure is an error: then pass C has to say it.

mod reader;
mod show;
mod source;
#[cfg(test)]
mod tests;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use robust_analyzer::mir::TyKind;

use robust_analyzer::mir::text::{self as mir_text, Announced};
use show::Shown;
use source::{Place, Sources};

/// Names for all bodies in a print of pass B, as lines that stand for pass C's headers. `files` are the crate's sources,
/// `expanded` the crate after its macros, if the sources are not enough.
pub(super) fn names(
    bodies: &[Announced<'_>],
    files: &[String],
    expanded: Option<&str>,
) -> Result<String, String> {
    let paths: Vec<Vec<String>> = bodies
        .iter()
        .map(|body| {
            mir_text::path(body.def).segments.iter().map(|segment| segment.name.to_string()).collect()
        })
        .collect();
    let places = paths.iter().flatten().filter_map(|segment| Place::read(segment)).collect();
    let sources = Sources::read(files, &places);
    let owners = match expanded {
        Some(text) => {
            let expanded = Sources::expanded(text).ok_or("the expanded source was not understood")?;
            methods(bodies, &paths, &expanded).ok_or("the expanded source has other methods")?
        }
        None => bodies.iter().map(|_| None).collect(),
    };
    let mut namer = Namer { sources: &sources, known: BTreeMap::new(), named: BTreeSet::new() };
    let mut text = String::new();
    for ((body, path), owner) in bodies.iter().zip(&paths).zip(owners) {
        let known = owner.is_some();
        if let Some(shown) = owner {
            namer.know(path, &shown);
        }
        let sure = known || namer.is_new(path) && agrees(&sources, path, body);
        let name = namer.name(path).filter(|_| sure).ok_or_else(|| format!("`{}`", body.def))?;
        let args = (1..=body.args).map(|number| format!("_{number}")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "fn {name}({args})");
    }
    Ok(text)
}

/// For bodies that are functions of impls, which impls they are of. rustc prints bodies in the order of the expanded source.
fn methods(
    bodies: &[Announced<'_>],
    paths: &[Vec<String>],
    expanded: &Sources,
) -> Option<Vec<Option<Shown>>> {
    let mut methods = expanded.methods.iter();
    let mut all = Vec::with_capacity(bodies.len());
    for (body, path) in bodies.iter().zip(paths) {
        all.push(match &path[..] {
            [around @ .., parent, name]
                if body.is_fn && !name.starts_with('{') && Place::read(parent).is_some() =>
            {
                let method = methods.next()?;
                if (&method.name, method.args) != (name, body.args) {
                    return None;
                }
                expanded.show_header(method.of, around)
            }
            _ => None,
        });
    }
    methods.next().is_none().then_some(all)
}

/// Whether procedural macros seem to derive something in a crate, given its first file: that is not to be read off the source. Looks
/// at words only, while the compiler is at work.
pub(super) fn looks_derived(root: &str) -> bool {
    let root = Path::new(root);
    // Modules of the first file are beside it; those of others are below.
    let mut files = vec![(root.to_owned(), root.parent().unwrap_or(root).to_owned())];
    while let Some((file, below)) = files.pop() {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let lists = text.split("derive(").skip(1).filter_map(|rest| rest.split(')').next());
        let mut names = lists.flat_map(|list| list.split(',')).filter_map(|path| path.rsplit(':').next());
        if names.any(|name| !name.trim().is_empty() && !reader::is_derived(name.trim())) {
            return true;
        }
        let declared = text.lines().filter_map(|line| line.trim().strip_suffix(';')?.rsplit_once("mod "));
        let is_name = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.is_empty();
        for name in declared.map(|(_, name)| name.trim()).filter(is_name) {
            let below = below.join(name);
            files
                .extend([below.with_extension("rs"), below.join("mod.rs")].map(|file| (file, below.clone())));
        }
    }
    false
}

/// The source files in what rustc wrote for make: `out.d: src/lib.rs src/with\ space.rs`.
pub(super) fn source_files(dep_info: &str) -> Vec<String> {
    listed_files(dep_info).filter(|file| file.ends_with(".rs")).collect()
}

/// All files in it that the crate is made from.
pub(super) fn listed_files(dep_info: &str) -> impl Iterator<Item = String> {
    let listed = dep_info.lines().filter_map(|line| line.strip_suffix(':'));
    listed.map(|file| file.replace("\\ ", " "))
}

/// Whether an item of an impl is one of those written there, with a receiver of the type that the header seems to say. A macro
/// may make something else of an impl.
fn agrees(sources: &Sources, path: &[String], body: &Announced<'_>) -> bool {
    let [.., parent, method] = path else { return true };
    let Some(place) = Place::read(parent) else { return true };
    let same_type = match (sources.receiver_of(&place, method), &body.first) {
        (Some(name), Some(first)) => is_or_holds(first, &name),
        _ => true,
    };
    same_type && (method.starts_with('{') || sources.has_item(&place, method))
}

/// Whether a type is the one with this name, or a reference or a pointer to it.
fn is_or_holds(ty: &TyKind, name: &str) -> bool {
    match ty {
        TyKind::Ref { to, .. } => is_or_holds(to, name),
        TyKind::Path(path) => {
            let pointer = matches!(path.last(), "Pin" | "Box" | "Rc" | "Arc");
            path.last() == name || pointer && path.type_args().next().is_some_and(|to| is_or_holds(to, name))
        }
        _ => false,
    }
}

/// Gives names to paths.
struct Namer<'a> {
    sources: &'a Sources,
    /// The owners of methods that the expanded source told, by the method's path. Several may have the same; rustc prints what
    /// is in a method behind it, so it is the last one that counts.
    known: BTreeMap<&'a [String], Option<String>>,
    /// The other items of impls so far.
    named: BTreeSet<&'a [String]>,
}

impl<'a> Namer<'a> {
    /// Notes which impl a method is of.
    fn know(&mut self, path: &'a [String], shown: &Shown) {
        let around = &path[..path.len().saturating_sub(2)];
        self.known.insert(path, self.owner(shown, around));
    }

    /// False for an impl's item that there was before: a macro made several impls of one.
    fn is_new(&mut self, path: &'a [String]) -> bool {
        let [.., parent, item] = path else { return true };
        let item_of_impl = Place::read(parent).is_some() && !item.starts_with('{');
        !item_of_impl || self.named.insert(path)
    }

    /// As pass C says it: the last part of the path, with what it is a part of where that is no module.
    fn name(&self, path: &[String]) -> Option<String> {
        let (last, before) = path.split_last()?;
        let Some((parent, around)) = before.split_last() else { return Some(last.clone()) };
        if last.starts_with('{') {
            return Some(format!("{}::{last}", self.name(before)?));
        }
        if let Some(place) = Place::read(parent) {
            let owner = match self.known.get(path) {
                Some(owner) => owner.clone()?,
                None => self.owner(&self.sources.show(&place, around)?, around)?,
            };
            return Some(format!("{owner}::{last}"));
        }
        Some(if self.sources.has_items(parent) { format!("{parent}::{last}") } else { last.clone() })
    }

    /// The impl as an owner of items. rustc says where it is, unless the type or the trait is there, too.
    fn owner(&self, shown: &Shown, around: &[String]) -> Option<String> {
        if shown.at_home {
            return Some(match &shown.tr {
                Some(tr) => format!("<{} as {tr}>", shown.ty),
                None => shown.as_value(),
            });
        }
        let what = match &shown.tr {
            Some(tr) => format!("<impl {tr} for {}>", shown.ty),
            None => format!("<impl {}>", shown.ty),
        };
        Some(match around {
            [] => what,
            _ if shown.in_module => format!("{}::{what}", around.join("::")),
            _ => format!("{}::{what}", self.name(around)?),
        })
    }
}
