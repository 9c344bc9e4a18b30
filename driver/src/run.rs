//! From what was asked for to a report: extraction or a file, the analysis, the gate.

mod assemble;
mod error;
mod merge;
mod parts;
mod project;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use robust_analyzer::check::{self, Options, Outcome};
use robust_analyzer::db::{self, Database, Input, Source};
use robust_analyzer::ir::{self, Program};
use robust_analyzer::lower::{self, EventInfo, Told};
use robust_models::{Library, Models};
use salsa::Setter;

pub use error::RunError;
use merge::merge;

use crate::extract::{Built, CargoOptions, Prepared, Progress, Timings};
use crate::gate::{self, Baseline, Config, Gate, Levels};
use crate::memory::{self, Memory};
use crate::report::{Report, Sources};
use assemble::Assembly;
use parts::{Kept, Part, Seen, Together};
use project::Project;

/// What the memory calls lowered programs.
const PROGRAMS: &str = "programs";

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
    /// Something went wrong that changes no result.
    fn warn(&mut self, what: &str);
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
    Analysis::default().run(cargo, settings, watch)
}

/// An analysis that can be run again, and then does again only what has to be done.
#[derive(Default)]
pub struct Analysis {
    db: Database,
    memory: Option<Arc<Memory>>,
    /// By name of the program.
    inputs: HashMap<String, Input>,
}

impl Analysis {
    /// Analyses the crates that the options select.
    ///
    /// # Errors
    /// See [`RunError`]; nothing is reported then.
    pub fn run(
        &mut self,
        cargo: &CargoOptions,
        settings: &Settings,
        watch: &mut dyn Watch,
    ) -> Result<Finished, RunError> {
        let prepared = Prepared::new(cargo, watch.extraction())?;
        // What the user wrote is checked before anything is built.
        let project = Project::new(&prepared);
        let config = Config::read(&project.root, &project.manifests())?;
        let said = Said::new(&config);
        let gate = gate(config, settings)?;
        let memory = self.remember(prepared.target_dir());
        let built = prepared.build(&said.tell(cargo), watch.extraction())?;

        let mut assembly = Assembly::new(built.root().to_owned(), settings);
        let (rustc, mut timings) = (built.rustc().clone(), built.timings());
        let start = Instant::now();
        let key = said.key(&built);
        let kept = match key.as_ref().and_then(|key| recall(&memory, key)) {
            Some(kept) => kept,
            None => {
                let kept = self.lower(built, said, settings, &mut timings, watch)?;
                if let Some(key) = key {
                    memory.keep(PROGRAMS, &key, &kept);
                }
                kept
            }
        };
        assembly.extraction(&kept.seen, &rustc, timings);
        assembly.time("lower", start.elapsed().saturating_sub(timings.parse));
        for part in &kept.parts {
            watch.analysing(&format!("analysing {}", part.name));
            let outcome = self.ask(part, &settings.limits);
            let target = |(name, kind): &(String, String)| project.target(name, kind);
            assembly.part(part, part.crates.iter().filter_map(target).collect(), outcome);
        }
        if memory.was_damaged() {
            watch.warn("what earlier runs found out was damaged; it was thrown away and found out again");
        }
        memory.tidy();
        finish(assembly, &gate, settings)
    }

    /// The memory in that target directory.
    fn remember(&mut self, target_dir: &Path) -> Arc<Memory> {
        let memory = self.memory.take().filter(|memory| !memory.was_damaged());
        let memory = memory.unwrap_or_else(|| {
            let memory = Arc::new(Memory::open(target_dir));
            self.db.set_memory(memory.clone());
            memory
        });
        self.memory = Some(Arc::clone(&memory));
        memory
    }

    /// Reads and lowers what was built.
    fn lower(
        &mut self,
        built: Built,
        mut said: Said,
        settings: &Settings,
        timings: &mut Timings,
        watch: &mut dyn Watch,
    ) -> Result<Kept, RunError> {
        let extraction = built.read(watch.extraction())?;
        *timings = extraction.timings;
        gate::add_comments(&mut said.told, &extraction.crates, &extraction.root);
        watch.analysing("lowering");
        let (models, told) = (Arc::new(said.models), Arc::new(said.told));
        let programs = Together::all(&extraction);
        let mut input = |together: &Together| {
            let crates = together.crates.clone();
            let source = Source::Crates { crates, models: Arc::clone(&models), told: Arc::clone(&told) };
            self.input(&together.name, source, &settings.limits)
        };
        let inputs: Vec<Input> = programs.iter().map(&mut input).collect();
        db::lower_all(&self.db, &inputs, settings.limits.jobs);
        let lowered = inputs.iter().map(|&input| db::lowered(&self.db, input).as_ref());
        let parts = programs
            .iter()
            .zip(lowered)
            .filter_map(|(program, lowered)| Some(Part::of_crates(program, lowered?)));
        let parts = parts.collect();
        Ok(Kept::new(parts, Seen::of(&extraction), &extraction.sources))
    }

    /// The answers about a program.
    fn ask(&mut self, part: &Part, limits: &Options) -> Outcome {
        let known = self.inputs.get(&part.name).copied();
        // What was lowered in this run is in the database; what an earlier run lowered is not.
        let lowered = known.and_then(|input| db::lowered(&self.db, input).as_ref());
        let input = match (known, lowered) {
            (Some(input), Some(lowered)) if lowered.program == *part.program => input,
            _ => self.input(&part.name, Source::Program(Arc::clone(&part.program)), limits),
        };
        db::outcome(&self.db, input)
    }

    /// The input for a program; set only when it is another one, so that nothing is done again for nothing.
    fn input(&mut self, name: &str, source: Source, limits: &Options) -> Input {
        let Some(&input) = self.inputs.get(name) else {
            let input = Input::new(&self.db, source, limits.clone());
            self.inputs.insert(name.to_owned(), input);
            return input;
        };
        if *input.source(&self.db) != source {
            input.set_source(&mut self.db).to(source);
        }
        input
    }
}

/// What the user says about the program, beside the program: what the analysis depends on.
struct Said {
    models: Vec<Library>,
    told: Told,
}

impl Said {
    fn new(config: &Config) -> Said {
        Said { models: config.models.clone(), told: config.told.clone() }
    }

    /// What is known of libraries: ours, then the user's.
    fn all_models(&self) -> Models {
        let mut models = Models::built_in();
        self.models.iter().for_each(|library| models.push(library.clone()));
        models
    }

    /// The options with what the extraction has to know.
    fn tell(&self, cargo: &CargoOptions) -> CargoOptions {
        let models = self.all_models();
        let pairs = models.aliases().map(|(other, name)| (other.to_owned(), name.to_owned()));
        let described = self.models.iter().flat_map(|library| library.crates.iter().cloned());
        CargoOptions { aliases: pairs.collect(), described: described.collect(), ..cargo.clone() }
    }

    /// Stands for all that the programs depend on, source files apart.
    fn key(&self, built: &Built) -> Option<String> {
        let all = format!("{}\0{:?}\0{:?}", built.digest()?, self.models, self.told);
        Some(memory::digest(all.as_bytes()))
    }
}

/// What an earlier run made of the same crates.
fn recall(memory: &Memory, key: &str) -> Option<Kept> {
    let kept: Kept = memory.recall(PROGRAMS, key)?;
    kept.holds().then_some(kept)
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
    let outcome = check::check(&part.program, &settings.limits);
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
    let prepared = Prepared::new(cargo, watch.extraction())?;
    let project = Project::new(&prepared);
    let mut said = Said::new(&Config::read(&project.root, &project.manifests())?);
    let built = prepared.build(&said.tell(cargo), watch.extraction())?;
    let extraction = built.read(watch.extraction())?;
    gate::add_comments(&mut said.told, &extraction.crates, &extraction.root);
    watch.analysing("lowering");
    let models = said.all_models();
    let lowered = |together: Together| {
        let lowered = lower::lower_told(&together.crates, &models, &said.told);
        (lowered.program, lowered.events)
    };
    Ok(Together::all(&extraction).into_iter().map(lowered).collect())
}

/// Joins the JSON reports of all parts of a run.
///
/// # Errors
/// A file is no report, or they do not belong together.
pub fn merge_files(files: &[PathBuf]) -> Result<Finished, RunError> {
    let read = |file: &PathBuf| {
        let text = std::fs::read(file).map_err(|source| RunError::Read { file: file.into(), source })?;
        let wrong = |error| RunError::Merge(format!("`{}` is no report: {error}", file.display()));
        serde_json::from_slice(&text).map_err(wrong)
    };
    let report = merge(files.iter().map(read).collect::<Result<_, _>>()?)?;
    let sources = Sources::new(&report.root);
    Ok(Finished { report, sources, baseline_written: false })
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
