//! Random small Rust programs whose meaning is known by construction, and what the tool says of them.

mod outcomes;
mod program;
mod random;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use program::{Program, Stmt};

/// Which programs, judged by which tool.
#[derive(clap::Args)]
pub struct Args {
    /// The tool, built beforehand
    #[arg(long, default_value = "target/release/cargo-robust")]
    tool: PathBuf,
    /// How many programs
    #[arg(long, default_value_t = 1000, value_name = "N")]
    programs: u64,
    /// Number of the first program
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
    /// Programs that one run of the tool analyses
    #[arg(long, default_value_t = 100, value_name = "N")]
    at_once: u64,
    /// Make what is judged wrongly small, and write it to this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// The classes of findings that say how calls can end.
const RACES: [&str; 5] = ["check-then-act", "lost-update", "torn-read", "torn-write", "order"];

/// What the tool said of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Said {
    Nothing,
    Noted,
    Denied,
}

/// A program, how it is written, and what is known of it.
#[derive(Clone)]
struct Case {
    program: Program,
    /// The seed, of which the way it is written follows.
    seed: u64,
    /// Whether calls can end as they cannot one after the other.
    broken: bool,
}

/// What is wrong with what was said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fault {
    /// Something can go wrong, and the tool says nothing.
    Lost,
    /// Nothing can go wrong, and the tool denies something.
    Spurious,
}

/// Judges the tool by random programs; prints the counts, and fails when something was lost, or made up.
pub fn main(args: &Args) -> ExitCode {
    let (mut counts, mut unknown) = (BTreeMap::<(bool, Said), u64>::new(), 0);
    let mut wrong: Vec<(Case, Fault)> = Vec::new();
    let mut seed = args.seed;
    while seed < args.seed + args.programs {
        let until = (seed + args.at_once).min(args.seed + args.programs);
        let cases: Vec<Case> = (seed..until).map(|seed| case(random::program(seed), seed)).collect();
        let Some((said, open)) = ask(&args.tool, &cases) else { return ExitCode::FAILURE };
        unknown += open;
        for (case, said) in cases.into_iter().zip(said) {
            *counts.entry((case.broken, said)).or_default() += 1;
            if let Some(fault) = fault(&case, said) {
                wrong.push((case, fault));
            }
        }
        seed = until;
    }
    let count = |broken, said| counts.get(&(broken, said)).copied().unwrap_or(0);
    println!("{:14} {:>8} {:>8} {:>8}", "", "denied", "noted", "nothing");
    for (name, broken) in [("can go wrong", true), ("cannot", false)] {
        let row = [Said::Denied, Said::Noted, Said::Nothing].map(|said| count(broken, said));
        println!("{name:14} {:>8} {:>8} {:>8}", row[0], row[1], row[2]);
    }
    let faults = |fault| wrong.iter().filter(|(_, f)| *f == fault).count();
    println!(
        "{} programs: {} lost, {} spurious; {unknown} questions without an answer",
        args.programs,
        faults(Fault::Lost),
        faults(Fault::Spurious)
    );
    for (case, fault) in &wrong {
        println!("{fault:?}: seed {}", case.seed);
    }
    if let Some(folder) = &args.keep {
        keep(&args.tool, folder, wrong.clone());
    }
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn case(program: Program, seed: u64) -> Case {
    let broken = outcomes::violation(&program, 2, 2).is_some();
    Case { program, seed, broken }
}

fn fault(case: &Case, said: Said) -> Option<Fault> {
    match (case.broken, said) {
        (true, Said::Nothing) => Some(Fault::Lost),
        // What takes three calls at once, more calls before, or a state that these calls do not leave, is looked for where it matters only.
        (false, Said::Denied) if outcomes::violation(&case.program, 2, 3).is_some() => None,
        (false, Said::Denied) if outcomes::violation(&case.program, 3, 1).is_some() => None,
        (false, Said::Denied) if outcomes::is_broken_somewhere(&case.program, 2) => None,
        (false, Said::Denied) if outcomes::is_broken_somewhere(&case.program, 3) => None,
        // What no call does can be told by values alone.
        (false, Said::Denied) if outcomes::has_dead_code(&case.program) => None,
        (false, Said::Denied) => Some(Fault::Spurious),
        _ => None,
    }
}

/// What the tool says of each program of a crate, and how many questions have no answer.
fn ask(tool: &Path, cases: &[Case]) -> Option<(Vec<Said>, u64)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let src = folder.path().join("src");
    std::fs::create_dir(&src).expect("a new folder");
    let write = |path: PathBuf, text: &str| std::fs::write(path, text).expect("a new file");
    write(
        folder.path().join("Cargo.toml"),
        "[package]\nname = \"programs\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n",
    );
    let mut lib = String::from("#![allow(unused)]\n");
    for (i, case) in cases.iter().enumerate() {
        let _ = writeln!(lib, "pub mod p{i};");
        write(src.join(format!("p{i}.rs")), &source::module(&case.program, case.seed));
    }
    write(src.join("lib.rs"), &lib);
    let output = Command::new(tool)
        .args(["robust", "--format", "json", "--quiet", "--total-timeout", "600", "--manifest-path"])
        .arg(folder.path().join("Cargo.toml"))
        .output()
        .map_err(|e| eprintln!("{}: {e}", tool.display()))
        .ok()?;
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    if report["summary"]["bodies"].as_u64().unwrap_or(0) == 0 {
        let kept = folder.keep();
        eprintln!("{}: no report: {}", kept.display(), String::from_utf8_lossy(&output.stderr));
        return None;
    }
    let mut said = vec![Said::Nothing; cases.len()];
    for finding in report["findings"].as_array().into_iter().flatten() {
        // What blocks a thread, and what becomes of tasks, is another matter.
        if !RACES.contains(&finding["class"].as_str().unwrap_or_default()) {
            continue;
        }
        let level = if finding["level"] == "note" { Said::Noted } else { Said::Denied };
        let steps = finding["steps"].as_array().into_iter().flatten();
        let files: BTreeSet<usize> = steps.filter_map(|s| number(s["place"]["file"].as_str()?)).collect();
        for i in files {
            said[i] = said[i].max(level);
        }
    }
    Some((said, report["summary"]["unknown"].as_u64().unwrap_or(0)))
}

/// The number of the program that a file has.
fn number(file: &str) -> Option<usize> {
    Path::new(file).file_stem()?.to_str()?.strip_prefix('p')?.parse().ok()
}

/// Makes programs small that are judged wrongly, and writes them.
fn keep(tool: &Path, folder: &Path, mut wrong: Vec<(Case, Fault)>) {
    loop {
        // All that are smaller by a statement, of all programs, are asked about at once.
        let smaller: Vec<(usize, Case)> = wrong
            .iter()
            .enumerate()
            .flat_map(|(i, (c, _))| without_one(&c.program).into_iter().map(move |p| (i, p, c.seed)))
            .map(|(i, program, seed)| (i, case(program, seed)))
            .collect();
        let cases: Vec<Case> = smaller.iter().map(|(_, c)| c.clone()).collect();
        let Some((said, _)) = (!cases.is_empty()).then(|| ask(tool, &cases)).flatten() else { break };
        let mut smallest = vec![false; wrong.len()];
        for ((i, case), said) in smaller.into_iter().zip(said) {
            if !smallest[i] && fault(&case, said) == Some(wrong[i].1) {
                smallest[i] = true;
                wrong[i].0 = case;
            }
        }
        if !smallest.contains(&true) {
            break;
        }
    }
    std::fs::create_dir_all(folder).expect("a folder for programs");
    for (case, fault) in wrong {
        let calls = outcomes::violation(&case.program, 2, 2);
        let text = format!("// {fault:?}: {calls:?}\n{}", source::module(&case.program, case.seed));
        let path = folder.join(format!("{fault:?}-{}.rs", case.seed).to_lowercase());
        std::fs::write(path, text).expect("a new file");
    }
}

/// The programs that have a method or a statement less.
fn without_one(program: &Program) -> Vec<Program> {
    let mut programs = Vec::new();
    for m in 0..program.methods.len() {
        let mut less = program.clone();
        less.methods.remove(m);
        programs.push(less);
        let mut n = 0;
        while let Some(body) = without(&program.methods[m].body, &mut (n as i64)) {
            n += 1;
            let mut less = program.clone();
            less.methods[m].body = body;
            if defined(&less.methods[m]) {
                programs.push(less);
            }
        }
    }
    programs
}

/// A block without its `n`th statement, in the order of the text; the inner statements of a section or a branch stay behind, too, as
/// another way to be smaller.
fn without(block: &[Stmt], n: &mut i64) -> Option<Vec<Stmt>> {
    for (i, stmt) in block.iter().enumerate() {
        if *n == 0 {
            let mut less = block.to_vec();
            less.remove(i);
            return Some(less);
        }
        *n -= 1;
        let within = match stmt {
            Stmt::Section { field, body } => {
                without(body, n).map(|body| Stmt::Section { field: *field, body })
            }
            Stmt::Each { field, into, body } => {
                without(body, n).map(|body| Stmt::Each { field: *field, into: *into, body })
            }
            Stmt::Try { field, body, other } => match without(body, n) {
                Some(body) => Some(Stmt::Try { field: *field, body, other: other.clone() }),
                None => without(other, n).map(|other| Stmt::Try { field: *field, body: body.clone(), other }),
            },
            Stmt::Beside { thread, here } => match without(thread, n) {
                Some(thread) => Some(Stmt::Beside { thread, here: here.clone() }),
                None => without(here, n).map(|here| Stmt::Beside { thread: thread.clone(), here }),
            },
            Stmt::If { test, then, other } => match without(then, n) {
                Some(then) => Some(Stmt::If { test: *test, then, other: other.clone() }),
                None => without(other, n).map(|other| Stmt::If { test: *test, then: then.clone(), other }),
            },
            _ => None,
        };
        if let Some(within) = within {
            let mut less = block.to_vec();
            less[i] = within;
            return Some(less);
        }
    }
    None
}

/// Whether all locals that are used are set.
fn defined(method: &program::Method) -> bool {
    fn all(block: &[Stmt], scope: &mut Vec<usize>) -> bool {
        block.iter().all(|stmt| match stmt {
            Stmt::Access { act, into, .. } => {
                let right =
                    act.terms().into_iter().filter_map(program::Term::local).all(|l| scope.contains(&l));
                scope.push(*into);
                right
            }
            Stmt::Section { body, .. } => all(body, scope),
            Stmt::If { test, then, other } => {
                test.locals().iter().all(|l| scope.contains(l))
                    && all(then, &mut scope.clone())
                    && all(other, &mut scope.clone())
            }
            Stmt::Each { into, body, .. } => {
                let mut scope = scope.clone();
                scope.push(*into);
                all(body, &mut scope)
            }
            Stmt::Try { body: one, other, .. } | Stmt::Beside { thread: one, here: other } => {
                all(one, &mut scope.clone()) && all(other, &mut scope.clone())
            }
            Stmt::Return(term) => term.local().is_none_or(|l| scope.contains(&l)),
        })
    }
    let mut scope = Vec::new();
    all(&method.body, &mut scope)
        && method.result.and_then(program::Term::local).is_none_or(|l| scope.contains(&l))
}
