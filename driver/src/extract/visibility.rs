//! Which functions callers outside of the crate may reach: MIR does not say, so the source is looked at.

mod heads;
mod secrets;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use robust_analyzer::mir::{BodyKind, Crate, Name, Path as RustPath};

use heads::{Callers, Heads};
use secrets::Secrets;

use crate::inputs::digest;
use crate::items;

/// Marks the functions with `pub` in front, and those of traits, provided ones too, where neither the type nor the trait is the crate's own
/// secret. `unsafe` functions are not marked: who calls them answers for what they may overlap with. Where a macro made a function, what it is defined with
/// is read, be it in another crate. What cannot be read
/// stays unmarked. What has a symbol is marked in any case: foreign code calls it. Where nobody else calls, only what others read off the sources matters. The crate's sources begin with the
/// file `first`; those of the workspace are named from `root` on. Gives back what was or will be looked at.
pub(super) fn mark(krate: &mut Crate, (root, first): (&Path, &str), called: bool) -> LookedAt {
    let mut looked_at = LookedAt::default();
    let mut files: BTreeMap<Name, String> = BTreeMap::new();
    for body in &krate.bodies {
        if !body.span.is_none() && !body.span.is_foreign() && !files.contains_key(&body.span.file) {
            let text = looked_at.read(&root.join(&*body.span.file));
            files.insert(body.span.file.clone(), text);
        }
    }
    mark_exported(krate, &files);
    krate.traits = secrets::traits(files.values().map(String::as_str));
    let secrets = Secrets::of(&root.join(first));
    krate.fields = secrets.fields();
    krate.variants = secrets.variants();
    if !called {
        looked_at.join(secrets.looked_at);
        return looked_at;
    }
    let defined: BTreeSet<Name> = krate.bodies.iter().map(|body| body.def.clone()).collect();
    let mut heads: BTreeMap<Name, Option<Heads>> = BTreeMap::new();
    for body in krate.bodies.iter_mut().filter(|body| matches!(body.kind, BodyKind::Fn)) {
        let heads = heads.entry(body.span.file.clone()).or_insert_with(|| {
            let file = &body.span.file;
            // The source of a macro of another crate.
            let mut elsewhere = || looked_at.read(&root.join(&**file));
            let text = files.get(file).map_or_else(|| elsewhere().into(), |text| Cow::from(text.as_str()));
            (!text.is_empty()).then(|| Heads::of(&text))
        });
        let callers = heads.as_ref().map_or(Callers::Own, |heads| heads.callers(&body.span));
        let (ty, tr) = match &body.path.qself {
            Some(qself) => (qself.ty.peel_refs().as_path(), qself.tr.as_ref()),
            None => (None, None),
        };
        // `S::<T>::get`: what is before the last segment may be a type.
        let before = body.path.segments.iter().rev().nth(1).map(|segment| &*segment.name);
        let owner = ty.map(RustPath::last).or(before);
        // What a trait provides, those who implement it have.
        let provided = body.path.qself.is_none()
            && owner.is_some_and(|name| krate.traits.iter().any(|tr| **tr == *name));
        let open = tr.is_some() || provided || callers == Callers::All;
        let secret = owner.into_iter().chain(tr.map(RustPath::last)).any(|name| secrets.is(name));
        let method =
            ty.is_some() || body.def.contains("<impl") || owner.is_some_and(|name| secrets.knows(name));
        let secret = secret || !method && secrets.is_function(body.path.last());
        // Nobody can name what is within a function.
        let within = body.def.rsplit_once("::").is_some_and(|(around, _)| defined.contains(around));
        body.public = open && !secret && !within && callers != Callers::Sworn;
    }
    looked_at.join(secrets.looked_at);
    looked_at
}

/// Marks the functions that have a symbol, which foreign code may call whoever else does.
fn mark_exported(krate: &mut Crate, files: &BTreeMap<Name, String>) {
    let exporting = files.iter().filter(|(_, text)| {
        ["no_mangle", "export_name"]
            .iter()
            .any(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some())
    });
    let exporting: BTreeMap<&Name, Vec<items::Function>> =
        exporting.map(|(file, text)| (file, items::functions(text))).collect();
    for body in krate.bodies.iter_mut().filter(|body| matches!(body.kind, BodyKind::Fn)) {
        let functions = exporting.get(&body.span.file).map_or(&[][..], |functions| functions);
        body.exported =
            functions.iter().any(|function| function.exported && function.head.contains(&body.span.line));
    }
}

/// Source files that were read, each with a digest of what was there the first time; an empty one for what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LookedAt(BTreeMap<PathBuf, String>);

impl LookedAt {
    /// The files and digests.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.0.iter().map(|(file, digest)| (file.as_path(), digest.as_str()))
    }

    /// The digest of a file as it is now.
    pub fn digest(file: &Path) -> String {
        std::fs::read(file).map(|bytes| digest(&bytes)).unwrap_or_default()
    }

    /// Adds what somebody else looked at later.
    pub(super) fn join(&mut self, later: LookedAt) {
        for (file, digest) in later.0 {
            self.0.entry(file).or_insert(digest);
        }
    }

    /// The text of a file; empty when it cannot be read.
    fn read(&mut self, file: &Path) -> String {
        let Ok(bytes) = std::fs::read(file) else {
            self.miss(file);
            return String::new();
        };
        if !self.0.contains_key(file) {
            self.0.insert(file.to_owned(), digest(&bytes));
        }
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// Notes that there is no such file.
    fn miss(&mut self, file: &Path) {
        self.0.entry(file.to_owned()).or_default();
    }
}
