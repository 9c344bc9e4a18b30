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
        &["--instances", "0"],
        &["--unroll", "0"],
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
    for shell in ["bash", "zsh", "fish", "nushell", "powershell", "elvish"] {
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

/// People type `cargo robust`, not `cargo-robust`. Shells that are not there are not asked.
#[test]
fn shells_complete_below_cargo() {
    let completed = |shell: &str, script: &str| {
        let folder = super::folder(&[("script", &run(robust().args(["completions", shell])).out)]);
        let mut command = std::process::Command::new(shell);
        let output = command.current_dir(&folder).args(["-c", script]).output().ok()?;
        Some(String::from_utf8(output.stdout).unwrap())
    };
    let bash = "source ./script\nCOMP_WORDS=(cargo robust dump --stage d) COMP_CWORD=4\n\
                _cargo_robust_below_cargo cargo d --stage\necho \"${COMPREPLY[@]}\"\ncomplete -p cargo";
    if let Some(said) = completed("bash", bash) {
        assert!(
            said.starts_with("detstr detseq\n") && said.contains("-F _cargo_robust_below_cargo"),
            "{said}"
        );
    }
    let fish = "source ./script; complete -C 'cargo robust --write'; complete -C 'cargo robust du'";
    if let Some(said) = completed("fish", fish) {
        assert!(said.starts_with("--write-baseline") && said.contains("\ndump"), "{said}");
    }
    // Cargo's completion for zsh calls the function of that name.
    assert!(run(robust().args(["completions", "zsh"])).out.contains("_cargo-robust() {"));
    let nushell = run(robust().args(["completions", "nushell"])).out;
    assert!(
        nushell.contains("export extern \"cargo robust\" [") && nushell.contains("\"cargo robust check\""),
        "{nushell}"
    );
}

#[test]
fn a_configuration_to_start_from() {
    let folder = super::folder(&[("Cargo.toml", super::MANIFEST), ("src/lib.rs", "")]);
    let init = |code: i32| {
        let run = run(robust().current_dir(folder.path().join("src")).arg("init"));
        assert_eq!(run.code, code, "{}", run.err);
        run.err
    };
    init(0);
    let file = folder.path().join("robust.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.lines().all(|line| line.is_empty() || line.starts_with('#')), "{text}");
    assert_eq!(run(robust().current_dir(&folder).arg("--offline")).code, 0);
    // What is a setting means something: all of them but the file that is not there.
    let is_setting = |line: &&str| line.contains(" = ") || line.starts_with("# [");
    let settings = text.lines().filter(is_setting).filter(|line| !line.contains("models = "));
    let settings: String = settings.map(|line| format!("{}\n", &line[2..])).collect();
    std::fs::write(&file, &settings).unwrap();
    let run = run(robust().current_dir(&folder).arg("--offline"));
    assert!(run.code == 0 && run.out.contains("Window::send"), "{settings}\n{}{}", run.out, run.err);
    assert!(init(101).contains("exists already"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), settings);
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
