//! The SAT solver in the process and Z3 answer alike, and as enumeration does.

use std::time::{Duration, Instant};

use robust_analyzer::compare::{self, Property};
use robust_analyzer::ir::*;
use robust_analyzer::reach::{self, Answer, Bounds, Effort, Engine, Run, Session};
use robust_analyzer::semantics::Machine;
use robust_analyzer::semantics::oracle::{self, Limits};
use robust_analyzer::semantics::random::{self, Shape};
use robust_analyzer::translate::{self, Precision};

const LIMITS: Limits = Limits { states: 3_000, tasks: 12, calls: 16, ..Limits::DEFAULT };

fn random_machine(seed: u64) -> Machine {
    let program = random::program(&random::bytes(seed), Shape::PAIR);
    Machine::new(&program).expect("random programs are valid")
}

/// The circuit of a program whose integers have so many bits.
fn circuit(machine: &Machine, integer_bits: u32) -> Run {
    let translated = translate::robseq(&machine.program, 2, Precision::Coarse);
    let types = translated.types(&machine.types).expect("translations are valid");
    let bounds = Bounds { integer_bits, ..Bounds::unrolled(3) };
    reach::run(&translated.program, &types, translated.entry, translated.error, bounds)
}

fn answers(run: &Run, engine: Engine) -> Vec<Answer> {
    let until = Some(Instant::now() + Duration::from_secs(120));
    let mut session = Session::new(engine, 2048, until);
    run.goals.iter().map(|&goal| session.ask(&run.circuit, &[goal], Effort::Full)).collect()
}

#[test]
fn both_engines_answer_alike() {
    let (mut reachable, mut unreachable, mut wide) = (0, 0, 0);
    for seed in 0..200 {
        let machine = random_machine(seed);
        wide += u32::from(is_wide(&machine));
        let program = &machine.program;
        let run = circuit(&machine, INTEGER_BITS);
        let answers = [Engine::Quick, Engine::Thorough].map(|engine| answers(&run, engine));
        for (i, goal) in run.goals.iter().enumerate() {
            match (&answers[0][i], &answers[1][i]) {
                (Answer::Reachable(quick), Answer::Reachable(z3)) => {
                    reachable += 1;
                    for inputs in [quick, z3] {
                        assert!(run.circuit.evaluate(inputs).get(*goal), "program {seed}\n{program}");
                    }
                }
                (quick, z3) => {
                    unreachable += 1;
                    assert_eq!(quick, z3, "program {seed}\n{program}");
                    assert_eq!(*quick, Answer::Unreachable);
                }
            }
        }
    }
    println!("{reachable} reachable, {unreachable} not, {wide} with wide integers");
    assert!(reachable > 20 && unreachable > 20 && wide > 20);
}

fn is_wide(machine: &Machine) -> bool {
    machine.program.vars.iter().any(|v| matches!(v.domain, Some(Domain::Int { lo, hi }) if hi - lo > 16))
}

fn is_reached(machine: &Machine, integer_bits: u32) -> Option<bool> {
    match answers(&circuit(machine, integer_bits), Engine::Quick).last()? {
        Answer::Reachable(_) => Some(true),
        Answer::Unreachable => Some(false),
        Answer::Unknown(_) => None,
    }
}

fn is_violated(machine: &Machine) -> Option<bool> {
    match compare::enumerate(machine, Property::Serializability(2), LIMITS) {
        oracle::Answer::Violated => Some(true),
        oracle::Answer::Holds => Some(false),
        oracle::Answer::TooLarge => None,
    }
}

/// No violation that enumeration finds is missed, also where integers are wide.
#[test]
fn no_violation_with_wide_integers_is_missed() {
    let mut violated = 0;
    for machine in (0..400).map(random_machine).filter(is_wide) {
        if is_violated(&machine) == Some(true) {
            violated += 1;
            assert_ne!(is_reached(&machine, INTEGER_BITS), Some(false), "{}", machine.program);
        }
    }
    println!("{violated} violated");
    assert!(violated > 10);
}

/// With integers that are cut, the answer is another one than that of enumeration, where it was the same.
#[test]
fn integers_that_are_cut_are_noticed() {
    for bits in [16, 32] {
        let convicts = |seed: &u64| {
            let machine = random_machine(*seed);
            let right = is_reached(&machine, INTEGER_BITS);
            is_wide(&machine)
                && right != is_reached(&machine, bits)
                && right.is_some()
                && right == is_violated(&machine)
        };
        let found = (0..4000).find(convicts);
        println!("{bits} bits: program {found:?}");
        assert!(found.is_some(), "{bits} bits of integers are not noticed");
    }
}
