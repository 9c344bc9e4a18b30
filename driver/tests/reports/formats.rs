//! What each format looks like, and whether those who read it will.

use std::io::BufReader;
use std::path::Path;

use cargo_metadata::Message;
use cargo_robust::report::human::{Detail, Look};
use cargo_robust::report::*;
use serde_json::Value;
use tempfile::TempDir;

use crate::values::{DB, MAIN, check_then_act, folder, order, place, report};

fn sample() -> (TempDir, Report, Sources) {
    let folder = folder(&[("src/main.rs", MAIN.as_bytes()), ("src/db.rs", DB.as_bytes())]);
    let report = report(folder.path(), vec![check_then_act(), order()]);
    let sources = Sources::new(folder.path());
    (folder, report, sources)
}

/// The text without the folder's name, which is another one each time.
fn stable(text: &str, folder: &TempDir) -> String {
    text.replace(&*folder.path().to_string_lossy(), "/folder")
}

#[test]
fn human_plain() {
    let (_folder, report, sources) = sample();
    insta::assert_snapshot!(human::render(&report, &sources, &Look::default()));
}

#[test]
fn human_unicode_color_verbose() {
    let (_folder, report, sources) = sample();
    let look = Look { color: true, unicode: true, width: 120, detail: Detail::Verbose };
    let text = human::render(&report, &sources, &look);
    insta::assert_snapshot!(text.replace('\u{1b}', "<ESC>"));
}

#[test]
fn human_narrow() {
    let (_folder, report, sources) = sample();
    let look = Look { width: 60, detail: Detail::Quiet, ..Look::default() };
    insta::assert_snapshot!(human::render(&report, &sources, &look));
}

#[test]
fn human_nothing_found() {
    let folder = folder(&[]);
    let mut report = report(folder.path(), Vec::new());
    report.notices.clear();
    insta::assert_snapshot!(human::render(&report, &Sources::new(folder.path()), &Look::default()));
}

#[test]
fn json() {
    let (folder, report, _) = sample();
    let text = json::render(&report);
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
    insta::assert_snapshot!(stable(&text, &folder));
}

#[test]
fn json_has_the_verdicts_in_one_word_each() {
    let (_folder, report, _) = sample();
    let json: Value = serde_json::from_str(&json::render(&report)).unwrap();
    assert_eq!(json["verdicts"]["determinism"]["main"], "violated");
    assert_eq!(json["verdicts"]["determinism"]["open"], "holds");
    assert_eq!(json["verdicts"]["serializability"], "violated");
}

#[test]
fn the_published_schema_is_current_and_fits() {
    let published = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../docs/src/schema/report-v{SCHEMA_VERSION}.json"));
    let text = std::fs::read_to_string(&published).unwrap_or_default();
    assert!(text == json::schema(), "`cargo robust schema > {}` updates it", published.display());

    let schema = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let (_folder, report, _) = sample();
    for report in [report, Report::default()] {
        assert_valid(&validator, &json::render(&report));
    }
    assert!(!validator.is_valid(&serde_json::json!({ "schema_version": 1 })));
}

#[test]
fn sarif() {
    let (folder, report, sources) = sample();
    let text = sarif::render(&report, &sources);
    let mut log: Value = serde_json::from_str(&text).unwrap();
    // The classes' texts are long, and tested elsewhere.
    log["runs"][0]["tool"]["driver"]["rules"] = "...".into();
    insta::assert_snapshot!(stable(&serde_json::to_string_pretty(&log).unwrap(), &folder));
}

#[test]
fn sarif_is_valid() {
    // The official schema, but for one pattern with a bracket too many, which is no regular expression.
    let schema = include_str!("../schemas/sarif-2.1.0.json").replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}?$");
    let schema = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let (_folder, report, sources) = sample();
    assert_valid(&validator, &sarif::render(&report, &sources));
    assert_valid(&validator, &sarif::render(&Report::default(), &sources));
    assert_valid(&validator, &sarif::render(&Report::failed("no \"such\" file".to_owned()), &sources));
}

#[test]
fn sarif_names_start_at_the_repository() {
    let folder = folder(&[("my crate/src/db.rs", DB.as_bytes())]);
    let root = folder.path().join("my crate");
    let sources = Sources::new(&root).with_base(folder.path());
    let log: Value =
        serde_json::from_str(&sarif::render(&report(&root, vec![check_then_act()]), &sources)).unwrap();
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(place["uri"], "my%20crate/src/db.rs");
}

#[test]
fn github() {
    let (_folder, report, sources) = sample();
    insta::assert_snapshot!(github::render(&report, &sources));
}

#[test]
fn rustc() {
    let (_folder, report, sources) = sample();
    let text = rustc::render(&report, &sources);
    let messages: Vec<Message> =
        Message::parse_stream(BufReader::new(text.as_bytes())).collect::<Result<_, _>>().unwrap();
    let [
        Message::CompilerMessage(missing),
        Message::CompilerMessage(first),
        Message::CompilerMessage(second),
        Message::BuildFinished(end),
    ] = &messages[..]
    else {
        panic!("{messages:?}");
    };
    assert!(!end.success);
    assert!(missing.message.message.starts_with("incomplete: 1 of 9 functions"), "{missing:?}");
    assert_eq!(first.package_id.repr, "path+file:///p/server#0.1.0");
    assert_eq!(first.target.name, "server");
    assert_eq!(first.message.code.as_ref().unwrap().code, "robust::check-then-act");
    let primary: Vec<_> = first.message.spans.iter().filter(|span| span.is_primary).collect();
    let [pivot] = primary[..] else { panic!("{primary:?}") };
    assert_eq!((pivot.file_name.as_str(), pivot.line_start, pivot.column_start), ("src/db.rs", 14, 9));
    assert_eq!(pivot.text[0].text, DB.lines().nth(13).unwrap());
    let range = pivot.byte_start as usize..pivot.byte_end as usize;
    assert_eq!(&DB[range], "self.users.lock().await.insert(user.to_string())");
    assert!(second.message.rendered.as_ref().unwrap().contains("ready"));
    // Each access once, in the order of the schedule: editors show spans and children side by side.
    let labels: Vec<_> = first.message.spans.iter().filter_map(|span| span.label.as_deref()).collect();
    assert_eq!(
        labels,
        [
            "2. `open` #1 reads `db.users`, conflicts with step 4",
            "4. `open` #2 writes `db.users`, conflicts with step 5",
            "5. `open` #1 writes `db.users`"
        ]
    );
    let children = first.message.children.iter().flat_map(|child| &child.spans);
    let fixes: Vec<_> = children.filter_map(|span| span.suggested_replacement.as_deref()).collect();
    assert_eq!(fixes, ["        // robust: allow(check-then-act): TODO: say why this is right\n"]);
}

#[test]
fn concise() {
    let (_folder, report, sources) = sample();
    insta::assert_snapshot!(concise::render(&report, &sources));
}

#[test]
fn gitlab() {
    let (_folder, report, sources) = sample();
    let text = gitlab::render(&report, &sources);
    let entries: Value = serde_json::from_str(&text).unwrap();
    // What GitLab requires of each.
    for entry in entries.as_array().unwrap() {
        for text in ["description", "check_name", "fingerprint", "severity"] {
            assert!(entry[text].as_str().is_some_and(|text| !text.is_empty()), "{text}: {entry}");
        }
        assert!(
            ["info", "minor", "major", "critical", "blocker"].contains(&entry["severity"].as_str().unwrap())
        );
        assert!(entry["location"]["path"].is_string() && entry["location"]["lines"]["begin"].is_u64());
    }
    insta::assert_snapshot!(text);
}

#[test]
fn junit() {
    let (_folder, report, sources) = sample();
    insta::assert_snapshot!(junit::render(&report, &sources));
}

/// Words of the theory have no place in a report.
#[test]
fn words_that_users_need_not_know() {
    let (_folder, report, sources) = sample();
    let look = Look { detail: Detail::Verbose, ..Look::default() };
    let texts = [
        human::render(&report, &sources, &look),
        github::render(&report, &sources),
        concise::render(&report, &sources),
        gitlab::render(&report, &sources),
        junit::render(&report, &sources),
        html::render(&report, &sources),
        json::render(&report),
        rustc::render(&report, &sources),
        sarif::render(&report, &sources),
    ];
    for text in texts {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        // Pages that explain a class name the method `entry`.
        let found = words.find(|word| ["pivot", "PIVOT", "ENTRY", "EXIT", "ROOT"].contains(word));
        assert_eq!(found, None, "{text}");
    }
}

#[test]
fn a_failed_run_keeps_alerts_open() {
    let (_folder, _, sources) = sample();
    let report = Report::failed("50 % is\nwrong".to_owned());
    let log: Value = serde_json::from_str(&sarif::render(&report, &sources)).unwrap();
    let run = &log["runs"][0];
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    assert!(run.get("results").is_none(), "no results is not: none found");
    assert_eq!(
        github::render(&report, &sources),
        "::error title=cargo robust::the analysis did not complete: 50 %25 is%0Awrong\n"
    );
}

#[test]
fn a_failed_run_is_no_run_without_findings() {
    let (_folder, _, sources) = sample();
    let report = Report::failed("the crate does not compile".to_owned());
    let said = "the analysis did not complete: the crate does not compile";
    assert!(report.fails());
    let json: Value = serde_json::from_str(&json::render(&report)).unwrap();
    assert_eq!((&json["error"], &json["complete"]), (&"the crate does not compile".into(), &false.into()));
    assert_eq!(json["verdicts"]["serializability"], "unknown");
    let gitlab: Value = serde_json::from_str(&gitlab::render(&report, &sources)).unwrap();
    assert_eq!((&gitlab[0]["description"], &gitlab[0]["severity"]), (&said.into(), &"major".into()));
    let junit = junit::render(&report, &sources);
    assert!(junit.contains("tests=\"1\" failures=\"1\"") && junit.contains(said), "{junit}");
    let rustc = rustc::render(&report, &sources);
    let lines: Vec<Value> = rustc.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["message"]["message"], &lines[1]["success"]), (&said.into(), &false.into()));
}

#[test]
fn html() {
    let (folder, report, sources) = sample();
    let page = html::render(&report, &sources);
    for text in ["finding-1", "finding-2", "db.users", "src/db.rs:14"] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains("http://") && !page.contains("https://"), "it needs nothing else");
    insta::assert_snapshot!(stable(&page, &folder));
}

#[test]
fn every_class_is_explained() {
    for class in CLASSES {
        let text = explain::text(class);
        assert!(text.starts_with("# ") && text.matches("```rust").count() >= 2, "{class:?}");
        assert!(!explain::short(class).is_empty());
        assert_eq!(parse_class(class_name(class)), Some(class));
    }
}

fn assert_valid(validator: &jsonschema::Validator, text: &str) {
    let value = serde_json::from_str(text).unwrap();
    let errors: Vec<_> =
        validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn closures_are_named_by_their_place() {
    let folder = folder(&[("src/main.rs", MAIN.as_bytes())]);
    let mut finding = order();
    for lane in &mut finding.lanes {
        lane.name = "main::{closure#0}::{closure#1}".into();
    }
    finding.message = "tasks of `main::{closure#0}::{closure#1}` race".into();
    finding.steps[0].subject = "main::{closure#0}::{closure#1}".into();
    finding.steps[0].text = "starts `main::{closure#0}::{closure#1}`".into();
    let mut tokio_main = order();
    tokio_main.lanes[0].name = "main::{closure#0}".into();
    tokio_main.lanes[0].place = Some(place("src/main.rs", 8, 1, 16));
    std::fs::write(
        folder.path().join("src/main.rs"),
        format!("{MAIN}#[tokio::main]\nasync fn main() {{}}\n"),
    )
    .unwrap();
    let report = report(folder.path(), vec![finding, tokio_main]);
    let spoken = spoken(&report, &Sources::new(folder.path()));
    let [first, second] = &spoken.findings[..] else { panic!() };
    assert_eq!(first.lanes[0].name, "handler at main.rs:3 (in `main`)");
    assert_eq!(first.steps[0].text, "starts a task");
    assert_eq!(first.message, "tasks of handler at main.rs:3 (in `main`) race");
    assert_eq!(second.lanes[0].name, "main");
    assert_eq!(first.fingerprint, report.findings[0].fingerprint);
    let mut report = report;
    report.findings[0].lanes[0].is_spawned = true;
    let spoken = cargo_robust::report::spoken(&report, &Sources::new(folder.path()));
    assert_eq!(spoken.findings[0].lanes[0].name, "task spawned at main.rs:3 (in `main`)");
}

/// Numbers that tell things of one name apart are said only where two of them meet.
#[test]
fn numbers_of_names_are_said_where_they_matter() {
    let folder = folder(&[("src/db.rs", DB.as_bytes())]);
    let mut finding = check_then_act();
    for step in &mut finding.steps {
        step.subject = step.subject.replace("db.users", "users.0#5");
        step.text = step.text.replace("db.users", "users.0#5");
    }
    finding.message = "`open#2` reads `users.0#5`".into();
    finding.variable = "users.0#5".into();
    let mut both = finding.clone();
    both.steps[0].subject = "users.0#6".into();
    let report = report(folder.path(), vec![finding, both]);
    let spoken = spoken(&report, &Sources::new(folder.path()));
    let said = |index: usize| (&*spoken.findings[index].message, &*spoken.findings[index].variable);
    assert_eq!(said(0), ("`open#2` reads `users.0`", "users.0"));
    assert!(
        spoken.findings[0].steps.iter().all(|step| !step.text.contains('#') && !step.subject.contains('#'))
    );
    assert_eq!(said(1), ("`open#2` reads `users.0#5`", "users.0#5"));
}

/// What silence is not about comes first in every format, with nothing found and without a summary, too.
#[test]
fn what_is_missing_comes_first_everywhere() {
    let folder = folder(&[]);
    let mut report = report(folder.path(), Vec::new());
    report.notices.clear();
    let sources = Sources::new(folder.path());
    let quiet = Look { detail: Detail::Quiet, ..Look::default() };
    let first = |text: String| text.lines().next().unwrap_or_default().to_owned();
    let message = "incomplete: 1 of 9 functions with locks, atomics or cells is reached from no handler";
    for detail in [Look::default(), quiet] {
        let text = first(human::render(&report, &sources, &detail));
        assert!(text.starts_with(&format!("warning: {message}")), "{text}");
    }
    let text = human::render(&report, &sources, &Look::default());
    assert!(text.contains("robust: nothing found in what was looked at in server"), "{text}");
    assert!(
        first(github::render(&report, &sources))
            .starts_with(&format!("::warning title=cargo robust::{message}"))
    );
    let notes: Value = serde_json::from_str(&sarif::render(&report, &sources)).unwrap();
    let invocation = &notes["runs"][0]["invocations"][0];
    assert_eq!(invocation["properties"]["complete"], false);
    let note = &invocation["toolExecutionNotifications"][0];
    assert_eq!(note["level"], "warning");
    assert!(note["message"]["text"].as_str().unwrap().starts_with(message));
    assert!(html::render(&report, &sources).contains(message));

    report.incomplete_fails = true;
    assert!(report.fails());
    assert!(first(human::render(&report, &sources, &quiet)).starts_with("error: "));
    assert!(rustc::render(&report, &sources).contains("\"success\":false"));

    report.complete = true;
    report.gaps.clear();
    assert!(!report.fails());
    let text = human::render(&report, &sources, &Look::default());
    assert!(text.starts_with("robust: nothing found in server"), "{text}");
    assert_eq!(github::render(&report, &sources), "");
}
