//! Surroundings that are not as they should be.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::{FINE, MANIFEST, RACY, RACY_MAIN, folder, robust, run, write};

const FORMATS: [&str; 8] = ["human", "json", "sarif", "github", "rustc", "concise", "gitlab", "junit"];

#[test]
fn odd_paths_and_sources() {
    let folder = folder(&[]);
    let odd = folder.path().join("with space & \"quote\" ünï");
    // A part is generated, a part is included; with tabs, carriage returns, and characters of every width.
    let (serve, rest) = RACY_MAIN.split_once("fn main").unwrap();
    let serve =
        serve.replace("    ", "\t").replace("fn serve", "/* 幅広 👩‍👩‍👧 שלום */ fn serve").replace('\n', "\r\n");
    let script = "fn main() {
        let out = std::env::var(\"OUT_DIR\").unwrap() + \"/main.rs\";
        std::fs::copy(\"main.part\", out).unwrap();
    }";
    write(&odd, "Cargo.toml", MANIFEST);
    write(&odd, "build.rs", script);
    write(&odd, "main.part", &format!("fn main{rest}"));
    write(&odd, "src/parts/serve.inc", &serve);
    let main = "include!(\"parts/serve.inc\");\ninclude!(concat!(env!(\"OUT_DIR\"), \"/main.rs\"));\n";
    write(&odd, "src/main.rs", main);
    for format in FORMATS {
        let run = run(robust().current_dir(&odd).args(["--format", format, "--html", "a b.html"]));
        assert_eq!(run.code, 100, "{format}: {}", run.err);
        assert!(run.out.contains("serve.inc"), "{format}: {}", run.out);
    }
    assert!(odd.join("a b.html").is_file());
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_no_unicode_is_cargos_to_refuse() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder(&[]);
    let odd = folder.path().join(std::ffi::OsStr::from_bytes(b"\xff"));
    write(&odd, "Cargo.toml", MANIFEST);
    write(&odd, "src/main.rs", "fn main() {}\n");
    let run = run(robust().current_dir(&odd));
    assert_eq!(run.code, 101);
    assert!(run.err.contains("invalid UTF-8"), "{}", run.err);
}

#[test]
fn runs_side_by_side_agree() {
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/main.rs", RACY_MAIN)]);
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-robust"));
        command.current_dir(&folder).args(["--format", "json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let children = [start(), start(), start()];
    let mut reports = children.map(|child| {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(100), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    });
    for report in &mut reports {
        report["summary"]["stages"].take();
    }
    assert!(reports[0] == reports[1] && reports[1] == reports[2]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_written_is_no_success() {
    let folder = folder(&[("fine.rob", super::FINE), ("racy.rob", super::RACY)]);
    for (file, format) in [("fine.rob", "human"), ("racy.rob", "json")] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_cargo-robust"))
            .current_dir(&folder)
            .args(["check", file, "--format", format])
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(101));
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"));
    }
    let page = run(robust().current_dir(&folder).args(["check", "fine.rob", "--html", "/dev/full"]));
    assert!(page.code == 101 && page.err.contains("cannot write `/dev/full`"), "{}", page.err);
}

#[cfg(unix)]
#[test]
fn an_interrupted_preparation_is_no_error() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    // On a terminal, the signal reaches everything that runs: here a compiler that takes its time to tell its version.
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/main.rs", "fn main() {}\n")]);
    let rustc = folder.path().join("rustc");
    let started = folder.path().join("started");
    std::fs::write(&rustc, format!("#!/bin/sh\ntouch {}\nsleep 60\n", started.display())).unwrap();
    std::fs::set_permissions(&rustc, std::fs::Permissions::from_mode(0o755)).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_cargo-robust"))
        .current_dir(&folder)
        .env("RUSTC", &rustc)
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !started.exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let signal = Command::new("kill").args(["-INT", "--", &format!("-{}", child.id())]).status().unwrap();
    assert!(signal.success());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), err.trim()), (Some(130), ""));
}

/// Some editors begin a file with a byte order mark. It is no part of the program.
#[test]
fn byte_order_marks() {
    let mark = |text: &str| format!("\u{feff}{text}");
    let bad = mark("vax n;");
    let folder = folder(&[
        ("racy.rob", &mark(RACY)),
        ("fine.rob", &mark(FINE)),
        ("plain.rob", RACY),
        ("bad.rob", &bad),
    ]);
    let check = |file: &str| run(robust().current_dir(&folder).args(["check", file]));
    let (racy, plain, bad) = (check("racy.rob"), check("plain.rob"), check("bad.rob"));
    assert_eq!(racy.code, 100, "{}", racy.err);
    let timeless = |text: &str| text.split("  time: ").next().unwrap_or_default().to_owned();
    assert_eq!(timeless(&racy.out.replace("racy.rob", "plain.rob")), timeless(&plain.out));
    assert_eq!(check("fine.rob").code, 0);
    assert!(bad.code == 101 && bad.err.contains("bad.rob:1:1"), "{}", bad.err);
}

/// All on one line, behind column 65,535.
#[test]
fn lines_of_many_characters() {
    let far = |text: &str| " ".repeat(70_000) + &text.replace('\n', " ");
    let folder = folder(&[
        ("racy.rob", &far(RACY)),
        ("fine.rob", &far(FINE)),
        ("bad.rob", &far("vax n;")),
        ("unknown.rob", &far("event e on any { write nothing; }")),
    ]);
    for format in FORMATS {
        let check = |file: &str| run(robust().current_dir(&folder).args(["check", file, "--format", format]));
        let racy = check("racy.rob");
        assert_eq!(racy.code, 100, "{format}: {}", racy.err);
        // Some formats have lines alone.
        let place = if matches!(format, "gitlab" | "junit") { "racy.rob" } else { "700" };
        assert!(racy.out.contains(place) && racy.err.is_empty(), "{format}: {}{}", racy.out, racy.err);
        assert_eq!(check("fine.rob").code, 0, "{format}");
    }
    for (file, place) in [("bad.rob", "bad.rob:1:70001"), ("unknown.rob", "unknown.rob:1:70024")] {
        let bad = run(robust().current_dir(&folder).args(["check", file]));
        assert_eq!(bad.code, 101, "{}", bad.err);
        assert!(bad.err.contains(place) && bad.err.len() < 2_000, "{}", bad.err);
    }
}
