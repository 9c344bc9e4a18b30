//! `cargo robust monitor`: a program is watched while it runs.

use std::process::ExitCode;

use robust_analyzer::cor::{self, Checked, print};

use super::args::MonitorArgs;
use super::{exit, output};
use crate::extract::CargoOptions;
use crate::monitor::{Asked, Ended, MonitorError, Violation, run};

/// Checks properties, and watches a program.
pub(super) fn monitor(args: &MonitorArgs) -> ExitCode {
    match monitored(args) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{:?}", miette::Report::new(error));
            ExitCode::from(exit::INCOMPLETE)
        }
    }
}

fn monitored(args: &MonitorArgs) -> Result<ExitCode, MonitorError> {
    let mut properties: Vec<(String, Checked)> = Vec::new();
    for path in &args.props {
        let name = path.display().to_string();
        let bytes =
            std::fs::read(path).map_err(|error| MonitorError::Read(name.clone(), error.to_string()))?;
        let text = String::from_utf8(bytes);
        let text = text.map_err(|error| MonitorError::Read(name.clone(), error.to_string()))?;
        let checked = cor::read(&text, &name)?;
        properties.push((name, checked));
    }
    if args.check {
        let built_in = cor::built_in()?;
        let all =
            if properties.is_empty() { vec![("lifecycle.cor".to_owned(), built_in)] } else { properties };
        let text: String = all.iter().map(|(_, checked)| print::summary(checked)).collect();
        return Ok(output::text(&text));
    }
    let command = args.command.first().map_or("", String::as_str);
    if !["run", "test", "nextest", "r", "t"].contains(&command) {
        return Err(MonitorError::Command(command.to_owned()));
    }
    let sites = if args.no_static { Vec::new() } else { super::dump::sites(&options(args), &args.show) };
    let within = args.within.map(std::time::Duration::from_millis);
    let asked = Asked {
        properties,
        only: args.only,
        within,
        command: args.command.clone(),
        target_dir: args.target_dir.clone(),
        sites,
        all_sites: args.all_sites,
    };
    Ok(tell(&run(&asked)?))
}

/// What is analysed is what the command names.
fn options(args: &MonitorArgs) -> CargoOptions {
    CargoOptions { target_dir: args.target_dir.clone(), ..CargoOptions::default() }
}

fn tell(ended: &Ended) -> ExitCode {
    for note in &ended.notes {
        eprintln!("robust: {note}");
    }
    for Violation { property, level, place, what, decided } in &ended.violations {
        eprintln!("robust: {level}: {property}: the task started at {place} {what}");
        if *decided {
            eprintln!("robust: it was decided that {property} holds there: please report this");
        }
    }
    let (decided, sites) = ended.decided;
    eprintln!(
        "robust: {decided} of {sites} properties of places where tasks are started were decided before"
    );
    let denied = ended.violations.iter().filter(|violation| violation.level == "deny").count();
    let all = ended.violations.len();
    eprintln!("robust: {all} violation{} seen, {denied} of them denied", if all == 1 { "" } else { "s" });
    if denied > 0 {
        return ExitCode::from(exit::FINDINGS);
    }
    ended.code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}
