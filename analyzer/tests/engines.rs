//! The SAT solver in the process and Z3 answer alike.

use std::time::{Duration, Instant};

use robust_analyzer::reach::{self, Answer, Bounds, Effort, Engine, Session};
use robust_analyzer::semantics::Machine;
use robust_analyzer::semantics::random::{self, Shape};
use robust_analyzer::translate::{self, Precision};

#[test]
fn both_engines_answer_alike() {
    let (mut reachable, mut unreachable) = (0, 0);
    for seed in 0..200 {
        let program = random::program(&random::bytes(seed), Shape::PAIR);
        let machine = Machine::new(&program).expect("random programs are valid");
        let translated = translate::robseq(&machine.program, 2, Precision::Coarse);
        let types = translated.types(&machine.types).expect("translations are valid");
        let bounds = Bounds { unroll: 3, nodes: usize::MAX, until: None };
        let run = reach::run(&translated.program, &types, translated.entry, translated.error, bounds);
        let until = Some(Instant::now() + Duration::from_secs(120));
        let answers = [Engine::Quick, Engine::Z3].map(|engine| {
            let mut session = Session::new(engine, 2048, until);
            run.goals.iter().map(|&goal| session.ask(&run.circuit, &[goal], Effort::Full)).collect::<Vec<_>>()
        });
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
    println!("{reachable} reachable, {unreachable} not");
    assert!(reachable > 20 && unreachable > 20);
}
