//! Measures `cargo robust`.

mod confine;
mod cor;
mod corpus;
mod cost;
mod esop17;
mod history;
mod limits;
mod lincheck;
mod monitor;
mod oracle;
mod pipelines;
mod programs;
mod published;
mod replay;
mod swap;
mod wild;

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
    /// Compares the reduction with enumeration on random programs
    ///
    /// Columns: "too large" programs are not compared. "lost" violations are those that only enumeration finds; "spurious"
    /// ones only the check. "unknown" is no answer of the check. "dropped" means that the translation let a run through
    /// that cannot be scheduled, and the replay noticed; "guarded" that a violation exists, but behind a cycle that guards
    /// closed before, where enumeration does not look; "inexact" that a violation of serializability was lost where some
    /// event is not even deterministic, which is reported. Fails when anything is lost or spurious.
    #[command(verbatim_doc_comment)]
    Oracle(oracle::Args),
    /// Holds the monitors of random corLTL formulas against what the formulas mean.
    Cor(cor::Args),
    /// Runs the tool on what runs where it should not, and on the repaired twins.
    Confine(confine::Args),
    /// Runs the tool on known bugs and on programs that must stay silent.
    Corpus(corpus::Args),
    /// Times the tool against `cargo check`.
    Cost(cost::Args),
    /// Analyses the scenarios of the ESOP 2017 paper.
    Esop17(esop17::Args),
    /// Runs the tool on published versions with known bugs, and on those that repaired them.
    History(history::Args),
    /// Measures memory and time on what is large, beside the limits.
    Limits(limits::Args),
    /// Runs random calls on the examples of Lincheck's guide.
    Lincheck(lincheck::Args),
    /// Runs random pipelines of streams, and compares where their closures are called with what the tool says.
    Pipelines(pipelines::Args),
    /// Measures what it costs to watch programs.
    Monitor(monitor::Args),
    /// Judges the tool by random small Rust programs
    ///
    /// What calls of a type's methods can end in is enumerated, and compared with what they end in one after the other. "lost" is
    /// what can go wrong and the tool says nothing of; "spurious" what cannot, and is denied. Fails when there is one of either.
    Programs(programs::Args),
    /// Runs findings on known bugs, and random calls on them and their repaired twins.
    Replay(replay::Args),
    /// Watches the tests of published crates, which end as they do unwatched.
    Swap(swap::Args),
    /// Runs the tool on published crates, unchanged.
    Wild(wild::Args),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Oracle(args) => oracle::main(&args),
        Command::Cor(args) => cor::main(&args),
        Command::Confine(args) => confine::main(&args),
        Command::Corpus(args) => corpus::main(&args),
        Command::Cost(args) => cost::main(&args),
        Command::Esop17(args) => esop17::main(&args),
        Command::History(args) => history::main(&args),
        Command::Limits(args) => limits::main(&args),
        Command::Lincheck(args) => lincheck::main(&args),
        Command::Pipelines(args) => pipelines::main(&args),
        Command::Monitor(args) => monitor::main(&args),
        Command::Programs(args) => programs::main(&args),
        Command::Replay(args) => replay::main(&args),
        Command::Swap(args) => swap::main(&args),
        Command::Wild(args) => wild::main(&args),
    }
}

/// How a benchmark with bounds ends: well if all hold.
fn exit(hold: Result<bool, String>) -> ExitCode {
    match hold {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
