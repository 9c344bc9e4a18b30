//! A test that is left in the user's hands: calls whose results were those of no order of whole calls, made again in many
//! interleavings.
//!
//! It does not go by places in the source, which a repair moves: lanes are stopped at each atomic operation in turn, then at two. So it
//! fails while some interleaving of the calls has results that no order of whole calls has, and passes once none has.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::build::{self, HOSTS, Made, Task};
use crate::judge::{Attempt, Judge, Violation};
use crate::outcome::Outcome;
use crate::pieces::{self, Piece};
use crate::tree;
use crate::worker::{Call, Run, Scenario, Strategy, Worker};

/// So many interleavings are tried of a case.
const SCHEDULES: u64 = 20_000;
/// So many times a harness is compiled with other texts.
const ROUNDS: usize = 64;
/// What was seen has to come again so often.
const AGAIN: u64 = 20;

/// A case, as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// What was found.
    pub message: String,
    /// The crate's name, as rustc has it.
    pub library: String,
    /// The program's name, as cargo has it, if it is no library.
    pub program: Option<String>,
    /// The package's manifest; this and the following are relative to the folder with the test.
    pub manifest: PathBuf,
    /// The folder whose copy is compiled.
    pub base: PathBuf,
    /// The crate's root file.
    pub root_file: PathBuf,
    /// Whether the crate has no standard library unless it asks for it.
    pub no_std: bool,
    /// Arguments for cargo.
    pub options: Vec<String>,
    /// The files of modules that have something added, by number.
    pub modules: BTreeMap<usize, PathBuf>,
    /// What operations are called, by number.
    pub operations: BTreeMap<usize, String>,
    /// The calls.
    pub scenario: Scenario,
}

impl Case {
    /// The case as text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "message {}", self.message.replace('\n', " "));
        let _ = writeln!(out, "library {}", self.library);
        self.program.iter().for_each(|program| out += &format!("program {program}\n"));
        let paths = [("manifest", &self.manifest), ("base", &self.base), ("root", &self.root_file)];
        paths.iter().for_each(|(what, path)| out += &format!("{what} {}\n", path.display()));
        let _ = writeln!(out, "no_std {}", self.no_std);
        self.options.iter().for_each(|option| out += &format!("option {option}\n"));
        self.modules
            .iter()
            .for_each(|(number, file)| out += &format!("module {number} {}\n", file.display()));
        self.operations.iter().for_each(|(number, name)| out += &format!("operation {number} {name}\n"));
        let mut calls = |part: &str, calls: &[Call]| {
            for call in calls {
                let numbers: Vec<String> = call.numbers.iter().map(ToString::to_string).collect();
                let _ = writeln!(out, "call {part} {} {}", call.op, numbers.join(" "));
            }
        };
        calls("before", &self.scenario.before);
        self.scenario.lanes.iter().enumerate().for_each(|(at, lane)| calls(&at.to_string(), lane));
        calls("after", &self.scenario.after);
        out
    }

    /// Reads it again.
    pub fn read(text: &str) -> Case {
        let mut case = Case::default();
        for line in text.lines() {
            let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
            let numbered =
                || rest.split_once(' ').and_then(|(number, rest)| Some((number.parse().ok()?, rest)));
            match what {
                "message" => case.message = rest.to_owned(),
                "library" => case.library = rest.to_owned(),
                "program" => case.program = Some(rest.to_owned()),
                "manifest" => case.manifest = rest.into(),
                "base" => case.base = rest.into(),
                "root" => case.root_file = rest.into(),
                "no_std" => case.no_std = rest == "true",
                "option" => case.options.push(rest.to_owned()),
                "module" => case.modules.extend(numbered().map(|(number, file)| (number, file.into()))),
                "operation" => {
                    case.operations.extend(numbered().map(|(number, name)| (number, name.to_owned())))
                }
                "call" => case.call(rest),
                _ => {}
            }
        }
        case
    }

    fn call(&mut self, text: &str) {
        let mut words = text.split(' ');
        let (Some(part), Some(Ok(op))) = (words.next(), words.next().map(str::parse)) else { return };
        let call = Call { op, numbers: words.filter_map(|word| word.parse().ok()).collect() };
        let scenario = &mut self.scenario;
        match part.parse::<usize>() {
            Ok(lane) => {
                scenario.lanes.resize_with(scenario.lanes.len().max(lane + 1), Vec::new);
                scenario.lanes[lane].push(call);
            }
            Err(_) if part == "before" => scenario.before.push(call),
            Err(_) => scenario.after.push(call),
        }
    }
}

/// What became of a case.
enum Answer {
    /// The results of some interleaving are those of no order of whole calls.
    Fails(Box<Violation>, u64),
    /// They never were, in so many interleavings.
    Passes(u64),
}

/// Runs the cases in the folder whose names begin with one of the arguments, or all.
pub fn main(folder: &Path, scratch: &Path) -> ExitCode {
    if build::is_wrapper() {
        return build::run_as_wrapper(std::env::args_os());
    }
    let asked: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let entries = fs::read_dir(folder.join("cases")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| asked.is_empty() || asked.iter().any(|asked| name.starts_with(asked)));
    names.sort();
    println!("\nrunning {} replayed findings", names.len());
    let mut failed = 0;
    for name in &names {
        let case = Case::read(
            &fs::read_to_string(folder.join("cases").join(name).join("case.txt")).unwrap_or_default(),
        );
        match run(folder, scratch, name, &case) {
            Ok(Answer::Passes(tried)) => {
                println!(
                    "test {name} ... ok: in {tried} interleavings, results and state are those of some order of whole calls"
                );
            }
            Ok(Answer::Fails(violation, tried)) => {
                failed += 1;
                println!("test {name} ... FAILED\n{}", told(&case, &violation, tried));
            }
            Err(why) => {
                failed += 1;
                println!("test {name} ... could not be run: {why}");
            }
        }
    }
    let result = if failed == 0 { "ok" } else { "FAILED" };
    println!("\ntest result: {result}. {} passed; {failed} failed", names.len() - failed);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(101) }
}

fn run(folder: &Path, scratch: &Path, name: &str, case: &Case) -> Result<Answer, String> {
    let io = |error: io::Error| error.to_string();
    let scratch = scratch.join(name);
    fs::create_dir_all(&scratch).map_err(io)?;
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said = Command::new(&rustc).arg("-vV").output().map_err(|error| format!("rustc: {error}"))?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let host = said.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    if !HOSTS.contains(&host) {
        return Err(format!("it needs Linux on x86-64 or AArch64, and this is {host}"));
    }
    let scheduler = scratch.join("librobust_runtime.so");
    let mut command = Command::new(&rustc);
    build::scheduler(&mut command, &folder.join("scheduler/lib.rs"), &scheduler);
    done(&mut command, "the scheduler")?;
    let call = compiled(folder, &scratch, case, host, &scheduler)?;
    let harness = harness(folder, &scratch, name, case, &call, &scheduler)?;
    let own = scratch.join("scratch");
    fs::create_dir_all(&own).map_err(io)?;
    let worker = Worker::start(&harness, &scheduler, &own).map_err(io)?;
    search(&mut Judge::new(worker), &case.scenario).map_err(io)?
}

fn done(command: &mut Command, what: &str) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{what}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{what}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

fn below(folder: &Path, path: &Path) -> Result<PathBuf, String> {
    let path = folder.join(path);
    path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))
}

/// Builds the crate; how it is compiled.
fn compiled(
    folder: &Path,
    scratch: &Path,
    case: &Case,
    host: &str,
    scheduler: &Path,
) -> Result<build::Call, String> {
    let manifest = below(folder, &case.manifest)?;
    // What cargo tells this test is not for the crate.
    let ours = |name: &str| {
        name.starts_with("CARGO_") && name != "CARGO_HOME" || name == "CARGO" || name == "LD_LIBRARY_PATH"
    };
    let task = Task {
        package: manifest.parent().unwrap_or(Path::new("")).to_owned(),
        name: case.library.clone(),
        program: case.program.clone(),
        scheduler: scheduler.to_owned(),
        note: scratch.join("call.txt"),
        known: std::env::vars().map(|(name, _)| name).filter(|name| !ours(name)).collect(),
    };
    let wrapper = std::env::current_exe().map_err(|error| error.to_string())?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    for _ in 0..2 {
        let mut command = Command::new(&cargo);
        for (name, _) in std::env::vars().filter(|(name, _)| ours(name)) {
            command.env_remove(name);
        }
        build::target(&mut command, &manifest, host, &scratch.join("build"), &wrapper, &task);
        command.args(&case.options).stdin(Stdio::null()).stdout(Stdio::null());
        let status = command.status().map_err(|error| format!("cargo: {error}"))?;
        if !status.success() {
            return Err("cargo could not build the crate".to_owned());
        }
        if let Some(call) = fs::read_to_string(&task.note).ok().and_then(|text| build::Call::read(&text)) {
            return Ok(call);
        }
        // Cargo took it for fresh, and the note is gone.
        let _ = fs::remove_dir_all(scratch.join("build").join(host).join("debug/.fingerprint"));
    }
    Err("cargo did not compile the crate".to_owned())
}

/// Compiles the harness as a part of the crate as it is now.
fn harness(
    folder: &Path,
    scratch: &Path,
    name: &str,
    case: &Case,
    call: &build::Call,
    scheduler: &Path,
) -> Result<PathBuf, String> {
    let io = |error: io::Error| error.to_string();
    let own = folder.join("cases").join(name);
    let mut all = pieces::read(&fs::read_to_string(own.join("pieces.txt")).map_err(io)?);
    let parts = scratch.join("parts");
    fs::create_dir_all(&parts).map_err(io)?;
    let base = below(folder, &case.base)?;
    let mut changed: BTreeMap<PathBuf, String> = BTreeMap::new();
    let root_file = below(folder, &case.root_file)?;
    let added = case.modules.iter().map(|(&number, file)| -> Result<(PathBuf, String), String> {
        Ok((below(folder, file)?, tree::module(number, case.no_std, &pieces::file_of(&parts, number))))
    });
    let root = tree::root(case.no_std, &pieces::file_of(&parts, pieces::ROOT));
    for added in added.chain([Ok((root_file.clone(), root))]) {
        let (file, own) = added?;
        let path =
            file.strip_prefix(&base).map_err(|_| "a source file is outside of the workspace".to_owned())?;
        let text = match changed.remove(path) {
            Some(text) => text,
            None => fs::read_to_string(&file).map_err(io)?,
        };
        let text = match case.program.is_some() && file == root_file {
            true => tree::without_main(&text),
            false => text,
        };
        changed.insert(path.to_owned(), format!("{text}\n{own}\n"));
    }
    let tree = scratch.join("tree");
    tree::copy(&base, &tree, &changed).map_err(io)?;
    let made = scratch.join("harness");
    let fixed = fs::read_to_string(folder.join("scheduler/harness.rs")).map_err(io)?;
    let root_file = tree.join(root_file.strip_prefix(&base).unwrap_or(Path::new("")));
    for _ in 0..ROUNDS {
        let lines = pieces::write(all.iter(), &fixed, &parts).map_err(io)?;
        let of = Made {
            base: &base,
            tree: &tree,
            root_file: &root_file,
            scheduler,
            folder: scratch,
            made: &made,
            messages: "short",
        };
        let output = build::harness(call, &of).output().map_err(io)?;
        if output.status.success() {
            return Ok(made);
        }
        next(&mut all, &String::from_utf8_lossy(&output.stderr), &lines)?;
    }
    Err("no harness that compiles was found".to_owned())
}

/// Takes the next text of what did not compile.
fn next(all: &mut [Piece], said: &str, lines: &[(PathBuf, pieces::Lines)]) -> Result<(), String> {
    let mut wrong = Vec::new();
    for line in said.lines().filter(|line| line.contains(": error")) {
        let Some((file, own)) = lines.iter().find(|(file, _)| line.starts_with(&*file.to_string_lossy()))
        else {
            continue;
        };
        let rest = &line[file.to_string_lossy().len()..];
        let number =
            rest.trim_start_matches(':').split(':').next().and_then(|number| number.parse::<usize>().ok());
        let Some(number) = number else { continue };
        let part = own.iter().find(|(from, to, ..)| (*from..*to).contains(&number));
        wrong.extend(part.map(|&(_, _, piece, part)| (piece, part, line.to_owned())));
    }
    if wrong.is_empty() {
        let why = said.lines().find(|line| line.contains("error")).unwrap_or(said);
        return Err(format!("the harness does not compile any more: {why}"));
    }
    wrong.sort();
    wrong.dedup_by_key(|(piece, part, _)| (*piece, *part));
    for (piece, part, why) in wrong {
        let of = &mut all[piece];
        if of.parts[part].advance() == 0 {
            if !of.optional {
                return Err(format!("the calls cannot be made any more as they were: {why}"));
            }
            of.dropped = true;
        }
    }
    Ok(())
}

/// Lanes are stopped nowhere, then at each atomic operation, then at two.
fn search(judge: &mut Judge, scenario: &Scenario) -> io::Result<Result<Answer, String>> {
    let lanes = scenario.lanes.len() as u64;
    let (attempt, base) = judge.attempt_with(scenario, &Strategy::Switches(Vec::new()), true, [0, 1])?;
    if let Some(answer) = answered(judge, scenario, &Strategy::Switches(Vec::new()), attempt, 1)? {
        return Ok(answer);
    }
    let points = base.user_points + 1;
    let at = |number: u64| (number / lanes, (number % lanes) as usize);
    let ones = (0..points * lanes).map(|one| vec![at(one)]);
    let twos =
        (0..points * lanes).flat_map(|one| (one + 1..points * lanes).map(move |two| vec![at(one), at(two)]));
    let mut tried = 1;
    let useful = |switches: &Vec<(u64, usize)>| {
        switches.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 != two[1].1)
    };
    // Those with two switches are spread over all there are.
    let pairs = (points * lanes * points).max(1);
    let step = pairs.div_ceil(SCHEDULES) as usize;
    for switches in ones.chain(twos.filter(useful).step_by(step)).take(SCHEDULES as usize) {
        tried += 1;
        let strategy = Strategy::Switches(switches);
        let attempt = judge.attempt(scenario, &strategy, true)?;
        if let Some(answer) = answered(judge, scenario, &strategy, attempt, tried)? {
            return Ok(answer);
        }
    }
    Ok(Ok(Answer::Passes(tried)))
}

/// What an attempt says, if it says something for good.
fn answered(
    judge: &mut Judge,
    scenario: &Scenario,
    strategy: &Strategy,
    attempt: Attempt,
    tried: u64,
) -> io::Result<Option<Result<Answer, String>>> {
    Ok(match attempt {
        Attempt::Differs(violation) if judge.repeats(scenario, strategy, true, AGAIN)? == AGAIN => {
            Some(Ok(Answer::Fails(violation, tried)))
        }
        Attempt::Undecided(why) if tried == 1 => Some(Err(why)),
        _ => None,
    })
}

/// What was seen, in words.
fn told(case: &Case, violation: &Violation, tried: u64) -> String {
    let what = violation.kind.text();
    let mut out = format!("  {}\n  {what} (interleaving {tried}, {AGAIN} of {AGAIN} times)\n", case.message);
    let _ = writeln!(out, "  seen:        {}", line(case, &violation.run));
    for (at, run) in violation.serial.iter().enumerate() {
        let _ = writeln!(out, "  {:12} {}", if at == 0 { "one by one:" } else { "or" }, line(case, run));
    }
    out
}

fn line(case: &Case, run: &Run) -> String {
    let Outcome(texts) = Outcome::of(run);
    let of = |part: i32| -> String {
        let calls = run.calls.iter().zip(&texts).filter(|(call, _)| call.part == part);
        let calls = calls.map(|(call, result)| {
            let name = case.operations.get(&call.op).map_or("", String::as_str);
            let name = name.rsplit("::").next().unwrap_or(name);
            let result = if call.end == 0 { "never ends" } else { result };
            format!("{name}({}): {result}", call.arguments)
        });
        calls.collect::<Vec<_>>().join(", ")
    };
    let lanes: Vec<String> = (0..case.scenario.lanes.len()).map(|lane| of(lane as i32)).collect();
    let mut out = of(-1);
    if !out.is_empty() {
        out += ", then ";
    }
    out += &lanes.join(" | ");
    if !case.scenario.after.is_empty() {
        let _ = write!(out, ", then {}", of(-2));
    }
    let _ = write!(out, "; state {}", texts.get(run.calls.len()).map_or("", String::as_str));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_read_again() {
        let call = |op| Call { op, numbers: vec![0, 2] };
        let case = Case {
            message: "a | b".into(),
            library: "shop".into(),
            program: Some("shop".into()),
            manifest: "../Cargo.toml".into(),
            options: vec!["--features".into(), "a b".into()],
            modules: BTreeMap::from([(2, "../src/b c.rs".into())]),
            operations: BTreeMap::from([(7, "Shop::buy".into())]),
            scenario: Scenario {
                before: vec![call(7)],
                lanes: vec![vec![call(7)], vec![call(7)]],
                after: vec![call(7)],
            },
            ..Case::default()
        };
        assert_eq!(Case::read(&case.text()), case);
    }
}
