//! Findings that are run: the schedule is forced on the real program.

use serde_json::Value;
use tempfile::TempDir;

use super::{MANIFEST, Run, folder, robust, run};

fn replay(folder: &TempDir, args: &[&str]) -> Run {
    run(robust().current_dir(folder).args(["replay", "--every", "-q", "--tries", "12"]).args(args))
}

fn library(text: &str) -> TempDir {
    folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", text)])
}

fn answers(folder: &TempDir) -> Vec<Value> {
    let run = replay(folder, &["--format", "json"]);
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}{}", run.out, run.err))
}

fn verdicts(folder: &TempDir) -> Vec<String> {
    answers(folder).iter().map(|one| one["verdict"].as_str().unwrap().to_owned()).collect()
}

/// Whoever hands in a coat gets a hook; the state is private, and the type has parameters.
const CLOAKROOM: &str = "\
use std::sync::Mutex;

/// Hooks for coats.
pub struct Cloakroom<C> {
    hooks: Mutex<Vec<Option<C>>>,
}

impl<C: Clone + Send> Cloakroom<C> {
    /// So many hooks.
    pub fn with_hooks(count: usize) -> Self {
        Cloakroom { hooks: Mutex::new(vec![None; count + 1]) }
    }

    /// The number of the coat's hook.
    pub fn hand_in(&self, coat: C) -> Option<usize> {
        BODY
    }
}
";

const TORN: &str = "let free = self.hooks.lock().unwrap().iter().position(Option::is_none)?;
        self.hooks.lock().unwrap()[free] = Some(coat);
        Some(free)";

const WHOLE: &str = "let mut hooks = self.hooks.lock().unwrap();
        let free = hooks.iter().position(Option::is_none)?;
        hooks[free] = Some(coat);
        Some(free)";

#[test]
fn what_is_torn_is_confirmed_and_its_twin_is_not() {
    let torn = library(&CLOAKROOM.replace("BODY", TORN));
    let before = std::fs::read_to_string(torn.path().join("src/lib.rs")).unwrap();
    let all = answers(&torn);
    let confirmed =
        all.iter().find(|one| one["verdict"] == "confirmed").unwrap_or_else(|| panic!("{all:#?}"));
    let lanes = confirmed["seen"]["lanes"].as_array().unwrap();
    // Both got one hook.
    assert_eq!(lanes[0][0]["result"], lanes[1][0]["result"], "{confirmed:#}");
    assert_eq!(replay(&torn, &[]).code, 100);
    // Nothing in the user's tree is another one than before.
    assert_eq!(std::fs::read_to_string(torn.path().join("src/lib.rs")).unwrap(), before);
    let mut names: Vec<_> =
        std::fs::read_dir(torn.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["Cargo.lock", "Cargo.toml", "src", "target"]);

    let whole = library(&CLOAKROOM.replace("BODY", WHOLE));
    assert!(!verdicts(&whole).contains(&"confirmed".to_owned()));
    assert_eq!(replay(&whole, &[]).code, 0);
}

/// Two sections of a lock that a queue made by hand keeps together.
const QUEUED: &str = "\
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

#[derive(Default)]
pub struct Counter {
    handed_out: AtomicUsize,
    served: AtomicUsize,
    guests: Mutex<u64>,
}

impl Counter {
    pub fn come_in(&self, party: u64) {
        let number = self.handed_out.fetch_add(1, SeqCst);
        while self.served.load(SeqCst) != number {
            std::hint::spin_loop();
        }
        let guests = *self.guests.lock().unwrap();
        *self.guests.lock().unwrap() = guests + party;
        self.served.fetch_add(1, SeqCst);
    }
}
";

#[test]
fn what_is_kept_apart_by_hand_is_not_confirmed() {
    let folder = library(QUEUED);
    let all = verdicts(&folder);
    assert!(all.iter().all(|verdict| verdict == "refuted" || verdict == "not-reproduced"), "{all:?}");
}

/// The type that is shared cannot be made.
const UNMADE: &str = "\
use std::sync::Mutex;

pub struct Till {
    coins: Mutex<u64>,
    _key: std::fs::File,
}

impl Till {
    pub fn put(&self, coins: u64) {
        let before = *self.coins.lock().unwrap();
        *self.coins.lock().unwrap() = before + coins;
    }
}
";

#[test]
fn what_cannot_be_made_is_not_driven_until_it_is_said_how() {
    let folder = library(UNMADE);
    let all = answers(&folder);
    assert!(all.iter().all(|one| one["verdict"] == "not-driven"), "{all:#?}");
    assert!(all[0]["reason"].as_str().unwrap().contains("[[make]] type = \"Till\""), "{all:#?}");
    assert_eq!(replay(&folder, &[]).code, 101);
    super::write(folder.path(), "robust.toml", "[[make]]\ntype = \"Till\"\nwith = \"crate::a_till\"\n");
    let more = "fn a_till() -> Till { Till { coins: Mutex::new(0), _key: std::fs::File::open(\"/dev/null\").unwrap() } }";
    super::write(folder.path(), "src/lib.rs", &format!("{UNMADE}#[allow(dead_code)] {more}\n"));
    assert!(verdicts(&folder).contains(&"confirmed".to_owned()));
}

/// Who leaves does so for good: a ticket is used up. That there is one to use up is no part of leaving.
const TICKETS: &str = "\
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

#[derive(Default)]
struct Gate {
    inside: AtomicUsize,
    left: AtomicUsize,
}

#[derive(Default)]
pub struct Ticket {
    gate: Arc<Gate>,
}

impl Clone for Ticket {
    fn clone(&self) -> Ticket {
        self.gate.inside.fetch_add(1, SeqCst);
        Ticket { gate: self.gate.clone() }
    }
}

impl Ticket {
    pub fn leave(self) -> usize {
        BODY
    }
    pub fn inside(&self) -> usize {
        self.gate.inside.load(SeqCst)
    }
}
";

#[test]
fn what_a_call_uses_up_is_there_before_it() {
    let torn = "let left = self.gate.left.load(SeqCst) + 1;\n        self.gate.left.store(left, SeqCst);\n        left";
    let torn = library(&TICKETS.replace("BODY", torn));
    let all = answers(&torn);
    let confirmed =
        all.iter().find(|one| one["verdict"] == "confirmed").unwrap_or_else(|| panic!("{all:#?}"));
    assert!(confirmed["reason"].as_str().unwrap().starts_with("the finding's own schedule"), "{confirmed:#}");
    // Who looks meanwhile sees what an order of whole calls shows: nobody comes in by leaving.
    let once =
        "self.gate.left.fetch_add(1, SeqCst);\n        self.gate.left.fetch_add(1, SeqCst);\n        0";
    let once = library(&TICKETS.replace("BODY", once));
    let verdicts = verdicts(&once);
    assert!(!verdicts.contains(&"confirmed".to_owned()), "{verdicts:?}");
}

/// The one constructor panics, whoever comes is of a type of some library, and what is called returns a future.
const FERRY: &str = "\
use std::collections::BTreeMap;
use std::ffi::CString;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

pub struct Ferry {
    paid: Arc<Mutex<BTreeMap<CString, u64>>>,
}

impl Ferry {
    pub fn named(name: &str) -> Ferry {
        assert!(name.len() > 3, \"no name\");
        Ferry::with_seats(name.len())
    }
    pub fn with_seats(_: usize) -> Ferry {
        Ferry { paid: Arc::default() }
    }
    pub fn board(&self, who: CString, fare: fn(u64) -> u64) -> Pin<Box<dyn Future<Output = u64> + Send>> {
        let paid = self.paid.clone();
        Box::pin(async move {
            BODY
        })
    }
}
";

const BOARD_TORN: &str = "let before = paid.lock().unwrap().get(&who).copied().unwrap_or(1);
            let after = before + fare(before) + 1;
            paid.lock().unwrap().insert(who, after);
            after";

const BOARD_WHOLE: &str = "let mut paid = paid.lock().unwrap();
            let before = paid.get(&who).copied().unwrap_or(1);
            let after = before + fare(before) + 1;
            paid.insert(who, after);
            after";

#[test]
fn futures_are_waited_for_and_values_of_other_libraries_are_what_they_are_by_default() {
    let torn = library(&FERRY.replace("BODY", BOARD_TORN));
    let all = answers(&torn);
    assert!(all.iter().any(|one| one["verdict"] == "confirmed"), "{all:#?}");
    let whole = library(&FERRY.replace("BODY", BOARD_WHOLE));
    assert!(!verdicts(&whole).contains(&"confirmed".to_owned()));
    let tested = run(robust().current_dir(&whole).args(["test", "-q", "Ferry", "--time", "2"]));
    assert!(tested.out.starts_with("nothing found  Ferry"), "{}{}", tested.out, tested.err);
}

fn in_the_run(folder: &TempDir, args: &[&str]) -> (i32, Value) {
    let run = run(robust()
        .current_dir(folder)
        .args(["--replay", "--deny", "all", "--format", "json", "-q"])
        .args(args));
    let report =
        serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}{}", run.out, run.err));
    (run.code, report)
}

fn replayed(report: &Value) -> Vec<(&str, &str)> {
    let of =
        |finding: &&Value| report["replays"][finding["fingerprint"].as_str().unwrap()]["verdict"].as_str();
    let findings = report["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|finding| (finding["level"].as_str().unwrap(), of(&finding).unwrap_or("none")))
        .collect()
}

#[test]
fn a_run_can_go_by_what_was_confirmed() {
    let torn = library(&CLOAKROOM.replace("BODY", TORN));
    let (code, report) = in_the_run(&torn, &["--deny", "confirmed"]);
    let all = replayed(&report);
    assert!(code == 100 && all.contains(&("deny", "confirmed")), "{code} {report:#}");
    assert!(all.iter().all(|&(level, verdict)| (level == "deny") == (verdict == "confirmed")), "{all:?}");
    let text = run(robust().current_dir(&torn).args(["--replay", "--deny", "confirmed"]));
    for part in [
        "note: replaying runs this crate's code",
        "replayed: confirmed: the finding's own schedule",
        "again: cargo robust replay",
    ] {
        assert!(format!("{}{}", text.err, text.out).contains(part), "{part}: {}{}", text.err, text.out);
    }

    // Kept apart by hand: found, never confirmed.
    let queued = library(QUEUED);
    let (code, report) = in_the_run(&queued, &[]);
    let all = replayed(&report);
    assert!(code == 100 && !all.is_empty(), "{code} {report:#}");
    assert!(all.iter().all(|&(level, verdict)| level == "deny" && verdict != "confirmed"), "{all:?}");
    let (code, report) = in_the_run(&queued, &["--deny", "confirmed"]);
    assert!(code == 0 && replayed(&report).iter().all(|&(level, _)| level == "warn"), "{code} {report:#}");

    let alone = run(robust().current_dir(&queued).args(["--deny", "confirmed"]));
    assert!(alone.code == 2 && alone.err.contains("needs `--replay`"), "{}", alone.err);
}

#[test]
fn what_is_confirmed_is_left_as_a_test_until_it_is_repaired() {
    let folder = library(&CLOAKROOM.replace("BODY", TORN));
    let written = replay(&folder, &["--write", "found"]);
    assert!(written.out.contains("fails until it is repaired"), "{}{}", written.out, written.err);
    let found = folder.path().join("found");
    let test =
        || run(assert_cmd::Command::new("cargo").current_dir(&found).args(["test", "-q", "--offline"]));
    let torn = test();
    assert!(torn.code == 101 && torn.out.contains("... FAILED"), "{}{}", torn.out, torn.err);
    // The repair moves places and changes the type; the test is the same.
    let whole = CLOAKROOM.replace("BODY", WHOLE).replace("hooks: Mutex", "\n    rack: Mutex");
    let whole = whole.replace("self.hooks", "self.rack").replace("/// Hooks", "// A comment.\n/// Hooks");
    super::write(folder.path(), "src/lib.rs", &whole.replace("{ hooks:", "{ rack:"));
    let whole = test();
    assert!(whole.code == 0 && whole.out.contains("... ok: in "), "{}{}", whole.out, whole.err);
    // Nothing else is written over.
    super::write(folder.path(), "src/lib.rs", &CLOAKROOM.replace("BODY", TORN));
    let taken = replay(&folder, &["--write", "src"]);
    assert!(taken.code == 101 && taken.err.contains("something else"), "{}{}", taken.out, taken.err);
}

#[test]
fn ids_have_to_be_those_of_findings() {
    let folder = library(&CLOAKROOM.replace("BODY", TORN));
    let run = run(robust().current_dir(&folder).args(["replay", "-q", "nothing"]));
    assert_eq!(run.code, 2, "{}", run.err);
}

fn test(folder: &TempDir, args: &[&str]) -> Run {
    run(robust().current_dir(folder).args(["test", "-q", "--time", "20"]).args(args))
}

#[test]
fn calls_at_random_find_what_is_torn() {
    let torn = library(&CLOAKROOM.replace("BODY", TORN));
    let first = test(&torn, &[]);
    assert_eq!(first.code, 100, "{}{}", first.out, first.err);
    assert!(first.out.starts_with("not linearizable  Cloakroom ("), "{}", first.out);
    assert!(first.out.contains("|   switch"), "{}", first.out);
    // The seed repeats it.
    let table = |run: &Run| {
        run.out.lines().filter(|line| line.starts_with('|')).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(table(&first), table(&test(&torn, &["Cloakroom", "--seed", "1"])));

    let whole = library(&CLOAKROOM.replace("BODY", WHOLE));
    let run = run(robust().current_dir(&whole).args(["test", "-q", "--time", "2"]));
    assert_eq!(
        (run.code, run.out.starts_with("nothing found  Cloakroom")),
        (0, true),
        "{}{}",
        run.out,
        run.err
    );
    // It has a lock, and so it is not free of obstruction.
    let progress = test(&whole, &["--obstruction-free"]);
    assert!(progress.out.starts_with("not obstruction-free  Cloakroom"), "{}", progress.out);
    assert_eq!(test(&whole, &["Wardrobe"]).code, 101);
}

/// What is returned refers to what others change, does something when it is dropped, and depends on the thread: none of it is a
/// difference.
const MUSEUM: &str = "\
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

thread_local!(static GUIDE: Cell<u32> = const { Cell::new(0) });

#[derive(Default)]
pub struct Museum {
    rooms: Mutex<HashMap<String, Arc<Mutex<u32>>>>,
    visitors: Arc<AtomicUsize>,
}

pub struct Visit(Arc<AtomicUsize>);

impl Drop for Visit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl Museum {
    pub fn room(&self, name: &str) -> Arc<Mutex<u32>> {
        self.rooms.lock().unwrap().entry(name.to_owned()).or_default().clone()
    }
    pub fn hang(&self, name: &str) {
        let rooms = self.rooms.lock().unwrap();
        if let Some(room) = rooms.get(name) {
            *room.lock().unwrap() += 1;
        }
    }
    pub fn enter(&self) -> Visit {
        self.visitors.fetch_add(1, SeqCst);
        Visit(self.visitors.clone())
    }
    pub fn visitors(&self) -> usize {
        self.visitors.load(SeqCst)
    }
    pub fn lead(&self) -> u32 {
        GUIDE.with(|guide| guide.replace(guide.get() + 1))
    }
}
";

#[test]
fn what_is_no_part_of_a_call_is_no_difference() {
    let folder = library(MUSEUM);
    let run = run(robust().current_dir(&folder).args(["test", "-q", "Museum", "--time", "4"]));
    assert_eq!((run.code, run.out.starts_with("nothing found  Museum")), (0, true), "{}{}", run.out, run.err);
}
