//! Every body of MIR below `tests/mir` becomes the program that stands beside it, with the verdict that its `// expect:` lines ask
//! for. `./test --bless` writes the programs anew; the lines in front of them are the author's, and stay.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use robust_analyzer::check::{self, Options};
use robust_analyzer::expect::Expected;
use robust_analyzer::ir::{Block, LockId, Program, StmtKind, VarId, text};
use robust_analyzer::lower::lower;
use robust_analyzer::mir::text::{Entry, Print, path};
use robust_analyzer::mir::{BodyKind, Crate, FieldNames, TerminatorKind};
use robust_models::Models;

/// Rooms of the analysis; each has a folder.
const ROOMS: [&str; 6] = ["points", "actions", "values", "events", "sharing", "emit"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mir")
}

/// A crate of what a file has: a program if there is a `main`, else a library of which everything is public but implementations
/// of traits.
///
/// # Errors
/// What was not understood.
fn read(source: &str) -> Result<Crate, String> {
    let Print { entries, constants } = Print::read(source, "", &|| false);
    let mut bodies = Vec::new();
    for entry in entries {
        match entry {
            Entry::Body(mut body) => {
                body.path = path(&body.def);
                body.public = matches!(body.kind, BodyKind::Fn) && !body.def.starts_with('<');
                bodies.push(body);
            }
            Entry::Failed(missing) => return Err(format!("{}: {}", missing.name, missing.reason)),
            Entry::Unread(name) => return Err(format!("{name}: not read")),
        }
    }
    let kind = if bodies.iter().any(|body| &*body.def == "main") { "bin" } else { "lib" };
    Ok(Crate {
        name: "it".into(),
        kind: kind.into(),
        package: "it".into(),
        rustc: "1.95.0".into(),
        bodies,
        constants,
        not_analysed: Vec::new(),
        fields: source.lines().filter_map(fields).collect(),
        variants: Vec::new(),
        traits: Vec::new(),
        renamed: Default::default(),
    })
}

/// The names of a struct's fields, `// fields Till: sum, open`: MIR does not have them.
fn fields(line: &str) -> Option<FieldNames> {
    let (ty, names) = line.strip_prefix("// fields ")?.split_once(": ")?;
    let names = names.split(", ").map(Into::into).collect();
    Some(FieldNames { ty: ty.into(), variant: "".into(), names })
}

/// What is not as the files say.
///
/// # Errors
/// What cannot be read.
fn differences(path: &Path, blessed: bool) -> Result<Vec<String>, String> {
    let source = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let lowered = lower(&[Arc::new(read(&source)?)], &Models::built_in());
    let mut wrong: Vec<String> =
        lowered.not_analysed.iter().map(|missing| format!("{}: {}", missing.name, missing.reason)).collect();
    let beside = path.with_extension("rob");
    let before = std::fs::read_to_string(&beside).unwrap_or_default();
    let said: String =
        before.lines().take_while(|line| line.starts_with("//")).map(|line| format!("{line}\n")).collect();
    let now = format!("{said}\n{}", lowered.program);
    if now != before {
        if blessed {
            std::fs::write(&beside, &now).map_err(|error| error.to_string())?;
        } else {
            wrong.push(format!("another program than the one beside it:\n{now}"));
        }
    }
    text::parse(&now, "it.rob").map_err(|error| error.to_string())?;
    // The text does not say what accesses are based on, so what is asked about is the program itself.
    wrong.extend(Expected::read(&said)?.differences(&check::check(&lowered.program, &Options::default())));
    Ok(wrong)
}

/// The bodies of a room.
fn files(room: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(room)).unwrap_or_else(|error| panic!("{room}: {error}"));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "mir"));
    files.sort();
    files
}

#[test]
fn mir_becomes_the_program_beside_it() {
    let blessed = std::env::var_os("ROBUST_BLESS").is_some();
    let mut wrong = String::new();
    for room in ROOMS {
        let files = files(room);
        assert!(files.len() >= 3, "{room} has three files");
        for file in files {
            for line in differences(&file, blessed).unwrap_or_else(|error| vec![error]) {
                wrong.push_str(&format!("{}: {line}\n", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A lowering that is wrong: what it makes of what the right one makes.
#[derive(Clone, Copy, Debug)]
enum Mutant {
    /// Locks are not taken.
    Acquire,
    /// Locks are not given back.
    Release,
    /// Nothing is looked at.
    Read,
    /// What a task does is not behind what its starter did before.
    SpawnEdge,
    /// Nobody waits for a task.
    JoinEdge,
    /// All objects are one.
    OneObject,
    /// Nothing is dropped.
    Drop,
}

impl Mutant {
    const ALL: [Mutant; 7] = [
        Mutant::Acquire,
        Mutant::Release,
        Mutant::Read,
        Mutant::SpawnEdge,
        Mutant::JoinEdge,
        Mutant::OneObject,
        Mutant::Drop,
    ];

    fn of_crate(self, krate: &mut Crate) {
        if let Mutant::Drop = self {
            for block in krate.bodies.iter_mut().flat_map(|body| &mut body.blocks) {
                if let TerminatorKind::Drop { target: Some(target), .. } = block.terminator.kind {
                    block.terminator.kind = TerminatorKind::Goto(target);
                }
            }
        }
    }

    fn of_program(self, program: &mut Program) {
        program.procs.iter_mut().for_each(|proc| self.of_block(&mut proc.body));
    }

    fn of_block(self, block: &mut Block) {
        match self {
            Mutant::Acquire => block.retain(|stmt| !matches!(stmt.kind, StmtKind::Acquire(..))),
            Mutant::Release => block.retain(|stmt| !matches!(stmt.kind, StmtKind::Release(_))),
            Mutant::Read => block.retain(|stmt| !matches!(stmt.kind, StmtKind::Read(_))),
            Mutant::JoinEdge => {
                block.retain(|stmt| !matches!(stmt.kind, StmtKind::Join(_) | StmtKind::Await(_)));
            }
            Mutant::SpawnEdge => block.sort_by_key(|stmt| !matches!(stmt.kind, StmtKind::Async { .. })),
            Mutant::OneObject | Mutant::Drop => {}
        }
        for stmt in block {
            match &mut stmt.kind {
                StmtKind::Read(var) | StmtKind::Write(var) | StmtKind::Update(var, _)
                    if matches!(self, Mutant::OneObject) =>
                {
                    *var = VarId(0);
                }
                StmtKind::Acquire(lock, _) | StmtKind::Release(lock) if matches!(self, Mutant::OneObject) => {
                    *lock = LockId(0);
                }
                StmtKind::If(_, then, otherwise) => {
                    self.of_block(then);
                    self.of_block(otherwise);
                }
                StmtKind::While(_, body) | StmtKind::Loop(_, body) => self.of_block(body),
                _ => {}
            }
        }
    }
}

/// Each of them changes a verdict: it is not only noticed by the text of the program.
#[test]
fn a_wrong_lowering_is_noticed() {
    let all: Vec<PathBuf> = ROOMS.iter().flat_map(|room| files(room)).collect();
    for mutant in Mutant::ALL {
        let notices = |file: &PathBuf| -> bool {
            let mut krate = read(&std::fs::read_to_string(file).unwrap()).unwrap();
            mutant.of_crate(&mut krate);
            let mut program = lower(&[Arc::new(krate)], &Models::built_in()).program;
            mutant.of_program(&mut program);
            let said = std::fs::read_to_string(file.with_extension("rob")).unwrap();
            let said: String =
                said.lines().filter(|line| line.starts_with("//")).map(|l| format!("{l}\n")).collect();
            let expected = Expected::read(&said).unwrap();
            !expected.differences(&check::check(&program, &Options::default())).is_empty()
        };
        assert!(all.iter().any(notices), "{mutant:?} is noticed by no verdict");
    }
}
