//! `cargo robust test`: which types are tested, where their calls can be stopped, and what is said of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use robust_analyzer::finding::Finding;
use robust_analyzer::lower::Lowered;
use serde::Serialize;

use super::explore::{Points, Search, explore};
use super::harness::{Harness, NotDriven, Operation};
use super::judge::Judge;
use super::lines::Rows;
use super::report::course;
use super::source::CrateSource;
use super::worker::Strategy;
use super::{Library, ReplayError, Replayer, is_library, table};
use crate::report::replay::Course;

/// So much of a line is shown.
const SHOWN: usize = 60;

/// A type, and the crate that has it.
pub struct Candidate {
    pub name: String,
    library: Library,
}

/// The answer about a type.
#[derive(Clone, Debug, Serialize)]
pub struct Tested {
    pub r#type: String,
    /// Why it could not be tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_driven: Option<String>,
    pub operations: Vec<String>,
    /// Operations that could not be called, and why.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failed>,
    pub scenarios: u64,
    pub runs: u64,
    /// Scenarios of which nothing can be said, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub undecided: BTreeMap<String, u64>,
    pub seconds: f64,
    pub seed: u64,
}

/// What goes wrong.
#[derive(Clone, Debug, Serialize)]
pub struct Failed {
    pub what: String,
    pub seen: Course,
    /// What the orders of whole calls show.
    pub serial: Vec<Course>,
    /// How often it came again of 20 times.
    pub again: u64,
    pub schedule: String,
    #[serde(skip)]
    tables: (String, String),
}

/// What is asked for besides how far to search.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub types: Vec<String>,
    pub skip: Vec<String>,
    /// Whether who ended before whom began does not matter.
    pub sequential: bool,
}

impl Replayer<'_> {
    /// The types to test: those named, or all with operations that the analysis takes for events on shared state.
    pub fn candidates(&self, asked: &Asked, programs: &[Lowered]) -> Vec<Candidate> {
        let root = Path::new(&self.report.root);
        let mut seen = BTreeSet::new();
        let mut all = Vec::new();
        for target in
            self.report.units.iter().flat_map(|unit| &unit.crates).filter(|target| is_library(target))
        {
            if !seen.insert(&target.src_path) {
                continue;
            }
            let Some(source) = CrateSource::read(Path::new(&target.src_path), false) else { continue };
            let mut names: Vec<String> = Vec::new();
            if asked.types.is_empty() {
                for lowered in programs {
                    let events: BTreeSet<&str> = lowered
                        .program
                        .events()
                        .map(|event| lowered.program.proc(event).name.as_str())
                        .collect();
                    // Those with effects on what is shared, and those that use atomics or locks in ways that are not followed.
                    let events = lowered.events.iter().filter(|event| events.contains(event.name.as_str()));
                    let places = events.map(|event| &event.place);
                    for place in places.chain(lowered.usages.iter().map(|usage| &usage.place)) {
                        let Some(place) = place else { continue };
                        let function = source.function_at(&root.join(&place.file), place);
                        let own = function
                            .filter(|function| function.signature.receiver().is_some())
                            .and_then(|function| function.self_type());
                        names.extend(own.filter(|own| !names.contains(own)));
                    }
                }
            } else {
                let types = source.types();
                names
                    .extend(types.iter().map(|ty| ty.name.clone()).filter(|name| asked.types.contains(name)));
            }
            all.extend(names.into_iter().map(|name| Candidate { name, library: self.library_of(target) }));
        }
        all
    }

    /// Tests a type.
    ///
    /// # Errors
    /// The crate does not build, or files cannot be written. A type that cannot be driven is an answer.
    pub fn test(
        &mut self,
        candidate: &Candidate,
        programs: &[Lowered],
        asked: &Asked,
        search: Search,
    ) -> Result<Tested, ReplayError> {
        let start = Instant::now();
        let mut tested = Tested {
            r#type: candidate.name.clone(),
            not_driven: None,
            operations: Vec::new(),
            left_out: BTreeMap::new(),
            failure: None,
            scenarios: 0,
            runs: 0,
            undecided: BTreeMap::new(),
            seconds: 0.0,
            seed: search.seed,
        };
        match self.searched(candidate, programs, asked, search, &mut tested) {
            Ok(()) => {}
            Err(ReplayError::NotDriven(why)) => tested.not_driven = Some(why),
            Err(error) => return Err(error),
        }
        tested.seconds = start.elapsed().as_secs_f64();
        Ok(tested)
    }

    fn searched(
        &mut self,
        candidate: &Candidate,
        programs: &[Lowered],
        asked: &Asked,
        search: Search,
        tested: &mut Tested,
    ) -> Result<(), ReplayError> {
        let library = &candidate.library;
        let not_driven = |NotDriven(why): NotDriven| ReplayError::NotDriven(why);
        let source = CrateSource::read(&library.root_file, false).ok_or_else(|| {
            ReplayError::NotDriven(format!("`{}` could not be read", library.root_file.display()))
        })?;
        let call = self.call(library)?;
        let mut harness = Harness::new(&source, &[], Some(&candidate.name), &call.used(), &self.told.makers)
            .map_err(not_driven)?;
        if harness.operations.is_empty() {
            return Err(ReplayError::NotDriven(format!(
                "`{}` has no public methods that can be called while it is shared",
                candidate.name
            )));
        }
        let mut built = self.built(library, &source, &call, &mut harness)?;
        for operation in &mut built.operations {
            let short = operation.name.rsplit("::").next().unwrap_or_default();
            if asked.skip.iter().any(|skip| skip == short || *skip == operation.name) {
                operation.missing.get_or_insert_with(|| "it is to be skipped".to_owned());
            }
            match &operation.missing {
                Some(why) => drop(tested.left_out.insert(operation.name.clone(), why.clone())),
                None => tested.operations.push(operation.name.clone()),
            }
        }
        if tested.operations.is_empty() {
            return Err(ReplayError::NotDriven("none of its operations can be called".to_owned()));
        }
        let points = self.points(&built.executable, library, &source, programs)?;
        let pairs = pairs(&self.report.findings, &built.operations);
        let mut judge = Judge::new(self.worker(&built.executable)?);
        judge.real_time = !asked.sequential;
        let explored = explore(&mut judge, &built.operations, &pairs, &points, search)?;
        tested.scenarios = explored.scenarios;
        tested.runs = explored.runs;
        tested.undecided = explored.undecided;
        tested.failure = explored.failure.map(|failure| {
            let seen = course(&failure.violation.run, &built.operations);
            let serial = failure.violation.serial.iter().map(|run| course(run, &built.operations)).collect();
            let interleaving = table::interleaving(&failure, &points[failure.points], &built.operations);
            Failed {
                what: failure.what.text().to_owned(),
                tables: (table::scenario(&seen), interleaving),
                seen,
                serial,
                again: failure.again,
                schedule: schedule(&failure.strategy),
            }
        });
        Ok(())
    }

    /// Where lanes are stopped: at places of the analysis, at every line of the crate, and at every atomic operation.
    fn points(
        &self,
        executable: &Path,
        library: &Library,
        source: &CrateSource,
        programs: &[Lowered],
    ) -> Result<Vec<Points>, ReplayError> {
        let rows = Rows::read(executable, &library.workspace).ok_or_else(|| {
            ReplayError::NotDriven("the line table of the harness could not be read".to_owned())
        })?;
        let root = Path::new(&self.report.root);
        let text = |path: &Path, line: u32| {
            let own = source
                .files
                .iter()
                .find(|(file, _)| file == path)
                .and_then(|(_, text)| text.lines().nth(line as usize - 1));
            let short = path.strip_prefix(root).unwrap_or(path);
            let own: String = own.unwrap_or_default().trim().chars().take(SHOWN).collect();
            format!("{}:{line}  {own}", short.display())
        };
        let places: BTreeSet<_> =
            programs.iter().flat_map(|lowered| lowered.program.places.iter().cloned()).collect();
        let places: Vec<_> = places.into_iter().collect();
        let known = Points {
            ranges: rows.ranges(root, &places),
            names: places.iter().map(|place| text(&root.join(&place.file), place.line)).collect(),
            every: false,
        };
        let length = |path: &Path| {
            source.files.iter().find(|(file, _)| file == path).map_or(0, |(_, text)| text.lines().count())
        };
        let (ranges, lines) = rows.all_lines(|path, line| line > 0 && line as usize <= length(path));
        let names: Vec<String> =
            lines.iter().map(|(path, line): &(PathBuf, u32)| text(path, *line)).collect();
        let lines = Points { ranges: ranges.clone(), names: names.clone(), every: false };
        let all = Points { ranges, names, every: true };
        Ok(if known.ranges.is_empty() { vec![lines, all] } else { vec![known, lines, all] })
    }
}

/// Operations that findings are about.
fn pairs(findings: &[Finding], operations: &[Operation]) -> Vec<(usize, usize)> {
    let of = |name: &str| {
        operations.iter().position(|operation| operation.missing.is_none() && name.ends_with(&operation.name))
    };
    findings
        .iter()
        .filter_map(|finding| {
            let mut events =
                finding.lanes.iter().filter(|lane| lane.is_event).filter_map(|lane| of(&lane.name));
            Some((events.next()?, events.next()?))
        })
        .collect()
}

fn schedule(strategy: &Strategy) -> String {
    match strategy {
        Strategy::Switches(switches) => {
            let all: Vec<String> =
                switches.iter().map(|(at, lane)| format!("to lane {} at point {at}", lane + 1)).collect();
            all.join(", ")
        }
        Strategy::Random { seed, often } => format!("at random: seed {seed}, {often} of 1000 points"),
        other => format!("{other:?}"),
    }
}

/// All answers, for people.
pub fn human(all: &[Tested]) -> String {
    let mut text = String::new();
    for one in all {
        let name = &one.r#type;
        if let Some(why) = &one.not_driven {
            let _ = writeln!(text, "not driven  {name}: {why}\n");
            continue;
        }
        let counts = format!(
            "{} scenarios, {} runs, {:.1} s, seed {}",
            one.scenarios, one.runs, one.seconds, one.seed
        );
        match &one.failure {
            None => {
                let _ = writeln!(text, "nothing found  {name}: {} ({counts})", one.operations.join(", "));
            }
            Some(failed) => {
                let _ =
                    writeln!(text, "{}  {name} ({counts}; {} of 20 times again)", failed.what, failed.again);
                let _ = write!(text, "\n{}", failed.tables.0);
                for (at, course) in failed.serial.iter().enumerate() {
                    let start = if at == 0 { "one by one:  " } else { "         or  " };
                    let _ = writeln!(text, "{start}{}", course.line());
                }
                let _ = writeln!(text, "\nthe interleaving:\n{}", failed.tables.1);
                let _ = writeln!(text, "again: cargo robust test {name} --seed {}", one.seed);
            }
        }
        for (operation, why) in &one.left_out {
            let _ = writeln!(text, "  left out: {operation}: {why}");
        }
        for (why, times) in &one.undecided {
            let _ = writeln!(text, "  {times} runs say nothing: {why}");
        }
        text.push('\n');
    }
    let failed = all.iter().filter(|one| one.failure.is_some()).count();
    let driven = all.iter().filter(|one| one.not_driven.is_none()).count();
    let _ = writeln!(text, "{} types: {failed} failed, {} not driven", all.len(), all.len() - driven);
    text
}
