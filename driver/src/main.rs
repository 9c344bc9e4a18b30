//! `cargo robust`: the command line.
use std::process::ExitCode;

use cargo_robust::extract::{self, CargoOptions, wrapper};
use clap::Parser;

#[derive(Parser)]
#[command(bin_name = "cargo robust")]
enum Command {
    /// Print a stage's result
    Dump {
        /// The stage
        #[arg(long, value_parser = ["mir"])]
        stage: String,
        #[command(flatten)]
        cargo: CargoOptions,
    },
}

fn main() -> ExitCode {
    if wrapper::is_wrapper() {
        return wrapper::run_as_wrapper(std::env::args_os());
    }
    // Cargo passes the subcommand's name on.
    let mut args: Vec<_> = std::env::args_os().collect();
    if args.get(1).is_some_and(|arg| arg == "robust") {
        args.remove(1);
    }
    let Command::Dump { cargo, .. } = Command::parse_from(args);
    match extract::extract(&cargo, &mut ()) {
        Ok(extraction) => {
            for krate in &extraction.crates {
                println!("{krate}");
            }
            eprintln!("{:?}", extraction.timings);
            for krate in &extraction.crates {
                eprintln!(
                    "{} {}: {} bodies, {} not analysed",
                    krate.kind,
                    krate.name,
                    krate.bodies.len(),
                    krate.not_analysed.len()
                );
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{:?}", miette::Report::new(error));
            ExitCode::from(101)
        }
    }
}
