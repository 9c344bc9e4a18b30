//! Fixture crates whose source says where operations are out of place, or tasks end otherwise than they should: each such line ends with a comment `//~ CLASS`, or
//! `//~ CLASS LEVEL` where the level is not `deny`. Findings elsewhere are noise, marked lines without one are missed.

use std::collections::BTreeSet;
use std::path::Path;

use cargo_robust::extract::{CargoOptions, Progress};
use cargo_robust::report::{class_name, level_name};
use cargo_robust::run::{Settings, Watch, analyse};
use robust_analyzer::finding::{Finding, Property, Role};

/// File, line, and what is said of it.
type Mark = (String, u32, String);

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
    for entry in walkdir::WalkDir::new(folder.join("src")) {
        let entry = entry.unwrap();
        if entry.path().extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let file = entry.path().strip_prefix(folder).unwrap().to_string_lossy().into_owned();
        for (number, line) in std::fs::read_to_string(entry.path()).unwrap().lines().enumerate() {
            if let Some((_, said)) = line.rsplit_once("//~ ") {
                marks.insert((file.clone(), number as u32 + 1, said.to_owned()));
            }
        }
    }
    marks
}

/// What a finding says of which lines.
fn said(finding: &Finding) -> impl Iterator<Item = Mark> + '_ {
    let class = class_name(finding.class);
    let said = match level_name(finding.level) {
        "deny" => class.to_owned(),
        level => format!("{class} {level}"),
    };
    let offences = finding.steps.iter().filter(|step| step.role == Role::Offence);
    offences
        .filter_map(|step| step.place.as_ref())
        .map(move |place| (place.file.clone(), place.line, said.clone()))
}

/// The marks of a fixture, and what is found in it.
fn look(name: &str, settings: &Settings, about: impl Fn(&Property) -> bool) -> [BTreeSet<Mark>; 2] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/crates").join(name);
    [marks(&folder), findings(&folder, settings, about).iter().flat_map(said).collect()]
}

/// What is found in the crate in a folder.
fn findings(folder: &Path, settings: &Settings, about: impl Fn(&Property) -> bool) -> Vec<Finding> {
    let options = CargoOptions {
        wrapper: Some(env!("CARGO_BIN_EXE_cargo-robust").into()),
        target_dir: Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures")),
        ..CargoOptions::default()
    }
    .of(&folder.join("Cargo.toml"));
    let finished = analyse(&options, settings, &mut Silent)
        .unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)));
    finished.report.findings.into_iter().filter(|finding| about(&finding.property)).collect()
}

fn check(name: &str, about: impl Fn(&Property) -> bool) {
    let [marks, found] = look(name, &Settings::default(), about);
    let noise: Vec<_> = found.difference(&marks).collect();
    let missed: Vec<_> = marks.difference(&found).collect();
    assert!(noise.is_empty() && missed.is_empty(), "noise: {noise:#?}\nmissed: {missed:#?}");
}

#[test]
fn confined() {
    check("confined", |property| matches!(property, Property::Confinement { .. }));
}

/// Sockets that keep nobody waiting.
#[test]
fn unblocked() {
    check("unblocked", |property| matches!(property, Property::Confinement { .. }));
}

/// Streams that call whoever subscribes; after the tests of the checker that began it.
#[test]
fn streams() {
    check("streams", |property| matches!(property, Property::Confinement { .. }));
}

/// The port of the applications with streams, and bugs of the past: each marked line is found, and nothing else; nothing is in the
/// repaired twins. A mark that says `missed` is one of which it is known that it is not found.
#[test]
fn benchmarks() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/confine");
    let apps = std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path());
    let (mut wrong, mut marked) = (String::new(), 0);
    for app in apps.filter(|path| path.join("expect.toml").exists()) {
        for twin in ["buggy", "fixed"] {
            let folder = app.join(twin);
            let within = format!("{}/{twin}/", app.file_name().unwrap().to_string_lossy());
            let about = |property: &Property| matches!(property, Property::Confinement { .. });
            let found = findings(&folder, &Settings::default(), about);
            let found: BTreeSet<(String, u32)> = found
                .iter()
                .filter(|finding| level_name(finding.level) != "note")
                .flat_map(said)
                .map(|(file, line, _)| (file.strip_prefix(&within).unwrap_or(&file).to_owned(), line))
                .collect();
            let meant = marks(&folder).into_iter().filter(|(.., said)| !said.ends_with(" missed"));
            let marks: BTreeSet<(String, u32)> = meant.map(|(file, line, _)| (file, line)).collect();
            marked += marks.len();
            let differ: Vec<_> = found.symmetric_difference(&marks).collect();
            if !differ.is_empty() {
                wrong.push_str(&format!("{within}: {differ:?}\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(marked, 33 + 17);
}

#[test]
fn lifecycles() {
    check("lifecycle", |property| matches!(property, Property::Lifecycle { .. }));
}

/// Where pointers are not all followed, nothing is concluded from what was not seen; what the text alone shows is still found.
#[test]
fn lifecycles_where_pointers_were_cut() {
    let mut settings = Settings::default();
    settings.limits.memory = 1;
    let [marks, found] =
        look("lifecycle", &settings, |property| matches!(property, Property::Lifecycle { .. }));
    let noise: Vec<_> = found.difference(&marks).collect();
    assert!(noise.is_empty(), "{noise:#?}");
    let missed = |class: &str| marks.difference(&found).filter(|(_, _, said)| said == class).count();
    assert!(missed("outlives-owner") > 0, "there was memory for all pointers");
    let left = found.iter().filter(|(_, _, said)| said == "no-handler").count();
    assert!(left > 0, "{found:#?}");
}
