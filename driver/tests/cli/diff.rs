//! `--diff REV`: what is new since a revision, and nothing left behind.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use super::{MANIFEST, RACY_MAIN, Run, folder, robust, run, write};

fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(args);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A repository with one commit of these files.
fn repository(files: &[(&str, &str)]) -> TempDir {
    let folder = folder(files);
    write(folder.path(), ".gitignore", "target\nCargo.lock\n");
    git(folder.path(), &["init", "-q"]);
    commit(folder.path());
    folder
}

fn commit(folder: &Path) {
    git(folder, &["add", "."]);
    git(folder, &["commit", "-q", "-m", "a"]);
}

fn diff(folder: &Path, args: &[&str]) -> Run {
    run(robust().current_dir(folder).arg("--diff").args(args))
}

fn nothing_left_behind(folder: &Path) {
    assert_eq!(git(folder, &["worktree", "list"]).lines().count(), 1);
    assert!(!folder.join("target/robust/revision-0").exists());
}

#[test]
fn only_what_is_new() {
    let folder = repository(&[("Cargo.toml", MANIFEST), ("src/main.rs", "fn main() {}\n")]);
    let folder = folder.path();
    write(folder, "src/main.rs", RACY_MAIN);
    // As a run that was killed leaves it.
    write(folder, "target/robust/revision-0/left.rs", "");
    let new = diff(folder, &["HEAD"]);
    assert_eq!(new.code, 100, "{}{}", new.out, new.err);
    nothing_left_behind(folder);

    commit(folder);
    write(folder, "src/main.rs", &format!("//! Moved.\n\n{RACY_MAIN}"));
    let known = diff(folder, &["HEAD", "-q"]);
    assert_eq!((known.code, known.out.as_str()), (0, ""), "{}", known.err);
    assert!(!known.err.contains("Checking"), "cargo is quiet, too: {}", known.err);
    let json = diff(folder, &["HEAD", "--format", "json"]);
    assert!(json.code == 0 && json.out.contains("\"before\": 1"), "{}", json.out);
    assert_eq!(diff(folder, &["HEAD~1", "-q"]).code, 100);
    nothing_left_behind(folder);
    assert_eq!(git(folder, &["status", "--short"]), " M src/main.rs\n");
}

#[test]
fn a_project_that_was_not_there_is_new() {
    let folder = repository(&[("README", "")]);
    let folder = folder.path();
    write(folder, "new/Cargo.toml", MANIFEST);
    write(folder, "new/src/main.rs", RACY_MAIN);
    assert_eq!(diff(folder, &["HEAD", "--manifest-path", "new/Cargo.toml"]).code, 100);
}

#[test]
fn a_package_that_has_a_workspace_by_now() {
    let folder = repository(&[("Cargo.toml", MANIFEST), ("src/main.rs", RACY_MAIN)]);
    let folder = folder.path();
    write(folder, "Cargo.toml", &format!("{MANIFEST}\n[workspace]\nmembers = [\"sub\"]\n"));
    write(folder, "sub/Cargo.toml", &MANIFEST.replace("small", "sub"));
    write(folder, "sub/src/lib.rs", "");
    let run = diff(folder, &["HEAD", "-q"]);
    assert_eq!((run.code, run.out.as_str()), (0, ""), "{}", run.err);
}

#[test]
fn revisions_that_cannot_be_compared_with() {
    let folder =
        repository(&[("Cargo.toml", MANIFEST), ("src/main.rs", "fn main() { let x: u8 = \"\"; }\n")]);
    let folder = folder.path();
    write(folder, "src/main.rs", RACY_MAIN);
    for (revision, message) in [
        ("HEAD", "`HEAD` could not be analysed"),
        ("nonsense", "there is no git revision `nonsense`"),
        ("-x", "there is no git revision `-x`"),
    ] {
        let run = run(robust().current_dir(folder).arg(format!("--diff={revision}")));
        assert_eq!(run.code, 101, "{revision}: {}", run.err);
        assert!(run.out.is_empty() && run.err.contains(message), "{revision}: {}", run.err);
        nothing_left_behind(folder);
    }
    std::fs::remove_dir_all(folder.join(".git")).unwrap();
    let run = diff(folder, &["HEAD"]);
    assert!(run.code == 101 && run.err.contains("is not in a git repository"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn an_interrupted_comparison_leaves_nothing_behind() {
    // At the revision, a build script waits for the signal.
    let script = "fn main() { std::thread::sleep(std::time::Duration::from_secs(60)); }\n";
    let files = [("Cargo.toml", MANIFEST), ("build.rs", script), ("src/main.rs", "fn main() {}\n")];
    let folder = repository(&files);
    let folder = folder.path();
    write(folder, "build.rs", "fn main() {}\n");
    write(folder, "src/main.rs", RACY_MAIN);
    let child = Command::new(env!("CARGO_BIN_EXE_cargo-robust"))
        .current_dir(folder)
        .args(["--diff", "HEAD"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let checked_out = folder.join("target/robust/revision-0/build.rs");
    while !checked_out.exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signal.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    nothing_left_behind(folder);
}
