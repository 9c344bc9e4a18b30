//! Prints what each binary of a crate (or all crates together) is lowered to: `lower FOLDER [oracle] [BINARY]`.
use cargo_robust::extract::{CargoOptions, extract};
use robust_analyzer::semantics::{Machine, oracle};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let options = CargoOptions {
        wrapper: Some(std::env::current_exe().unwrap().with_file_name("../cargo-robust")),
        ..CargoOptions::default()
    }
    .of(&std::path::PathBuf::from(&args[1]).join("Cargo.toml"));
    let extraction =
        extract(&options, &mut ()).unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)));
    let check = args.get(2).is_some_and(|arg| arg == "oracle");
    let groups: Vec<Vec<_>> = if check {
        extraction.crates.into_iter().map(|krate| vec![krate]).collect()
    } else {
        vec![extraction.crates]
    };
    for crates in groups {
        if args.get(3).is_some_and(|only| *only != *crates[0].name) {
            continue;
        }
        println!("// ======== {}", crates[0].name);
        let start = std::time::Instant::now();
        let lowered = robust_analyzer::lower::lower(&crates, &robust_models::Models::built_in());
        let took = start.elapsed();
        println!("{}", lowered.program);
        for event in &lowered.events {
            println!("// {event:?}");
        }
        println!("// {:?} in {took:?}", lowered.statistics);
        println!("// not analysed {:?}", lowered.not_analysed);
        println!("// opaque {:?}", lowered.opaque);
        match Machine::new(&lowered.program) {
            Err(error) => println!("// INVALID {error:?}"),
            Ok(machine) if check => {
                let limits = oracle::Limits::default();
                for event in lowered.program.events() {
                    let answer = oracle::determinism(&machine, event, 0, limits);
                    println!("// D {} {:?}", lowered.program.proc(event).name, answer);
                }
                println!("// S {:?}", oracle::serializability(&machine, 3, limits));
            }
            Ok(_) => {}
        }
    }
}
