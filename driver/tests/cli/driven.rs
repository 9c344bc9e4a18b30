//! Who is called when a finding is run, and on what: functions that are given what they share, what a method of the shared object
//! makes, threads that come about by themselves, whole programs.

use serde_json::Value;
use tempfile::TempDir;

use super::{MANIFEST, folder, robust, run};

/// The answers of a crate, each with class and verdict.
fn answers(folder: &TempDir) -> Vec<(String, String)> {
    let run = run(robust()
        .current_dir(folder)
        .args(["replay", "--every", "-q", "--tries", "20"])
        .args(["--format", "json"]));
    let all: Vec<Value> =
        serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}{}", run.out, run.err));
    let text = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    all.iter()
        .map(|one| (text(one, "class"), format!("{} {}", text(one, "verdict"), text(one, "reason"))))
        .collect()
}

fn verdicts(root: &str, text: &str) -> Vec<String> {
    let all = answers(&folder(&[("Cargo.toml", MANIFEST), (root, text)]));
    all.into_iter().map(|(_, verdict)| verdict).collect()
}

fn is_confirmed(verdicts: &[String]) -> bool {
    verdicts.iter().any(|verdict| verdict.starts_with("confirmed"))
}

/// Handlers that are given what is counted, which is no type of the crate's own.
const TICKETS: &str = "\
use std::sync::{Arc, Mutex};

pub type Last = Arc<Mutex<u64>>;

pub struct State<T>(pub T);

pub fn draw(State(last): State<Last>) -> u64 {
    BODY
}

pub fn drawn(State(last): State<Last>) -> u64 {
    *last.lock().unwrap()
}
";

#[test]
fn functions_are_given_what_they_share() {
    let torn = "let next = *last.lock().unwrap() + 1;
    *last.lock().unwrap() = next;
    next";
    let whole = "let mut last = last.lock().unwrap();
    *last += 1;
    *last";
    let torn = verdicts("src/lib.rs", &TICKETS.replace("BODY", torn));
    assert!(is_confirmed(&torn), "{torn:?}");
    assert!(!is_confirmed(&verdicts("src/lib.rs", &TICKETS.replace("BODY", whole))));
}

/// Who has a berth gives it back when it is dropped.
const BERTHS: &str = "\
use std::sync::Mutex;

#[derive(Default)]
pub struct Harbour {
    taken: Mutex<u32>,
}

pub struct Berth<'h> {
    harbour: &'h Harbour,
}

impl Harbour {
    pub fn moor(&self) -> Berth<'_> {
        *self.taken.lock().unwrap() += 1;
        Berth { harbour: self }
    }
}

impl Drop for Berth<'_> {
    fn drop(&mut self) {
        BODY
    }
}
";

#[test]
fn what_a_method_makes_is_there_before_it_is_called_on() {
    let torn = "let taken = *self.harbour.taken.lock().unwrap();
        *self.harbour.taken.lock().unwrap() = taken - 1;";
    let torn = verdicts("src/lib.rs", &BERTHS.replace("BODY", torn));
    assert!(is_confirmed(&torn), "{torn:?}");
    let whole = BERTHS.replace("BODY", "*self.harbour.taken.lock().unwrap() -= 1;");
    assert!(!is_confirmed(&verdicts("src/lib.rs", &whole)));
}

/// A thread of the constructor's counts what it does, beside calls.
const METER: &str = "\
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

pub struct Meter {
    count: Arc<AtomicU64>,
}

impl Meter {
    pub fn new() -> Meter {
        let count = Arc::new(AtomicU64::new(0));
        let own = Arc::clone(&count);
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(5));
            own.fetch_add(10, SeqCst);
        });
        Meter { count }
    }

    pub fn tick(&self) -> u64 {
        BODY
    }
}
";

#[test]
fn threads_that_come_about_by_themselves_are_held_as_well() {
    let torn = "let seen = self.count.load(SeqCst);
        self.count.store(seen + 1, SeqCst);
        seen";
    let all = verdicts("src/lib.rs", &METER.replace("BODY", torn));
    assert!(is_confirmed(&all), "{all:?}");
    let whole = METER.replace("BODY", "self.count.fetch_add(1, SeqCst)");
    assert!(!is_confirmed(&verdicts("src/lib.rs", &whole)));
}

/// A program that may look before there is anything to see.
const PROGRAM: &str = "\
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let name = Arc::new(Mutex::new(String::from(\"nobody\")));
    let own = Arc::clone(&name);
    let asked = thread::spawn(move || *own.lock().unwrap() = String::from(\"somebody\"));
    BODY
}
";

#[test]
fn programs_are_run_as_a_whole() {
    let early = "println!(\"{}\", name.lock().unwrap());
    asked.join().unwrap();";
    let late = "asked.join().unwrap();
    println!(\"{}\", name.lock().unwrap());";
    let all = answers(&folder(&[("Cargo.toml", MANIFEST), ("src/main.rs", &PROGRAM.replace("BODY", early))]));
    assert!(
        all.iter().any(|(class, verdict)| class == "order" && verdict.starts_with("confirmed")),
        "{all:?}"
    );
    assert_eq!(verdicts("src/main.rs", &PROGRAM.replace("BODY", late)), [""; 0]);
}
