//! The commands that show a stage's result: `dump` and `events`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use robust_analyzer::check::Options;
use robust_analyzer::confinement::Placed;
use robust_analyzer::cor;
use robust_analyzer::ir::{Proc, ProcId, ProcKind, Program, StmtKind, Where, flatten, validate};
use robust_analyzer::lifecycle::Told;
use robust_analyzer::lower::{EventInfo, Lowered};
use robust_analyzer::reach::{self, Bounds};
use robust_analyzer::translate::{self, Mutation, Precision, Start, Translated};

use super::args::{DumpArgs, EffectsArgs, EventsArgs, ListFormat, ShowOptions, Stage};
use super::output::{self, Output};
use super::progress::Terminal;
use super::write_models;
use crate::extract::{self, CargoOptions};
use crate::run::{self, RunError};

/// Prints a stage's result.
pub(super) fn dump(args: &DumpArgs) -> ExitCode {
    let text = match (args.stage, &args.file) {
        (Stage::Mir, None) => mir(args),
        (Stage::Mir, Some(file)) => Err(RunError::NoMir(file.clone())),
        (Stage::World | Stage::Places | Stage::Lifecycle, Some(file)) => Err(RunError::NoMir(file.clone())),
        (Stage::World, None) => worlds(&args.cargo, &args.limits.options(), &args.show),
        (Stage::Lifecycle, None) => started(&args.cargo, &args.limits.options(), &args.show),
        (Stage::Places, None) => {
            placed(&args.cargo, &args.limits.options(), &args.show).map(|all| all.iter().map(runs).collect())
        }
        (_, file) => programs(file.as_deref(), args).and_then(|programs| {
            let texts = programs.iter().map(|program| stage(program, args));
            texts.collect::<Result<Vec<_>, _>>().map(|texts| texts.join("\n"))
        }),
    };
    show(text, &args.show)
}

/// Lists the events.
pub(super) fn events(args: &EventsArgs) -> ExitCode {
    let events = match &args.file {
        Some(file) => run::read_program(file, args.limits.memory).map(|program| {
            let events = program.events().map(|event| declared(&program, program.proc(event)));
            events.collect::<Vec<_>>()
        }),
        None => lowered(&args.cargo, &args.limits.options(), &args.show).map(|programs| {
            let mut events: Vec<EventInfo> =
                programs.into_iter().flat_map(|lowered| lowered.events).collect();
            events.sort_by_cached_key(line);
            let mut known = BTreeSet::new();
            events.iter().filter(|event| known.insert(event.key())).cloned().collect()
        }),
    };
    let text = events.map(|events| match args.format {
        ListFormat::Human => events.iter().map(line).collect(),
        // Cannot fail: the list is made of strings and numbers.
        ListFormat::Json => serde_json::to_string_pretty(&events).unwrap_or_default() + "\n",
    });
    show(text, &args.show)
}

/// Lists what functions ask of the thread that calls them.
pub(super) fn effects(args: &EffectsArgs) -> ExitCode {
    let all = placed(&args.cargo, &args.limits.options(), &args.show);
    let wanted = |placed: &Placed| args.every || placed.public && !placed.asks.is_empty();
    let all = all.and_then(|all| {
        if let Some(file) = &args.write_models {
            let text = write_models::text(&all);
            std::fs::write(file, text).map_err(|source| RunError::Write { file: file.clone(), source })?;
        }
        Ok(all)
    });
    let text = all.map(|all| {
        let all: Vec<Placed> = all.into_iter().filter(wanted).collect();
        match args.format {
            ListFormat::Human => all.iter().map(asks).collect(),
            // Cannot fail: the list is made of strings and numbers.
            ListFormat::Json => serde_json::to_string_pretty(&all).unwrap_or_default() + "\n",
        }
    });
    show(text, &args.show)
}

/// The functions of all programs. One that several programs have runs wherever one of them runs it.
fn placed(cargo: &CargoOptions, options: &Options, show: &ShowOptions) -> Result<Vec<Placed>, RunError> {
    let all = lowered(cargo, options, show)?.into_iter().flat_map(|lowered| lowered.confinement.functions);
    let mut known: BTreeMap<_, Placed> = BTreeMap::new();
    for one in all {
        let key = (one.place.clone(), one.name.clone());
        let placed = known.entry(key).or_insert_with(|| one.clone());
        placed.places.extend(one.places);
        placed.asks.extend(one.asks);
    }
    Ok(known.into_values().collect())
}

/// Where the tasks of all programs are started; nothing if they cannot be analysed, which whoever compiles them will say.
pub(super) fn sites(cargo: &CargoOptions, show: &ShowOptions) -> Vec<Told> {
    let all = lowered(cargo, &Options::default(), show).unwrap_or_default();
    all.into_iter().flat_map(|lowered| lowered.lifecycle.sites).collect()
}

/// Where the tasks of all programs are started.
fn started(cargo: &CargoOptions, options: &Options, show: &ShowOptions) -> Result<String, RunError> {
    let all = lowered(cargo, options, show)?.into_iter().flat_map(|lowered| lowered.lifecycle.sites);
    let all: BTreeSet<Told> = all.collect();
    let built_in = cor::built_in().ok();
    let properties = || built_in.iter().flat_map(|checked| &checked.properties);
    let text = all.iter().map(|site| {
        let held = properties().filter(|property| site.holds(&property.name, &property.says));
        let held: Vec<&str> = held.map(|property| property.name.as_str()).collect();
        let held = match held.is_empty() {
            true => String::new(),
            false => format!("; holds: {}", held.join(", ")),
        };
        let violated: Vec<&str> = site.violated.iter().map(String::as_str).collect();
        let violated = match violated.is_empty() {
            true => String::new(),
            false => format!("; violated: {}", violated.join(", ")),
        };
        let place = site
            .place
            .as_ref()
            .map_or_else(String::new, |place| format!("{}:{}:{}: ", place.file, place.line, place.column));
        let output = if site.output.is_empty() { "unknown" } else { &site.output };
        let undecided = match site.undecided.is_empty() {
            true => String::new(),
            false => format!("; not decided: {}", site.undecided),
        };
        format!(
            "{place}`{}`, handle {}, output {output}, ends {}{undecided}{violated}{held}\n",
            site.task, site.fate, site.ends
        )
    });
    Ok(text.collect())
}

fn runs(placed: &Placed) -> String {
    let places: Vec<&str> = placed.places.iter().map(String::as_str).collect();
    let places = if places.is_empty() { "nowhere".to_owned() } else { places.join(", ") };
    format!(
        "{}{} on {places}{}\n",
        placed.name,
        source(placed),
        if placed.asks.is_empty() { String::new() } else { format!(": {}", list(placed)) }
    )
}

fn asks(placed: &Placed) -> String {
    let asked = if placed.asks.is_empty() { "nothing".to_owned() } else { list(placed) };
    format!("{}{}: {asked}\n", placed.name, source(placed))
}

fn list(placed: &Placed) -> String {
    placed.asks.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn source(placed: &Placed) -> String {
    let place = placed.place.as_ref();
    place.map_or_else(String::new, |place| format!(" ({}:{}:{})", place.file, place.line, place.column))
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

fn programs(file: Option<&Path>, args: &DumpArgs) -> Result<Vec<Program>, RunError> {
    match file {
        Some(file) => Ok(vec![run::read_program(file, args.limits.memory)?]),
        None => {
            let programs = lowered(&args.cargo, &args.limits.options(), &args.show)?;
            Ok(programs.into_iter().map(|lowered| lowered.program).collect())
        }
    }
}

fn lowered(cargo: &CargoOptions, options: &Options, show: &ShowOptions) -> Result<Vec<Lowered>, RunError> {
    let mut progress = Terminal::new(show.quiet);
    let programs = run::programs(&show.cargo(cargo), options, &mut progress);
    progress.finish();
    programs
}

fn worlds(cargo: &CargoOptions, options: &Options, show: &ShowOptions) -> Result<String, RunError> {
    let mut progress = Terminal::new(show.quiet);
    let worlds = run::worlds(&show.cargo(cargo), options, &mut progress);
    progress.finish();
    worlds.map(|worlds| worlds.join("\n"))
}

fn stage(program: &Program, args: &DumpArgs) -> Result<String, RunError> {
    let precision = if args.fine { Precision::Fine } else { Precision::Coarse };
    let mut text = String::new();
    match args.stage {
        Stage::Mir | Stage::World | Stage::Ir | Stage::Places | Stage::Lifecycle => {
            text = program.to_string();
            if args.show.verbose {
                bases(&mut text, program);
            }
        }
        Stage::Detstr => {
            for event in chosen(program, args.event.as_deref())? {
                let name = &program.proc(event).name;
                let _ = write!(
                    text,
                    "// event {name}\n{}\n",
                    translate::detstr(program, event, Start::After(0), precision, Mutation::None).program
                );
            }
        }
        Stage::Detseq => {
            for event in chosen(program, args.event.as_deref())? {
                let name = &program.proc(event).name;
                let _ = write!(
                    text,
                    "// event {name}\n{}\n",
                    translate::detseq(program, event, Start::After(0), precision).program
                );
            }
        }
        Stage::Smt => {
            let events = chosen(program, args.event.as_deref())?;
            for event in events {
                let name = &program.proc(event).name;
                smt(&mut text, name, program, &translate::detseq(program, event, Start::After(0), precision));
            }
            if args.event.is_none() {
                let all = translate::robseq(program, args.instances, precision);
                smt(&mut text, "all events", program, &all);
            }
        }
        Stage::Robseq => text = translate::robseq(program, args.instances, precision).program.to_string(),
    }
    Ok(text)
}

/// What is known of each access: its number, where it is, and its basis, which names others by their numbers.
fn bases(text: &mut String, program: &Program) {
    for statement in program.statements() {
        let Some(id) = statement.basis else { continue };
        let Some(basis) = program.bases.get(id.index()) else { continue };
        let place = statement.place.and_then(|place| program.places.get(place.index()));
        let place =
            place.map_or_else(String::new, |place| format!("{}:{}:{}", place.file, place.line, place.column));
        let var = statement.changed().or(match statement.kind {
            StmtKind::Read(var) => Some(var),
            _ => None,
        });
        let var = var.map_or("", |var| &program.vars[var.index()].name);
        let what = if statement.changed().is_some() { "changes" } else { "reads" };
        let basis = serde_json::to_string(basis).unwrap_or_default();
        let _ = writeln!(text, "// {} {place} {what} {var}: {basis}", id.index());
    }
}

/// The question about a translated program as the solver gets it first; nothing for a program that is not valid.
fn smt(text: &mut String, name: &str, program: &Program, translated: &Translated) {
    let Ok(types) = validate(&flatten(program)).and_then(|types| translated.types(&types)) else { return };
    let bounds = Bounds::unrolled(2);
    let Translated { program, entry, error, .. } = translated;
    let (question, whole) = reach::to_smt(program, &types, *entry, *error, bounds);
    let bounded = if whole { "" } else { ", loops cut" };
    let _ = write!(text, "; {name}{bounded}\n{question}(check-sat)\n");
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
fn declared(program: &Program, event: &Proc) -> EventInfo {
    let (once, on, guard) = match event.kind {
        ProcKind::Event { once, on, guard, .. } => (once, on, guard),
        _ => (false, Where::Any, None),
    };
    let executor = match on {
        Where::Any => None,
        Where::On(executor) => program.executors.get(executor.index()).map(|executor| executor.name.clone()),
    };
    let guard = guard.and_then(|guard| program.vars.get(guard.index()));
    EventInfo {
        name: event.name.clone(),
        why: guard.map_or("declared".to_owned(), |guard| format!("declared, when {}", guard.name)),
        place: event.place.and_then(|place| program.places.get(place.index()).cloned()),
        executor,
        once,
        started: false,
        round_of: None,
    }
}

fn line(event: &EventInfo) -> String {
    let executor = event.executor.as_deref().unwrap_or("any");
    let once = if event.once { ", once" } else { "" };
    let place = event.place.as_ref();
    let place = place.map(|place| format!(" ({}:{}:{})", place.file, place.line, place.column));
    format!("{} on {executor}{once}: {}{}\n", event.name, event.why, place.unwrap_or_default())
}
