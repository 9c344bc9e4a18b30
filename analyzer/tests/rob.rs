//! Every program below `tests/rob` gets the verdict that its `// expect:` lines ask for, and every finding names lines that
//! they allow.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use robust_analyzer::check::{self, Options, Verdict};
use robust_analyzer::finding::{Finding, Property, Role};
use robust_analyzer::ir::text;

/// What a file expects: `determinism EVENT` and `serializability` to "holds" or "violated"; parts to lines.
#[derive(Default)]
struct Expected {
    verdicts: BTreeMap<String, String>,
    parts: BTreeMap<String, Vec<String>>,
    /// The worst level of what is found.
    level: Option<String>,
}

fn expected(source: &str) -> Expected {
    let mut expected = Expected::default();
    for line in source.lines().filter_map(|l| l.trim().strip_prefix("// expect: ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [property @ "determinism", event, verdict] => {
                expected.verdicts.insert(format!("{property} {event}"), verdict.into());
            }
            ["serializability", verdict] => {
                expected.verdicts.insert("serializability".into(), verdict.into());
            }
            ["level", level] => expected.level = Some(level.into()),
            [part, value] => expected.parts.entry(part.into()).or_default().push(value.into()),
            _ => panic!("odd expectation: {line}"),
        }
    }
    expected
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Violated => "violated",
        Verdict::Holds { .. } => "holds",
        Verdict::Unknown { .. } => "unknown",
    }
}

/// Lines of a finding's parts that the file does not allow.
fn unexpected_parts(finding: &Finding, expected: &Expected) -> Vec<String> {
    let check = |part: &str, value: String| match expected.parts.get(part) {
        Some(allowed) if !allowed.contains(&value) => Some(format!("{part} {value}")),
        _ => None,
    };
    let mut wrong = Vec::new();
    if let Property::Serializability { events, .. } = &finding.property {
        wrong.extend(check("delayed", events[0].clone()));
    }
    for step in &finding.steps {
        let line = step.place.as_ref().map_or("nowhere".into(), |p| p.line.to_string());
        let parts: &[&str] = match step.role {
            Role::Step => &[],
            Role::Pivot => &["pivot"],
            Role::Root => &["root"],
            Role::Entry => &["entry"],
            Role::Exit => &["exit"],
            Role::EntryExit => &["entry", "exit"],
        };
        wrong.extend(parts.iter().filter_map(|part| check(part, line.clone())));
    }
    wrong
}

fn check_file(path: &Path) -> Vec<String> {
    let source = std::fs::read_to_string(path).unwrap();
    let expected = expected(&source);
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let program = match text::parse(&source, &name) {
        Ok(program) => program,
        Err(e) => return vec![format!("{}: {e}", path.display())],
    };
    let outcome = check::check(&program, &Options::default());
    let mut verdicts: BTreeMap<String, &str> =
        outcome.determinism.iter().map(|(e, v)| (format!("determinism {e}"), word(v))).collect();
    verdicts.insert("serializability".into(), word(&outcome.serializability));
    let mut wrong = Vec::new();
    for (question, verdict) in &expected.verdicts {
        if verdicts.get(question) != Some(&verdict.as_str()) {
            wrong.push(format!("{question}: expected {verdict}, got {:?}", verdicts.get(question)));
        }
    }
    let worst = outcome.findings.iter().map(|finding| finding.level).max();
    let worst = worst.map(|level| format!("{level:?}").to_lowercase());
    if expected.level.is_some() && expected.level != worst {
        wrong.push(format!("expected level {:?}, got {worst:?}", expected.level));
    }
    let nondeterministic = expected.verdicts.iter().any(|(q, v)| q.starts_with("det") && v == "violated");
    for finding in &outcome.findings {
        let is_determinism = matches!(finding.property, Property::Determinism { .. });
        // The expected parts are those of the determinism violations where there are any.
        if is_determinism == nondeterministic {
            wrong.extend(unexpected_parts(finding, &expected));
        }
    }
    wrong.into_iter().map(|w| format!("{}: {w}", path.display())).collect()
}

#[test]
fn programs_get_the_expected_verdicts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/rob");
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["paper", "esop17", "levels", "holds", "violated", "regressions"] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else { continue };
        files
            .extend(entries.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "rob")));
    }
    files.sort();
    assert!(files.len() > 40, "the programs are there");
    let wrong: Vec<String> = files.iter().flat_map(|f| check_file(f)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
