//! `cargo robust test`.

use std::process::ExitCode;
use std::time::Duration;

use super::args::{Consistency, ListFormat, TestArgs};
use super::output::{self, Output};
use super::progress::Terminal;
use crate::extract::CargoOptions;
use crate::replay::explore::Search;
use crate::replay::tested::{Asked, Tested, human};
use crate::replay::{ReplayError, Replayer};
use crate::run::{self, Finished, Settings};

/// Analyses, then tests the types that are asked for.
pub(super) fn test(args: &TestArgs) -> ExitCode {
    let output = Output::new(&args.show);
    let settings = Settings { limits: args.limits.options(), ..Settings::default() };
    let mut progress = Terminal::new(args.show.quiet);
    let options = args.show.cargo(&args.cargo);
    let analysed = run::analyse(&options, &settings, &mut progress);
    let programs = analysed
        .and_then(|finished| Ok((finished, run::programs(&options, &settings.limits, &mut progress)?)));
    progress.finish();
    let (finished, programs) = match programs {
        Ok(both) => both,
        Err(error) => return output.error(error),
    };
    match all(args, &options, &finished, &programs, &mut progress) {
        Ok(tested) => {
            progress.finish();
            conclude(args, &tested)
        }
        Err(error) => {
            progress.finish();
            output.not_run(&error)
        }
    }
}

fn all(
    args: &TestArgs,
    options: &CargoOptions,
    finished: &Finished,
    programs: &[robust_analyzer::lower::Lowered],
    progress: &mut Terminal,
) -> Result<Vec<Tested>, ReplayError> {
    if !args.show.quiet {
        eprintln!("note: testing runs this crate's code, with your rights, as `cargo test` does");
    }
    let target_dir = super::replay::target_dir(options, finished);
    let mut replayer = Replayer::new(&finished.report, options, &finished.replay, &target_dir)?;
    let asked = Asked {
        types: args.types.clone(),
        skip: args.skip.clone(),
        sequential: args.consistency == Consistency::Sequential,
    };
    let search = Search {
        lanes: usize::from(args.lanes),
        schedules: args.schedules,
        time: Duration::from_secs(args.time),
        seed: args.seed,
        obstruction_free: args.obstruction_free,
    };
    let candidates = replayer.candidates(&asked, programs);
    if let Some(missing) =
        args.types.iter().find(|name| !candidates.iter().any(|candidate| candidate.name == **name))
    {
        return Err(ReplayError::NotDriven(format!(
            "there is no type `{missing}` in the sources of the libraries"
        )));
    }
    let mut tested = Vec::new();
    for (at, candidate) in candidates.iter().enumerate() {
        progress.aside(&format!("testing {} ({} of {})", candidate.name, at + 1, candidates.len()));
        tested.push(replayer.test(candidate, programs, &asked, search)?);
    }
    Ok(tested)
}

fn conclude(args: &TestArgs, tested: &[Tested]) -> ExitCode {
    let text = match args.format {
        ListFormat::Human => human(tested),
        // Cannot fail: it is made of texts and numbers.
        ListFormat::Json => serde_json::to_string_pretty(tested).unwrap_or_default() + "\n",
    };
    let failed = tested.iter().any(|one| one.failure.is_some());
    let driven = tested.iter().any(|one| one.not_driven.is_none());
    output::of_runs(&text, failed, driven)
}
