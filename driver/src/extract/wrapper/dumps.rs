//! What coroutines looked like before they were made state machines: rustc dumps each into a file of its own.
//!
//! In the store they are one file, each behind a line with its name. A compilation that goes on from the last one (`-C incremental`) dumps only
//! what it does anew; the others are taken from what the last one left, which is complete if every coroutine that was printed has its
//! dump in the end.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use robust_analyzer::mir::{Ty, TyKind};

use robust_analyzer::mir::text::{self as mir_text, Announced};

/// What stands in front of a dump's name.
const MARK: &str = "// dump ";

/// Dumps in the order of their names, `{impl#2}` before `{impl#10}`. They are large: one is read at a time.
#[derive(Default)]
pub(super) struct Dumps<'j>(BTreeMap<String, Dump<'j>>);

struct Dump<'j> {
    name: String,
    text: Text<'j>,
}

enum Text<'j> {
    /// In a file that rustc just wrote.
    New(PathBuf),
    /// In what an earlier compilation left.
    Earlier(&'j str),
}

/// A coroutine's definition path and its own type.
type Key = (String, Ty);

fn key(body: &Announced<'_>) -> Option<Key> {
    let own = body.own.as_ref().filter(|own| matches!(***own, TyKind::Coroutine(_)))?;
    Some((body.def.to_owned(), own.clone()))
}

impl<'j> Dumps<'j> {
    /// The dumps that rustc left in a folder; none if there is no such folder.
    pub fn find(folder: &Path) -> io::Result<Self> {
        let mut dumps = Dumps::default();
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(dumps),
            entries => entries?,
        };
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "mir") {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                dumps.add(name, Text::New(path));
            }
        }
        Ok(dumps)
    }

    /// Adds those of an earlier compilation for which there is no newer one; `joined` is what [`Self::join`] wrote.
    pub fn add_earlier(&mut self, joined: &'j str) {
        let mut rest = joined;
        while let Some((name, behind)) = rest.strip_prefix(MARK).and_then(|rest| rest.split_once('\n')) {
            let end = behind.find(&format!("\n{MARK}")).map_or(behind.len(), |end| end + 1);
            let (text, next) = behind.split_at(end);
            self.add(name.to_owned(), Text::Earlier(text));
            rest = next;
        }
    }

    fn add(&mut self, name: String, text: Text<'j>) {
        self.0.entry(natural_key(&name)).or_insert(Dump { name, text });
    }

    /// Writes all as one file, but for earlier ones of no coroutine that was printed. False when some coroutine does not have its
    /// one dump, or has several.
    pub fn join(&self, printed: &[Announced<'_>], mut out: impl Write) -> io::Result<bool> {
        let mut open: HashMap<Key, usize> = HashMap::new();
        for key in printed.iter().filter_map(key) {
            *open.entry(key).or_default() += 1;
        }
        let mut fit = true;
        let mut read = Vec::new();
        for Dump { name, text } in self.0.values() {
            let (text, earlier) = match text {
                Text::New(path) => {
                    read.clear();
                    fs::File::open(path)?.read_to_end(&mut read)?;
                    (String::from_utf8_lossy(&read), false)
                }
                Text::Earlier(text) => (Cow::Borrowed(*text), true),
            };
            let own = mir_text::announced(&text).and_then(|bodies| bodies.first().and_then(key));
            match own.and_then(|key| open.get_mut(&key)) {
                Some(left) if *left > 0 => *left -= 1,
                Some(_) => fit = false,
                None if earlier => continue,
                None => {}
            }
            write!(out, "{MARK}{name}\n{text}")?;
            if !text.ends_with('\n') {
                out.write_all(b"\n")?;
            }
        }
        out.flush()?;
        Ok(fit && open.values().all(|left| *left == 0))
    }
}

/// Text with its numbers padded.
fn natural_key(text: &str) -> String {
    let mut key = String::new();
    let mut number = String::new();
    for c in text.chars().chain(['\0']) {
        if c.is_ascii_digit() {
            number.push(c);
            continue;
        }
        if !number.is_empty() {
            key.push_str(&format!("{number:0>12}"));
            number.clear();
        }
        key.push(c);
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINT: &str = "fn a() -> () {\n    let mut _0: ();\n}\n
fn a::{closure#0}(_1: Pin<&mut {async fn body of a()}>, _2: &mut Context<'_>) -> Poll<()> {\n    let mut _0: ();\n}\n";

    fn printed() -> Vec<Announced<'static>> {
        mir_text::announced(PRINT).unwrap()
    }

    fn dump(of: &str, text: &str) -> String {
        format!(
            "fn {of}::{{closure#0}}(_1: {{async fn body of {of}()}}, _2: std::future::ResumeTy) -> ()\nyields () {{\n    // {text}\n}}\n"
        )
    }

    /// What is joined, and whether it fits.
    fn joined(dumps: &Dumps<'_>) -> (String, bool) {
        let mut text = Vec::new();
        let fit = dumps.join(&printed(), &mut text).unwrap();
        (String::from_utf8(text).unwrap(), fit)
    }

    #[test]
    fn dumps_are_ordered_by_number() {
        assert!(natural_key("c.{impl#2}-f") < natural_key("c.{impl#10}-f"));
    }

    #[test]
    fn what_was_not_done_anew_is_taken_from_before() {
        let dumped = |files: &[(&str, String)]| {
            let folder = tempfile::tempdir().unwrap();
            files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
            folder
        };
        let first = dumped(&[("a.mir", dump("a", "old")), ("b.mir", dump("b", "gone"))]);
        let (earlier, fits) = joined(&Dumps::find(first.path()).unwrap());
        assert!(fits && earlier.contains("gone"), "what was just dumped is kept, whatever it is");
        let with_earlier = |folder: &tempfile::TempDir| {
            let mut dumps = Dumps::find(folder.path()).unwrap();
            dumps.add_earlier(&earlier);
            joined(&dumps)
        };

        let (text, fits) = with_earlier(&dumped(&[]));
        assert!(fits);
        assert_eq!(text, format!("{MARK}a.mir\n{}", dump("a", "old")));

        let (text, fits) = with_earlier(&dumped(&[("a.mir", dump("a", "new"))]));
        assert!(fits);
        assert_eq!(text, format!("{MARK}a.mir\n{}", dump("a", "new")));

        let (_, fits) = with_earlier(&dumped(&[("a2.mir", dump("a", "new"))]));
        assert!(!fits, "which of the two is it?");
        assert!(!joined(&Dumps::default()).1, "there is none");
    }
}
