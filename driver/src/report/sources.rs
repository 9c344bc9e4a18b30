//! Source text for reports: read once, made safe to show, never a reason to fail.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use robust_analyzer::finding::SourceText;
use robust_analyzer::ir::SourcePlace;

use crate::items::{Function, functions};

/// A file longer than this is not shown, only named.
const LARGEST: u64 = 16 << 20;

/// The source files below a root, read when first asked for.
#[derive(Debug, Default)]
pub struct Sources {
    root: PathBuf,
    base: Option<PathBuf>,
    files: RefCell<HashMap<String, Option<Rc<Source>>>>,
    functions: RefCell<HashMap<String, Rc<Vec<Function>>>>,
}

/// One file's text, with one line break per line and nothing that a terminal would act upon.
#[derive(Debug)]
pub struct Source {
    text: String,
    /// Where each line begins in `text`.
    lines: Vec<usize>,
}

impl Sources {
    /// The files whose relative names start at `root`.
    pub fn new(root: impl Into<PathBuf>) -> Sources {
        Sources { root: root.into(), ..Sources::default() }
    }

    /// Lets names for code hosting services start at `base` (the repository), when the root lies in it.
    pub fn with_base(mut self, base: impl Into<PathBuf>) -> Sources {
        self.base = Some(base.into()).filter(|base| self.root.starts_with(base));
        self
    }

    /// Where names for code hosting services start: the base if there is one, else the root.
    pub fn base(&self) -> &Path {
        self.base.as_deref().unwrap_or(&self.root)
    }

    /// Where relative names start.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file of that name; `None` when it cannot be read as UTF-8 text.
    pub fn get(&self, file: &str) -> Option<Rc<Source>> {
        let mut files = self.files.borrow_mut();
        files.entry(file.to_owned()).or_insert_with(|| self.read(file).map(Rc::new)).clone()
    }

    /// The file and the byte range of a place in its text, when both exist.
    pub fn locate(&self, place: &SourcePlace) -> Option<(Rc<Source>, Range<usize>)> {
        let source = self.get(&place.file)?;
        let range = source.range(place)?;
        Some((source, range))
    }
}

impl SourceText for Sources {
    fn function_at(&self, place: &SourcePlace) -> Option<String> {
        let source = self.get(&place.file)?;
        let mut known = self.functions.borrow_mut();
        let functions = known.entry(place.file.clone()).or_insert_with(|| Rc::new(functions(source.text())));
        let around = functions.iter().rev().find(|function| {
            (*function.head.start()..=function.last).contains(&place.line) && place.end_line <= function.last
        });
        around.map(|function| function.name.clone())
    }

    fn is_derived(&self, place: &SourcePlace) -> bool {
        self.locate(place).is_some_and(|(source, range)| {
            let before = &source.text()[..range.start];
            before.rfind("#[").is_some_and(|at| {
                let attribute = before[at + 2..].trim_start();
                attribute.starts_with("derive") && !attribute.contains(']')
            })
        })
    }
}

impl Sources {
    /// The place's file, relative to the root where it lies below it.
    pub fn relative<'a>(&self, file: &'a str) -> &'a str {
        Path::new(file).strip_prefix(&self.root).ok().and_then(Path::to_str).unwrap_or(file)
    }

    /// The name of a file for code hosting services: from the base on, where it lies below it.
    pub fn from_base(&self, file: &str) -> String {
        let path = self.root.join(file);
        path.strip_prefix(self.base()).unwrap_or(&path).to_string_lossy().into_owned()
    }

    fn read(&self, file: &str) -> Option<Source> {
        let path = self.root.join(file);
        let metadata = std::fs::metadata(&path).ok()?;
        if !metadata.is_file() || metadata.len() > LARGEST {
            return None;
        }
        let bytes = std::fs::read(&path).ok()?;
        Some(Source::new(std::str::from_utf8(&bytes).ok()?))
    }
}

impl Source {
    /// Makes text safe to show. Characters are replaced one for one, so columns stay what they were; a byte order mark and
    /// the carriage returns of line breaks go, as they do in rustc.
    pub fn new(text: &str) -> Source {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
        let text: String = text.chars().map(|c| if is_unsafe(c) { '\u{fffd}' } else { c }).collect();
        let mut lines = vec![0];
        lines.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        Source { text, lines }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A line without its break; lines count from 1.
    pub fn line(&self, number: u32) -> Option<&str> {
        let index = (number as usize).checked_sub(1)?;
        let start = *self.lines.get(index)?;
        let end = self.lines.get(index + 1).map_or(self.text.len(), |next| next - 1);
        Some(&self.text[start..end])
    }

    /// The bytes of lines that are there, from one to another.
    pub fn lines(&self, from: u32, to: u32) -> Range<usize> {
        let start =
            |line: u32| (line as usize).checked_sub(1).and_then(|index| self.lines.get(index)).copied();
        let begin = start(from).unwrap_or(0);
        begin..start(to.saturating_add(1)).unwrap_or(self.text.len()).max(begin)
    }

    /// The bytes of a place. A column behind the line's end means its end; a line that is not there gives `None`.
    pub fn range(&self, place: &SourcePlace) -> Option<Range<usize>> {
        let start = self.offset(place.line, place.column)?;
        let end = self.offset(place.end_line, place.end_column).unwrap_or(start);
        Some(start..end.max(start))
    }

    fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let text = self.line(line)?;
        let within = text.char_indices().nth((column as usize).saturating_sub(1));
        Some(self.lines[line as usize - 1] + within.map_or(text.len(), |(at, _)| at))
    }
}

/// Whether a terminal or a reader could be led astray by a character: control characters and those that change the
/// direction of writing.
pub(super) fn is_unsafe(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{061c}')
}

/// Text from elsewhere (names, messages) without what [`is_unsafe`] names and without line breaks.
pub(super) fn clean(text: &str) -> String {
    text.chars().map(|c| if is_unsafe(c) || c == '\n' || c == '\t' { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u32, column: u32, end_line: u32, end_column: u32) -> SourcePlace {
        SourcePlace { file: "a.rs".into(), line, column, end_line, end_column }
    }

    #[test]
    fn columns_count_characters_and_survive_replacement() {
        let source = Source::new("\u{feff}let ä = \"\u{202e}x\";\r\n\tlast\r\n");
        assert_eq!(source.line(1), Some("let ä = \"\u{fffd}x\";"));
        assert_eq!(&source.text()[source.range(&place(1, 5, 1, 6)).unwrap()], "ä");
        assert_eq!(&source.text()[source.range(&place(1, 11, 1, 12)).unwrap()], "x");
        assert_eq!(&source.text()[source.range(&place(2, 2, 2, 6)).unwrap()], "last");
    }

    #[test]
    fn places_that_do_not_exist_are_cut_or_none() {
        let source = Source::new("one\ntwo");
        assert_eq!(source.range(&place(2, 99, 2, 100)), Some(7..7));
        assert_eq!(source.range(&place(9, 1, 9, 2)), None);
        assert_eq!(source.range(&place(0, 0, 0, 0)), None);
        assert_eq!(source.range(&place(2, 3, 1, 1)), Some(6..6));
        assert_eq!(Source::new("").range(&place(1, 1, 1, 1)), Some(0..0));
    }

    #[test]
    fn what_a_derive_made_is_told_by_its_place() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(
            folder.path().join("a.rs"),
            "#[derive(Debug, Clone)]\nstruct S;\n#[other]\nfn f() {}\n",
        )
        .unwrap();
        let sources = Sources::new(folder.path());
        assert!(sources.is_derived(&place(1, 17, 1, 22)));
        for other in [place(2, 1, 2, 10), place(3, 1, 3, 9), place(4, 1, 4, 10), place(9, 1, 9, 2)] {
            assert!(!sources.is_derived(&other), "{other:?}");
        }
    }

    #[test]
    fn unreadable_files_are_none() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("latin1.rs"), b"// \xe4").unwrap();
        let sources = Sources::new(folder.path());
        assert!(sources.get("latin1.rs").is_none());
        assert!(sources.get("absent.rs").is_none());
        assert!(sources.get(".").is_none());
        assert!(sources.get("").is_none());
    }
}
