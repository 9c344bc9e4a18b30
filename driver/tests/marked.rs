//! Fixture crates whose source says what is to be found: each line of an access that takes part in a finding ends with a
//! comment `//~`. Findings elsewhere are noise, marked lines without a finding are missed.

use std::collections::BTreeSet;
use std::path::Path;

use cargo_robust::extract::{CargoOptions, Progress};
use cargo_robust::run::{Settings, Watch, analyse};
use robust_analyzer::finding::{Finding, Level, Property, Role};

/// File and line.
type Mark = (String, u32);

struct Silent;

impl Watch for Silent {
    fn extraction(&mut self) -> &mut dyn Progress {
        // Nobody watches: a value without state does.
        Box::leak(Box::new(()))
    }

    fn analysing(&mut self, _: &str) {}

    fn warn(&mut self, what: &str) {
        panic!("{what}");
    }
}

fn marks(folder: &Path) -> BTreeSet<Mark> {
    let mut marks = BTreeSet::new();
    for entry in std::fs::read_dir(folder.join("src")).unwrap() {
        let path = entry.unwrap().path();
        let file = format!("src/{}", path.file_name().unwrap().to_string_lossy());
        for (number, line) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
            if line.ends_with("//~") {
                marks.insert((file.clone(), number as u32 + 1));
            }
        }
    }
    marks
}

/// The accesses that convict.
fn accesses(finding: &Finding) -> BTreeSet<Mark> {
    let steps = finding.steps.iter().filter(|step| step.role != Role::Step);
    let places = steps.filter_map(|step| step.place.as_ref());
    places.map(|place| (place.file.clone(), place.line)).collect()
}

fn check(name: &str) {
    check_from(name, Level::Note);
}

/// Judges findings of at least this level.
fn check_from(name: &str, least: Level) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/crates").join(name);
    let options = CargoOptions {
        wrapper: Some(env!("CARGO_BIN_EXE_cargo-robust").into()),
        target_dir: Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures")),
        ..CargoOptions::default()
    }
    .of(&folder.join("Cargo.toml"));
    let finished = analyse(&options, &Settings::default(), &mut Silent)
        .unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)));
    let marks = marks(&folder);
    let mut wrong = String::new();
    let mut seen = BTreeSet::new();
    // What becomes of tasks is told elsewhere: see `confined.rs`.
    let is_meant = |finding: &&Finding| {
        finding.level >= least && !matches!(finding.property, Property::Lifecycle { .. })
    };
    for finding in finished.report.findings.iter().filter(is_meant) {
        let accesses = accesses(finding);
        // Another event's access that comes in between need not be wrong itself.
        if accesses.intersection(&marks).count() < accesses.len().min(2) {
            wrong.push_str(&format!("noise: {} {accesses:?}\n", finding.message));
        }
        seen.extend(accesses);
    }
    for mark in marks.difference(&seen) {
        wrong.push_str(&format!("missed: {mark:?}\n"));
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn constructs() {
    check("constructs");
}

#[test]
fn frameworks() {
    check("frameworks");
}

#[test]
fn models_of_the_user() {
    check("user-models");
}

#[test]
fn numbers() {
    check("numbers");
}

#[test]
fn large() {
    check("large");
}

#[test]
fn objects() {
    check("objects");
}

#[test]
fn collections() {
    check_from("collections", Level::Deny);
}

#[test]
fn commuting() {
    check_from("commuting", Level::Deny);
}

/// Servers with a key for each connection.
#[test]
fn connections() {
    check_from("connections", Level::Deny);
}

#[test]
fn what_is_entered_too_late_is_not_there_for_who_comes_first() {
    check_from("entered", Level::Deny);
}

#[test]
fn waits() {
    check_from("waits", Level::Deny);
}

/// Programs with tasks: what each has to itself, and what others wait for.
#[test]
fn programs() {
    check_from("programs", Level::Deny);
}

/// What is declared, implemented and used in different places.
#[test]
fn modules() {
    check_from("modules", Level::Deny);
}

/// Locks that no model knows.
#[test]
fn locks() {
    check_from("locks", Level::Deny);
}

/// Every way to what is in a lock.
#[test]
fn ways() {
    check_from("ways", Level::Deny);
}

/// Looks that need not be fresh.
#[test]
fn glances() {
    check_from("glances", Level::Deny);
}

/// Ways to let the same code run several times at once.
#[test]
fn starts() {
    check_from("starts", Level::Deny);
}

/// What the tasks of one call do beside one another.
#[test]
fn beside() {
    check_from("beside", Level::Deny);
}

/// A service as people write it, with two mistakes, and its repaired twin.
#[test]
fn a_service() {
    check("box-office");
    check("box-office-fixed");
}
