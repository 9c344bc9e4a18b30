//! The commands that show a stage's result: `dump` and `events`.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use robust_analyzer::ir::{Proc, ProcId, ProcKind, Program, SourcePlace, Where};
use robust_analyzer::lower::EventInfo;
use robust_analyzer::translate::{self, Mutation, Precision};

use super::args::{DumpArgs, EventsArgs, ShowOptions, Stage};
use super::output::{self, Output};
use super::progress::Terminal;
use crate::extract::{self, CargoOptions};
use crate::run::{self, RunError};

/// Prints a stage's result.
pub(super) fn dump(args: &DumpArgs) -> ExitCode {
    let text = match (args.stage, &args.file) {
        (Stage::Mir, None) => mir(args),
        (Stage::Mir, Some(file)) => Err(RunError::NoMir(file.clone())),
        (_, file) => programs(file.as_deref(), &args.cargo, &args.show).and_then(|programs| {
            let texts = programs.iter().map(|program| stage(program, args));
            texts.collect::<Result<Vec<_>, _>>().map(|texts| texts.join("\n"))
        }),
    };
    show(text, &args.show)
}

/// Lists the events.
pub(super) fn events(args: &EventsArgs) -> ExitCode {
    let text = match &args.file {
        Some(file) => run::read_program(file).map(|program| {
            let events = program.events().map(|event| declared(&program, program.proc(event)));
            events.collect()
        }),
        None => lowered(&args.cargo, &args.show).map(|programs| {
            let mut lines: Vec<String> =
                programs.iter().flat_map(|(_, events)| events.iter().map(found)).collect();
            lines.sort();
            lines.dedup();
            lines.concat()
        }),
    };
    show(text, &args.show)
}

fn show(text: Result<String, RunError>, options: &ShowOptions) -> ExitCode {
    match text {
        Ok(text) => output::text(&text),
        Err(error) => Output::new(options).error(error),
    }
}

fn mir(args: &DumpArgs) -> Result<String, RunError> {
    let mut progress = Terminal::new(args.show.quiet);
    let extraction = extract::extract(&args.show.cargo(&args.cargo), &mut progress);
    progress.finish();
    let mut text = String::new();
    for krate in &extraction?.crates {
        let _ = writeln!(text, "{krate}");
    }
    Ok(text)
}

fn programs(file: Option<&Path>, cargo: &CargoOptions, show: &ShowOptions) -> Result<Vec<Program>, RunError> {
    match file {
        Some(file) => Ok(vec![run::read_program(file)?]),
        None => Ok(lowered(cargo, show)?.into_iter().map(|(program, _)| program).collect()),
    }
}

fn lowered(cargo: &CargoOptions, show: &ShowOptions) -> Result<Vec<(Program, Vec<EventInfo>)>, RunError> {
    let mut progress = Terminal::new(show.quiet);
    let programs = run::programs(&show.cargo(cargo), &mut progress);
    progress.finish();
    programs
}

fn stage(program: &Program, args: &DumpArgs) -> Result<String, RunError> {
    let precision = if args.fine { Precision::Fine } else { Precision::Coarse };
    let mut text = String::new();
    match args.stage {
        Stage::Mir | Stage::Ir => text = program.to_string(),
        Stage::Detstr => {
            for event in chosen(program, args.event.as_deref())? {
                let name = &program.proc(event).name;
                let _ = write!(
                    text,
                    "// event {name}\n{}\n",
                    translate::detstr(program, event, precision, Mutation::None).program
                );
            }
        }
        Stage::Detseq => {
            for event in chosen(program, args.event.as_deref())? {
                let name = &program.proc(event).name;
                let _ = write!(
                    text,
                    "// event {name}\n{}\n",
                    translate::detseq(program, event, precision).program
                );
            }
        }
        Stage::Robseq => text = translate::robseq(program, args.events, precision).program.to_string(),
    }
    Ok(text)
}

/// The event of that name, or all.
fn chosen(program: &Program, name: Option<&str>) -> Result<Vec<ProcId>, RunError> {
    let events = program.events().filter(|&event| name.is_none_or(|name| program.proc(event).name == name));
    let events: Vec<_> = events.collect();
    match name {
        Some(name) if events.is_empty() => Err(RunError::NoEvent(name.to_owned())),
        _ => Ok(events),
    }
}

/// An event of a program in text form.
fn declared(program: &Program, event: &Proc) -> String {
    let ProcKind::Event { once, on, guard } = event.kind else { return String::new() };
    let executor = match on {
        Where::Any => None,
        Where::On(executor) => Some(program.executors[executor.index()].name.as_str()),
    };
    let guard = guard.map(|guard| format!(", when {}", program.vars[guard.index()].name));
    let place = event.place.and_then(|place| program.places.get(place.index()));
    line(&event.name, executor, once, &guard.unwrap_or_default(), place)
}

/// An event of a crate.
fn found(event: &EventInfo) -> String {
    let why = format!(": {}", event.why);
    line(&event.name, event.executor.as_deref(), event.once, &why, event.place.as_ref())
}

fn line(name: &str, executor: Option<&str>, once: bool, more: &str, place: Option<&SourcePlace>) -> String {
    let once = if once { ", once" } else { "" };
    let place = place.map(|place| format!(" ({}:{}:{})", place.file, place.line, place.column));
    format!("{name} on {}{once}{more}{}\n", executor.unwrap_or("any"), place.unwrap_or_default())
}
