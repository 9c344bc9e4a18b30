use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use serde_json::Value;

use super::{folder, robust, run, write};

const MANIFEST: &str = "[package]\nname = \"edited\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";

/// A function that adds, in one of several ways.
fn function(name: usize, way: usize) -> String {
    let body = match way % 4 {
        0 => format!("*CELL{name}.lock().unwrap() += 1;"),
        1 => format!("let seen = *CELL{name}.lock().unwrap();\n    *CELL{name}.lock().unwrap() = seen + 1;"),
        2 => format!("let mut cell = CELL{name}.lock().unwrap();\n    *cell = *cell + 1;"),
        _ => format!(
            "if *CELL{name}.lock().unwrap() == 0 {{\n        *CELL{name}.lock().unwrap() = 7;\n    }}"
        ),
    };
    format!("static CELL{name}: Mutex<u64> = Mutex::new(0);\n\npub fn add{name}() {{\n    {body}\n}}\n")
}

fn library(ways: &[usize]) -> String {
    let functions: String = ways.iter().enumerate().map(|(name, way)| function(name, *way)).collect();
    format!("use std::sync::Mutex;\n{functions}")
}

/// What a run reports, times apart.
fn report(folder: &Path, target: &str) -> Value {
    let run = run(robust().current_dir(folder).args(["--format", "json", "-q", "--target-dir", target]));
    assert!(matches!(run.code, 0 | 100), "{}", run.err);
    let mut report: Value = serde_json::from_str(&run.out).unwrap();
    report["summary"]["stages"].take();
    report
}

/// Cargo looks at times, and some file systems count in seconds.
fn save(folder: &Path, text: &str) {
    write(folder, "src/lib.rs", text);
    let later = SystemTime::now() + Duration::from_secs(2);
    fs::File::options().write(true).open(folder.join("src/lib.rs")).unwrap().set_modified(later).unwrap();
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let below = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let versions = below(&folder.join("target/cache"));
    versions
        .flat_map(|version| below(&version).collect::<Vec<_>>())
        .flat_map(|kind| below(&kind).collect::<Vec<_>>())
        .collect()
}

#[test]
fn edited_crates_are_as_if_new() {
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", &library(&[0, 0, 1]))]);
    let folder = folder.path();
    assert_eq!(report(folder, "target")["findings"].as_array().unwrap().len(), 1);
    let edits = [vec![0, 1, 1], vec![2, 1, 3, 0], vec![2, 1]];
    for (round, ways) in edits.iter().enumerate() {
        save(folder, &format!("{}{}", "// A line.\n".repeat(round), library(ways)));
        let incremental = report(folder, "target");
        assert_eq!(incremental, report(folder, "target"), "unchanged");
        assert_eq!(incremental, report(folder, &format!("scratch{round}")), "from scratch");
    }
}

#[test]
fn visibility_is_no_part_of_mir_and_matters_all_the_same() {
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", &library(&[1]))]);
    let folder = folder.path();
    assert_eq!(report(folder, "target")["findings"].as_array().unwrap().len(), 1);
    save(folder, &format!("#![allow(dead_code)] {}", library(&[1]).replace("pub fn", "    fn")));
    assert!(report(folder, "target")["findings"].as_array().unwrap().is_empty());
}

#[test]
fn what_is_damaged_is_thrown_away() {
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", &library(&[1, 3]))]);
    let folder = folder.path();
    let first = report(folder, "target");
    let kept = entries(folder);
    assert!(kept.len() >= 2, "{kept:?}");
    for entry in &kept {
        let mut bytes = fs::read(entry).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(entry, bytes).unwrap();
    }
    let again = run(robust().current_dir(folder).args(["--format", "json", "--target-dir", "target"]));
    assert!(again.err.contains("was damaged"), "{}", again.err);
    let mut report: Value = serde_json::from_str(&again.out).unwrap();
    report["summary"]["stages"].take();
    assert_eq!(report, first);
}

#[cfg(unix)]
#[test]
fn watching_shows_what_changed() {
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", &library(&[0, 1]))]);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_cargo-robust"))
        .current_dir(&folder)
        .args(["--watch", "--color", "never"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut shown = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut waiting = || said.by_ref().map_while(Result::ok).any(|line| line.contains("waiting for changes"));
    let mut shows = |text: &str| shown.by_ref().map_while(Result::ok).find(|line| line.contains(text));
    assert!(waiting());
    save(folder.path(), &library(&[1, 0]));
    assert!(shows("lib.rs changed").unwrap().starts_with("-- lib.rs changed --"));
    assert!(shows("as before").unwrap().contains("1 new, 1 gone, 0 as before"));
    assert!(waiting());
    save(folder.path(), "pub fn half( {");
    let earlier = shows("as of the last run that completed").unwrap();
    assert!(earlier.contains("1 error in edited"), "{earlier}");
    assert!(waiting());
    save(folder.path(), &format!("// A line.\n{}", library(&[1, 1])));
    assert!(shows("as before").unwrap().contains("1 new, 0 gone, 1 as before"));
    assert!(waiting());
    let signal = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signal.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// Whether cargo was asked. It takes its time even if there is nothing to do.
fn asks_cargo(folder: &Path, variable: &str) -> bool {
    let mut command = robust();
    let run =
        run(command.current_dir(folder).args(["--format", "json", "-q"]).env("SOME_VARIABLE", variable));
    assert!(matches!(run.code, 0 | 100), "{}", run.err);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let stages = report["summary"]["stages"].as_array().unwrap();
    stages.iter().any(|stage| stage["stage"] == "cargo" && stage["ms"] != 0)
}

#[test]
fn cargo_is_not_asked_when_nothing_has_changed() {
    let around = folder(&[("inner/Cargo.toml", MANIFEST), ("inner/src/lib.rs", &library(&[0, 1]))]);
    let folder = around.path().join("inner");
    let asks = || asks_cargo(&folder, "");
    assert!(asks());
    // Cargo wrote `Cargo.lock`.
    assert!(asks() && !asks());
    let first = report(&folder, "target/robust");
    assert_eq!(first, report(&folder, "target/robust"));

    save(&folder, &library(&[0, 0]));
    assert!(asks() && !asks());
    assert_eq!(report(&folder, "target/robust")["findings"].as_array().unwrap().len(), 0);
    write(&folder, "src/bin/new.rs", "fn main() { edited::add0() }");
    assert!(asks() && !asks());
    write(&folder, "Cargo.toml", &format!("{MANIFEST}[dependencies]\n"));
    assert!(asks() && !asks());
    write(around.path(), ".cargo/config.toml", "[build]\nrustflags = [\"--cfg\", \"new\"]\n");
    assert!(asks() && !asks());
    assert!(asks_cargo(&folder, "1") && !asks_cargo(&folder, "1"));
    fs::remove_dir_all(folder.join("target")).unwrap();
    assert!(asks() && !asks());
}

#[test]
fn the_same_code_in_another_profile_is_another_crate() {
    let source = "use std::sync::Mutex;\nstatic SEEN: Mutex<bool> = Mutex::new(false);\npub fn see() {\n    *SEEN.lock().unwrap() = true;\n}\n";
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", source)]);
    let bodies = |profile: &[&str]| -> Value {
        let mut command = robust();
        let run = run(command.current_dir(&folder).args(["--format", "json", "-q"]).args(profile));
        serde_json::from_str::<Value>(&run.out).unwrap()["summary"]["bodies"].clone()
    };
    assert_eq!(bodies(&[]), bodies(&["--release"]));
    assert_ne!(bodies(&["--release"]), 0);
}

#[test]
fn cargo_is_asked_when_it_has_something_to_say() {
    let warned = format!("{}fn unused() {{}}\n", library(&[0]));
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", &warned)]);
    for _ in 0..3 {
        assert!(asks_cargo(folder.path(), ""));
    }
}

#[test]
fn a_script_that_is_to_be_run_each_time_is() {
    let script = "fn main() { println!(\"cargo::rerun-if-changed=no-such-file\"); }";
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", &library(&[0])), ("build.rs", script)]);
    for _ in 0..3 {
        assert!(asks_cargo(folder.path(), ""));
    }
}

/// What is done to one of the files of a workspace.
#[derive(Clone, Debug)]
enum Edit {
    /// A function does it another way.
    Change { file: usize, function: usize, way: usize },
    /// A function comes, in front of the others.
    Insert { file: usize, way: usize },
    /// A function goes.
    Remove { file: usize, function: usize },
    /// Everything moves.
    Lines { file: usize, count: usize },
    /// A flag comes or goes, in a file that cargo's configuration includes.
    Flag,
    /// A model elsewhere says something else.
    Model,
}

/// How a file is saved.
#[derive(Clone, Copy, Debug)]
enum Saving {
    Later,
    /// With a time long ago.
    Earlier,
    /// With the time that it had.
    SameTime,
    /// As another file that a link leads to from now on.
    Link,
}

/// What happens between an edit and the next run.
#[derive(Clone, Copy, Debug)]
enum Between {
    Nothing,
    /// A run with a wrapper around the compiler that does not work.
    WrongWrapper,
    /// A run on another checkout with the same target directory.
    Checkout,
}

fn saving() -> impl Strategy<Value = Saving> {
    prop_oneof![Just(Saving::Later), Just(Saving::Earlier), Just(Saving::SameTime), Just(Saving::Link)]
}

fn between() -> impl Strategy<Value = Between> {
    prop_oneof![2 => Just(Between::Nothing), 1 => Just(Between::WrongWrapper), 1 => Just(Between::Checkout)]
}

fn edit() -> impl Strategy<Value = Edit> {
    let (file, function, way) = (0..3usize, 0..4usize, 0..6usize);
    prop_oneof![
        (file.clone(), function.clone(), way.clone()).prop_map(|(file, function, way)| Edit::Change {
            file,
            function,
            way
        }),
        (file.clone(), way).prop_map(|(file, way)| Edit::Insert { file, way }),
        (file.clone(), function).prop_map(|(file, function)| Edit::Remove { file, function }),
        (file, 0..3usize).prop_map(|(file, count)| Edit::Lines { file, count }),
        Just(Edit::Flag),
        Just(Edit::Model),
    ]
}

/// A workspace: two libraries, one of which uses the other, and an executable that uses both.
struct Workspace {
    /// By file: lines in front, and the functions, by number and way.
    files: [(usize, Vec<(usize, usize)>); 3],
    next: usize,
    flag: bool,
    model: bool,
}

impl Workspace {
    const FILES: [&str; 3] = ["base/src/lib.rs", "upper/src/lib.rs", "upper/src/main.rs"];

    fn new() -> Workspace {
        Workspace {
            files: [(0, vec![(0, 1), (1, 4)]), (0, vec![(2, 0), (3, 5)]), (0, vec![(4, 1)])],
            next: 5,
            flag: false,
            model: false,
        }
    }

    fn apply(&mut self, edit: &Edit) -> usize {
        match *edit {
            Edit::Change { file, function, way } => {
                let functions = &mut self.files[file].1;
                let count = functions.len().max(1);
                functions.iter_mut().skip(function % count).take(1).for_each(|(_, known)| *known = way);
                file
            }
            Edit::Insert { file, way } => {
                self.files[file].1.insert(0, (self.next, way));
                self.next += 1;
                file
            }
            Edit::Remove { file, function } => {
                let functions = &mut self.files[file].1;
                // Nothing else calls the last one.
                if function > 0 && function < functions.len() {
                    functions.remove(function);
                }
                file
            }
            Edit::Lines { file, count } => {
                self.files[file].0 = count;
                file
            }
            Edit::Flag => {
                self.flag = !self.flag;
                0
            }
            Edit::Model => {
                self.model = !self.model;
                0
            }
        }
    }

    fn text(&self, file: usize) -> String {
        let (lines, functions) = &self.files[file];
        let mut text = format!("{}use std::sync::Mutex;\n", "// A line.\n".repeat(*lines));
        for &(name, way) in functions {
            text += &match way {
                // Methods of futures, which are printed apart.
                4 | 5 => format!(
                    "static CELL{name}: Mutex<u64> = Mutex::new(0);\n
                     pub struct S{name};\nimpl S{name} {{\n    pub async fn add{name}(&self) {{\n        \
                     let seen = *CELL{name}.lock().unwrap();\n        {}\n        *CELL{name}.lock().unwrap() = seen + 1;\n    }}\n}}\n",
                    if way == 4 { "std::future::ready(()).await;" } else { "" }
                ),
                way => function(name, way),
            };
        }
        let run = |to: &str, functions: &[(usize, usize)]| -> String {
            let plain = functions.iter().filter(|(_, way)| *way < 4);
            plain.map(|(name, _)| format!("    std::thread::spawn({to}add{name});\n")).collect()
        };
        if file == 0 {
            text += &format!("#[cfg(flag)]\n{}", function(99, 1).replace("\npub", "\n#[cfg(flag)]\npub"));
        }
        if file == 1 {
            text += &format!("pub fn all() {{\n{}}}\n", run("base::", &self.files[0].1));
        }
        if file == 2 {
            text += &format!("fn main() {{\n    upper::all();\n{}}}\n", run("", functions));
        }
        text
    }

    /// Saves a file, if that changes it.
    fn save(&self, folder: &Path, file: usize, saving: Saving) {
        let (path, text) = (folder.join(Self::FILES[file]), self.text(file));
        if fs::read_to_string(&path).is_ok_and(|known| known == text) {
            return;
        }
        let known = fs::metadata(&path).and_then(|data| data.modified());
        // Whatever is there is replaced, not written through.
        let _ = fs::remove_file(&path);
        let now = SystemTime::now();
        let time = match saving {
            // Some file systems count in seconds.
            Saving::Later => now + Duration::from_secs(2),
            Saving::SameTime => known.unwrap_or(now),
            Saving::Earlier | Saving::Link => now - Duration::from_secs(24 * 60 * 60),
        };
        let own = match saving {
            #[cfg(unix)]
            Saving::Link => {
                let name = format!("links/{}.rs", digest_of(&text));
                write(folder, &name, &text);
                std::os::unix::fs::symlink(folder.join(&name), &path).unwrap();
                folder.join(name)
            }
            _ => {
                write(folder, Self::FILES[file], &text);
                path
            }
        };
        fs::File::options().write(true).open(own).unwrap().set_modified(time).unwrap();
    }

    /// Saves what is said beside the sources, in files next to the workspace.
    fn save_settings(&self, folder: &Path) {
        let flags = if self.flag { "[\"--cfg\", \"flag\"]" } else { "[]" };
        write(folder, "../settings/flags.toml", &format!("[build]\nrustflags = {flags}\n"));
        let spawn = if self.model { "[[fn]]\npath = \"std::thread::spawn\"\naccess = []\n" } else { "" };
        write(folder, "../settings/model.toml", &format!("library = \"own\"\n{spawn}"));
    }

    /// The workspace in a folder, with nothing in it that was run.
    fn create(&self, folder: &Path) {
        let package = |name: &str, more: &str| {
            format!(
                "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{more}[lints.rust]\nunexpected_cfgs = \"allow\"\n"
            )
        };
        let upper = package("upper", "[dependencies]\nbase.path = \"../base\"\n");
        for (name, text) in [
            ("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"base\", \"upper\"]\n"),
            ("base/Cargo.toml", &package("base", "")),
            ("upper/Cargo.toml", &upper),
            (".cargo/config.toml", "include = [\"../../settings/flags.toml\"]\n"),
            ("robust.toml", "models = [\"../settings/model.toml\"]\n"),
        ] {
            write(folder, name, text);
        }
        self.save_settings(folder);
        (0..3).for_each(|file| self.save(folder, file, Saving::Later));
    }
}

/// A name for a text.
fn digest_of(text: &str) -> u64 {
    let mut hash = std::hash::DefaultHasher::new();
    std::hash::Hash::hash(text, &mut hash);
    std::hash::Hasher::finish(&hash)
}

proptest! {
    // Each case runs the compiler some thirty times.
    #![proptest_config(ProptestConfig { cases: 2, max_shrink_iters: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edited_workspaces_are_as_if_new(
        edits in prop::collection::vec((edit(), saving(), between()), 4..7)
    ) {
        let all = folder(&[]);
        let (folder, checkout) = (all.path().join("own/project"), all.path().join("other/project"));
        let mut workspace = Workspace::new();
        workspace.create(&folder);
        let mut other = Workspace::new();
        other.apply(&Edit::Change { file: 0, function: 0, way: 2 });
        other.create(&checkout);
        report(&folder, "target");
        for (number, (edit, saving, between)) in edits.iter().enumerate() {
            match between {
                Between::Nothing => {}
                Between::WrongWrapper => {
                    let mut command = robust();
                    command.current_dir(&folder).args(["-q", "--target-dir", "target"]);
                    prop_assert_eq!(run(command.env("RUSTC_WRAPPER", "/no/such/wrapper")).code, 101);
                }
                Between::Checkout => {
                    let shared = report(&checkout, folder.join("target").to_str().unwrap());
                    prop_assert_eq!(shared, report(&checkout, "target"));
                }
            }
            // Most changes are saved one by one, some together.
            let file = workspace.apply(edit);
            workspace.save_settings(&folder);
            (0..3).filter(|other| *other == file || number == 2).for_each(|file| workspace.save(&folder, file, *saving));
            // The list of functions that are called may have changed with those that there are.
            workspace.save(&folder, 1, *saving);
            let incremental = report(&folder, "target");
            let unchanged = report(&folder, "target");
            let scratch = report(&folder, &format!("scratch{number}"));
            prop_assert_eq!(&incremental, &scratch, "after {:?}, saved {:?}, {:?} before", edit, saving, between);
            prop_assert_eq!(&incremental, &unchanged);
        }
    }
}
