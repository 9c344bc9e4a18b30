//! Fixture crates, from cargo to the lowered program: its text, and what the oracle says of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cargo_robust::extract::{CargoOptions, extract};
use robust_analyzer::limits::{Deadline, Limits};
use robust_analyzer::lower::{Lowered, Scope, Told, lower, lower_told};
use robust_analyzer::mir::{BodyKind, Crate};
use robust_analyzer::semantics::{Machine, oracle};
use robust_models::Models;

/// The programs of a fixture package, by crate.
fn fixture(name: &str) -> BTreeMap<String, Lowered> {
    let models = Models::built_in();
    crates(name).into_iter().map(|krate| (krate.name.to_string(), lower(&[krate], &models))).collect()
}

/// The crates of a fixture package.
fn crates(name: &str) -> Vec<Arc<Crate>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/crates").join(name);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures");
    let options = CargoOptions {
        wrapper: Some(env!("CARGO_BIN_EXE_cargo-robust").into()),
        target_dir: Some(target),
        ..CargoOptions::default()
    }
    .of(&folder.join("Cargo.toml"));
    let extraction =
        extract(&options, &mut ()).unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)));
    let mut crates = extraction.crates;
    // All functions of the fixtures' libraries are public; how that is found out is tested elsewhere.
    for body in crates.iter_mut().flat_map(|krate| Arc::make_mut(krate).bodies.iter_mut()) {
        body.public = matches!(body.kind, BodyKind::Fn);
    }
    crates
}

/// What is wrong with a program, by enumeration: events that are not deterministic, and `serializability`.
fn wrong(lowered: &Lowered) -> Vec<String> {
    let machine =
        Machine::new(&lowered.program).unwrap_or_else(|error| panic!("{error:?}\n{}", lowered.program));
    let limits = oracle::Limits::default();
    let mut wrong = Vec::new();
    let mut note = |answer: oracle::Answer, what: String| match answer {
        oracle::Answer::Holds => {}
        oracle::Answer::Violated => wrong.push(what),
        oracle::Answer::TooLarge => panic!("{what}: too many states\n{}", lowered.program),
    };
    for event in lowered.program.events() {
        let name = &lowered.program.proc(event).name;
        note(oracle::determinism(&machine, event, 0, limits), format!("determinism of {name}"));
    }
    note(oracle::serializability(&machine, 3, limits), "serializability".into());
    wrong
}

#[test]
fn what_there_is_no_room_or_time_for_is_said() {
    let crates = crates("threads");
    let reasons = |limits: Limits| {
        let lowered = lower_told(&crates, &Models::built_in(), &Told::default(), Scope::All, limits);
        let reasons: Vec<String> = lowered.not_analysed.into_iter().map(|missing| missing.reason).collect();
        (reasons.join("; "), lowered.late)
    };
    let (enough, _) = reasons(Limits::of_memory(2048));
    assert!(!enough.contains("followed") && !enough.contains("told apart"), "{enough}");
    let (little, late) = reasons(Limits::of_memory(1));
    assert!(little.contains("not told apart"), "{little}");
    assert!(!late);
    assert_eq!(reasons(Limits::of_memory(1)).0, little, "the same every time");
    let (none, late) = reasons(Limits::of_memory(0));
    assert!(none.contains("not all of them were followed") && !late, "{none}");
    let over = Limits::of_memory(2048).until(Deadline::after(Duration::ZERO));
    let (nothing, late) = reasons(over);
    assert!(nothing.contains("timeout") && late, "{nothing}");
}

/// Types that lead to one another have more ways through them than there is memory for; what is analysed does not.
#[test]
fn what_only_seems_large_needs_little() {
    let limits = Limits::of_memory(256);
    let lowered = lower_told(&crates("large"), &Models::built_in(), &Told::default(), Scope::All, limits);
    let reasons: Vec<&str> = lowered.not_analysed.iter().map(|missing| &*missing.reason).collect();
    let is_lost = |reason: &&&str| reason.contains("told apart") || reason.contains("followed");
    assert_eq!(reasons.iter().find(is_lost), None, "{reasons:?}");
}

/// Compares all programs of a fixture with the snapshots, and what is wrong with the expectations.
fn check(name: &str, expected: &[(&str, &[&str])]) {
    let lowered = fixture(name);
    let mut text = String::new();
    let mut found = BTreeMap::new();
    for (krate, lowered) in &lowered {
        text.push_str(&format!("// {krate}\n{}\n", lowered.program));
        found.insert(&**krate, wrong(lowered));
        // What is left out on purpose.
        let mut missing = lowered.not_analysed.iter().filter(|m| !m.name.starts_with("the synchronisation"));
        assert_eq!(missing.next(), None, "{krate}");
    }
    let expected: BTreeMap<&str, Vec<String>> = expected
        .iter()
        .map(|(krate, wrong)| (*krate, wrong.iter().map(|text| text.to_string()).collect()))
        .collect();
    assert_eq!(found, expected, "{text}");
    insta::assert_snapshot!(name, text);
}

const S: &[&str] = &["serializability"];
const FINE: &[&str] = &[];

#[test]
fn chat() {
    check("chat", &[("chat", S)]);
}

#[test]
fn chat_fixed() {
    check("chat-fixed", &[("chat_fixed", FINE)]);
}

#[test]
fn threads() {
    check(
        "threads",
        &[
            ("check_then_act", S),
            ("counter", FINE),
            ("double_checked", FINE),
            ("exchange", FINE),
            ("fetch_add", FINE),
            ("lost_update", S),
            ("one_guard", FINE),
            ("scoped", S),
            ("spin", FINE),
            ("used_early", &["determinism of main#2"]),
            ("waited_for", FINE),
        ],
    );
}

/// Reads that do not matter, by path; and the same without what makes them not matter.
#[test]
fn idioms() {
    check(
        "idioms",
        &[
            ("latest", FINE),
            ("queue", FINE),
            ("queue_peeked", S),
            ("stop_flag", S),
            ("take_once", FINE),
            ("try_lock", FINE),
            ("version", FINE),
            ("version_ignored", S),
        ],
    );
}

#[test]
fn tasks() {
    check(
        "tasks",
        &[
            ("actor", FINE),
            // What is read may be another request's, but never too early.
            ("awaited", S),
            ("guard_dropped", S),
            ("guard_kept", FINE),
            ("helpers", &["determinism of main::{closure#0}#4"]),
            ("not_awaited", &["determinism of main::{closure#0}", "serializability"]),
            ("sources", &["determinism of main::{closure#0}#9"]),
            ("validate", S),
            ("validate_fixed", FINE),
        ],
    );
}

#[test]
fn public_methods_of_a_library() {
    check("library", &[("library", S)]);
    check("library-fixed", &[("library_fixed", FINE)]);
}

#[test]
fn places_are_the_users() {
    let lowered = fixture("chat");
    let program = &lowered["chat"].program;
    let window = include_str!("../../tests/crates/chat/src/main.rs");
    let line = |text: &str| window.lines().position(|line| line.contains(text)).map(|line| line as u32 + 1);
    for text in ["let command = Command { text", "let text = window.field", "*self.field.borrow_mut() = text"]
    {
        let wanted = line(text);
        assert!(wanted.is_some(), "{text}");
        assert!(
            program.places.iter().any(|place| Some(place.line) == wanted),
            "{text}: {:?}",
            program.places
        );
    }
    assert!(program.places.iter().all(|place| place.file == "src/main.rs"), "{:?}", program.places);
}

/// Wherever the time runs out: what is left of a program is wrong only where the whole is, and something is said.
#[test]
fn what_there_is_no_time_for_is_no_bug() {
    let models = Models::built_in();
    // Numbers tell events of one name apart, and there are fewer of them then.
    let plain = |what: &str| what.split('#').next().unwrap_or(what).to_owned();
    for name in ["library-fixed", "threads", "waits"] {
        let crates = crates(name);
        let lowered = |deadline| {
            let limits = Limits::of_memory(2048).until(deadline);
            lower_told(&crates, &models, &Told::default(), Scope::All, limits)
        };
        let whole = lowered(Deadline::never());
        let known: Vec<String> = wrong(&whole).iter().map(|what| plain(what)).collect();
        let mut seen = BTreeSet::from([whole.program.to_string()]);
        for stage in 0..11 {
            for looks in [0, 1, 2, 3, 5, 8, 12, 18, 27, 40, 60, 90, 135, 200, 300, 450] {
                let lowered = lowered(Deadline::of_stage(stage, looks));
                if !seen.insert(lowered.program.to_string()) {
                    continue;
                }
                let at = format!("{name}: stage {stage} after {looks} looks");
                let mut reasons = lowered.not_analysed.iter().map(|missing| &missing.reason);
                assert!(lowered.late && reasons.any(|reason| reason.starts_with("timeout")), "{at}");
                let wrong: Vec<String> = wrong(&lowered).iter().map(|what| plain(what)).collect();
                let count = |all: &[String], what: &str| all.iter().filter(|one| *one == what).count();
                let new = wrong.iter().find(|what| count(&wrong, what) > count(&known, what));
                assert_eq!(new, None, "{at}\n{}", lowered.program);
            }
        }
        assert!(seen.len() > 4, "{name}: {}", seen.len());
    }
}

/// However little memory there is for pointers: where they could not all be followed nothing is said of anything, and else what is not
/// told apart is.
#[test]
fn what_there_is_no_memory_for_excuses_nothing() {
    let models = Models::built_in();
    let crates = crates("library");
    let lowered = |limits| lower_told(&crates, &models, &Told::default(), Scope::All, limits);
    let whole = lowered(Limits::of_memory(2048));
    let (mut cut, mut coarse, mut enough) = (0, 0, 0);
    for step in 0..36 {
        let bytes = (4096.0 * 1.4_f64.powi(step)) as u64;
        let lowered = lowered(Limits::of_bytes(bytes));
        let says = |what: &str| lowered.not_analysed.iter().any(|missing| missing.reason.contains(what));
        if says("not all of them were followed") {
            assert_eq!(lowered.program.statements().len(), 0, "{bytes}: {}", lowered.program);
            assert!(says("of its calls were not looked into"), "{bytes}");
            cut += 1;
        } else if says("told apart") {
            coarse += 1;
        } else {
            assert_eq!((&lowered.program, &lowered.not_analysed), (&whole.program, &whole.not_analysed));
            enough += 1;
        }
        assert!(!lowered.late, "{bytes}: memory is no time");
    }
    assert!(cut > 0 && coarse > 0 && enough > 0, "{cut} {coarse} {enough}");
}
