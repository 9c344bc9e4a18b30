//! The reduction finds a violation exactly where enumerating all interleavings does.
//!
//! Programs are read off byte strings, so what proptest shrinks are programs. Longer runs, with other programs:
//! `cargo run --release -p robust-benchmarks -- oracle --programs 100000`.

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use robust_analyzer::check::{self, Options, Verdict};
use robust_analyzer::compare::{self, Agreement, Property};
use robust_analyzer::ir::{Block, ClassId, ENLIST, Program, StmtKind, VarId, WAKE};
use robust_analyzer::semantics::Machine;
use robust_analyzer::semantics::oracle::{Answer, Limits};
use robust_analyzer::semantics::random::{self, Shape};
use robust_analyzer::translate::Mutation;

const LIMITS: Limits = Limits { states: 15_000, tasks: 12, calls: 16, ..Limits::DEFAULT };

/// Compares on random programs, the same in every run; `PROPTEST_RNG_SEED` and `PROPTEST_CASES` choose others.
fn agree(property: Property, shape: Shape, cases: u32) {
    agree_on(property, shape, cases, |program| program);
}

/// The same on what is made of random programs.
fn agree_on(property: Property, shape: Shape, cases: u32, made: impl Fn(Program) -> Program) {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        config.rng_seed = RngSeed::Fixed(0);
    }
    let (cases, counts) = (config.cases as usize, std::cell::RefCell::new(Vec::new()));
    let programs = prop::collection::vec(any::<u8>(), 40..240);
    let result = TestRunner::new(config).run(&programs, |bytes| {
        let program = made(random::program(&bytes, shape));
        let agreement = compare::compare(&program, property, LIMITS).agreement;
        counts.borrow_mut().push(agreement);
        let wrong = matches!(agreement, Agreement::Lost | Agreement::Spurious | Agreement::Unknown);
        prop_assert!(!wrong, "{agreement:?}\n{program}");
        Ok(())
    });
    if let Err(e) = result {
        panic!("{property:?}: {e}");
    }
    // The comparison must have been one: enough programs of either kind, few too large, few runs that do not replay.
    let counts = counts.into_inner();
    let share = |a: Agreement| counts.iter().filter(|&&b| a == b).count() as f64 / cases as f64;
    println!("{property:?}, {shape:?}: {:.1} % violated", 100.0 * share(Agreement::Violated));
    assert!(share(Agreement::Violated) > 0.05 && share(Agreement::Holds) > 0.2);
    assert!(share(Agreement::TooLarge) < 0.15);
    assert!(
        [Agreement::Dropped, Agreement::BehindGuards, Agreement::Nondeterministic]
            .map(share)
            .iter()
            .sum::<f64>()
            < 0.01
    );
}

/// One of the variables is a condition: who reads it begins to wait there, who changes it wakes those who do.
fn with_condition(mut program: Program) -> Program {
    fn each(block: &mut Block, change: &mut dyn FnMut(&mut StmtKind)) {
        for stmt in block {
            change(&mut stmt.kind);
            match &mut stmt.kind {
                StmtKind::If(_, yes, no) => {
                    each(yes, change);
                    each(no, change);
                }
                StmtKind::While(_, body) | StmtKind::Loop(_, body) => each(body, change),
                _ => {}
            }
        }
    }
    let mut class = |name: &str| {
        program.classes.push(name.to_owned());
        ClassId(program.classes.len() as u32 - 1)
    };
    let (enlist, wake) = (class(ENLIST), class(WAKE));
    let (append, condition) = (ClassId(1), |x: &VarId| x.index() == 3);
    for proc in &mut program.procs {
        each(&mut proc.body, &mut |kind| match kind {
            StmtKind::Read(x) if condition(x) => *kind = StmtKind::Update(*x, enlist),
            StmtKind::Update(x, class) if condition(x) && *class == append => *class = enlist,
            StmtKind::Write(x) | StmtKind::Update(x, _) if condition(x) => *kind = StmtKind::Update(*x, wake),
            _ => {}
        });
    }
    program
}

#[test]
fn waits_that_begin_too_late() {
    agree_on(Property::Serializability(2), Shape::SELF, 200, with_condition);
    agree_on(Property::Serializability(2), Shape::PAIR, 200, with_condition);
}

#[test]
fn no_order_of_tasks_is_about_waits() {
    agree_on(Property::Determinism(1), Shape::WIDE, 150, with_condition);
}

#[test]
fn determinism_of_many_tasks() {
    agree(Property::Determinism(1), Shape::WIDE, 500);
}

#[test]
fn determinism_of_long_tasks() {
    agree(Property::Determinism(1), Shape::DEEP, 250);
}

#[test]
fn determinism_behind_other_events() {
    agree(Property::Determinism(1), Shape::PAIR, 250);
    agree(Property::Determinism(2), Shape::PAIR, 100);
}

#[test]
fn what_is_proved_holds_in_every_state() {
    let property = Property::Determinism(2);
    let (mut proved, mut violated) = (0, 0);
    for seed in 0..200 {
        let program = random::program(&random::bytes(seed), Shape::PAIR);
        let machine = Machine::new(&program).unwrap();
        let verdict = compare::verdict(&program, property);
        let answer = compare::enumerate(&machine, property, LIMITS);
        if answer == Answer::Violated {
            violated += 1;
            assert!(!matches!(verdict, Verdict::Holds { bound: None }), "seed {seed}: {program}");
        }
        proved += u32::from(verdict == Verdict::Holds { bound: None });
    }
    println!("{proved} proved, {violated} violated");
    assert!(proved > 50 && violated > 5);
}

#[test]
fn serializability_of_two_instances() {
    agree(Property::Serializability(2), Shape::PAIR, 250);
}

#[test]
fn serializability_of_two_instances_of_one_event() {
    agree(Property::Serializability(2), Shape::SELF, 200);
}

#[test]
fn serializability_of_three_instances() {
    agree(Property::Serializability(3), Shape::PAIR, 80);
}

#[test]
fn serializability_of_three_events() {
    agree(Property::Serializability(3), Shape::THREE, 60);
}

/// The comparison notices when something is left out of the translation: the same programs, on which the whole translation
/// agrees with the oracle, convict the mutated one.
fn is_noticed(mutation: Mutation, property: Property, shape: Shape, programs: u64) {
    let convicts = |seed: &u64| {
        let program = random::program(&random::bytes(*seed), shape);
        let machine = Machine::new(&program).expect("random programs are valid");
        let answer = compare::enumerate(&machine, property, LIMITS);
        answer != Answer::TooLarge
            && (answer == Answer::Violated) != compare::reduce(&machine, property, 3, mutation)
            && (answer == Answer::Violated) == compare::reduce(&machine, property, 3, Mutation::None)
    };
    let found = (0..programs).find(convicts);
    println!("{mutation:?}: program {found:?}");
    assert!(found.is_some(), "{mutation:?} is not noticed on {programs} programs");
}

#[test]
fn a_missing_spawn_edge_is_noticed() {
    is_noticed(Mutation::SpawnEdge, Property::Determinism(1), Shape::WIDE, 2000);
}

#[test]
fn a_missing_lock_check_is_noticed() {
    is_noticed(Mutation::LockCheck, Property::Serializability(2), Shape::PAIR, 2000);
}

#[test]
fn two_holders_of_a_lock_are_noticed() {
    is_noticed(Mutation::OneHolder, Property::Serializability(2), Shape::PAIR, 2000);
}

#[test]
fn updates_that_conflict_are_noticed() {
    is_noticed(Mutation::Commuting, Property::Serializability(2), Shape::PAIR, 2000);
}

/// Cutting integers makes violations vanish, and others appear.
#[test]
fn integers_that_are_cut_are_noticed() {
    for bits in [16, 32] {
        is_noticed(Mutation::Narrow(bits), Property::Serializability(2), Shape::PAIR, 4000);
    }
}

/// Where two instances are said to be enough, four do no more.
#[test]
fn proofs_cover_more_instances() {
    let mut proved = 0;
    for seed in 0..120 {
        let program = random::program(&random::bytes(seed), Shape::PAIR);
        let holds = check::check(&program, &Options { events: 2, jobs: 1, ..Options::default() });
        if holds.serializability == (Verdict::Holds { bound: None }) && holds.statistics.filtered < 3 {
            proved += 1;
            let more = check::check(&program, &Options { events: 4, jobs: 1, ..Options::default() });
            assert_ne!(more.serializability, Verdict::Violated, "program {seed}\n{program}");
        }
    }
    println!("{proved} proved");
    assert!(proved > 8);
}

#[test]
fn what_happens_before_an_event_matters() {
    is_noticed(Mutation::Before, Property::Determinism(2), Shape::PAIR, 2000);
}
