//! What a result was made from: files, folders and programs, each with a digest.
//!
//! Only contents and names count. Times can be set back and lengths can agree, so neither shows that a file is still the same.
//! The time of a change serves for one thing: whether a file was left alone while somebody else read it.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use walkdir::{DirEntry, WalkDir};

/// Folders with more entries are not looked through.
const MAX_ENTRIES: usize = 20_000;
/// Folders with more bytes are not read through.
const MAX_BYTES: u64 = 256 << 20;
/// How far apart times may be that a file system with whole seconds cannot tell from each other.
const COARSE: Duration = Duration::from_secs(2);

/// Something that a result was made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Where it is.
    pub path: PathBuf,
    /// What of it matters.
    pub aspect: Aspect,
    /// What it was like; none when that cannot be told.
    pub digest: Option<String>,
}

/// What of a file or folder matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Aspect {
    /// What is in the file, or in all files of the folder.
    Content,
    /// What is in the files of a package; packages in folders below are not part of it.
    Package,
    /// Which files there are in the folder.
    Names,
    /// What is in an executable, and which libraries lie beside it.
    Program,
}

/// What an input is like now.
#[derive(Clone, Debug)]
pub struct State {
    /// Stands for all that matters; none when there is too much of it.
    pub digest: Option<String>,
    /// Whether there is such a file.
    pub exists: bool,
    /// When it last changed; none when that cannot be told.
    changed: Option<SystemTime>,
}

impl State {
    /// Whether it has been the same since then.
    pub fn unchanged_since(&self, then: SystemTime) -> bool {
        !self.exists || self.changed.is_some_and(|changed| changed < then)
    }
}

/// What inputs are like now; each is looked at once.
#[derive(Debug, Default)]
pub struct Digests {
    results: Vec<PathBuf>,
    known: HashMap<(PathBuf, Aspect), State>,
}

impl Digests {
    /// Folders in `results` are not inputs, whatever is above them.
    pub fn new(results: Vec<PathBuf>) -> Digests {
        Digests { results, known: HashMap::new() }
    }

    /// What an input is like.
    pub fn state(&mut self, path: &Path, aspect: Aspect) -> &State {
        let Digests { results, known } = self;
        known.entry((path.to_owned(), aspect)).or_insert_with(|| look(path, aspect, results))
    }

    /// The input as it is now.
    pub fn input(&mut self, path: PathBuf, aspect: Aspect) -> Input {
        let digest = self.state(&path, aspect).digest.clone();
        Input { path, aspect, digest }
    }

    /// Whether something in a folder is part of it as an input.
    pub fn is_input(&self, entry: &DirEntry, aspect: Aspect) -> bool {
        is_input(entry, aspect, &self.results)
    }

    /// Whether an input is known to be as it was.
    pub fn hold(&mut self, input: &Input) -> bool {
        input.digest.is_some() && self.state(&input.path, input.aspect).digest == input.digest
    }
}

/// A digest of bytes.
pub fn digest(bytes: &[u8]) -> String {
    hex(Sha256::new_with_prefix(bytes))
}

/// A digest as text.
pub fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a folder says of itself that it holds nothing but results.
fn holds_results(folder: &Path) -> bool {
    folder.join("CACHEDIR.TAG").exists()
}

fn look(path: &Path, aspect: Aspect, results: &[PathBuf]) -> State {
    let data = match fs::metadata(path) {
        Ok(data) => data,
        Err(error) => {
            let exists = error.kind() != io::ErrorKind::NotFound;
            return State { digest: Some(format!("{:?}", error.kind())), exists, changed: None };
        }
    };
    match aspect {
        _ if data.is_dir() => look_through(path, aspect, results),
        Aspect::Program => State { digest: program(path), exists: true, changed: changed(path) },
        _ => match fs::read(path) {
            Ok(bytes) => State { digest: Some(digest(&bytes)), exists: true, changed: changed(path) },
            Err(error) => State { digest: Some(format!("{:?}", error.kind())), exists: true, changed: None },
        },
    }
}

fn is_input(entry: &DirEntry, aspect: Aspect, results: &[PathBuf]) -> bool {
    let path = entry.path();
    let inner = entry.depth() > 0 && entry.file_type().is_dir();
    !(entry.file_name() == ".git"
        || results.iter().any(|results| path.starts_with(results))
        || inner && holds_results(path)
        || inner && aspect == Aspect::Package && path.join("Cargo.toml").exists())
}

/// All that is in a folder. Links are followed; what cannot be followed or read counts as such.
fn look_through(folder: &Path, aspect: Aspect, results: &[PathBuf]) -> State {
    let mut hash = Sha256::new();
    let (mut bytes, mut newest) = (0, Some(UNIX_EPOCH));
    let entries = WalkDir::new(folder).follow_links(true).sort_by_file_name().into_iter();
    for (number, entry) in entries.filter_entry(|entry| is_input(entry, aspect, results)).enumerate() {
        if number > MAX_ENTRIES || bytes > MAX_BYTES {
            return State { digest: None, exists: true, changed: None };
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let kind = error.io_error().map(io::Error::kind);
                hash.update(format!("{:?} {kind:?}\0", error.path()));
                continue;
            }
        };
        let is_folder = entry.file_type().is_dir();
        hash.update(format!("{:?} {is_folder}\0", entry.path().strip_prefix(folder).unwrap_or(entry.path())));
        let reads = aspect != Aspect::Names && entry.file_type().is_file();
        if reads {
            let content = fs::read(entry.path()).map_err(|error| error.kind());
            bytes += content.as_ref().map_or(0, |content| content.len() as u64);
            hash.update(format!("{:?}\0", content.map(|content| digest(&content))));
        }
        if reads || is_folder {
            newest = newest.max(changed(entry.path())).filter(|_| newest.is_some());
        }
    }
    State { digest: Some(hex(hash)), exists: true, changed: newest }
}

/// Programs are small, with their libraries beside them; the names of a compiler's tell its version.
fn program(path: &Path) -> Option<String> {
    let mut hash = Sha256::new_with_prefix(fs::read(path).ok()?);
    let libraries = path.parent().and_then(Path::parent).map(|folder| folder.join("lib"));
    let entries = libraries.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    hash.update(format!("{names:?}"));
    Some(hex(hash))
}

/// When a file, or the link that is there in its place, last changed, so late that it was not later.
fn changed(path: &Path) -> Option<SystemTime> {
    let data = fs::metadata(path).ok()?;
    let own = fs::symlink_metadata(path).ok()?;
    Some(time_of(&data)?.max(time_of(&own)?))
}

#[cfg(unix)]
fn time_of(data: &fs::Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;
    // Nobody can set this one.
    let since = Duration::new(u64::try_from(data.ctime()).ok()?, u32::try_from(data.ctime_nsec()).ok()?);
    Some(at_latest(UNIX_EPOCH + since))
}

#[cfg(not(unix))]
fn time_of(data: &fs::Metadata) -> Option<SystemTime> {
    data.modified().ok().map(at_latest)
}

fn at_latest(time: SystemTime) -> SystemTime {
    let whole = time.duration_since(UNIX_EPOCH).is_ok_and(|since| since.subsec_nanos() == 0);
    if whole { time + COARSE } else { time }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn contents_and_names_count_and_times_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("in/a.txt");
        write(&file, "one");
        let state = |aspect, path: &Path| Digests::default().state(path, aspect).digest.clone().unwrap();
        let all = |path: &Path| [Aspect::Content, Aspect::Names].map(|aspect| state(aspect, path));
        let before = all(folder.path());
        fs::File::options().write(true).open(&file).unwrap().set_modified(SystemTime::now()).unwrap();
        assert_eq!(all(folder.path()), before);
        let time = fs::metadata(&file).unwrap().modified().unwrap();
        write(&file, "two");
        fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
        let after = all(folder.path());
        assert!(after[0] != before[0] && after[1] == before[1]);
        write(&folder.path().join("in/b.txt"), "");
        assert_ne!(all(folder.path())[1], before[1]);
        assert_ne!(state(Aspect::Content, &file), state(Aspect::Content, &folder.path().join("none")));
    }

    #[test]
    fn results_and_other_packages_do_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        write(&path("src/lib.rs"), "");
        let mut digests = Digests::new(vec![path("out")]);
        let before = digests.input(folder.path().to_owned(), Aspect::Package);
        write(&path("out/a"), "");
        write(&path("other/CACHEDIR.TAG"), "");
        write(&path("member/Cargo.toml"), "");
        let mut digests = Digests::new(vec![path("out")]);
        assert!(digests.hold(&before));
        assert!(!digests.hold(&Input { aspect: Aspect::Content, ..before }));
    }

    #[test]
    fn a_change_is_noticed_by_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        write(&file, "");
        let since = SystemTime::now() + Duration::from_secs(3);
        assert!(Digests::default().state(&file, Aspect::Content).unchanged_since(since));
        assert!(!Digests::default().state(&file, Aspect::Content).unchanged_since(UNIX_EPOCH));
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_nowhere_or_in_circles_are_inputs_like_others() {
        let folder = tempfile::tempdir().unwrap();
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
        let digest = || Digests::default().state(folder.path(), Aspect::Names).digest.clone().unwrap();
        let before = digest();
        link("nowhere", "a");
        link(".", "b");
        assert_ne!(digest(), before);
    }
}
