use super::{folder, robust, run};

const MANIFEST: &str = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

#[test]
fn baselines_that_cannot_be_used() {
    for (text, message) in [
        ("", "malformed baseline"),
        ("[]", "malformed baseline"),
        ("{\"version\": 1}", "missing field `findings`"),
        ("{\"version\": 2, \"findings\": []}", "it has version 2"),
        (
            "{\"version\": 1, \"findings\": [{\"unit\": \"a\", \"class\": \"order\", \"variable\": \"x\", \"fingerprint\": \"12\"}]}",
            "is no finding",
        ),
    ] {
        let files = [("Cargo.toml", MANIFEST), ("src/main.rs", "fn main() {}\n"), ("known.json", text)];
        let folder = folder(&files);
        let run = run(robust().current_dir(&folder).args(["--baseline", "known.json"]));
        assert_eq!(run.code, 101, "{text}: {}", run.err);
        assert!(run.out.is_empty() && run.err.contains(message), "{text}: {}", run.err);
    }
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/main.rs", "fn main() {}\n")]);
    let run = run(robust().current_dir(&folder).args(["--baseline", "absent.json"]));
    assert_eq!(run.code, 101);
    assert!(run.err.contains("cannot read the baseline `absent.json`"), "{}", run.err);
}
