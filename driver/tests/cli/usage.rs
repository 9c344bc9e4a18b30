use super::{robust, run};

#[test]
fn help() {
    insta::assert_snapshot!("help", run(robust().arg("--help")).out);
    insta::assert_snapshot!("help_short", run(robust().arg("-h")).out);
    for command in ["check", "dump", "events"] {
        insta::assert_snapshot!(format!("help_{command}"), run(robust().args([command, "-h"])).out);
    }
}

#[test]
fn version() {
    let run = run(robust().arg("--version"));
    assert_eq!((run.code, run.out), (0, format!("cargo-robust {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn wrong_usage_has_a_code_of_its_own() {
    for args in [
        &["--nonsense"][..],
        &["--format", "xml"],
        &["--deny", "nothing"],
        &["--deny", "order", "--warn", "order"],
        &["--write-baseline"],
        &["--diff"],
        &["--events", "0"],
        &["--timeout", "0"],
        &["--explain", "race"],
        &["--exclude", "x"],
        &["-q", "-v"],
        &["check"],
        &["check", "a.rob", "b.rob"],
        &["dump"],
        &["dump", "--stage", "none"],
        &["--lib", "check", "a.rob"],
        &["nonsense"],
        &["completions", "cmd.exe"],
    ] {
        let run = run(robust().args(args));
        assert_eq!(run.code, 2, "{args:?}: {}{}", run.out, run.err);
        assert!(run.out.is_empty() && run.err.starts_with("error: "), "{args:?}: {}", run.err);
    }
}

#[test]
fn classes_are_explained() {
    for class in ["lost-update", "check-then-act", "torn-read", "torn-write", "order"] {
        let run = run(robust().args(["--explain", class]));
        assert_eq!(run.code, 0);
        assert!(run.out.starts_with("# ") && run.out.contains("## Fixed"), "{}", run.out);
        let colored = super::run(robust().args(["--explain", class, "--color", "always"])).out;
        assert!(colored.starts_with("\u{1b}[1m") && !colored.contains("```"), "{colored}");
        let words =
            |text: &str| text.split_whitespace().filter(|w| w.chars().all(char::is_alphanumeric)).count();
        assert!(words(&colored) * 10 > words(&run.out) * 9, "all of it is there: {colored}");
    }
}

#[test]
fn completions_and_manual() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = run(robust().args(["completions", shell]));
        assert_eq!(run.code, 0);
        assert!(run.out.contains("write-baseline"), "{shell}");
    }
    let run = run(robust().arg("man"));
    assert_eq!(run.code, 0);
    assert!(run.out.contains(".TH cargo-robust 1") && run.out.contains("Exit codes"));
    for command in ["check", "dump", "events"] {
        let run = super::run(robust().args(["man", command]));
        assert!(run.out.contains(&format!(".TH cargo-robust-{command} 1")), "{}", run.out);
    }
    assert_eq!(super::run(robust().args(["man", "nonsense"])).code, 2);
}

#[test]
fn a_closed_pipe_is_no_error() {
    // `Stdio::null` cannot be closed early; a pipe whose reader is dropped can.
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_cargo-robust"))
        .args(["completions", "bash"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}
