use serde_json::Value;
use tempfile::TempDir;

use super::{MANIFEST, RACY_MAIN, Run, folder, robust, run, write};

fn racy() -> TempDir {
    folder(&[("Cargo.toml", MANIFEST), ("src/main.rs", RACY_MAIN)])
}

fn in_folder(folder: &TempDir, args: &[&str]) -> Run {
    run(robust().current_dir(folder).args(args))
}

#[test]
fn levels_from_files_and_the_command_line() {
    let folder = racy();
    assert_eq!(in_folder(&folder, &[]).code, 100);
    assert_eq!(in_folder(&folder, &["--warn", "all"]).code, 0);

    let in_manifest = format!("{MANIFEST}[package.metadata.robust.lints]\nlost-update = \"allow\"\n");
    write(folder.path(), "Cargo.toml", &in_manifest);
    let allowed = in_folder(&folder, &[]);
    assert_eq!(allowed.code, 0);
    assert!(allowed.out.contains("nothing found") && allowed.out.contains("1 allowed"), "{}", allowed.out);
    assert_eq!(in_folder(&folder, &["--deny", "lost-update"]).code, 100);

    write(folder.path(), "Cargo.toml", MANIFEST);
    write(folder.path(), "robust.toml", "[lints]\nlost-update = \"note\"\n");
    let noted = in_folder(&folder, &[]);
    assert_eq!(noted.code, 0);
    assert!(noted.out.contains("1 note "), "{}", noted.out);
}

#[test]
fn comments_in_source() {
    let folder = racy();
    let above = "// robust: allow(lost-update): an estimate is enough\nfn serve";
    write(folder.path(), "src/main.rs", &RACY_MAIN.replace("fn serve", above));
    let allowed = in_folder(&folder, &[]);
    assert_eq!(allowed.code, 0, "{}", allowed.out);
    assert!(allowed.out.contains("1 suppressed in the source"), "{}", allowed.out);

    let unused = "// robust: allow(order): just in case\nfn serve";
    write(folder.path(), "src/main.rs", &RACY_MAIN.replace("fn serve", unused));
    let json = in_folder(&folder, &["--format", "json"]);
    assert_eq!(json.code, 100);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["notices"][0]["kind"], "unused-suppression");
    assert_eq!(json["notices"][0]["place"]["line"], 6);
}

#[test]
fn a_baseline_outlives_moved_lines_and_notices_fixes() {
    let folder = racy();
    let written = in_folder(&folder, &["--baseline", "known.json", "--write-baseline"]);
    assert_eq!(written.code, 0, "{}", written.err);
    write(folder.path(), "src/main.rs", &format!("//! Moved.\n\n\n{RACY_MAIN}"));
    let known = in_folder(&folder, &["--baseline", "known.json"]);
    assert_eq!(known.code, 0, "{}", known.out);
    assert!(known.out.contains("1 in the baseline"), "{}", known.out);

    // Other state in the same function is another finding; the one that is known stays known.
    let also = "let n = *N.lock().unwrap(); *N.lock().unwrap() = n + 1; let count";
    let more = RACY_MAIN.replace("let count", also) + "static N: Mutex<u32> = Mutex::new(0);\n";
    write(folder.path(), "src/main.rs", &more);
    let new = in_folder(&folder, &["--baseline", "known.json"]);
    assert_eq!(new.code, 100, "{}", new.out);
    assert!(new.out.contains("1 in the baseline"), "{}", new.out);

    write(folder.path(), "src/main.rs", "fn main() {}\n");
    let fixed = in_folder(&folder, &["--baseline", "known.json"]);
    assert_eq!(fixed.code, 0);
    assert!(fixed.out.contains("has a finding that is gone"), "{}", fixed.out);
}

#[test]
fn findings_name_the_crate_as_cargo_does() {
    let folder = racy();
    let run = in_folder(&folder, &["--format", "rustc"]);
    let line: Value = serde_json::from_str(run.out.lines().next().unwrap()).unwrap();
    assert_eq!(line["target"]["name"], "small");
    assert!(line["package_id"].as_str().unwrap().ends_with("#small@0.1.0"), "{}", line["package_id"]);
    assert_eq!(line["message"]["spans"][0]["file_name"], "src/main.rs");
}

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
