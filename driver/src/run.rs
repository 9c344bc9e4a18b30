//! From what was asked for to a report: extraction or a file, the analysis, the gate.

mod assemble;
mod error;
mod merge;
mod parts;
mod project;
mod said;
mod still;

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use robust_analyzer::check::{self, Options};
use robust_analyzer::db::{self, Database, Input, Source};
use robust_analyzer::ir::{self, Program};
use robust_analyzer::limits::{Deadline, Limits};
use robust_analyzer::lower::{self, Lowered, Scope, Told};
use robust_analyzer::mir::Crate;
use robust_models::Models;
use salsa::Setter;

pub use error::RunError;
use merge::merge;

use crate::extract::{Built, CargoOptions, Prepared, Progress, Timings};
use crate::gate::{self, Baseline, Config, Gate, Levels};
use crate::memory::Memory;
use crate::replay;
use crate::report::{Report, Sources};
use assemble::Assembly;
use parts::{Kept, Part, Seen, Together};
use project::Project;
use said::Said;
use still::{Asked, Outcome, Settled};

/// What the memory calls lowered programs.
const PROGRAMS: &str = "programs";
/// A program in text form takes about so many times the memory that its text does.
const OF_TEXT: u64 = 64;

/// What a run is to do, apart from what it looks at.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What bounds the search.
    pub limits: Options,
    /// Levels from the command line.
    pub levels: Levels,
    /// Whether a run that is not complete fails.
    pub incomplete_fails: bool,
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
    /// Where outputs go, unless the user names another folder; empty for what is no crate.
    pub target_dir: PathBuf,
    /// What the user said about replaying.
    pub replay: replay::Told,
}

/// Somebody who watches a run.
pub trait Watch {
    /// The one who watches the extraction.
    fn extraction(&mut self) -> &mut dyn Progress;
    /// A stage after the extraction begins, described by a few words.
    fn analysing(&mut self, what: &str);
    /// The checks begin.
    fn checking(&mut self, what: &str, _progress: Arc<db::Progress>) {
        self.analysing(what);
    }
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
    let mut analysis = Analysis::default();
    let finished = analysis.run(cargo, settings, watch);
    // Taking everything apart takes as long as some stages; the process is about to end, or runs this once more at most.
    std::mem::forget(analysis);
    finished
}

/// An analysis that can be run again, and then does again only what has to be done.
#[derive(Default)]
pub struct Analysis {
    db: Database,
    memory: Option<Arc<Memory>>,
    /// Whether the memory was damaged when this run began.
    damaged: bool,
    /// By key of the program.
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
        let Base { project, gate, rustc, timings, crates, kept, lowering } =
            self.base(cargo, settings, watch)?;
        let mut assembly = Assembly::new(project.root.clone(), settings);
        assembly.extraction(&rustc, timings);
        let seen: HashMap<&String, &Seen> =
            kept.iter().flat_map(|kept| &kept.seen).map(|(key, seen)| (key, seen)).collect();
        crates.iter().filter_map(|krate| seen.get(krate)).for_each(|seen| assembly.seen(seen));
        assembly.time("lower", lowering);
        let what = match &kept[..] {
            [only] => format!("analysing {}", only.part.name),
            all => format!("analysing {} programs", all.len()),
        };
        watch.checking(&what, self.db.progress());
        let inputs: Vec<Input> = kept.iter().map(|kept| self.asked(&kept.part, &settings.limits)).collect();
        let outcomes = db::outcomes(&self.db, &inputs, settings.limits.jobs);
        for (Kept { part, .. }, outcome) in kept.iter().zip(outcomes) {
            let target = |(name, kind): &(String, String)| project.target(name, kind);
            assembly.part(part, part.crates.iter().filter_map(target).collect(), outcome);
        }
        assembly.unmatched(kept.iter().map(|kept| &kept.part));
        let memory = self.memory.as_deref();
        if self.damaged || memory.is_some_and(Memory::was_damaged) {
            watch.warn("what earlier runs found out was damaged; it was thrown away and found out again");
        }
        memory.inspect(|memory| memory.tidy());
        let finished = finish(assembly, &gate, settings)?;
        Ok(Finished { target_dir: project.metadata.target_directory.join("robust").into(), ..finished })
    }

    /// All that the analysis is about: as it was when nothing has changed since the last run, else from cargo on.
    fn base(
        &mut self,
        cargo: &CargoOptions,
        settings: &Settings,
        watch: &mut dyn Watch,
    ) -> Result<Base, RunError> {
        let start = Instant::now();
        let memory = self.memory.clone().or_else(|| still::find_memory(cargo));
        self.damaged = false;
        if let Some(memory) = &memory
            && let Some(base) = self.settled(memory, cargo, settings, start)?
        {
            self.db.begin(Deadline::of_run(settings.limits.total.saturating_sub(start.elapsed())));
            return Ok(base);
        }
        self.damaged = memory.as_ref().is_some_and(|memory| memory.was_damaged());
        let prepared = Prepared::new(cargo, watch.extraction())?;
        // What the user wrote is checked before anything is built.
        let project = Project::new(prepared.metadata().clone());
        let config = Config::read(&project.root, &project.manifests())?;
        let said = Said::new(&config, settings.limits.memory);
        let gate = gate(config, settings)?;
        let memory = self.remember(|| Arc::new(Memory::open(prepared.target_dir())));
        let asked = Asked::new(cargo, prepared.metadata(), prepared.target_dir());
        let prepared_in = start.elapsed();
        let left = settings.limits.total.saturating_sub(prepared_in);
        let built = prepared.build(&said.tell(cargo), left, watch.extraction())?;
        self.db.begin(built.deadline());

        let (rustc, mut timings) = (built.rustc().clone(), built.timings());
        let start = Instant::now();
        let (crates, inputs, quiet) = (built.crates(), built.inputs(), built.is_quiet());
        let programs = Together::all(&crates, said.is_silent());
        let keys: Vec<Option<String>> = programs.iter().map(|program| said.key(&built, program)).collect();
        let recall = |key: &Option<String>| recall(&memory, key.as_ref()?);
        let mut kept: Vec<Option<Kept>> = keys.iter().map(recall).collect();
        let new: Vec<usize> = (0..programs.len()).filter(|&index| kept[index].is_none()).collect();
        if !new.is_empty() {
            let wanted: Vec<&Together> = new.iter().map(|&index| &programs[index]).collect();
            let lowered = self.lower(built, &wanted, &said, settings, &mut timings, watch)?;
            for (index, lowered) in new.into_iter().zip(lowered) {
                if let Some(key) = keys[index].as_ref().filter(|_| !lowered.part.late) {
                    memory.keep(PROGRAMS, key, &lowered);
                }
                kept[index] = Some(lowered);
            }
        }
        let lowering = start.elapsed().saturating_sub(timings.parse);
        let crates: Vec<String> = crates.into_iter().map(|krate| krate.key).collect();
        if let Some(asked) = asked {
            let (metadata, programs) = (&project.metadata, keys.into_iter().collect());
            let (said, crates) = (said.digest(), crates.clone());
            asked.keep(&memory, Outcome { metadata, rustc: &rustc, said, inputs, quiet, crates, programs });
        }
        let kept = kept.into_iter().flatten().collect();
        Ok(Base { project, gate, rustc, timings, crates, kept, lowering })
    }

    /// All that the analysis is about, as it was when the same was asked the last time, if nothing has changed since.
    fn settled(
        &mut self,
        memory: &Arc<Memory>,
        cargo: &CargoOptions,
        settings: &Settings,
        start: Instant,
    ) -> Result<Option<Base>, RunError> {
        let Some(settled) = Settled::recall(memory, cargo) else { return Ok(None) };
        let (Some(kept), Ok(rustc)) = (settled.programs(memory), settled.rustc.parse()) else {
            return Ok(None);
        };
        let project = Project::new(settled.metadata);
        let config = Config::read(&project.root, &project.manifests())?;
        if Said::new(&config, settings.limits.memory).digest() != settled.said {
            return Ok(None);
        }
        self.remember(|| Arc::clone(memory));
        let gate = gate(config, settings)?;
        let timings = Timings { prepare: start.elapsed(), ..Timings::default() };
        let crates = settled.crates;
        Ok(Some(Base { project, gate, rustc, timings, crates, kept, lowering: Duration::ZERO }))
    }

    /// The memory: the one of the last run, or else this one.
    fn remember(&mut self, open: impl FnOnce() -> Arc<Memory>) -> Arc<Memory> {
        let memory = self.memory.take().filter(|memory| !memory.was_damaged());
        let memory = memory.unwrap_or_else(|| {
            let memory = open();
            self.db.set_memory(memory.clone());
            memory
        });
        self.memory = Some(Arc::clone(&memory));
        memory
    }

    /// Reads and lowers what was built of these programs.
    fn lower(
        &mut self,
        built: Built,
        programs: &[&Together],
        said: &Said,
        settings: &Settings,
        timings: &mut Timings,
        watch: &mut dyn Watch,
    ) -> Result<Vec<Kept>, RunError> {
        let crates = built.crates();
        let mut called: BTreeMap<usize, bool> = BTreeMap::new();
        for program in programs {
            for &index in &program.crates {
                let called = called.entry(index).or_default();
                *called |= program.scope != Scope::Executables && crates[index].is_library();
            }
        }
        let wanted: Vec<(usize, bool)> = called.into_iter().collect();
        let extraction = built.read(&wanted, watch.extraction())?;
        *timings = extraction.timings;
        watch.analysing("lowering");
        let models = Arc::new(said.models.clone());
        let place = |index: &usize| wanted.binary_search_by_key(index, |(index, _)| *index).ok();
        let places: Vec<Vec<usize>> =
            programs.iter().map(|program| program.crates.iter().filter_map(place).collect()).collect();
        let together = |places: &Vec<usize>| -> Vec<Arc<Crate>> {
            places.iter().map(|&place| Arc::clone(&extraction.crates[place])).collect()
        };
        let mut input = |(program, places): (&&Together, &Vec<usize>)| {
            let (crates_of, mut told) = (together(places), said.told.clone());
            gate::add_comments(&mut told, &crates_of, &extraction.root);
            let source = Source::Crates {
                crates: crates_of,
                scope: program.scope,
                models: Arc::clone(&models),
                told: Arc::new(told),
            };
            self.input(&crates[program.named].key, source, &settings.limits)
        };
        let inputs: Vec<Input> = programs.iter().zip(&places).map(&mut input).collect();
        db::lower_all(&self.db, &inputs, settings.limits.jobs);
        let crate_seen: Vec<Seen> = extraction.crates.iter().map(|krate| Seen::of(krate)).collect();
        let mut all = Vec::new();
        for ((program, places), &input) in programs.iter().zip(&places).zip(&inputs) {
            let Some(lowered) = db::lowered(&self.db, input) else { continue };
            let of_program = together(places);
            let mut part = Part::of_crates(&crates[program.named], &of_program, lowered);
            part.unmatched.extend(said.unmatched(&of_program));
            part.late |= places.iter().any(|&place| extraction.late[place]);
            let seen = program.crates.iter().zip(places);
            let seen = seen.map(|(&index, &place)| (crates[index].key.clone(), crate_seen[place].clone()));
            let sources = places.iter().map(|&place| &extraction.sources[place]);
            all.push(Kept::new(part, seen.collect(), sources));
        }
        Ok(all)
    }

    /// The input that stands for a program.
    fn asked(&mut self, part: &Part, limits: &Options) -> Input {
        let known = self.inputs.get(&part.key).copied();
        // What was lowered in this run is in the database; what an earlier run lowered is not.
        let lowered = known.and_then(|input| db::lowered(&self.db, input).as_ref());
        match (known, lowered) {
            (Some(input), Some(lowered)) if lowered.program == *part.program => input,
            _ => self.input(&part.key, Source::Program(Arc::clone(&part.program)), limits),
        }
    }

    /// The input for a program; set only when it is another one, so that nothing is done again for nothing.
    fn input(&mut self, key: &str, source: Source, limits: &Options) -> Input {
        let Some(&input) = self.inputs.get(key) else {
            let input = Input::new(&self.db, source, limits.clone());
            self.inputs.insert(key.to_owned(), input);
            return input;
        };
        if *input.source(&self.db) != source {
            input.set_source(&mut self.db).to(source);
        }
        input
    }
}

/// What an analysis is about.
struct Base {
    project: Project,
    gate: Gate,
    rustc: semver::Version,
    timings: Timings,
    /// The keys of the crates, in order.
    crates: Vec<String>,
    kept: Vec<Kept>,
    lowering: Duration,
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
    let name = file_name(file);
    let deadline = Deadline::of_run(settings.limits.total);
    let part = Part::of_file(name.clone(), read_program(file, settings.limits.memory)?);
    watch.analysing(&format!("checking {name}"));
    let outcome = check::check_until(&part.program, &settings.limits, deadline);
    let here = std::env::current_dir().unwrap_or_default();
    let mut assembly = Assembly::new(here, settings);
    assembly.file(name);
    assembly.part(&part, Vec::new(), outcome);
    finish(assembly, &gate, settings)
}

/// Reads a program in text form, with so much memory in megabytes; `-` is standard input.
///
/// # Errors
/// The file cannot be read, is too large, or is no program.
pub fn read_program(file: &Path, memory: u32) -> Result<Program, RunError> {
    let most = Limits::of_memory(memory).bytes() / OF_TEXT;
    let failed = |source| RunError::Read { file: file_name(file).into(), source };
    let mut text = Vec::new();
    let read = match is_standard_input(file) {
        true => std::io::stdin().take(most + 1).read_to_end(&mut text),
        false => File::open(file).and_then(|file| file.take(most + 1).read_to_end(&mut text)),
    };
    if read.map_err(failed)? as u64 > most {
        return Err(RunError::TooLarge { file: file_name(file), most, memory });
    }
    let no_text = |error| failed(std::io::Error::new(std::io::ErrorKind::InvalidData, error));
    let text = String::from_utf8(text).map_err(no_text)?;
    let program = ir::text::parse(&text, &file_name(file)).map_err(RunError::Parse)?;
    if program.events().next().is_none() { Err(RunError::NoEvents(file_name(file))) } else { Ok(program) }
}

fn is_standard_input(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// What a file is called in messages.
fn file_name(file: &Path) -> String {
    if is_standard_input(file) { "<stdin>".to_owned() } else { file.to_string_lossy().into_owned() }
}

/// The programs that the selected crates amount to, one for each executable, with all that there is to say about them.
///
/// # Errors
/// See [`RunError`].
pub fn programs(
    cargo: &CargoOptions,
    options: &Options,
    watch: &mut dyn Watch,
) -> Result<Vec<Lowered>, RunError> {
    let programs = each_program(cargo, options, watch, lower::lower_told)?;
    if programs.iter().any(|program| program.late) {
        watch.warn("there was no time for all of it (--total-timeout): something is left out");
    }
    Ok(programs)
}

/// What is known of these programs before statements are made of it, in text form.
///
/// # Errors
/// See [`RunError`].
pub fn worlds(
    cargo: &CargoOptions,
    options: &Options,
    watch: &mut dyn Watch,
) -> Result<Vec<String>, RunError> {
    each_program(cargo, options, watch, lower::world)
}

/// Something that is made of the crates of a program.
type Made<T> = fn(&[Arc<Crate>], &Models, &Told, Scope, Limits) -> T;

fn each_program<T>(
    cargo: &CargoOptions,
    options: &Options,
    watch: &mut dyn Watch,
    made: Made<T>,
) -> Result<Vec<T>, RunError> {
    let prepared = Prepared::new(cargo, watch.extraction())?;
    let project = Project::new(prepared.metadata().clone());
    let said = Said::new(&Config::read(&project.root, &project.manifests())?, options.memory);
    let built = prepared.build(&said.tell(cargo), options.total, watch.extraction())?;
    let limits = Limits::of_memory(options.memory).until(built.deadline());
    let programs = Together::all(&built.crates(), said.is_silent());
    let extraction = built.read_all(watch.extraction())?;
    watch.analysing("lowering");
    let models = said.all_models();
    let made = |together: Together| {
        let crates: Vec<_> =
            together.crates.iter().map(|&index| Arc::clone(&extraction.crates[index])).collect();
        let mut told = said.told.clone();
        gate::add_comments(&mut told, &crates, &extraction.root);
        made(&crates, &models, &told, together.scope, limits)
    };
    Ok(programs.into_iter().map(made).collect())
}

/// Joins the JSON reports of all parts of a run.
///
/// # Errors
/// A file is no report, or they do not belong together.
pub fn merge_files(files: &[PathBuf]) -> Result<Finished, RunError> {
    let read = |file: &PathBuf| {
        let text = std::fs::read(file).map_err(|source| RunError::Read { file: file.into(), source })?;
        let wrong = |error| {
            RunError::Merge(format!("`{}` is not a JSON report of cargo robust: {error}", file.display()))
        };
        serde_json::from_slice(&text).map_err(wrong)
    };
    let report = merge(files.iter().map(read).collect::<Result<_, _>>()?)?;
    let sources = Sources::new(&report.root);
    Ok(Finished {
        report,
        sources,
        baseline_written: false,
        target_dir: PathBuf::new(),
        replay: replay::Told::default(),
    })
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
    let replay = gate.config.replay.clone();
    Ok(Finished { report, sources, baseline_written: baseline.is_some(), target_dir: PathBuf::new(), replay })
}
