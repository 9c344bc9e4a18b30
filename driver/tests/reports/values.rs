//! Reports made by hand, and the source they are about.

use std::collections::BTreeMap;
use std::path::Path;

use cargo_robust::report::*;
use robust_analyzer::finding::*;
use robust_analyzer::ir::SourcePlace;
use tempfile::TempDir;

pub const MAIN: &str = "\
use crate::db::Db;

pub async fn open(db: &Db, user: &str) {
    if !db.has(user).await {
        db.insert(user).await;
    }
}
";

pub const DB: &str = "\
use std::collections::HashSet;
use tokio::sync::Mutex;

pub struct Db {
    users: Mutex<HashSet<String>>,
}

impl Db {
    pub async fn has(&self, user: &str) -> bool {
        self.users.lock().await.contains(user)
    }

    pub async fn insert(&self, user: &str) {
        self.users.lock().await.insert(user.to_string());
    }
}
";

/// A folder with the source.
pub fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

pub fn place(file: &str, line: u32, column: u32, end_column: u32) -> SourcePlace {
    SourcePlace { file: file.into(), line, column, end_line: line, end_column }
}

pub fn lane(name: &str, instance: u32) -> Lane {
    let place = Some(place("src/main.rs", 3, 1, 40));
    Lane {
        name: name.into(),
        instance,
        is_event: true,
        is_spawned: false,
        elsewhere: false,
        executor: "any".into(),
        place,
    }
}

pub fn step(lane: usize, kind: StepKind, subject: &str, place: SourcePlace, role: Role) -> Step {
    let (text, place, subject) = (kind.text(subject), Some(place), subject.to_owned());
    Step { lane, kind, subject, text, place, role, conflicts_with: Vec::new(), stack: Vec::new() }
}

/// With the conflicts, and the way there, noted at the steps.
pub fn linked(mut finding: Finding) -> Finding {
    for step in finding.steps.iter_mut().filter(|step| step.role != Role::Step) {
        let frame = |function: &str, place| Frame { function: function.into(), declared: None, place };
        let method = if step.kind == StepKind::Read { "Db::has" } else { "Db::insert::{closure#0}" };
        let call = || place("src/main.rs", 4, 8, 21);
        step.stack = vec![frame(method, step.place.clone()), frame("open", Some(call()))];
    }
    for (from, to) in finding.conflicts() {
        finding.steps[from].conflicts_with.push(to as u32 + 1);
    }
    finding
}

/// Two instances of one event, with places in two files.
pub fn check_then_act() -> Finding {
    let has = || place("src/db.rs", 10, 9, 47);
    let insert = || place("src/db.rs", 14, 9, 57);
    linked(Finding {
        class: Class::CheckThenAct,
        level: Level::Deny,
        property: Property::Serializability {
            events: vec!["open".into(), "open".into()],
            despite_nondeterminism: false,
        },
        variable: "db.users".into(),
        message: "`open` checks `db.users` and later writes it because of what it saw; a second, concurrent `open` writes it in between"
            .into(),
        lanes: vec![lane("open", 0), lane("open", 1)],
        steps: vec![
            step(0, StepKind::Begin, "", place("src/main.rs", 3, 1, 40), Role::Step),
            step(0, StepKind::Read, "db.users", has(), Role::Exit),
            step(1, StepKind::Read, "db.users", has(), Role::Step),
            step(1, StepKind::Write, "db.users", insert(), Role::EntryExit),
            step(0, StepKind::Write, "db.users", insert(), Role::Pivot),
        ],
        assumption: "each call of a handler should look atomic to the others".into(),
        hint: "check and act under one lock".into(),
        excuse: String::new(),
        fingerprint: "00112233445566aa".into(),
        unit: "server".into(),
        alike: Default::default(),
    })
}

/// A task that overtakes, all in one file.
pub fn order() -> Finding {
    linked(Finding {
        class: Class::Order,
        level: Level::Warn,
        property: Property::Determinism { event: "main".into() },
        variable: "ready".into(),
        message:
            "`load` may read `ready` only after `main` has written it, although it was started before that"
                .into(),
        lanes: vec![
            lane("main", 0),
            Lane { is_event: false, is_spawned: true, executor: "ui".into(), ..lane("load", 0) },
        ],
        steps: vec![
            Step {
                place: None,
                ..step(0, StepKind::Spawn, "load", place("src/main.rs", 4, 8, 21), Role::Step)
            },
            step(0, StepKind::Write, "ready", place("src/main.rs", 5, 9, 30), Role::Root),
            step(1, StepKind::Read, "ready", place("src/main.rs", 4, 8, 21), Role::Pivot),
        ],
        assumption: String::new(),
        hint: "wait for the task".into(),
        excuse: "a reason".into(),
        fingerprint: "ffeeddccbbaa0099".into(),
        unit: "server".into(),
        alike: Default::default(),
    })
}

/// What was seen of the check that is acted on.
fn replays() -> Replays {
    let open = |result: &str| replay::Shown { call: "open(\"a\")".into(), result: result.into() };
    let course = |lanes: [&str; 2], state: &str| replay::Course {
        lanes: lanes.map(|result| vec![open(result)]).into(),
        state: state.into(),
        end: "done".into(),
        ..replay::Course::default()
    };
    let answer = Replay {
        verdict: replay::Verdict::Confirmed,
        reason: "the finding's own schedule, forced 20 of 20 times".into(),
        tries: 1,
        forced: 1,
        runs: 64,
        ms: 1234,
        seen: Some(course(["true", "true"], "Db { users: [\"a\", \"a\"] }")),
        serial: vec![course(["true", "false"], "Db { users: [\"a\"] }")],
        held: vec!["#1 reads `db.users` (src/main.rs:4)".into()],
        again: "cargo robust replay 00112233445566aa".into(),
        ..Replay::default()
    };
    Replays::from([("00112233445566aa".to_owned(), answer)])
}

/// A report on these findings, with something in every field.
pub fn report(root: &Path, findings: Vec<Finding>) -> Report {
    let violated = Verdicts {
        determinism: BTreeMap::from([("main".into(), Answer::Violated), ("open".into(), Answer::Holds)]),
        serializability: Answer::Violated,
    };
    let complete = Proof { complete: true, bound: None, reason: None };
    let completeness = Completeness {
        determinism: BTreeMap::from([
            ("main".into(), complete.clone()),
            (
                "open".into(),
                Proof { complete: false, bound: Some("loops unrolled 2 times".into()), reason: None },
            ),
        ]),
        serializability: Proof { complete: false, bound: None, reason: Some("30 s were not enough".into()) },
        despite_nondeterminism: true,
        unanswered: Vec::new(),
    };
    Report {
        schema_version: SCHEMA_VERSION,
        tool: Tool {
            name: "cargo-robust".into(),
            version: "0.0.0".into(),
            rustc: Some("1.95.0".into()),
            z3: "4.8.12".into(),
        },
        root: root.to_string_lossy().into_owned(),
        bounds: Bounds { events: 3, unroll: 2, timeout_s: 30, findings: 8 },
        part: None,
        verdicts: violated.clone(),
        completeness: completeness.clone(),
        complete: false,
        error: None,
        gaps: vec![
            Gap {
                kind: GapKind::NotReached,
                message: "1 of 9 functions with locks, atomics or cells is reached from no handler".into(),
            },
            Gap {
                kind: GapKind::NotAnalysed,
                message: "2 parts of the program were not analysed (inline assembly)".into(),
            },
        ],
        incomplete_fails: false,
        units: vec![Unit {
            name: "server".into(),
            kind: "bin".into(),
            verdicts: violated,
            completeness,
            crates: vec![CargoTarget {
                package_id: "path+file:///p/server#0.1.0".into(),
                manifest_path: "/p/server/Cargo.toml".into(),
                name: "server".into(),
                kinds: vec!["bin".into()],
                crate_types: vec!["bin".into()],
                src_path: "/p/server/src/main.rs".into(),
                edition: "2024".into(),
            }],
        }],
        findings,
        replays: replays(),
        hidden: Hidden { allowed: 1, suppressed: 2, baseline: 3, before: 4 },
        notices: vec![
            Notice {
                kind: NoticeKind::UnusedSuppression,
                message: "unused suppression: there is no `order` finding here".into(),
                place: Some(place("src/main.rs", 2, 1, 20)),
            },
            Notice {
                kind: NoticeKind::StaleBaseline,
                message: "the baseline has a finding that is gone: order of `x` in server (0123456789abcdef)"
                    .into(),
                place: None,
            },
        ],
        summary: Summary {
            places: None,
            lifecycles: None,
            bodies: 120,
            events: 2,
            tasks: 3,
            locks: 1,
            variables: 7,
            coverage: Some(Coverage {
                functions: 9,
                reached: 8,
                unreached: vec![Unreached {
                    unit: "server".into(),
                    name: "Db::compact".into(),
                    place: Some(place("src/db.rs", 13, 1, 20)),
                }],
            }),
            questions: 3,
            filtered: 1,
            proved: 0,
            bounded: 1,
            limited: 1,
            unasked: 0,
            unguarded: 0,
            violated: 1,
            unknown: 0,
            not_analysed: ["f", "g"]
                .map(|name| NotAnalysed {
                    unit: "server".into(),
                    name: name.into(),
                    reason: "inline assembly".into(),
                })
                .to_vec(),
            opaque: BTreeMap::from([("ffi::call".into(), 4), ("other::run".into(), 1)]),
            not_replayed: 0,
            stages: [("cargo", 12_345), ("solve", 67)]
                .map(|(stage, ms)| StageTime { stage: stage.into(), ms })
                .to_vec(),
        },
    }
}
