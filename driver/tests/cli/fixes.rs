//! Fixes: each that is certain compiles and silences its finding; what is not sure to be right gets none; comments allow what they are
//! written for.

use std::collections::BTreeSet;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

use super::{MANIFEST, folder, robust, run};

/// Each public function is torn apart, and has a repair.
const REPAIRED: &str = r#"use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock};

pub struct Depot {
    crates: Mutex<u32>,
    labels: Mutex<HashMap<String, u32>>,
    rates: RwLock<BTreeMap<String, u32>>,
    shelf: Arc<Inner>,
    sent: AtomicU64,
    seen: AtomicU64,
    ready: AtomicBool,
    sealed: AtomicBool,
    phase: AtomicUsize,
    told: AtomicU64,
}

struct Inner {
    pallets: Mutex<Vec<u32>>,
}

static DOCKS: Mutex<u32> = Mutex::new(4);

impl Depot {
    pub fn new() -> Depot {
        Depot {
            crates: Mutex::new(9),
            labels: Mutex::default(),
            rates: RwLock::default(),
            shelf: Arc::new(Inner { pallets: Mutex::default() }),
            sent: AtomicU64::new(0),
            seen: AtomicU64::new(0),
            ready: AtomicBool::new(false),
            sealed: AtomicBool::new(false),
            phase: AtomicUsize::new(1),
            told: AtomicU64::new(0),
        }
    }
    pub fn ship(&self) -> bool {
        if *self.crates.lock().unwrap() == 0 {
            return false;
        }
        *self.crates.lock().unwrap() -= 1;
        true
    }
    pub fn label(&self, name: String) {
        // The guard of the look is gone here.
        if !self.labels.lock().unwrap().contains_key(&name) {
            self.labels.lock().unwrap().insert(name, 1);
        }
    }
    pub fn rate(&self, name: String) {
        let known = self.rates.read().unwrap().get(&name).copied();
        if known.is_none() {
            self.rates.write().expect("not poisoned").insert(name, 7);
        }
        self.told();
    }
    fn told(&self) {
        self.told.fetch_add(1, Ordering::Relaxed);
    }
    pub fn stack(&self, weight: u32) -> Result<(), String> {
        if self.shelf.pallets.lock().unwrap().len() > 9 {
            return Err(String::from("full"));
        }
        self.shelf.pallets.lock().unwrap().push(weight);
        Ok(())
    }
    pub fn dock(&self) {
        let docks = *DOCKS.lock().unwrap();
        if docks > 0 {
            *DOCKS.lock().unwrap() = docks - 1;
        }
    }
    pub fn send(&self) {
        let sent = self.sent.load(Ordering::SeqCst);
        self.sent.store(sent + 1, Ordering::SeqCst);
    }
    pub fn see(&self, by: u64) {
        self.seen.store(self.seen.load(Ordering::Acquire).wrapping_add(by), Ordering::Release);
    }
    pub fn begin(&self) -> bool {
        if !self.ready.load(Ordering::Acquire) {
            self.ready.store(true, Ordering::Release);
            return true;
        }
        false
    }
    pub fn seal(&self) -> &'static str {
        if self.sealed.load(Ordering::SeqCst) {
            return "sealed before";
        }
        self.sealed.store(true, Ordering::SeqCst);
        "sealed now"
    }
    pub fn advance(&self) -> bool {
        if self.phase.load(Ordering::SeqCst) == 1 {
            self.phase.store(2, Ordering::SeqCst);
            true
        } else {
            false
        }
    }
}
"#;

/// Each public function is torn apart, and a repair would be wrong, or could be.
const UNSURE: &str = r#"use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

pub struct Mill {
    grain: Mutex<u32>,
    flour: Mutex<u32>,
    turns: AtomicU64,
}

impl Mill {
    fn left(&self) -> MutexGuard<'_, u32> {
        self.grain.lock().unwrap()
    }
    fn audit(&self) -> u32 {
        *self.grain.lock().unwrap()
    }
    /// What is called in between locks the same.
    pub fn grind(&self) {
        let grain = *self.grain.lock().unwrap();
        let audited = self.audit();
        *self.grain.lock().unwrap() = grain.min(audited) + 1;
    }
    /// A macro in between may call anything.
    pub fn tell(&self) {
        let grain = *self.grain.lock().unwrap();
        println!("{}", self.audit());
        *self.grain.lock().unwrap() = grain + 2;
    }
    /// Another lock is taken in between.
    pub fn pour(&self) {
        let grain = *self.grain.lock().unwrap();
        *self.flour.lock().unwrap() += 1;
        *self.grain.lock().unwrap() = grain + 3;
    }
    /// The guard would be held for all rounds.
    pub fn round(&self) {
        while *self.grain.lock().unwrap() > 0 {
            *self.grain.lock().unwrap() -= 1;
        }
    }
    /// The guard comes out of a function.
    pub fn fill(&self) {
        let grain = *self.left();
        *self.left() = grain + 4;
    }
    /// What was read is used afterwards.
    pub fn turn(&self) -> u64 {
        let turns = self.turns.load(Ordering::SeqCst);
        self.turns.store(turns + 1, Ordering::SeqCst);
        turns
    }
    /// What is stored is waited for.
    pub fn spin(&self) {
        let turns = self.turns.load(Ordering::SeqCst);
        self.turns.store(turns + u64::from(self.audit()), Ordering::SeqCst);
    }
}
"#;

/// An edit: first and last line and column, and the text.
type Edit = ([u64; 4], String);

/// The edits of that applicability, by finding.
fn edits(folder: &Path, applicability: &str) -> Vec<Vec<Edit>> {
    let run = run(robust().current_dir(folder).args(["--offline", "--format", "rustc"]));
    let messages = run.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let findings = messages.filter(|message| {
        let code = message["message"]["code"]["code"].as_str();
        code.is_some_and(|code| code.starts_with("robust::"))
    });
    let of_finding = |finding: Value| {
        let children = finding["message"]["children"].as_array().unwrap().clone();
        let spans = children.into_iter().flat_map(|child| child["spans"].as_array().unwrap().clone());
        let spans = spans.filter(|span| span["suggestion_applicability"] == applicability);
        let edit = |span: Value| {
            let at = ["line_start", "column_start", "line_end", "column_end"]
                .map(|key| span[key].as_u64().unwrap());
            (at, span["suggested_replacement"].as_str().unwrap().to_owned())
        };
        spans.map(edit).collect()
    };
    findings.map(of_finding).collect()
}

fn apply(text: &str, edits: BTreeSet<Edit>) -> String {
    let mut text = text.to_owned();
    for ([line, column, end_line, end_column], new) in edits.into_iter().rev() {
        let offset = |line: u64, column: u64| {
            let before: usize = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
            before + column as usize - 1
        };
        let range = offset(line, column)..offset(end_line, end_column);
        text.replace_range(range, &new);
    }
    text
}

fn findings(folder: &Path) -> (i32, String) {
    let run = run(robust().current_dir(folder).args(["--offline", "--format", "concise"]));
    (run.code, run.out)
}

#[test]
fn repairs_compile_and_silence_what_they_are_for() {
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", REPAIRED)]);
    let edits = edits(folder.path(), "MachineApplicable");
    let without: Vec<usize> = (0..edits.len()).filter(|index| edits[*index].is_empty()).collect();
    assert!(
        without.is_empty() && edits.len() == 10,
        "{without:?} of {}: {}",
        edits.len(),
        findings(folder.path()).1
    );
    let repaired = apply(REPAIRED, edits.into_iter().flatten().collect());
    super::write(folder.path(), "src/lib.rs", &repaired);
    let (code, out) = findings(folder.path());
    assert_eq!(code, 0, "{out}\n{repaired}");
    assert!(!out.contains("robust::"), "{out}\n{repaired}");
    let mut check = Command::new("cargo");
    check.current_dir(folder.path()).args(["check", "--quiet", "--offline"]).env("RUSTFLAGS", "-Dwarnings");
    check.assert().success();
}

#[test]
fn what_is_not_sure_is_not_repaired() {
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", UNSURE)]);
    let edits = edits(folder.path(), "MachineApplicable");
    assert!(edits.len() >= 6, "{}", findings(folder.path()).1);
    assert!(edits.iter().all(Vec::is_empty), "{edits:?}");
}

#[test]
fn comments_allow_what_they_are_written_for() {
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", UNSURE)]);
    let suggested: BTreeSet<Edit> = edits(folder.path(), "HasPlaceholders").into_iter().flatten().collect();
    let mut add = robust();
    add.current_dir(folder.path()).args(["--offline", "--add-allow=nobody\nminds"]);
    let added = run(&mut add);
    assert_eq!(added.code, 0, "{}", added.err);
    let lines = added.out.lines().count();
    assert!(lines >= suggested.len(), "{}", added.out);
    let text = std::fs::read_to_string(folder.path().join("src/lib.rs")).unwrap();
    assert_eq!(text.matches("): nobody minds\n").count(), lines, "{text}");
    let (code, out) = findings(folder.path());
    assert_eq!((code, out.contains("robust::"), out.contains("unused")), (0, false, false), "{out}\n{text}");

    super::write(folder.path(), "src/lib.rs", &apply(UNSURE, suggested));
    let (code, out) = findings(folder.path());
    assert_eq!((code, out.contains("robust::")), (0, false), "{out}");
    let again = run(robust().current_dir(folder.path()).args(["--offline", "--add-allow"]));
    assert_eq!((again.code, &*again.out), (0, "there is nothing to allow\n"));
}
