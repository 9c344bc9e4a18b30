//! Programs that are watched while they run: what each does wrong is said at the line where its task is started, and nothing is said
//! of those that do it right.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    fixture("monitored")
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/crates").join(name)
}

fn monitor(args: &[&str]) -> Output {
    monitor_in("monitored", args)
}

fn monitor_in(name: &str, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-robust"));
    command.args(["robust", "monitor", "--quiet", "--target-dir"]);
    command.arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("monitored")).args(args);
    command.current_dir(fixture(name)).env("RUST_BACKTRACE", "0");
    command.output().expect("the tool")
}

/// Property and line of each violation that was collected.
fn violations(output: &Output) -> BTreeSet<(String, u32)> {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.lines().filter_map(|line| line.strip_prefix("robust: "));
    lines
        .filter_map(|line| {
            let (_, rest) =
                line.split_once(": ").filter(|(level, _)| ["deny", "warn", "note"].contains(level))?;
            let (property, rest) = rest.split_once(": the task started at ")?;
            let line = rest.split(' ').next()?.split(':').nth(1)?.parse().ok()?;
            Some((property.to_owned(), line))
        })
        .collect()
}

fn marks(bin: &str) -> BTreeSet<(String, u32)> {
    let text = std::fs::read_to_string(folder().join(format!("src/bin/{bin}.rs"))).expect("the source");
    let marked =
        text.lines().zip(1..).filter_map(|(line, number)| Some((line.rsplit_once("//~ ")?.1, number)));
    marked
        .flat_map(|(said, number)| {
            said.split(' ').map(move |name| (name.to_owned(), number)).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn what_goes_wrong_is_seen() {
    let output = monitor(&["--", "run", "-q", "--bin", "wrong"]);
    assert_eq!(violations(&output), marks("wrong"), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(100));
}

#[test]
fn what_is_right_is_left_alone() {
    let output = monitor(&["--", "run", "-q", "--bin", "right"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(violations(&output), BTreeSet::new(), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("0 violations seen") && !said.contains("not watched"), "{said}");
    let output = monitor(&["--", "test", "-q", "--lib"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn users_have_properties_of_their_own() {
    let search = ["--props", "one-search.cor", "--", "run", "-q", "--bin", "searches"];
    let output = monitor(&search);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let careless: Vec<&str> = search.iter().copied().chain(["--", "careless"]).collect();
    let output = monitor(&careless);
    let found = violations(&output);
    assert!(
        found.iter().any(|(name, _)| name == "AlwaysOneJob"),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(output.status.code(), Some(100));
}

#[test]
fn properties_are_checked_before_anything_runs() {
    let output = monitor(&["--check", "--props", "one-search.cor"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "AlwaysOneJob (deny): 2 states over at most 1\n");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong.cor");
    std::fs::write(&file, "property P: forall x: task. G !panicked(y);").expect("a file");
    let output = monitor(&["--check", "--props", &file.to_string_lossy()]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("`y` is not bound") && output.status.code() == Some(101), "{said}");
    std::fs::write(&file, b"property \xff").expect("a file");
    let output = monitor(&["--check", "--props", &file.to_string_lossy()]);
    assert_eq!(output.status.code(), Some(101));
    assert_eq!(monitor(&["--", "clean"]).status.code(), Some(101));
}

/// What the analysis decided is never seen otherwise.
#[test]
fn what_was_decided_is_so() {
    let programs = [
        ("monitored", &["wrong", "right", "searches"][..]),
        // Others of these never end, or take long.
        ("lifecycle", &["answers", "drops", "errors", "woken"]),
    ];
    for (name, program) in programs.iter().flat_map(|(name, all)| all.iter().map(move |one| (name, one))) {
        let output =
            monitor_in(name, &["--all-sites", "--within", "50", "--", "run", "-q", "--bin", program]);
        let said = String::from_utf8_lossy(&output.stderr);
        let decided = said.lines().find_map(|line| {
            let numbers = line.strip_prefix("robust: ")?.strip_suffix(" were decided before")?;
            numbers.split(' ').next()?.parse::<u32>().ok()
        });
        assert!(decided.is_some_and(|decided| decided > 20), "{program}: {said}");
        assert!(!said.contains("it was decided that"), "{program}: {said}");
    }
}
