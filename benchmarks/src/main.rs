//! Measures `cargo robust`.

mod corpus;
mod cost;
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
    /// Times the tool against `cargo check`.
    Cost(cost::Args),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Oracle(args) => oracle::main(&args),
        Command::Corpus(args) => corpus::main(&args),
        Command::Cost(args) => cost::main(&args),
    }
}
