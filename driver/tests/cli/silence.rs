//! When nothing is found: whether anything was looked at.

use serde_json::Value;
use tempfile::TempDir;

use super::{MANIFEST, Run, folder, robust, run, write};

fn in_folder(folder: &TempDir, args: &[&str]) -> Run {
    run(robust().current_dir(folder).args(args))
}

fn json(folder: &TempDir) -> Value {
    serde_json::from_str(&in_folder(folder, &["--format", "json"]).out).unwrap()
}

fn library(text: &str) -> TempDir {
    folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", text)])
}

/// Nobody outside can call what has the lock.
const UNREACHED: &str = "\
use std::sync::Mutex;
static SEATS: Mutex<u32> = Mutex::new(9);
#[allow(dead_code)]
fn reserve() { let free = *SEATS.lock().unwrap(); if free > 0 { *SEATS.lock().unwrap() = free - 1; } }
";

#[test]
fn locks_that_no_event_reaches() {
    let folder = library(UNREACHED);
    let silent = in_folder(&folder, &[]);
    assert_eq!(silent.code, 0);
    let first = silent.out.lines().next().unwrap();
    assert_eq!(
        first,
        "warning: nothing was looked at: there are no handlers (nothing that can be called, or that runs, from outside), although 1 function uses locks, atomics or cells"
    );
    assert!(silent.out.contains("robust: nothing was looked at in small"), "{}", silent.out);
    assert!(in_folder(&folder, &["-q"]).out.contains("nothing was looked at"));
    assert!(in_folder(&folder, &["-v"]).out.contains("not reached: small: reserve (src/lib.rs:4)"));
    assert_eq!(in_folder(&folder, &["--deny", "incomplete"]).code, 100);

    let report = json(&folder);
    assert_eq!(report["complete"], false);
    assert_eq!(report["gaps"][0]["kind"], "no-events");
    assert_eq!(report["summary"]["coverage"]["functions"], 1);
    assert_eq!(report["summary"]["coverage"]["reached"], 0);

    write(folder.path(), "robust.toml", "[lints]\nincomplete = \"deny\"\n");
    let denied = in_folder(&folder, &[]);
    assert_eq!(denied.code, 100);
    assert!(denied.out.starts_with("error: nothing was looked at"), "{}", denied.out);
}

#[test]
fn no_locks_at_all() {
    let folder = library("pub fn double(n: u32) -> u32 { n.wrapping_mul(2) }\n");
    let silent = in_folder(&folder, &["--deny", "incomplete"]);
    assert_eq!(silent.code, 0, "{}", silent.out);
    assert!(
        silent.out.starts_with("note: nothing to look at: no function uses locks, atomics or cells\n"),
        "{}",
        silent.out
    );
    let report = json(&folder);
    assert_eq!(report["complete"], true);
    assert_eq!(report["gaps"][0]["kind"], "nothing");
}

#[test]
fn everything_is_reached() {
    let all = UNREACHED.replace("fn reserve", "pub fn reserve").replace(
        "let free = *SEATS.lock().unwrap(); if free > 0 { *SEATS.lock().unwrap() = free - 1; }",
        "let mut free = SEATS.lock().unwrap(); if *free > 0 { *free -= 1; }",
    );
    let folder = library(&all);
    let silent = in_folder(&folder, &["--deny", "incomplete"]);
    assert_eq!(silent.code, 0, "{}", silent.out);
    assert!(silent.out.starts_with("robust: nothing found in small"), "{}", silent.out);
    let verbose = in_folder(&folder, &["-v"]).out;
    assert!(
        verbose.contains("coverage: 1 function with locks, atomics or cells, 1 of them reached"),
        "{verbose}"
    );
    assert_eq!(json(&folder)["complete"], true);

    write(
        folder.path(),
        "src/lib.rs",
        &format!("{all}#[allow(dead_code)]\nfn forgotten() -> u32 {{ *SEATS.lock().unwrap() }}\n"),
    );
    let partly = in_folder(&folder, &[]);
    let first = partly.out.lines().next().unwrap();
    assert_eq!(
        first,
        "warning: incomplete: 1 of 2 functions with locks, atomics or cells is reached from no handler"
    );
    assert!(partly.out.contains("nothing found in what was looked at in small"), "{}", partly.out);
}

#[test]
fn a_future_and_a_closure_are_part_of_their_function() {
    let folder = library(
        "use std::sync::atomic::{AtomicU8, Ordering::SeqCst};\npub struct Dial(AtomicU8);\nimpl Dial {\n\
         pub async fn raise(&self) { self.0.fetch_add(1, SeqCst); }\n\
         pub fn later(&self) -> impl Fn() -> u8 { || self.0.load(SeqCst) }\n}\n",
    );
    let coverage = &json(&folder)["summary"]["coverage"];
    assert_eq!(
        (&coverage["functions"], &coverage["unreached"][0]["name"]),
        (&2.into(), &"Dial::later".into())
    );
}

#[test]
fn names_in_the_configuration_that_nothing_has() {
    let folder = library(
        "use std::sync::atomic::{AtomicBool, Ordering::SeqCst};\npub static OPEN: AtomicBool = AtomicBool::new(false);\n\
         pub fn unlock() { OPEN.store(true, SeqCst); }\npub fn lock() { OPEN.store(false, SeqCst); }\n",
    );
    let notices = |folder: &TempDir| -> Vec<(String, String, u64)> {
        let report = json(folder);
        let notices = report["notices"].as_array().unwrap().iter();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        notices
            .map(|notice| {
                let place = &notice["place"];
                (text(&notice["kind"]), text(&notice["message"]), place["line"].as_u64().unwrap_or_default())
            })
            .collect()
    };
    let config = "[[event]]\nfunction = \"unlock\"\nonce = true\n\n[[event]]\nfunction = \"lock\"\nafter = \"unlock\"\n";
    write(folder.path(), "robust.toml", config);
    assert_eq!(notices(&folder), []);

    write(
        folder.path(),
        "robust.toml",
        &config
            .replace("\"lock\"", "\"lokc\"")
            .replace("function = \"unlock\"\n", "function = \"unlock\"\nwhen = \"OPNE\"\n"),
    );
    let found = notices(&folder);
    let event = |line, message: &str| ("unmatched-event".to_owned(), message.to_owned(), line);
    assert_eq!(
        found,
        [
            event(7, "there is no function `lokc`; did you mean `lock`?"),
            event(3, "no event changes a variable `OPNE`; did you mean `OPEN`?")
        ]
    );
    let shown = in_folder(&folder, &[]).out;
    assert!(shown.contains("--> robust.toml:7:12"), "{shown}");

    write(folder.path(), "robust.toml", &config.replace("after = \"unlock\"", "after = \"unlok\""));
    assert_eq!(
        notices(&folder),
        [event(7, "there is no event `unlok` in the configuration; did you mean `unlock`?")]
    );

    let manifest = format!(
        "{MANIFEST}[[package.metadata.robust.fn]]\npath = \"std::sync::atomic::AtomicBool::stroe\"\naccess = []\n"
    );
    write(folder.path(), "robust.toml", "");
    write(folder.path(), "Cargo.toml", &manifest);
    let message = "nothing in the program is called `std::sync::atomic::AtomicBool::stroe`; did you mean `std::sync::atomic::AtomicBool::store`?";
    assert_eq!(notices(&folder), [("unmatched-model".to_owned(), message.to_owned(), 6)]);
    write(folder.path(), "Cargo.toml", &manifest.replace("stroe", "store"));
    assert_eq!(notices(&folder), []);
}

#[test]
fn comments_that_say_nothing() {
    let folder = library(
        "// robust: evnet(ui)\npub fn a() {}\n// robust: event(ui)\npub struct B;\n// robust: allow(lost-updates): rare\npub fn c() {}\n\
         // robust: this is prose\npub fn d() {}\n// robust: event(any)\npub fn e() {}\n",
    );
    let report = json(&folder);
    let found: Vec<(u64, &str)> = report["notices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|notice| (notice["place"]["line"].as_u64().unwrap(), notice["message"].as_str().unwrap()))
        .collect();
    let expected = [
        (1, "this comment has no effect: `evnet` says nothing; did you mean `event`?"),
        (3, "this comment has no effect: no function begins below it"),
        (5, "this comment has no effect: there is no class `lost-updates`; did you mean `lost-update`?"),
    ];
    assert_eq!(found, expected);
}
