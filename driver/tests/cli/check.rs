use std::path::Path;

use serde_json::Value;

use super::{FINE, RACY, folder, robust, run, write};

#[test]
fn findings_and_their_code() {
    let folder = folder(&[("racy.rob", RACY), ("fine.rob", FINE)]);
    let racy = run(robust().current_dir(&folder).args(["check", "racy.rob"]));
    assert_eq!((racy.code, racy.err.as_str()), (100, ""), "{}", racy.out);
    assert!(racy.out.contains("racy.rob:3"), "{}", racy.out);
    let fine = run(robust().current_dir(&folder).args(["check", "fine.rob"]));
    assert_eq!((fine.code, fine.err.as_str()), (0, ""), "{}", fine.out);
    assert!(fine.out.starts_with("robust: nothing found in fine.rob"), "{}", fine.out);
}

#[test]
fn json_has_the_verdicts() {
    let folder = folder(&[("racy.rob", RACY), ("fine.rob", FINE)]);
    for (file, code, verdict) in [("racy.rob", 100, "violated"), ("fine.rob", 0, "holds")] {
        let run = run(robust().current_dir(&folder).args(["check", file, "--format", "json"]));
        let json: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(run.code, code);
        assert_eq!(json["verdicts"]["determinism"]["add"], "holds");
        assert_eq!(json["verdicts"]["serializability"], verdict);
        assert_eq!(json["schema_version"], 1);
    }
}

#[test]
fn fewer_instances_find_less() {
    let folder = folder(&[("racy.rob", RACY)]);
    let run = run(robust().current_dir(&folder).args(["check", "racy.rob", "--events", "1"]));
    assert_eq!(run.code, 0, "{}", run.out);
}

#[test]
fn pairs_that_are_not_asked_about_are_counted() {
    let different = |count: u32| {
        let own: String = (0..count).map(|i| format!("var own{i}; ")).collect();
        let event = |i| format!("event e{i} on any {{ read x; write own{i}; write x; }}\n");
        format!("var x; {own}\n{}", (0..count).map(event).collect::<String>())
    };
    let folder = folder(&[("many.rob", &different(40)), ("few.rob", &different(20))]);
    let check = |file: &str, format: &str| {
        let limits = ["--memory", "1", "--format", format];
        run(robust().current_dir(&folder).args(["check", file]).args(limits)).out
    };
    // A megabyte is for 512 of the 820 pairs.
    for (file, left) in [("many.rob", 308), ("few.rob", 0)] {
        let json: Value = serde_json::from_str(&check(file, "json")).unwrap();
        assert_eq!(json["summary"]["unasked"], left, "{file}");
    }
    let said = check("many.rob", "human");
    assert!(said.contains("308 pairs of handlers not, or not fully, checked"), "{said}");
    assert!(!check("few.rob", "human").contains("fully, checked"));
}

#[test]
fn where_there_may_be_more_is_said() {
    let many: String = (0..3).map(|i| format!("read x{i}; write x{i}; ")).collect();
    let folder = folder(&[("many.rob", &format!("var x0; var x1; var x2; event e on any {{ {many} }}"))]);
    let check = |findings: &str, format: &str| {
        run(robust().current_dir(&folder).args([
            "check",
            "many.rob",
            "--findings",
            findings,
            "--format",
            format,
        ]))
    };
    let limited = check("2", "human").out;
    assert!(
        limited.contains("there may be more findings: 1 check") && limited.contains("--findings 2"),
        "{limited}"
    );
    assert!(!check("100", "human").out.contains("there may be more"));
    for (findings, questions) in [("2", 1), ("100", 0)] {
        let json: Value = serde_json::from_str(&check(findings, "json").out).unwrap();
        assert_eq!(json["summary"]["limited"], questions);
        assert_eq!(json["bounds"]["findings"].to_string(), findings);
    }
}

/// Not the greatest bound that is allowed, but the one up to which there was a search.
#[test]
fn the_bound_that_was_reached_is_named() {
    let source = "var x; event e on main { while * { write x; } }";
    let folder = folder(&[("loop.rob", source)]);
    for unroll in ["2", "5"] {
        let run = run(robust()
            .current_dir(&folder)
            .args(["check", "loop.rob", "--events", "2", "--unroll", unroll]));
        let bound = format!(
            "up to the bounds of the search: 2 concurrent handler calls, loops unrolled {unroll} times"
        );
        assert!(run.out.contains(&bound), "{}", run.out);
    }
}

#[test]
fn every_format_comes_out() {
    let folder = folder(&[("racy.rob", RACY)]);
    for format in ["human", "json", "sarif", "github", "rustc"] {
        let run = run(robust().current_dir(&folder).args(["check", "racy.rob", "--format", format]));
        assert_eq!(run.code, 100, "{format}: {}", run.err);
        assert!(run.out.contains("lost-update"), "{format}: {}", run.out);
    }
}

#[test]
fn a_page_is_written_beside_the_report() {
    let folder = folder(&[("racy.rob", RACY)]);
    let run_ = run(robust().current_dir(&folder).args(["check", "racy.rob", "--html", "page.html"]));
    assert_eq!(run_.code, 100);
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("lost-update"));

    let missing = run(robust().current_dir(&folder).args(["check", "racy.rob", "--html", "no/page.html"]));
    assert_eq!(missing.code, 101);
    assert!(missing.out.is_empty() && missing.err.contains("cannot write `no/page.html`"), "{}", missing.err);
}

#[test]
fn what_cannot_be_checked() {
    let folder = folder(&[("bad.rob", "var x\nevent"), ("empty.rob", "")]);
    std::fs::write(folder.path().join("latin1.rob"), b"// \xe4\n").unwrap();
    for (file, message) in [
        ("absent.rob", "cannot read `absent.rob`"),
        (".", "cannot read `.`"),
        ("latin1.rob", "cannot read `latin1.rob`"),
        ("bad.rob", "bad.rob:2:1"),
        ("empty.rob", "there is no event in `empty.rob`"),
    ] {
        let run = run(robust().current_dir(&folder).args(["check", file]));
        assert_eq!(run.code, 101, "{file}: {}", run.err);
        assert!(run.out.is_empty() && run.err.contains(message), "{file}: {}", run.err);
        assert!(run.err.starts_with("error[robust::"), "{file}: {}", run.err);
    }
}

#[test]
fn a_program_from_standard_input() {
    let piped = run(robust().args(["check", "-"]).write_stdin(RACY));
    assert_eq!(piped.code, 100, "{}", piped.err);
    assert!(piped.out.contains("robust: 1 error in <stdin>"), "{}", piped.out);
    assert_eq!(run(robust().args(["check", "-"]).write_stdin(FINE)).code, 0);
}

#[test]
fn colors_on_request_only() {
    let folder = folder(&[("racy.rob", RACY)]);
    let colored = |args: &[&str], variable: Option<(&str, &str)>| {
        let mut command = robust();
        command.current_dir(&folder).args(["check", "racy.rob"]).args(args);
        if let Some((name, value)) = variable {
            command.env(name, value);
        }
        run(&mut command).out.contains('\u{1b}')
    };
    assert!(!colored(&[], None));
    assert!(colored(&["--color", "always"], None));
    assert!(colored(&[], Some(("CARGO_TERM_COLOR", "always"))));
    assert!(!colored(&["--color", "never"], Some(("CARGO_TERM_COLOR", "always"))));
    assert!(!colored(&[], Some(("NO_COLOR", "1"))));
    assert!(colored(&[], Some(("CLICOLOR_FORCE", "1"))));
}

#[test]
fn quiet_and_verbose() {
    let folder = folder(&[("racy.rob", RACY), ("fine.rob", FINE)]);
    let quiet = run(robust().current_dir(&folder).args(["check", "fine.rob", "-q"]));
    assert_eq!((quiet.code, quiet.out.as_str(), quiet.err.as_str()), (0, "", ""));
    let quiet = run(robust().current_dir(&folder).args(["check", "racy.rob", "-q"]));
    assert!(quiet.code == 100 && !quiet.out.contains("robust: "));
    assert_eq!(run(robust().current_dir(&folder).args(["check", "racy.rob", "-v"])).code, 100);
}

#[test]
fn comments_suppress() {
    let reason = RACY.replace("event add", "// robust: allow(lost-update): a demonstration\nevent add");
    let folder = folder(&[("a.rob", &reason)]);
    let allowed = run(robust().current_dir(&folder).args(["check", "a.rob"]));
    assert_eq!(allowed.code, 0, "{}", allowed.out);
    assert!(allowed.out.contains("suppressed in the source"), "{}", allowed.out);

    write(folder.path(), "a.rob", &reason.replace(": a demonstration", ""));
    let no_reason = run(robust().current_dir(&folder).args(["check", "a.rob"]));
    assert_eq!(no_reason.code, 100);
    assert!(no_reason.out.contains("it needs a reason"), "{}", no_reason.out);

    write(
        folder.path(),
        "a.rob",
        &FINE.replace("event add", "// robust: allow(order): once needed\nevent add"),
    );
    let unused = run(robust().current_dir(&folder).args(["check", "a.rob"]));
    assert_eq!(unused.code, 0);
    assert!(unused.out.contains("unused suppression"), "{}", unused.out);
}

#[test]
fn stages_are_printed_and_can_be_read_again() {
    let folder = folder(&[("racy.rob", RACY)]);
    let dump = |args: &[&str]| run(robust().current_dir(&folder).arg("dump").args(args).arg("racy.rob"));
    let ir = dump(&["--stage", "ir"]);
    write(folder.path(), "again.rob", &ir.out);
    let again = run(robust().current_dir(&folder).args(["dump", "--stage", "ir", "again.rob"]));
    assert_eq!((again.code, again.out), (0, ir.out));
    for stage in ["detstr", "detseq", "robseq"] {
        let run = dump(&["--stage", stage]);
        assert!(run.code == 0 && run.out.contains("pivot"), "{stage}: {}{}", run.out, run.err);
    }
    assert_eq!(dump(&["--stage", "detseq", "--event", "none"]).code, 101);
    assert_eq!(dump(&["--stage", "mir"]).code, 101);
    let events = run(robust().current_dir(&folder).args(["events", "racy.rob"]));
    assert_eq!((events.code, events.out.as_str()), (0, "add on any: declared (racy.rob:3:1)\n"));
}

#[test]
fn files_elsewhere_and_with_odd_names() {
    let folder = folder(&[("with space/ünï cödé.rob", RACY)]);
    let file = folder.path().join("with space/ünï cödé.rob");
    for format in ["human", "json", "sarif", "github", "rustc"] {
        let run =
            run(robust().current_dir(Path::new("/")).arg("check").arg(&file).args(["--format", format]));
        assert_eq!(run.code, 100, "{format}: {}", run.err);
    }
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_unicode() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder(&[]);
    let name = std::ffi::OsStr::from_bytes(b"\xff.rob");
    std::fs::write(folder.path().join(name), RACY).unwrap();
    for format in ["human", "json", "sarif", "github", "rustc"] {
        let run = run(robust().current_dir(&folder).arg("check").arg(name).args(["--format", format]));
        assert_eq!(run.code, 100, "{format}: {}", run.err);
    }
}

#[test]
fn what_is_not_decided_from_every_state_is_shown() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/rob/features/det-not-decided.rob");
    let shown = run(robust().arg("check").arg(file));
    assert_eq!(shown.code, 0, "{}", shown.err);
    let line =
        "nothing up to the bounds of the search: 2 handler calls before it, not decided from every state";
    assert!(shown.out.contains(line), "{}", shown.out);
}
