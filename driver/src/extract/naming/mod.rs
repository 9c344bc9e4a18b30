//! Names of bodies, read off the source.
//!
//! Pass B calls methods by the place of their impl, `<impl at src/lib.rs:50:62: 50:81>::handle`. What is at that place is the
//! impl's header, or the name of a trait in a `derive`; from it comes the name that pass C would print,
//! `<Wrapper<T> as Handler>::handle`, without compiling the crate once more. What cannot be told for sure is an error:
//! then pass C has to say it.

mod macros;
mod reader;
mod show;
mod source;
#[cfg(test)]
mod tests;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use robust_analyzer::mir::TyKind;

use super::parse::{self, Announced};
use show::Shown;
use source::{Place, Sources};

/// Names for all bodies in a print of pass B, as lines that stand for pass C's headers. `files` are the crate's sources.
pub(super) fn names(print: &str, files: &[String]) -> Result<String, String> {
    let bodies = parse::announced(print).ok_or("a header was not understood")?;
    let paths: Vec<Vec<String>> = bodies
        .iter()
        .map(|body| parse::path(body.def).segments.iter().map(|segment| segment.name.to_string()).collect())
        .collect();
    let places = paths.iter().flatten().filter_map(|segment| Place::read(segment)).collect();
    let sources = Sources::read(files, places);
    let mut namer = Namer { sources: &sources, by_macros: BTreeMap::new(), named: BTreeSet::new() };
    let mut text = String::new();
    for (body, path) in bodies.iter().zip(&paths) {
        namer.note(path, body);
        let named = namer.name(path).filter(|_| namer.is_new(path) && agrees(&sources, path, body));
        let name = named.ok_or_else(|| format!("`{}`", body.def))?;
        let args = (1..=body.args).map(|number| format!("_{number}")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "fn {name}({args})");
    }
    Ok(text)
}

/// Whether pass C will be needed, by all appearances: procedural macros that are derived write impls at their own names' places.
pub(super) fn need_pass(files: &[String]) -> bool {
    files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).any(|text| {
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let lists = lines.filter_map(|line| line.split_once("derive(")?.1.split(')').next());
        lists.flat_map(|list| list.split(',')).any(|path| {
            let name = path.rsplit("::").next().unwrap_or(path).trim();
            !name.is_empty() && !source::is_one_of(reader::DERIVED, name)
        })
    })
}

/// The source files in what rustc wrote for make: `out.d: src/lib.rs src/with\ space.rs`.
pub(super) fn source_files(dep_info: &str) -> Vec<String> {
    let listed = dep_info.lines().filter_map(|line| line.strip_suffix(':'));
    listed.filter(|file| file.ends_with(".rs")).map(|file| file.replace("\\ ", " ")).collect()
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
    /// The owners of methods that macros wrote, by the method's path. Several may have the same; rustc prints what is in a
    /// method behind it, so it is the last one that counts.
    by_macros: BTreeMap<&'a [String], Option<String>>,
    /// The other items of impls so far.
    named: BTreeSet<&'a [String]>,
}

impl<'a> Namer<'a> {
    /// Notes whose method a body is, if a macro wrote its impl.
    fn note(&mut self, path: &'a [String], body: &Announced<'_>) {
        let [around @ .., parent, method] = path else { return };
        let Some(found) = self.sources.by_macro(parent) else { return };
        let shown = found.show(method, body, around, self.sources);
        let owner = shown.and_then(|shown| self.owner(&shown, around));
        self.by_macros.insert(path, owner);
    }

    /// False for an impl's item that there was before: a macro made several impls of one.
    fn is_new(&mut self, path: &'a [String]) -> bool {
        let [.., parent, item] = path else { return true };
        let repeated =
            Place::read(parent).is_some() && !item.starts_with('{') && !self.by_macros.contains_key(path);
        !repeated || self.named.insert(path)
    }

    /// As pass C says it: the last part of the path, with what it is a part of where that is no module.
    fn name(&self, path: &[String]) -> Option<String> {
        let (last, before) = path.split_last()?;
        let Some((parent, around)) = before.split_last() else { return Some(last.clone()) };
        if last.starts_with('{') {
            return Some(format!("{}::{last}", self.name(before)?));
        }
        if let Some(place) = Place::read(parent) {
            let owner = match self.by_macros.get(path) {
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
