use super::{folder, robust, run};

const MANIFEST: &str = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

#[test]
fn no_manifest() {
    let folder = folder(&[]);
    let run = run(robust().current_dir(&folder));
    assert_eq!(run.code, 101);
    assert!(run.out.is_empty() && run.err.contains("could not find `Cargo.toml`"), "{}", run.err);
}

#[test]
fn source_that_does_not_compile() {
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/main.rs", "fn main() { let x: u8 = \"\"; }\n")]);
    let run = run(robust().current_dir(&folder));
    assert_eq!(run.code, 101);
    assert!(run.err.contains("mismatched types") && run.err.contains("does not compile"), "{}", run.err);
    assert!(run.out.is_empty());
}

#[test]
fn malformed_configuration_comes_before_the_build() {
    let folder = folder(&[
        ("Cargo.toml", MANIFEST),
        ("robust.toml", "[lints]\norder = \"forbid\"\n"),
        ("src/main.rs", "fn main() { let x: u8 = \"\"; }\n"),
    ]);
    let run = run(robust().current_dir(&folder));
    assert_eq!(run.code, 101);
    assert!(
        run.err.contains("there is no level `forbid`") && run.err.contains("robust.toml:2:9"),
        "{}",
        run.err
    );
    assert!(!run.err.contains("mismatched types"), "{}", run.err);
}

#[test]
fn mir_is_printed() {
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/main.rs", "fn main() { println!(\"hello\"); }\n")]);
    let run = run(robust().current_dir(&folder).args(["dump", "--stage", "mir", "-q"]));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("fn main"), "{}", run.out);
}
