//! Prints what a crate is lowered to: `lower FOLDER [oracle]`.
use cargo_robust::extract::{CargoOptions, extract};
use robust_analyzer::semantics::{Machine, oracle};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let options = CargoOptions {
        manifest_path: Some(std::path::PathBuf::from(&args[1]).join("Cargo.toml")),
        wrapper: Some(std::env::current_exe().unwrap().with_file_name("../cargo-robust")),
        ..CargoOptions::default()
    };
    let extraction =
        extract(&options, &mut ()).unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)));
    let start = std::time::Instant::now();
    let lowered = robust_analyzer::lower::lower(&extraction.crates, &robust_models::Models::built_in());
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
        Ok(machine) if args.get(2).is_some() => {
            let limits = oracle::Limits::default();
            for event in lowered.program.events() {
                println!(
                    "// D {} {:?}",
                    lowered.program.proc(event).name,
                    oracle::determinism(&machine, event, limits)
                );
            }
            println!("// S {:?}", oracle::serializability(&machine, 3, limits));
        }
        Ok(_) => {}
    }
}
