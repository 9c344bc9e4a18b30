//! What functions ask of the thread that calls them, and where they run.

use std::path::Path;

use assert_cmd::Command;

fn output(args: &[&str]) -> String {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/crates/confined/Cargo.toml");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures");
    let mut command = Command::cargo_bin("cargo-robust").unwrap();
    let command = command.args(args).arg("--manifest-path").arg(manifest).arg("--target-dir").arg(target);
    String::from_utf8(command.arg("-q").output().unwrap().stdout).unwrap()
}

#[test]
fn public_functions_are_listed_with_what_they_ask() {
    let text = output(&["effects", "--lib"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "Scheduler::add (src/lib.rs:12:51): blocks(wait), needs(tokio)",
            "Scheduler::wait (src/lib.rs:20:17): blocks(sleep)",
            "Scheduler::start (src/lib.rs:24:5): needs(tokio)",
            "Scheduler::compute (src/lib.rs:31:5): needs(tokio)",
            "Turns::take (src/lib.rs:47:40): needs(tokio)",
            "Queues::take (src/lib.rs:66:40): needs(tokio)",
            "open (src/lib.rs:74:90): blocks(socket)",
        ]
    );
}

#[test]
fn what_a_function_sees_to_itself_it_does_not_ask_for() {
    let text = output(&["effects", "--every", "--bin", "runtimes"]);
    let of = |name: &str| text.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap_or_default();
    assert!(of("apart").ends_with(": blocks(wait), refuses(tokio)"), "{text}");
    assert!(of("watch").ends_with(": needs(tokio)"), "{text}");
    assert!(of("watch_inside").ends_with(": nothing"), "{text}");
    assert!(of("watch_too_late").ends_with(": needs(tokio)"), "{text}");
}

#[test]
fn places_are_shown() {
    let text = output(&["dump", "--stage", "places", "--bin", "runtimes"]);
    let of = |name: &str| text.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap_or_default();
    assert!(of("price_there").contains(" on tokio::blocking, tokio::in-place"), "{text}");
    assert!(of("watch").contains(" on thread"), "{text}");
    assert!(of("sum").contains(" on tokio::worker"), "{text}");
}

#[test]
fn what_functions_ask_is_a_model_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("confined.toml");
    output(&["effects", "--lib", "--write-models", file.to_str().unwrap()]);
    let text = std::fs::read_to_string(file).unwrap();
    let mut models = robust_models::Models::default();
    models.add("confined.toml", &text).unwrap();
    let effect = |name: &str| models.effect(&format!("confined::Scheduler::{name}")).unwrap();
    assert_eq!(effect("wait").blocks, Some(robust_models::Blocks::Sleep), "{text}");
    assert_eq!(effect("start").needs.as_deref(), Some(&["tokio".to_owned()][..]), "{text}");
    // A future needs its runtime where it is awaited.
    assert_eq!(
        (effect("add").blocks, &effect("add").needs),
        (Some(robust_models::Blocks::Wait), &None),
        "{text}"
    );
}
