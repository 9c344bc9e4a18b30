//! Any text, and any program, through every stage: nothing panics, nothing goes on for long after its time is up, what is
//! printed can be read again, and what is found replays and exists.
//!
//! Longer, and with other programs every time: `PROPTEST_CASES=100000 cargo test --release -p robust-analyzer --test fuzz`.

use std::sync::mpsc;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use robust_analyzer::check::{self, Options, Outcome, Verdict};
use robust_analyzer::compare::{self, Agreement, Property};
use robust_analyzer::finding::Role;
use robust_analyzer::ir::{ProcId, Program, StmtKind, text};
use robust_analyzer::semantics::oracle::Limits;
use robust_analyzer::semantics::random::{self, Shape};
use robust_analyzer::semantics::{Event, Machine, State};
use robust_analyzer::translate::{self, Mutation, Precision, Start, Translated};

/// What a program may take to check. Hanging means many times that.
const BUDGET: Duration = Duration::from_millis(500);
const HANGS: Duration = Duration::from_secs(60);
const LIMITS: Limits = Limits { states: 4_000, tasks: 8, calls: 8, ..Limits::DEFAULT };

fn options() -> Options {
    Options {
        events: 2,
        unroll: 4,
        findings: 3,
        timeout: BUDGET,
        total: 2 * BUDGET,
        memory: 256,
        jobs: 1,
        part: None,
    }
}

/// The programs below `tests/rob`: what texts are made of.
fn corpus() -> Vec<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/rob");
    let folders = std::fs::read_dir(root).expect("it is there").flatten().map(|entry| entry.path());
    let mut files: Vec<_> = folders
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "rob"))
        .collect();
    files.sort();
    files.iter().map(|path| std::fs::read_to_string(path).expect("readable")).collect()
}

/// Texts that are programs now and then: pieces of two programs, words in the wrong place, numbers that are too large.
fn hostile() -> impl Strategy<Value = String> {
    let corpus = corpus();
    let known = prop::sample::select(corpus);
    let random = (prop::collection::vec(any::<u8>(), 0..200), shapes())
        .prop_map(|(bytes, shape)| random::program(&bytes, shape).to_string());
    let source = prop_oneof![known, random];
    let word = prop::sample::select(WORDS.to_vec());
    let damage = (any::<prop::sample::Index>(), 0..3_usize, prop::collection::vec(word, 0..3));
    (source, prop::collection::vec(damage, 0..4)).prop_map(|(source, damages)| {
        let mut tokens = tokens(&source);
        for (place, removed, words) in damages {
            let start = place.index(tokens.len() + 1);
            let end = (start + removed).min(tokens.len());
            tokens.splice(start..end, words.into_iter().map(String::from));
        }
        tokens.join(" ")
    })
}

const WORDS: &[&str] = &[
    "read x ;",
    "write x ;",
    "update count by add ;",
    "acquire l ;",
    "release l ;",
    "yield ;",
    "var x ;",
    "lock l ;",
    "x",
    "l",
    "t",
    "count",
    "0",
    "1",
    "2",
    "2147483647",
    "-2147483648",
    "loop 3 {",
    "loop 1000000 {",
    "while * {",
    "}",
    "if * {",
    "else",
    "return ;",
    "call p ( ) ;",
    "async[any] t ( ) ;",
    "join h ;",
    "h := async[any] t ( ) ;",
    "await h ;",
    "on any",
    "on main",
    "once",
    "when flag",
    "exclusive",
    "any",
    "assume *",
    "assume false ;",
    "shared",
    ":=",
    "+",
    "-",
    "<",
    "==",
    "!",
    "&&",
    "(",
    ")",
    "{",
    ";",
    "event f on any { read x ; write x ; }",
    "task t ( ) on any { write x ; }",
    "proc p ( ) { call p ( ) ; }",
    "int 0..1000000000",
    "true",
    "`",
    "\u{202e}",
    "é",
];

/// The words of a text. Names and numbers stay whole.
fn tokens(source: &str) -> Vec<String> {
    let code = source.lines().map(|line| line.split("//").next().unwrap_or_default());
    let spaced: Vec<String> =
        code.map(|line| line.replace(';', " ;").replace('{', " {").replace('}', " }")).collect();
    spaced.iter().flat_map(|line| line.split_whitespace()).map(String::from).collect()
}

fn shapes() -> impl Strategy<Value = Shape> {
    prop::sample::select(vec![Shape::WIDE, Shape::DEEP, Shape::PAIR, Shape::SELF, Shape::THREE])
}

/// Runs a property on the same values in every run, unless the environment says otherwise.
fn run<S: Strategy>(cases: u32, values: S, test: impl Fn(S::Value)) {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        (config.cases, config.rng_seed) = (cases, RngSeed::Fixed(0));
    }
    let result = TestRunner::new(config).run(&values, |value| {
        test(value);
        Ok(())
    });
    if let Err(e) = result {
        panic!("{e}");
    }
}

/// Does something that should take [`BUDGET`], on a thread with the stack that the check gives its own.
fn in_time<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = mpsc::channel();
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(move || send.send(work()));
    match receive.recv_timeout(HANGS) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("still going after {HANGS:?}:\n{what}"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            let _ = thread.map(std::thread::JoinHandle::join);
            panic!("panicked:\n{what}")
        }
    }
}

/// What is printed can be read again, and prints the same.
fn reads_again(program: &Program) {
    let printed = program.to_string();
    let again = text::parse(&printed, "again.rob").unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(again.to_string(), printed);
}

/// Every translation is a program, and prints as one.
fn translates(program: &Program, machine: &Machine) {
    let check = |translated: &Translated| {
        translated.types(&machine.types).unwrap_or_else(|e| panic!("{}\n{}", e.message, translated.program));
        reads_again(&translated.program);
    };
    for precision in [Precision::Coarse, Precision::Fine] {
        let instrumented = program
            .events()
            .map(|event: ProcId| {
                translate::detstr(program, event, Start::After(0), precision, Mutation::None)
            })
            .chain([translate::robstr(program, 2, precision, Mutation::None)]);
        for translated in instrumented {
            check(&translated);
            check(&translate::seq(translated));
        }
    }
}

/// Verdicts have a reason, and findings are whole.
fn makes_sense(program: &Program, outcome: &Outcome) {
    let verdicts = outcome.determinism.values().chain([&outcome.serializability]);
    for verdict in verdicts {
        if let Verdict::Unknown { reason } = verdict {
            assert!(!reason.is_empty());
        }
    }
    let violated = outcome.serializability == Verdict::Violated
        || outcome.determinism.values().any(|verdict| *verdict == Verdict::Violated);
    assert_eq!(violated, !outcome.findings.is_empty(), "{program}");
    for finding in &outcome.findings {
        let roles: Vec<_> = finding.steps.iter().filter(|step| step.role != Role::Step).collect();
        assert!(roles.len() >= 2 && roles.iter().all(|step| step.place.is_some()), "{finding:#?}");
        assert!(finding.steps.iter().all(|step| step.lane < finding.lanes.len()), "{finding:#?}");
    }
}

/// Walks some way through the program with the interpreter; every state has whole steps.
fn runs(machine: &Machine, choices: &[u8]) {
    let mut state: State = machine.initial();
    for event in machine.program.events() {
        machine.post_event(&mut state, event);
    }
    for choice in choices {
        let steps = machine.steps(&state);
        if steps.is_empty() || state.tasks.len() > 50 {
            return;
        }
        let step =
            steps.into_iter().nth(usize::from(*choice)).unwrap_or_else(|| machine.steps(&state).remove(0));
        if let Event::Statement(_, Some(access)) = step.event {
            assert!(access.var.index() < machine.program.vars.len());
        }
        state = step.state;
    }
}

/// Short bodies: what enumeration can cope with.
fn is_small(program: &Program) -> bool {
    let statements = program.statements();
    let long = statements.iter().any(|s| matches!(s.kind, StmtKind::Loop(rounds, _) if rounds > 4));
    !long && statements.len() < 40
}

/// A text through all stages, as far as it gets; whether it is a program.
fn survives(source: &str, choices: &[u8]) -> bool {
    let program = match text::parse(source, "fuzz.rob") {
        Ok(program) => program,
        Err(error) => {
            assert!(error.line as usize <= source.split('\n').count() && error.column > 0);
            return false;
        }
    };
    reads_again(&program);
    let Ok(machine) = Machine::new(&program) else { return true };
    if translate::product(&machine.program) < 10_000 {
        translates(&program, &machine);
    }
    let outcome = check::check(&program, &options());
    makes_sense(&program, &outcome);
    if is_small(&program) {
        runs(&machine, choices);
    }
    true
}

#[test]
fn any_text_survives_all_stages() {
    let programs = std::cell::Cell::new(0_u32);
    run(250, (hostile(), prop::collection::vec(any::<u8>(), 20)), |(source, choices)| {
        let what = source.clone();
        let is_program = in_time(&what, move || survives(&source, &choices));
        programs.set(programs.get() + u32::from(is_program));
    });
    println!("{} of the texts were programs", programs.get());
    assert!(programs.get() > 40);
}

#[test]
fn any_program_survives_all_stages() {
    let bytes = || prop::collection::vec(any::<u8>(), 0..240);
    run(150, (bytes(), shapes(), bytes()), |(bytes, shape, choices)| {
        let source = random::program(&bytes, shape).to_string();
        let what = source.clone();
        assert!(in_time(&what, move || survives(&source, &choices)), "{what}");
    });
}

/// Damaged programs are unlike what the generator of random programs comes up with; enumeration agrees on them as well.
#[test]
fn what_is_found_in_any_text_exists() {
    let compared = std::cell::Cell::new(0_u32);
    run(250, hostile(), |source| {
        let Ok(program) = text::parse(&source, "fuzz.rob") else { return };
        if !is_small(&program) || program.events().count() == 0 {
            return;
        }
        let what = source.clone();
        let agreements = in_time(&what, move || {
            [Property::Determinism(1), Property::Serializability(2)]
                .map(|property| compare::compare(&program, property, LIMITS).agreement)
        });
        for agreement in agreements {
            compared.set(compared.get() + u32::from(agreement != Agreement::TooLarge));
            assert!(!matches!(agreement, Agreement::Lost | Agreement::Spurious), "{agreement:?}:\n{what}");
        }
    });
    println!("{} compared", compared.get());
    assert!(compared.get() > 40);
}
