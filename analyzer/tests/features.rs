//! Small programs that each combine a few features, below `tests/rob`: the check decides them as enumeration does.

use std::path::{Path, PathBuf};

use robust_analyzer::check::{self, Options, Verdict};
use robust_analyzer::ir::{Program, text};
use robust_analyzer::semantics::Machine;
use robust_analyzer::semantics::oracle::{self, Answer, Limits};

const LIMITS: Limits = Limits { states: 60_000, tasks: 12, calls: 12, ..Limits::DEFAULT };

fn agrees(verdict: &Verdict, answer: Answer) -> bool {
    match answer {
        Answer::Violated => *verdict == Verdict::Violated,
        Answer::Holds => matches!(verdict, Verdict::Holds { .. }),
        Answer::TooLarge => true,
    }
}

/// What is decided otherwise, in words.
fn disagreements(program: &Program) -> Vec<String> {
    let machine = Machine::new(program).expect("parsed programs are valid");
    let mut wrong = Vec::new();
    for events in [2, 3] {
        let outcome = check::check(program, &Options { events, jobs: 1, ..Options::default() });
        let answer = oracle::serializability(&machine, events, LIMITS);
        if !agrees(&outcome.serializability, answer) {
            wrong.push(format!("{events} instances: {answer:?}, but {:?}", outcome.serializability));
        }
        for event in program.events() {
            let name = &program.proc(event).name;
            let answer = oracle::determinism(&machine, event, events - 1, LIMITS);
            if !agrees(&outcome.determinism[name], answer) {
                wrong.push(format!("{name}: {answer:?}, but {:?}", outcome.determinism[name]));
            }
        }
    }
    wrong
}

#[test]
fn programs_are_decided_as_enumeration_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/rob");
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["features", "holds", "violated", "paper", "regressions"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the programs are there");
        files
            .extend(entries.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "rob")));
    }
    files.sort();
    let mut wrong = Vec::new();
    for file in &files {
        let source = std::fs::read_to_string(file).unwrap();
        let program = text::parse(&source, &file.to_string_lossy()).unwrap_or_else(|e| panic!("{e}"));
        wrong.extend(disagreements(&program).into_iter().map(|w| format!("{}: {w}", file.display())));
    }
    assert!(files.len() > 100 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_not_decided_from_every_state_is_said_to_be_so() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/rob/features/det-not-decided.rob");
    let source = std::fs::read_to_string(file).unwrap();
    let outcome = |source: &str| {
        let program = text::parse(source, "test.rob").unwrap();
        check::check(&program, &Options { jobs: 1, ..Options::default() })
    };
    match &outcome(&source).determinism["merge"] {
        Verdict::Holds { bound: Some(bound) } => {
            assert!(bound.contains("not decided from every state"), "{bound}");
        }
        other => panic!("{other:?}"),
    }
    // Nobody changes what decides.
    let decided = source.replace("stage := 1;", "").replace("stage := 0;", "");
    assert_eq!(outcome(&decided).determinism["merge"], Verdict::Holds { bound: None });
}
