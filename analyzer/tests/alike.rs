//! Events that do the same are asked about as one. What comes of it is what comes of asking about each pair of events, and what
//! enumeration says.

use std::collections::BTreeSet;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use robust_analyzer::check::{self, Options, Outcome, Verdict};
use robust_analyzer::compare::{self, Property};
use robust_analyzer::finding;
use robust_analyzer::ir::{Block, ProcId, ProcKind, Program, Stmt, StmtKind, text};
use robust_analyzer::limits::Deadline;
use robust_analyzer::plan::Plan;
use robust_analyzer::question::Question;
use robust_analyzer::semantics::Machine;
use robust_analyzer::semantics::oracle::{Answer, Limits};
use robust_analyzer::semantics::random::{self, Shape};

const LIMITS: Limits = Limits { states: 5_000, tasks: 12, calls: 16, ..Limits::DEFAULT };

fn options() -> Options {
    Options { events: 2, unroll: 2, findings: 1, jobs: 1, ..Options::default() }
}

fn each(block: &mut Block, change: &mut dyn FnMut(&mut Stmt)) {
    for stmt in block {
        change(stmt);
        match &mut stmt.kind {
            StmtKind::If(_, a, b) => {
                each(a, change);
                each(b, change);
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => each(body, change),
            _ => {}
        }
    }
}

fn has_guards(program: &Program) -> bool {
    program.procs.iter().any(|proc| matches!(proc.kind, ProcKind::Event { guard: Some(_), .. }))
}

fn has_once(program: &Program) -> bool {
    program.procs.iter().any(|proc| matches!(proc.kind, ProcKind::Event { once: true, .. }))
}

/// The program with so many copies of each of its events. Every other copy has procedures and tasks of its own.
fn with_copies(program: &Program, copies: usize) -> Program {
    let mut all = program.clone();
    let mut labels = program.statements().iter().map(|stmt| stmt.label.0).max().unwrap_or_default();
    let events: Vec<ProcId> = program.events().collect();
    for copy in 1..copies {
        let own = copy % 2 == 0;
        let offset = all.procs.len() as u32;
        for (index, proc) in program.procs.iter().enumerate() {
            let is_event = events.contains(&ProcId(index as u32));
            if !own && !is_event {
                continue;
            }
            let mut proc = proc.clone();
            proc.name = format!("{}_{copy}", proc.name);
            each(&mut proc.body, &mut |stmt| {
                labels += 1;
                stmt.label.0 = labels;
                if let (true, StmtKind::Call { proc, .. } | StmtKind::Async { task: proc, .. }) =
                    (own, &mut stmt.kind)
                {
                    proc.0 += offset;
                }
            });
            all.procs.push(proc);
        }
    }
    all
}

/// The answers to all pairs of events, each asked about on its own.
fn each_pair(program: &Program, options: &Options) -> bool {
    let events: Vec<ProcId> = program.events().collect();
    let plan = Plan::new(program, options, Deadline::never());
    let mut violated = false;
    for (i, &one) in events.iter().enumerate() {
        for &other in &events[i..] {
            let pair = if one == other { vec![one] } else { vec![one, other] };
            let (case, _) = plan
                .cut(&Question::Pair { events: pair, before: Vec::new(), beside: 0 })
                .expect("there are no parts");
            violated |= case.answer(options.timeout).verdict == Verdict::Violated;
        }
    }
    violated
}

fn outcome(program: &Program, options: &Options) -> Outcome {
    check::check(program, options)
}

fn run(cases: u32, shape: Shape, copies: usize, test: impl Fn(&Program, &Program)) {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    };
    let programs = prop::collection::vec(any::<u8>(), 40..160);
    let result = TestRunner::new(config).run(&programs, |bytes| {
        let program = random::program(&bytes, shape);
        test(&program, &with_copies(&program, copies));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn copies_change_no_answer() {
    run(30, Shape::PAIR, 4, |program, copied| {
        if has_guards(program) {
            return;
        }
        let (asked, each) = (outcome(copied, &options()), each_pair(copied, &options()));
        assert_eq!(asked.serializability == Verdict::Violated, each, "{copied}");
    });
}

/// A pair of instances in the program with copies is one of the program without them.
#[test]
fn enumeration_agrees() {
    let violated = std::cell::Cell::new(0);
    run(120, Shape::SELF, 7, |program, copied| {
        let machine = Machine::new(program).expect("random programs are valid");
        let answer = compare::enumerate(&machine, Property::Serializability(2), LIMITS);
        // Of an event that happens once, copies are more than it was.
        if has_guards(program) || has_once(program) {
            return;
        }
        let asked = outcome(copied, &options()).serializability;
        match answer {
            Answer::Violated => {
                violated.set(violated.get() + 1);
                assert_eq!(asked, Verdict::Violated, "{copied}");
            }
            Answer::Holds => assert!(!matches!(asked, Verdict::Violated), "{copied}"),
            _ => {}
        }
    });
    assert!(violated.get() > 5, "{} programs were violated", violated.get());
}

#[test]
fn all_of_them_are_told_of() {
    let events: String = (0..300).map(|i| format!("event e{i} on any {{ read x; write x; }}\n")).collect();
    let program = text::parse(&format!("var x;\n{events}"), "many.rob").expect("a program");
    let plan = Plan::new(&program, &options(), Deadline::never());
    assert_eq!(plan.questions(Deadline::never()).count(), 1);
    let outcome = outcome(&program, &options());
    assert_eq!(outcome.serializability, Verdict::Violated);
    let torn: BTreeSet<&str> = outcome.findings.iter().map(|finding| finding.property.torn()).collect();
    let named: BTreeSet<&str> =
        outcome.findings.iter().flat_map(|finding| &finding.alike).map(String::as_str).collect();
    assert!(torn.len() > 200, "{}", torn.len());
    assert!(torn.is_disjoint(&named));
    assert_eq!(torn.len() + named.len(), 300);
    let lines: BTreeSet<u32> =
        outcome.findings.iter().filter_map(|finding| Some(finding.steps[0].place.as_ref()?.line)).collect();
    assert_eq!(lines.len(), torn.len(), "each has places of its own");
}

#[test]
fn events_that_differ_stay_apart() {
    let sources = [
        "read x; write x;",
        "write x; read x;",
        "write y; write x;",
        "acquire l; read x; write x; release l;",
        "acquire k; read x; write x; release k;",
        "update x by add; read x;",
        "update x by sub; read x;",
        "async[any] t(); read x;",
    ];
    let events: String = sources
        .iter()
        .enumerate()
        .map(|(i, body)| format!("event a{i} on any {{ {body} }} event b{i} on any {{ {body} }}\n"))
        .collect();
    let source = format!("lock l; lock k; var x; var y; task t() on any {{ write x; }}\n{events}");
    let program = text::parse(&source, "apart.rob").expect("a program");
    let plan = Plan::new(&program, &options(), Deadline::never());
    let pairs = plan.questions(Deadline::never()).filter(|asked| asked.event.is_none());
    let first = |question: &Question| match question {
        Question::Pair { events, .. } => events.clone(),
        other => panic!("{other:?}"),
    };
    let firsts: BTreeSet<ProcId> = pairs.flat_map(|asked| first(&asked.question)).collect();
    assert_eq!(firsts.len(), sources.len());
}

#[test]
fn events_that_happen_once_each_are_paired_with_one_another() {
    let events: String = (0..9).map(|i| format!("event once e{i} on any {{ read x; write x; }}\n")).collect();
    let program = text::parse(&format!("var x;\n{events}"), "once.rob").expect("a program");
    let outcome = outcome(&program, &options());
    assert_eq!(outcome.serializability, Verdict::Violated);
    // Two that tear each other apart are one race.
    let named: BTreeSet<&str> = outcome
        .findings
        .iter()
        .flat_map(|finding| match &finding.property {
            finding::Property::Serializability { events, .. } => events.iter(),
            finding::Property::Determinism { event }
            | finding::Property::Confinement { root: event }
            | finding::Property::Lifecycle { task: event, .. } => std::slice::from_ref(event).iter(),
        })
        .map(String::as_str)
        .collect();
    assert_eq!(named.len(), 9, "{named:?}");
}

/// Two instances of a guarded event need somebody who enables them.
#[test]
fn an_event_with_itself_is_enabled_by_another() {
    let others: String =
        (0..8).map(|i| format!("event o{i} on any {{ update y by c{i}; update y by d{i}; }}\n")).collect();
    let source = format!(
        "var go: bool = false; var x; var y;
        event guarded on any when go {{ read x; write x; read y; }}
        event enable on any {{ go := true; update y by go; }}\n{others}"
    );
    let program = text::parse(&source, "guarded.rob").unwrap_or_else(|error| panic!("{error}"));
    let found = outcome(&program, &Options { findings: 8, ..options() }).findings;
    assert!(found.iter().any(|finding| finding.variable == "x"), "{found:#?}");
}

/// What there is no time to plan is not asked, and that is no proof.
#[test]
fn what_was_not_planned_is_not_said_to_hold() {
    let program = text::parse(
        "var x; event e on any { read x; write x; }\nevent f on any { read x; write x; }",
        "two.rob",
    );
    let program = program.expect("a program");
    let late = check::check_until(&program, &options(), Deadline::after(Duration::ZERO));
    assert!(matches!(late.serializability, Verdict::Unknown { .. }), "{:?}", late.serializability);
    assert_eq!(late.statistics.unasked, 3);
    assert!(late.determinism.values().all(|verdict| matches!(verdict, Verdict::Unknown { .. })));
    let small = outcome(&program, &Options { memory: 0, ..options() });
    assert!(matches!(small.serializability, Verdict::Unknown { .. }), "{:?}", small.serializability);
    assert_eq!(small.statistics.unasked, 3);
    let outcome = outcome(&program, &options());
    assert_eq!((outcome.serializability, outcome.statistics.unasked), (Verdict::Violated, 0));
}

/// Procedures that nobody calls are nothing that others do.
#[test]
fn what_no_event_comes_to_changes_nothing() {
    let program = |used: &str| {
        let text = format!(
            "var x: bool; var y; proc spare() {{ x := true; write y; }} event e on any {{ {used} read y; t := x; read y; }}"
        );
        text::parse(&text, "spare.rob").expect("a program")
    };
    assert_eq!(outcome(&program(""), &options()).serializability, Verdict::Holds { bound: None });
    assert_eq!(outcome(&program("call spare();"), &options()).serializability, Verdict::Violated);
}
