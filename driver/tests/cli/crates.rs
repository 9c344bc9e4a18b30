use super::{MANIFEST, folder, robust, run};

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
    for (format, said) in [
        ("json", "\"error\": \"the source does not compile\""),
        ("gitlab", "\"severity\": \"major\""),
        ("junit", "failures=\"1\""),
        ("sarif", "\"executionSuccessful\": false"),
        ("github", "::error title=cargo robust::"),
        ("rustc", "\"success\":false"),
    ] {
        let run = self::run(robust().current_dir(&folder).args(["--format", format]));
        assert_eq!(run.code, 101);
        assert!(run.out.contains(said), "{format}: {}", run.out);
    }
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

#[test]
fn events_are_listed() {
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/main.rs", "fn main() { println!(\"hello\"); }\n")]);
    let run = run(robust().current_dir(&folder).args(["events", "-q"]));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.starts_with("main on main, once"), "{}", run.out);
}

#[test]
fn events_tell_why() {
    let source = "pub struct S(std::sync::Mutex<u8>);\nimpl S { pub fn add(&self) { *self.0.lock().unwrap() += 1; } }\n";
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", source)]);
    let run = run(robust().current_dir(&folder).args(["events", "-q", "--format", "json"]));
    assert_eq!(run.code, 0, "{}", run.err);
    let events: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(events[0]["name"], "S::add", "{}", run.out);
    assert_eq!(events[0]["why"], "public API of a library");
    assert_eq!(events[0]["executor"], serde_json::Value::Null);
    assert_eq!(events[0]["place"]["line"], 2);
}

#[test]
fn a_model_of_the_user_that_is_wrong_is_shown() {
    let folder = folder(&[
        ("Cargo.toml", MANIFEST),
        ("robust.toml", "models = [\"pool.toml\"]\n"),
        ("pool.toml", "library = \"pool\"\n[[fn]]\npath = \"pool::run\"\nacquire = { mode = \"odd\" }\n"),
        ("src/lib.rs", ""),
    ]);
    let run = run(robust().current_dir(&folder));
    assert_eq!(run.code, 101);
    assert!(run.err.contains("pool.toml") && run.err.contains("`odd`"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_ends_in_order() {
    // A build script that waits keeps cargo busy until the signal comes.
    let script = "fn main() { std::thread::sleep(std::time::Duration::from_secs(60)); }\n";
    let folder = folder(&[("Cargo.toml", MANIFEST), ("build.rs", script), ("src/main.rs", "fn main() {}\n")]);
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_cargo-robust"))
        .current_dir(&folder)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    let signal = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signal.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.is_empty());
}

#[test]
fn the_compilers_messages_come_with_the_findings() {
    use cargo_metadata::Message;
    let warns = "fn unused() {}\nfn main() {}\n";
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/main.rs", warns)]);
    let messages = || {
        let run = run(robust().current_dir(&folder).args(["--format", "rustc", "-q"]));
        assert!(!run.err.contains("never used"), "{}", run.err);
        let messages: Vec<Message> = Message::parse_stream(run.out.as_bytes()).map(Result::unwrap).collect();
        (run.code, messages)
    };
    let (code, all) = messages();
    let [Message::CompilerMessage(warning), Message::CompilerMessage(missing), Message::BuildFinished(end)] =
        &all[..]
    else {
        panic!("{all:?}")
    };
    assert!(missing.message.message.starts_with("nothing to look at"), "{missing:?}");
    assert!(code == 0 && end.success && warning.message.message.contains("never used"));

    super::write(folder.path(), "src/main.rs", "fn main() { let x: u8 = \"\"; }\n");
    let (code, all) = messages();
    assert!(code == 101, "{all:?}");
    assert!(
        matches!(&all[0], Message::CompilerMessage(error) if error.message.message == "mismatched types"),
        "{all:?}"
    );
    assert!(matches!(all.last(), Some(Message::BuildFinished(end)) if !end.success), "{all:?}");
}

#[test]
fn statics_of_several_crates_are_told_apart() {
    let main = "use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
static TOTAL: AtomicUsize = AtomicUsize::new(0);
fn main() {
    std::thread::spawn(|| TOTAL.store(TOTALS, SeqCst));
    std::thread::spawn(other::show);
    std::thread::spawn(|| other::set(2));
}
const TOTALS: usize = 7;
";
    let other = "use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
static TOTAL: AtomicUsize = AtomicUsize::new(0);
pub fn set(value: usize) { TOTAL.store(value, SeqCst); }
pub fn show() { println!(\"{}\", TOTAL.load(SeqCst)); }
";
    let folder = folder(&[
        (
            "Cargo.toml",
            "[package]\nname = \"krate\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n\
             [dependencies]\nother = { path = \"other\" }\n",
        ),
        ("src/main.rs", main),
        ("other/Cargo.toml", "[package]\nname = \"other\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
        ("other/src/lib.rs", other),
    ]);
    let run = run(robust().current_dir(&folder).args(["dump", "--stage", "ir", "-q"]));
    assert_eq!(run.code, 0, "{}", run.err);
    // Nobody reads the other one.
    assert!(run.out.contains("event once `main::{closure#1}`"), "{}", run.out);
    assert!(!run.out.contains("event once `main::{closure#0}`"), "{}", run.out);
}
