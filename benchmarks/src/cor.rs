//! Monitors of random corLTL formulas, held against what the formulas mean.

use std::process::ExitCode;

use robust_analyzer::cor::random;

/// How much.
#[derive(clap::Args)]
pub struct Args {
    /// How many formulas.
    #[arg(long, default_value_t = 100_000)]
    formulas: u64,
    /// How many words for each.
    #[arg(long, default_value_t = 6)]
    words: usize,
    /// Where random numbers begin.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Compares, and says how much there was.
pub fn main(args: &Args) -> ExitCode {
    match random::compare(args.seed, args.formulas, args.words) {
        Ok((formulas, words, states)) => {
            println!("{formulas} formulas, {words} words, no difference; at most {states} states");
            ExitCode::SUCCESS
        }
        Err(difference) => {
            println!("{difference}");
            ExitCode::FAILURE
        }
    }
}
