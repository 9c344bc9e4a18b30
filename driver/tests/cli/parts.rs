use std::path::Path;

use serde_json::Value;

use super::{folder, robust, run};

/// Eight events that lose updates, two that do not, one that is not deterministic.
fn program() -> String {
    let mut text = String::from("lock l;\n");
    (0..5).for_each(|i| text += &format!("var n{i}: int 0..3 = 0;\n"));
    for i in 0..4 {
        text += &format!("event add{i} on any {{ t := n{i}; n{i} := t + 1; }}\n");
        text += &format!("event set{i} on any {{ n{i} := 1; }}\n");
    }
    text += "event fine on any { acquire l; t := n4; n4 := t + 1; release l; }\n";
    text += "event late on any { async[any] work(); async[any] work(); }\ntask work() on any { write n4; }\n";
    text
}

fn report(folder: &Path, more: &[&str]) -> Value {
    let run = run(robust().current_dir(folder).args(more));
    assert!(matches!(run.code, 0 | 100), "{}", run.err);
    let mut report: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}", run.err));
    report["summary"]["stages"].take();
    report
}

#[test]
fn the_parts_make_up_the_single_run() {
    let whole = parts_make_up(&[]);
    assert!(whole["findings"].as_array().unwrap().len() > 3, "{whole:#}");
    assert_eq!(whole["summary"]["limited"], 0);
}

#[test]
fn that_there_may_be_more_is_not_lost_in_parts() {
    let whole = parts_make_up(&["--findings", "1"]);
    assert!(whole["summary"]["limited"].as_u64().unwrap() > 0, "{whole:#}");
}

/// Runs the program in one and in three parts, merges them, compares with the single run, and returns its report.
fn parts_make_up(options: &[&str]) -> Value {
    let folder = folder(&[("many.rob", &program())]);
    let check = [&["check", "many.rob", "--format", "json"], options].concat();
    let whole = report(folder.path(), &check);
    for of in [1, 3] {
        let mut files = Vec::new();
        let mut questions = Vec::new();
        for index in 1..=of {
            let part = format!("{index}/{of}");
            let run = run(robust().current_dir(&folder).args(&check).args(["--partition", &part]));
            let report: Value = serde_json::from_str(&run.out).unwrap();
            questions.push(report["summary"]["questions"].as_u64().unwrap());
            files.push(format!("{index}-{of}.json"));
            super::write(folder.path(), &files[files.len() - 1], &run.out);
        }
        assert!(questions.iter().all(|asked| *asked > 0), "each part has something to do: {questions:?}");
        // In whatever order they come.
        files.reverse();
        let mut merge = vec!["merge", "--format", "json"];
        merge.extend(files.iter().map(String::as_str));
        assert_eq!(report(folder.path(), &merge), whole);
        if of > 1 {
            let few = run(robust().current_dir(&folder).args(["merge", &files[0]]));
            assert_eq!(few.code, 101);
            assert!(few.err.contains("not all parts"), "{}", few.err);
        }
    }
    whole
}

#[test]
fn what_is_no_part_is_refused() {
    let folder = folder(&[("fine.rob", super::FINE), ("odd.json", "{}")]);
    for part in ["0/2", "3/2", "1", "a/b"] {
        assert_eq!(
            run(robust().current_dir(&folder).args(["check", "fine.rob", "--partition", part])).code,
            2
        );
    }
    let odd = run(robust().current_dir(&folder).args(["merge", "odd.json"]));
    assert_eq!(odd.code, 101);
    assert!(odd.err.contains("is not a JSON report"), "{}", odd.err);
    let failed = run(robust().current_dir(&folder).args(["check", "none.rob", "--format", "json"]));
    super::write(folder.path(), "failed.json", &failed.out);
    let failed = run(robust().current_dir(&folder).args(["merge", "failed.json"]));
    assert!(failed.err.contains("one of the runs did not complete"), "{}", failed.err);
}
