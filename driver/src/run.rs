//! From what was asked for to a report: extraction or a file, the analysis, the gate.

mod assemble;
mod error;
mod parts;
mod project;

use std::path::{Path, PathBuf};
use std::time::Instant;

use robust_analyzer::check::{Options, Outcome};
use robust_analyzer::db::{self, Database};
use robust_analyzer::ir::{self, Program};
use robust_analyzer::lower::EventInfo;
use robust_models::Models;

pub use error::RunError;

use crate::extract::{self, CargoOptions, Extraction, Progress};
use crate::gate::{self, Baseline, Config, Gate, Levels};
use crate::report::{Report, Sources};
use assemble::Assembly;
use parts::Part;
use project::Project;

/// What a run is to do, apart from what it looks at.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What bounds the search.
    pub limits: Options,
    /// Levels from the command line.
    pub levels: Levels,
    /// The file of known findings.
    pub baseline: Option<PathBuf>,
    /// Whether to write that file, in place of reading it.
    pub write_baseline: bool,
}

/// A run that completed.
#[derive(Debug)]
pub struct Finished {
    /// What it found out.
    pub report: Report,
    /// The source that the report is about.
    pub sources: Sources,
    /// Whether the findings were written to the baseline: then they do not fail the run.
    pub baseline_written: bool,
}

/// Somebody who watches a run.
pub trait Watch {
    /// The one who watches the extraction.
    fn extraction(&mut self) -> &mut dyn Progress;
    /// A stage after the extraction begins, described by a few words.
    fn analysing(&mut self, what: &str);
}

/// Analyses the crates that the options select.
///
/// # Errors
/// See [`RunError`]; nothing is reported then.
pub fn analyse(
    cargo: &CargoOptions,
    settings: &Settings,
    watch: &mut dyn Watch,
) -> Result<Finished, RunError> {
    // What the user wrote is checked before anything is built. Without a project, the extraction knows best why.
    let project = Project::find(cargo);
    let config = config(project.as_ref())?;
    let models = models(&config);
    let mut told = config.told.clone();
    let gate = gate(config, settings)?;
    let extraction = extract::extract(&with_aliases(cargo, &models), watch.extraction())?;
    gate::add_comments(&mut told, &extraction.crates, &extraction.root);

    let mut assembly = Assembly::new(extraction.root.clone(), settings);
    assembly.extraction(&extraction);
    watch.analysing("lowering");
    let start = Instant::now();
    let parts = parts::of(&extraction, &models, &told);
    assembly.time("lower", start.elapsed());
    for part in parts {
        watch.analysing(&format!("analysing {}", part.name));
        let outcome = ask(&part.program, &settings.limits);
        let target = |(name, kind): &(String, String)| project.as_ref()?.target(name, kind);
        let crates = part.crates.iter().filter_map(target).collect();
        assembly.part(&part, crates, outcome);
    }
    finish(assembly, &gate, settings)
}

/// Checks a program in text form.
///
/// # Errors
/// The file cannot be read, or is no program.
pub fn check_file(file: &Path, settings: &Settings, watch: &mut dyn Watch) -> Result<Finished, RunError> {
    let gate = gate(Config::default(), settings)?;
    let name = file.to_string_lossy().into_owned();
    let part = Part::of_file(name.clone(), read_program(file)?);
    watch.analysing(&format!("checking {name}"));
    let outcome = ask(&part.program, &settings.limits);
    let here = std::env::current_dir().unwrap_or_default();
    let mut assembly = Assembly::new(here, settings);
    assembly.file(name);
    assembly.part(&part, Vec::new(), outcome);
    finish(assembly, &gate, settings)
}

/// Reads a program in text form.
///
/// # Errors
/// The file cannot be read, or is no program.
pub fn read_program(file: &Path) -> Result<Program, RunError> {
    let text =
        std::fs::read_to_string(file).map_err(|source| RunError::Read { file: file.into(), source })?;
    ir::text::parse(&text, &file.to_string_lossy()).map_err(RunError::Parse)
}

/// The programs that the selected crates amount to, one for each executable, with all the events that were found.
///
/// # Errors
/// See [`RunError`].
pub fn programs(
    cargo: &CargoOptions,
    watch: &mut dyn Watch,
) -> Result<Vec<(Program, Vec<EventInfo>)>, RunError> {
    let config = config(Project::find(cargo).as_ref())?;
    let (models, mut told) = (models(&config), config.told);
    let extraction: Extraction = extract::extract(&with_aliases(cargo, &models), watch.extraction())?;
    gate::add_comments(&mut told, &extraction.crates, &extraction.root);
    watch.analysing("lowering");
    let parts = parts::of(&extraction, &models, &told).into_iter();
    Ok(parts.map(|part| (part.program, part.seen.map(|(_, events)| events).unwrap_or_default())).collect())
}

fn config(project: Option<&Project>) -> Result<Config, RunError> {
    Ok(match project {
        Some(project) => Config::read(&project.root, &project.manifests())?,
        None => Config::default(),
    })
}

/// What is known of libraries: ours, then the user's.
fn models(config: &Config) -> Models {
    let mut models = Models::built_in();
    for library in &config.models {
        models.push(library.clone());
    }
    models
}

fn with_aliases(cargo: &CargoOptions, models: &Models) -> CargoOptions {
    let pairs = models.aliases().map(|(other, name)| (other.to_owned(), name.to_owned()));
    CargoOptions { aliases: pairs.collect(), ..cargo.clone() }
}

fn gate(config: Config, settings: &Settings) -> Result<Gate, RunError> {
    let baseline = match &settings.baseline {
        Some(file) if !settings.write_baseline => Some(Baseline::read(file)?),
        _ => None,
    };
    Ok(Gate { config, levels: settings.levels.clone(), baseline })
}

fn finish(assembly: Assembly, gate: &Gate, settings: &Settings) -> Result<Finished, RunError> {
    let (report, sources) = assembly.finish(gate);
    let baseline = settings.baseline.as_ref().filter(|_| settings.write_baseline);
    if let Some(file) = baseline {
        Baseline::of(&report.findings).write(file)?;
    }
    Ok(Finished { report, sources, baseline_written: baseline.is_some() })
}

/// The answers about a program.
fn ask(program: &Program, limits: &Options) -> Outcome {
    let db = Database::default();
    db::outcome(&db, db::Input::new(&db, program.clone(), limits.clone())).clone()
}
