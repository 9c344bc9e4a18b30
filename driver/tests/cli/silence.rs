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
fn who_only_makes_locks_uses_none() {
    let folder = library(
        "use std::sync::{Arc, Mutex};\n#[derive(Default)]\npub struct Till { coins: Mutex<u32> }\nimpl Till {\n\
         pub fn shared() -> Arc<Till> { Arc::default() }\n\
         pub fn pay(&self) { *self.coins.lock().unwrap() += 1; }\n}\n",
    );
    let coverage = &json(&folder)["summary"]["coverage"];
    assert_eq!((&coverage["functions"], &coverage["reached"]), (&1.into(), &1.into()));
}

#[test]
fn a_future_and_a_closure_are_part_of_their_function() {
    let folder = library(
        "use std::sync::atomic::{AtomicU8, Ordering::SeqCst};\npub struct Dial(AtomicU8);\nimpl Dial {\n\
         pub async fn raise(&self) { self.0.fetch_add(1, SeqCst); }\n\
         pub fn later(&self) -> impl Fn() -> u8 { || self.0.load(SeqCst) }\n\
         #[allow(dead_code)]\nfn never(&self) -> impl Fn() -> u8 { || self.0.load(SeqCst) }\n}\n",
    );
    let coverage = &json(&folder)["summary"]["coverage"];
    let unreached: Vec<&Value> =
        coverage["unreached"].as_array().unwrap().iter().map(|function| &function["name"]).collect();
    // A closure that callers get is theirs to call.
    assert_eq!((&coverage["functions"], unreached), (&3.into(), vec![&Value::from("Dial::never")]));
}

/// Kinds, messages and lines of remarks.
fn notices(folder: &TempDir) -> Vec<(String, String, u64)> {
    let report = json(folder);
    let notices = report["notices"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let one = |notice: &Value| {
        let line = notice["place"]["line"].as_u64().unwrap_or_default();
        (text(&notice["kind"]), text(&notice["message"]), line)
    };
    notices.map(one).collect()
}

#[test]
fn names_in_the_configuration_that_nothing_has() {
    let folder = library(
        "use std::sync::atomic::{AtomicBool, Ordering::SeqCst};\npub static OPEN: AtomicBool = AtomicBool::new(false);\n\
         pub fn unlock() { OPEN.store(true, SeqCst); }\npub fn lock() { OPEN.store(false, SeqCst); }\n",
    );
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

/// A syntax tree: types that consist of one another, in so many ways that their parts cannot all be told apart.
fn tree(kinds: usize) -> String {
    let mut text = String::new();
    for kind in 0..kinds {
        let part = |at: usize| format!("Option<Box<Node{}>>", (kind + at) % kinds);
        let variants = (0..6).map(|at| {
            format!("V{at} {{ left: {}, right: {}, next: {} }}", part(at), part(at + 1), part(at + 2))
        });
        let variants: Vec<String> = variants.collect();
        let made =
            (0..6).map(|at| format!("{at} => Node{kind}::V{at} {{ left: None, right: None, next: None }},"));
        let made: String = made.collect();
        text += &format!(
            "pub enum Node{kind} {{ {} }}\nimpl Node{kind} {{\n\
             pub fn new(kind: u8) -> Self {{ match kind {{ {made} _ => Self::new(kind - 1) }} }}\n\
             pub fn turn(&mut self) {{ if let Node{kind}::V0 {{ left, .. }} = self {{ *left = None; }} }}\n}}\n",
            variants.join(", ")
        );
    }
    text
}

#[test]
fn what_is_too_much_to_tell_apart_hides_nothing_else() {
    let counter = |add: &str| {
        format!(
            "use std::sync::Mutex;\n{}\npub struct Parser {{ depth: Mutex<u32>, root: Node0 }}\nimpl Parser {{\n\
             pub fn new() -> Self {{ Parser {{ depth: Mutex::new(0), root: Node0::new(1) }} }}\n\
             pub fn root(&self) -> &Node0 {{ &self.root }}\n\
             pub fn deeper(&self) {{ {add} }}\n}}\n",
            tree(24)
        )
    };
    let racy = counter("let depth = *self.depth.lock().unwrap(); *self.depth.lock().unwrap() = depth + 1;");
    let fine = counter("let mut depth = self.depth.lock().unwrap(); *depth += 1;");
    for (text, code) in [(racy, 100), (fine, 0)] {
        let folder = folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", &text)]);
        let run = run(robust().current_dir(folder.path()).args(["--format", "concise"]));
        assert_eq!(run.code, code, "{}{}", run.out, run.err);
        assert_eq!(run.out.contains("`Parser::deeper` reads `self.depth`"), code == 100, "{}", run.out);
    }
}

#[test]
fn what_two_programs_have_in_common_is_one_event() {
    let library = "use std::net::TcpListener;\nuse std::sync::{Arc, Mutex};\n\
        pub fn listen() {\n    let seen = Arc::new(Mutex::new(0_u32));\n\
        let listener = TcpListener::bind(\"127.0.0.1:0\").unwrap();\n    for _stream in listener.incoming() {\n\
        let seen = Arc::clone(&seen);\n        std::thread::spawn(move || *seen.lock().unwrap() += 1);\n    }\n}\n";
    let main = "fn main() { small::listen() }\n";
    let folder = folder(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", library),
        ("src/main.rs", main),
        ("src/bin/other.rs", main),
    ]);
    // Two `main`s, the function that others may call, and what it starts.
    assert_eq!(json(&folder)["summary"]["events"], 4);
}

/// A program that starts what `serve` is given in a loop, five times, and looks at its state in between.
fn started_five_times(states: [&str; 5]) -> TempDir {
    let head = "use std::sync::{Arc, Mutex};\nstruct State { count: Mutex<u32>, seen: Mutex<u32> }\n\
        fn serve(state: &Arc<State>) {\n    loop {\n        let state = state.clone();\n        std::thread::spawn(move || {\n\
        let count = *state.count.lock().unwrap();\n        *state.count.lock().unwrap() = count * 2 + *state.seen.lock().unwrap();\n        });\n    }\n}\n\
        fn new() -> State { State { count: Mutex::new(1), seen: Mutex::new(2) } }\n\
        fn main() {\n    let (one, two) = (Arc::new(new()), Arc::new(new()));\n";
    let starts = states.iter().enumerate().map(|(number, state)| {
        format!("    if std::env::args().count() > {number} {{ serve(&{state}); }}\n    *one.seen.lock().unwrap() *= 3;\n")
    });
    let main = format!("{head}{}    drop(two);\n}}\n", starts.collect::<String>());
    folder(&[("Cargo.toml", MANIFEST), ("src/main.rs", &main)])
}

#[test]
fn what_is_started_at_five_places_is_one_event() {
    let program = |folder: &TempDir| in_folder(folder, &["dump", "--stage", "ir", "-q"]).out;
    let listed = |folder: &TempDir| in_folder(folder, &["events", "-q"]).out.lines().count();
    for (states, events) in [(["one"; 5], 1), (["one", "two", "one", "two", "one"], 2)] {
        let folder = started_five_times(states);
        let program = program(&folder);
        // With two states it does two things.
        assert_eq!(program.matches("event `serve::{closure#0}").count(), events, "{program}");
        assert_eq!(listed(&folder), 2, "`main`, and what it starts");
        let report = json(&folder);
        assert_eq!(report["summary"]["events"], 2);
        let findings = report["findings"].as_array().unwrap();
        let lost: Vec<_> = findings.iter().filter(|finding| finding["class"] == "lost-update").collect();
        assert_eq!(lost.len(), 1, "{}", report["findings"]);
    }
}

#[test]
fn a_handler_that_is_not_there_was_not_looked_at() {
    let text = "use std::sync::Mutex;\npub struct Tally(Mutex<u32>);\nimpl Tally {\n\
        pub fn count(&self) { *self.0.lock().unwrap() += 1; }\n}\n";
    let folder = library(text);
    for (name, code) in [("Tally::cuont", 100), ("Tally::count", 0)] {
        write(folder.path(), "robust.toml", &format!("[[event]]\nfunction = \"{name}\"\n"));
        let run = in_folder(&folder, &["--quiet", "--deny", "incomplete"]);
        assert_eq!(run.code, code, "{}", run.err);
        let said = run.out + &run.err;
        assert_eq!(said.contains("there is no function `Tally::cuont`"), code == 100, "{said}");
    }
}

/// Whatever is missing comes first, and is in JSON.
fn says_it_is_incomplete(folder: &TempDir, args: &[&str], begin: &str, why: &str) {
    let silent = in_folder(folder, args);
    let first = silent.out.lines().next().unwrap();
    assert!(first.starts_with(begin) && first.contains(why), "{}{}", silent.out, silent.err);
    assert_eq!(silent.code, 0);
    let report: Value =
        serde_json::from_str(&in_folder(folder, &[args, &["--format", "json"]].concat()).out).unwrap();
    assert_eq!(report["complete"], false);
    assert_eq!(report["findings"], Value::Array(Vec::new()));
}

/// It fails where the user wants that.
fn can_be_denied(folder: &TempDir, args: &[&str]) {
    let denied = in_folder(folder, &[args, &["--deny", "incomplete"]].concat());
    assert_eq!((denied.code, denied.out.starts_with("error: ")), (100, true), "{}", denied.out);
}

#[test]
fn when_nothing_has_an_answer_that_is_said() {
    let text = "var n: int 0..3 = 0; lock l; event add on any { h := async[any] one(); join h; async[any] two(); }
        task one on any { acquire l; n := 1; release l; } task two on any { acquire l; t := n; n := t + 1; release l; }";
    let folder = folder(&[("racy.rob", text)]);
    let check = ["check", "racy.rob", "--memory", "1"];
    says_it_is_incomplete(&folder, &check, "warning: nothing was looked at: ", "no answer");
    let enough = in_folder(&folder, &["check", "racy.rob", "--format", "json"]);
    let report: Value = serde_json::from_str(&enough.out).unwrap();
    assert_eq!((&report["complete"], report["findings"].as_array().unwrap().len()), (&Value::Bool(true), 1));

    let verbose = in_folder(&folder, &[&check[..], &["-v"]].concat());
    let reasons = verbose.out.lines().filter(|line| line.contains("no answer: ")).count();
    assert!(reasons > 0, "{}", verbose.out);
    let json = in_folder(&folder, &[&check[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&json.out).unwrap();
    let unanswered = report["units"][0]["completeness"]["unanswered"].as_array().unwrap();
    let reason = unanswered[0]["reason"].as_str().unwrap();
    assert!(reason.contains("memory"), "{reason}");
    assert!(verbose.out.contains(reason), "{}", verbose.out);
}

#[test]
fn when_some_of_a_crate_has_no_answer_that_is_said() {
    let task = |by: u32| {
        format!(
            "    let mine = n.clone();\n    let task = std::thread::spawn(move || {{ let old = *mine.lock().unwrap(); *mine.lock().unwrap() = old * {by}; }});\n"
        )
    };
    let text = format!(
        "use std::sync::{{Arc, Mutex}};\nfn main() {{\n    let n = Arc::new(Mutex::new(1_u32));\n{}    let first = task;\n{}\
         first.join().unwrap();\n    task.join().unwrap();\n}}\n",
        task(2),
        task(3)
    );
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/main.rs", &text)]);
    says_it_is_incomplete(
        &folder,
        &["--memory", "1"],
        "warning: incomplete: ",
        "1 of 3 checks has no answer (memory",
    );
    can_be_denied(&folder, &["--memory", "1"]);
}

#[test]
fn when_pointers_are_given_up_that_is_said() {
    let text = "pub struct Tally(std::sync::Mutex<u32>);\nimpl Tally {\n    pub fn count(&self) { *self.0.lock().unwrap() += 1; }\n}\n";
    let folder = library(&(tree(24) + text));
    says_it_is_incomplete(
        &folder,
        &["--memory", "1"],
        "warning: ",
        "--memory 1: not all of what it does was looked at",
    );
    can_be_denied(&folder, &["--memory", "1"]);
    assert_eq!(in_folder(&folder, &["--deny", "incomplete"]).code, 0);
}

/// As if the compiler wrote in a way that is not known.
#[test]
fn when_bodies_are_not_understood_that_is_said() {
    let folder = library(
        "use std::sync::Mutex;\npub struct Tally(Mutex<u32>);\nimpl Tally {\n\
         pub fn count(&self) { *self.0.lock().unwrap() += 1; }\n    pub fn get(&self) -> u32 { *self.0.lock().unwrap() }\n}\n",
    );
    assert_eq!(in_folder(&folder, &["--deny", "incomplete"]).code, 0);
    let target = folder.path().join("target/robust");
    std::fs::remove_dir_all(target.join("cache")).unwrap();
    let store = std::fs::read_dir(target.join("mir")).unwrap().next().unwrap().unwrap().path();
    let printed = std::fs::read_dir(store).unwrap().map(|entry| entry.unwrap().path());
    for file in printed.filter(|file| file.extension().is_some_and(|end| end == "mir")) {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains("StorageLive("));
        std::fs::write(&file, text.replacen("StorageLive(", "frobnicate <", 1)).unwrap();
    }
    says_it_is_incomplete(&folder, &[], "warning: incomplete: ", "not analysed");
    can_be_denied(&folder, &[]);
}

#[test]
fn aliases_and_makers_of_nothing_are_remarked_on() {
    let folder = library(
        "use std::sync::Mutex;\npub struct Tally(Mutex<u32>);\nimpl Tally {\n\
         pub fn count(&self) { *self.0.lock().unwrap() += 1; }\n}\npub fn a_tally() -> Tally { Tally(Mutex::new(0)) }\n",
    );
    let config = "[[make]]\ntype = \"Tally\"\nwith = \"crate::a_tally\"\n[aliases]\n\"std::sync::Mutex\" = \"std::sync::Mutex\"\n";
    write(folder.path(), "robust.toml", config);
    assert_eq!(notices(&folder), []);
    let wrong = config
        .replace("\"Tally", "\"Taly")
        .replace("a_tally", "a_taly")
        .replace("\"std::sync::Mutex\" =", "\"std::sync::Mutx\" =");
    write(folder.path(), "robust.toml", &wrong);
    let model = |line, message: &str| ("unmatched-model".to_owned(), message.to_owned(), line);
    let mut found = notices(&folder);
    found.sort_by_key(|(_, _, line)| *line);
    assert_eq!(
        found,
        [
            model(2, "there is no type `Taly`; did you mean `Tally`?"),
            model(3, "there is no function `crate::a_taly`; did you mean `crate::a_tally`?"),
            model(5, "nothing in the program is called `std::sync::Mutx`; did you mean `std::sync::Mutex`?"),
        ]
    );
    // Tests have functions that are compiled with them alone.
    write(folder.path(), "robust.toml", &config.replace("a_tally", "tests::some"));
    assert_eq!(notices(&folder), []);
}
