//! Throwaway.
use robust_analyzer::{
    ir, reach,
    translate::{self, Precision},
};
use std::time::{Duration, Instant};
fn main() {
    let f = std::env::args().nth(1).unwrap();
    let p = ir::text::parse(&std::fs::read_to_string(&f).unwrap(), &f).unwrap_or_else(|e| panic!("{e}"));
    let base = ir::validate(&ir::flatten(&p)).unwrap();
    for n in 2..4 {
        let t = Instant::now();
        let tr = translate::robseq(&p, n, Precision::Coarse);
        let types = tr.types(&base).unwrap();
        println!(
            "translate {:?} stmts {} vars {} accesses {}",
            t.elapsed(),
            tr.program.statements().len(),
            tr.program.vars.len(),
            tr.accesses.list.len()
        );
        for unroll in 1..3 {
            let t = Instant::now();
            let run = std::thread::scope(|s| {
                std::thread::Builder::new()
                    .stack_size(1 << 30)
                    .spawn_scoped(s, || reach::run(&tr.program, &types, tr.entry, tr.error, unroll))
                    .unwrap()
                    .join()
                    .unwrap()
            });
            println!(
                "n {n} unroll {unroll} run {:?} nodes {} inputs {} log {} frames {}",
                t.elapsed(),
                run.circuit.nodes().len(),
                run.circuit.inputs(),
                run.log.len(),
                run.frames.len()
            );
            let t = Instant::now();
            let a = reach::Session::new(&run.circuit, run.goal, Duration::from_secs(60)).ask(&run.circuit);
            println!("solve {:?} {}", t.elapsed(), format!("{a:?}").chars().take(30).collect::<String>());
        }
    }
}
