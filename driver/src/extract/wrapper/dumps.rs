//! What coroutines looked like before they were made state machines: rustc dumps each into a file of its own.
//!
//! In the store they are one file, each behind a line with its name. A compilation that goes on from the last one (`-C incremental`) dumps only
//! what it does anew; the others are taken from what the last one left, which is complete if every coroutine that was printed has its
//! dump in the end.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use robust_analyzer::mir::{Ty, TyKind};

use crate::extract::parse::{self, Announced};

/// What stands in front of a dump's name.
const MARK: &str = "// dump ";

/// Dumps in the order of their names, `{impl#2}` before `{impl#10}`.
#[derive(Default)]
pub(super) struct Dumps(BTreeMap<String, Dump>);

struct Dump {
    name: String,
    text: String,
    /// It was taken from what an earlier compilation left.
    earlier: bool,
}

/// A coroutine's definition path and its own type.
type Key = (String, Ty);

fn key(body: &Announced<'_>) -> Option<Key> {
    let own = body.own.as_ref().filter(|own| matches!(***own, TyKind::Coroutine(_)))?;
    Some((body.def.to_owned(), own.clone()))
}

impl Dumps {
    /// The dumps that rustc left in a folder; none if there is no such folder.
    pub fn read(folder: &Path) -> io::Result<Dumps> {
        let mut dumps = Dumps::default();
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(dumps),
            entries => entries?,
        };
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "mir") {
                let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                dumps.add(&name, text, false);
            }
        }
        Ok(dumps)
    }

    /// Adds those of an earlier compilation for which there is no newer one; `joined` is what [`Self::write`] wrote.
    pub fn add_earlier(&mut self, joined: &str) {
        let mut rest = joined;
        while let Some((name, behind)) = rest.strip_prefix(MARK).and_then(|rest| rest.split_once('\n')) {
            let end = behind.find(&format!("\n{MARK}")).map_or(behind.len(), |end| end + 1);
            let (text, next) = behind.split_at(end);
            self.add(name, text.to_owned(), true);
            rest = next;
        }
    }

    fn add(&mut self, name: &str, text: String, earlier: bool) {
        let dump = || Dump { name: name.to_owned(), text, earlier };
        self.0.entry(natural_key(name)).or_insert_with(dump);
    }

    /// Leaves out what is of no coroutine that was printed. False when some coroutine does not have its one dump, or has several.
    pub fn fit(&mut self, printed: &[Announced<'_>]) -> bool {
        let mut open: HashMap<Key, usize> = HashMap::new();
        for key in printed.iter().filter_map(key) {
            *open.entry(key).or_default() += 1;
        }
        let mut fit = true;
        self.0.retain(|_, dump| {
            let own = parse::announced(&dump.text).and_then(|bodies| bodies.first().and_then(key));
            match own.map(|key| open.get_mut(&key)) {
                Some(Some(left)) if *left > 0 => {
                    *left -= 1;
                    true
                }
                Some(Some(_)) => {
                    fit = false;
                    true
                }
                _ => !dump.earlier,
            }
        });
        fit && open.values().all(|left| *left == 0)
    }

    /// Writes all as one file.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        let mut out = io::BufWriter::new(fs::File::create(file)?);
        for Dump { name, text, .. } in self.0.values() {
            write!(out, "{MARK}{name}\n{text}")?;
            if !text.ends_with('\n') {
                out.write_all(b"\n")?;
            }
        }
        out.flush()
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
        parse::announced(PRINT).unwrap()
    }

    fn dump(of: &str, text: &str) -> String {
        format!(
            "fn {of}::{{closure#0}}(_1: {{async fn body of {of}()}}, _2: std::future::ResumeTy) -> ()\nyields () {{\n    // {text}\n}}\n"
        )
    }

    fn texts(dumps: &Dumps) -> Vec<&str> {
        dumps.0.values().map(|dump| &*dump.text).collect()
    }

    #[test]
    fn dumps_are_ordered_by_number() {
        assert!(natural_key("c.{impl#2}-f") < natural_key("c.{impl#10}-f"));
    }

    #[test]
    fn what_was_not_done_anew_is_taken_from_before() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("joined");
        let mut first = Dumps::default();
        first.add("a", dump("a", "old"), false);
        first.add("b", dump("b", "gone"), false);
        first.write(&file).unwrap();
        let joined = fs::read_to_string(&file).unwrap();

        let mut unchanged = Dumps::default();
        unchanged.add_earlier(&joined);
        assert!(unchanged.fit(&printed()));
        assert_eq!(texts(&unchanged), [dump("a", "old")]);

        let mut changed = Dumps::default();
        changed.add("a", dump("a", "new"), false);
        changed.add_earlier(&joined);
        assert!(changed.fit(&printed()));
        assert_eq!(texts(&changed), [dump("a", "new")]);

        let mut moved = Dumps::default();
        moved.add("a2", dump("a", "new"), false);
        moved.add_earlier(&joined);
        assert!(!moved.fit(&printed()), "which of the two is it?");
        assert!(!Dumps::default().fit(&printed()), "there is none");
    }
}
