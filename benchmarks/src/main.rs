//! Measures `cargo robust`.

mod corpus;
mod esop17;
mod oracle;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measures `cargo robust`.
#[derive(Parser)]
#[command(name = "robust-benchmarks")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compares the reduction with enumeration on random programs.
    Oracle(oracle::Args),
    /// Runs the tool on known bugs and on programs that must stay silent.
    Corpus(corpus::Args),
    /// Analyses the scenarios of the ESOP 2017 paper.
    Esop17(esop17::Args),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Oracle(args) => oracle::main(&args),
        Command::Corpus(args) => corpus::main(&args),
        Command::Esop17(args) => esop17::main(&args),
    }
}
