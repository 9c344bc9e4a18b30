//! Findings and sources that want to do harm: every format must come out, whole and harmless.

use cargo_robust::report::human::Look;
use cargo_robust::report::*;
use robust_analyzer::finding::*;
use serde_json::Value;

use crate::values::{check_then_act, folder, lane, linked, place, report, step};

/// All formats; JSON ones are parsed.
fn render_all(report: &Report, sources: &Sources) -> [String; 9] {
    let looks = [false, true].map(|fancy| Look { unicode: fancy, color: fancy, ..Look::default() });
    let [plain, fancy] = looks.map(|look| human::render(report, sources, &look));
    let texts = [
        plain,
        fancy,
        github::render(report, sources),
        html::render(report, sources),
        sarif::render(report, sources),
        rustc::render(report, sources),
        concise::render(report, sources),
        gitlab::render(report, sources),
        junit::render(report, sources),
    ];
    serde_json::from_str::<Value>(&texts[4]).unwrap();
    serde_json::from_str::<Value>(&texts[7]).unwrap();
    texts[5].lines().for_each(|line| drop(serde_json::from_str::<Value>(line).unwrap()));
    serde_json::from_str::<Report>(&json::render(report)).unwrap();
    texts
}

fn finding_at(file: &str, line: u32, column: u32, end_column: u32) -> Finding {
    let mut finding = check_then_act();
    finding.lanes = vec![lane("a", 0), lane("b", 1)];
    finding.steps = vec![
        step(0, StepKind::Read, "x", place(file, 1, 1, 2), Role::Exit),
        step(1, StepKind::Write, "x", place(file, line, column, end_column), Role::EntryExit),
        step(0, StepKind::Write, "x", place(file, line, column, end_column), Role::Pivot),
    ];
    linked(finding)
}

#[test]
fn odd_characters_in_source() {
    let text =
        "\u{feff}let a = 1;\r\n\tlet 幅広 = \"👩‍👩‍👧\"; // \u{202e}drawkcab\u{1b}[31m\r\n\tlet z = שלום;\r\n";
    let folder = folder(&[("src/odd.rs", text.as_bytes())]);
    let report =
        report(folder.path(), vec![finding_at("src/odd.rs", 2, 6, 8), finding_at("src/odd.rs", 3, 10, 14)]);
    let texts = render_all(&report, &Sources::new(folder.path()));
    for text in [&texts[0], &texts[3]] {
        assert!(!text.contains('\u{202e}') && !text.contains("\u{1b}[31m"), "{text}");
        assert!(text.contains("幅広"), "{text}");
    }
    insta::assert_snapshot!(texts[0]);
}

#[test]
fn source_that_cannot_be_shown() {
    let folder = folder(&[("latin1.rs", b"// \xe4\nfn f() {}\n"), ("empty.rs", b"")]);
    let findings = ["absent.rs", "latin1.rs", "empty.rs", "", ".", "/dev/null", "a\0b"]
        .map(|file| finding_at(file, 1, 1, 2))
        .to_vec();
    let texts = render_all(&report(folder.path(), findings), &Sources::new(folder.path()));
    assert!(texts[0].contains("absent.rs:1:1"), "{}", texts[0]);
}

#[test]
fn places_that_do_not_exist() {
    let folder = folder(&[("a.rs", b"let a = 1;\n")]);
    let mut findings: Vec<_> = [(0, 0, 0), (1, 0, 0), (1, 99, 3), (99, 1, 1), (u32::MAX, u32::MAX, u32::MAX)]
        .map(|(line, column, end)| finding_at("a.rs", line, column, end))
        .to_vec();
    findings.push(Finding { steps: Vec::new(), lanes: Vec::new(), ..check_then_act() });
    let mut without_lane = finding_at("a.rs", 1, 1, 2);
    without_lane.lanes.clear();
    findings.push(without_lane);
    let mut backwards = finding_at("a.rs", 1, 8, 2);
    backwards.steps[1].place.as_mut().unwrap().end_line = 0;
    findings.push(backwards);
    render_all(&report(folder.path(), findings), &Sources::new(folder.path()));
}

#[test]
fn names_that_are_markup_or_commands() {
    let evil = "</script><img src=x onerror=alert(1)>\"'&\n::error::pwned%0A\u{1b}]0;x\u{7}`|a]";
    let folder = folder(&[("a,b:c%.rs", format!("let a = \"{evil}\";\n").as_bytes())]);
    let mut finding = finding_at("a,b:c%.rs", 1, 5, 6);
    finding.message = evil.into();
    finding.variable = evil.into();
    finding.hint = evil.into();
    finding.assumption = evil.into();
    finding.unit = evil.into();
    finding.lanes[0].name = evil.into();
    finding.lanes[1].executor = evil.into();
    finding.steps[1].text = evil.into();
    let mut report = report(folder.path(), vec![finding]);
    report.units[0].name = evil.into();
    report.notices[0].message = evil.into();
    report.gaps[0].message = evil.into();
    report.summary.not_analysed[0].name = evil.into();
    report.summary.opaque.insert(evil.into(), 1);
    let [plain, _, github, html, _, _, concise, gitlab, junit] =
        render_all(&report, &Sources::new(folder.path()));

    assert!(!plain.contains('\u{1b}') && !plain.contains('\u{7}'));
    assert_eq!(github.lines().count(), 4, "one command a line: {github}");
    assert!(!github.contains(|c: char| c.is_control() && c != '\n'), "{github:?}");
    assert!(github.contains("onerror=alert(1)>"), "what is harmless stays: {github}");
    assert!(github.lines().all(|line| line.starts_with("::error ") || line.starts_with("::warning ")));
    assert!(github.contains("file=a%2Cb%3Ac%25.rs,line=1"), "{github}");
    assert_eq!(html.matches("</script>").count(), 1, "only the page's own");
    assert!(!html.contains("<img"));
    assert!(!concise.contains(|c: char| c.is_control() && c != '\n'), "{concise:?}");
    assert_eq!(concise.lines().count(), 4, "a line each: {concise}");
    assert!(!junit.contains("<img") && !junit.contains('\u{1b}'), "{junit}");
    assert!(!gitlab.contains('\u{1b}'), "{gitlab}");
}

/// A place behind column 65,535 is shown, and said, as any other.
#[test]
fn lines_without_end() {
    let line = format!("{}let here = 1;{}", " ".repeat(70_000), " let more = 2;".repeat(10_000));
    let folder = folder(&[("long.rs", format!("fn f() {{}}\n{line}\nfn g() {{}}\n").as_bytes())]);
    let mut finding = finding_at("long.rs", 2, 70_005, 70_009);
    finding.steps[1].place = Some(place("long.rs", 2, 140_000, 140_004));
    let report = report(folder.path(), vec![finding]);
    let [plain, fancy, github, html, sarif, rustc, concise, gitlab, junit] =
        render_all(&report, &Sources::new(folder.path()));
    for text in [&plain, &fancy] {
        assert!(text.contains("let here = 1;") && text.contains("long.rs:2:70005"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() < 1_000), "{text}");
    }
    assert!(github.contains("line=2,col=70005,endColumn=70009"), "{github}");
    assert!(html.contains("let here = 1;") && html.contains("long.rs:2:70005") && html.len() < 200_000);
    assert!(sarif.contains("\"startColumn\": 70005") || sarif.contains("\"startColumn\":70005"));
    assert!(rustc.contains("\"column_start\":70005") && rustc.contains("\"highlight_end\":70009"));
    assert!(json::render(&report).contains("70005"));
    assert!(concise.contains("long.rs:2:70005: "), "{concise}");
    // These have lines, and no columns.
    assert!(gitlab.contains("\"begin\": 2") && junit.contains("at long.rs:2\""), "{gitlab}{junit}");
    assert!([&concise, &gitlab, &junit].iter().all(|text| text.len() < 10_000));
}

#[test]
fn huge_findings() {
    let text = "let a = 1;\n".repeat(20_000);
    let folder = folder(&[("a.rs", text.as_bytes())]);
    let mut finding = finding_at("a.rs", 20_000, 1, 4);
    finding.lanes = (0..300).map(|number| lane(&format!("task_{number}"), number)).collect();
    let steps = (0..5_000_u32).map(|number| {
        step(number as usize % 300, StepKind::Read, "a", place("a.rs", number + 1, 5, 6), Role::Step)
    });
    finding.steps.splice(1..1, steps);
    finding.message = "long ".repeat(1_000);
    let findings = vec![finding; 3];
    let texts = render_all(&report(folder.path(), findings), &Sources::new(folder.path()));
    assert!(texts[0].lines().count() < 1_000, "{}", texts[0].lines().count());
}
