//! Which functions callers outside of the crate may reach: MIR does not say, so the source is looked at.

mod secrets;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use robust_analyzer::mir::{BodyKind, Crate, Name, Path as RustPath, Span};

use secrets::Secrets;

use crate::inputs::digest;
use crate::items;

/// Marks the functions with `pub` in front, and those of traits, provided ones too, where neither the type nor the trait is the crate's own
/// secret. `unsafe` functions are not marked: who calls them answers for what they may overlap with. What cannot be read
/// stays unmarked. What has a symbol is marked in any case: foreign code calls it. Where nobody else calls, only what others read off the sources matters. Gives back what was or will be looked at.
pub(super) fn mark(krate: &mut Crate, root: &Path, called: bool) -> LookedAt {
    let mut looked_at = LookedAt::default();
    let mut files: BTreeMap<Name, Text> = BTreeMap::new();
    for body in &krate.bodies {
        if !body.span.is_none() && !body.span.is_foreign() && !files.contains_key(&body.span.file) {
            let text = looked_at.read(&root.join(&*body.span.file));
            files.insert(body.span.file.clone(), Text::new(text));
        }
    }
    mark_exported(krate, &files);
    krate.traits = secrets::traits(files.values().map(|text| &*text.text));
    if !called {
        return looked_at;
    }
    let secrets = Secrets::of(files.keys().map(|file| root.join(&**file)));
    krate.fields = secrets.fields();
    krate.variants = secrets.variants();
    for body in krate.bodies.iter_mut().filter(|body| matches!(body.kind, BodyKind::Fn)) {
        let modifiers =
            files.get(&body.span.file).and_then(|text| modifiers(text, &body.span)).unwrap_or_default();
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
        let open = tr.is_some() || provided || modifiers.contains(&"pub");
        let secret = owner.into_iter().chain(tr.map(RustPath::last)).any(|name| secrets.is(name));
        let method =
            ty.is_some() || body.def.contains("<impl") || owner.is_some_and(|name| secrets.knows(name));
        let secret = secret || !method && secrets.is_function(body.path.last());
        body.public = open && !secret && !modifiers.contains(&"unsafe");
    }
    looked_at.join(secrets.looked_at);
    looked_at
}

/// Marks the functions that have a symbol, which foreign code may call whoever else does.
fn mark_exported(krate: &mut Crate, files: &BTreeMap<Name, Text>) {
    let exporting = files.iter().filter(|(_, text)| {
        ["no_mangle", "export_name"]
            .iter()
            .any(|word| memchr::memmem::find(text.text.as_bytes(), word.as_bytes()).is_some())
    });
    let exporting: BTreeMap<&Name, Vec<items::Function>> =
        exporting.map(|(file, text)| (file, items::functions(&text.text))).collect();
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

/// A source text that places are looked up in.
struct Text {
    text: String,
    /// Where its lines start.
    lines: Vec<usize>,
}

impl Text {
    fn new(text: String) -> Text {
        let starts = memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1);
        let lines = std::iter::once(0).chain(starts).collect();
        Text { text, lines }
    }
}

/// What stands in front of the `fn` of the function at `span`: `pub`, `async`, `unsafe`.
fn modifiers<'t>(Text { text, lines }: &'t Text, span: &Span) -> Option<Vec<&'t str>> {
    let line_start = lines.get(span.line.saturating_sub(1) as usize).copied().unwrap_or(text.len());
    let in_line = text[line_start..].char_indices().nth(span.col.saturating_sub(1) as usize);
    let start = line_start + in_line.map_or(0, |(offset, _)| offset);
    // The place is that of the whole item, or begins at its arguments or its block.
    let (before, at) = text.split_at(start);
    if ["pub", "fn ", "const ", "async ", "unsafe ", "extern "].iter().any(|word| at.starts_with(word)) {
        return Some(at.split("fn ").next()?.split_whitespace().collect());
    }
    let mut head = Vec::new();
    for line in before.lines().rev() {
        let code = line.split("//").next().unwrap_or(line).trim();
        if code.starts_with('#') {
            break;
        }
        head.push(code);
        if code.starts_with("fn ") || code.contains(" fn ") {
            break;
        }
    }
    // The line that has the `fn`, from the end of whatever else stands on it.
    let line = head.last()?;
    let at = line.rfind("fn ")?;
    Some(line[..at].rsplit(['{', '}', ';']).next()?.split_whitespace().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public(text: &str) -> bool {
        let offset = text.rfind('{').expect("a block");
        let line = text[..offset].matches('\n').count() as u32 + 1;
        let col = (offset - text[..offset].rfind('\n').map_or(0, |i| i + 1)) as u32 + 1;
        let span = Span { line, col, ..Span::default() };
        modifiers(&Text::new(text.to_owned()), &span).is_some_and(|found| found.contains(&"pub"))
    }

    #[test]
    fn visibility_is_read_off_the_source() {
        assert!(public("pub fn a(&self) {"));
        assert!(public(
            "/// About it.\n#[inline]\npub async fn a(\n    &self,\n    b: u8,\n) -> u8\nwhere\n    Self: Sized,\n{"
        ));
        assert!(public("impl A { pub const fn a() {"));
        let whole = |text| {
            let text = Text::new(String::from(text));
            let found = modifiers(&text, &Span { line: 1, col: 1, ..Span::default() });
            found.is_some_and(|found| found.contains(&"pub"))
        };
        assert!(whole("pub fn a() {}") && !whole("pub(crate) fn a() {}") && !whole("fn a() {}"));
        assert!(!public("fn a(&self) {"));
        assert!(!public("pub(crate) fn a(&self) {"));
        assert!(!public("pub struct A;\nfn a(\n    b: u8,\n) {"));
        assert!(!public("// pub fn b()\nfn a() {"));
    }
}
