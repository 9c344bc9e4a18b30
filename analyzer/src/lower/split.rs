//! An event that does one of several things is several events: a message loop handles each kind of message.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::ir::{Block, Expr, Label, Lock, LockId, Mode, Proc, ProcId, ProcKind, Program, Stmt, StmtKind};

use crate::ir::passes::callers::{By, doing};
use crate::lower::EventInfo;

/// More events than this are not made of one.
const MOST: usize = 16;

/// Splits events at the choices they begin with. Those that followed one another still do.
pub(crate) fn split(
    program: &mut Program,
    infos: &mut Vec<EventInfo>,
    actors: &mut BTreeMap<ProcId, String>,
) {
    let calls = calls(program);
    let mut names: HashSet<String> = program.procs.iter().map(|proc| proc.name.clone()).collect();
    let known: HashMap<String, usize> =
        infos.iter().enumerate().rev().map(|(number, info)| (info.name.clone(), number)).collect();
    for index in 0..program.procs.len() {
        let ProcKind::Event { once: false, .. } = program.procs[index].kind else { continue };
        let mut arms = Vec::new();
        choices(&program.procs[index].body, &mut arms);
        if arms.is_empty() || arms.len() > MOST {
            continue;
        }
        let old = program.procs[index].clone();
        let info = known.get(&old.name).copied();
        // The same code on different objects has one name.
        let called_at: BTreeSet<_> =
            arms.iter().map(|arm| called(program, arm).and_then(|(_, place)| place)).collect();
        let several = called_at.len() > 1;
        for (number, mut body) in arms.into_iter().enumerate() {
            let mut proc = old.clone();
            if let Some((name, place)) = called(program, &body)
                && several
            {
                proc.name = name;
                proc.place = place.or(proc.place);
            }
            inline_only(program, &calls, index, &mut body, &mut proc.locals);
            proc.body = body;
            if number == 0 {
                // The old name is free again.
                names.remove(&old.name);
            }
            proc.name = fresh(&mut names, &proc.name);
            if let Some(info) = info {
                let mut new = infos[info].clone();
                new.name.clone_from(&proc.name);
                new.place =
                    proc.place.and_then(|place| program.places.get(place.index()).cloned()).or(new.place);
                if number == 0 {
                    infos[info] = new;
                } else {
                    infos.push(new);
                }
            }
            if number == 0 {
                program.procs[index] = proc;
            } else {
                if let Some(name) = actors.get(&ProcId(index as u32)).cloned() {
                    actors.insert(ProcId(program.procs.len() as u32), name);
                }
                program.procs.push(proc);
            }
        }
    }
}

/// The alternatives of a body that is nothing but a choice.
fn choices(body: &Block, out: &mut Vec<Block>) {
    match &body[..] {
        [only] => match &only.kind {
            StmtKind::If(Expr::Any, a, b) => {
                choices(a, out);
                choices(b, out);
            }
            _ => out.push(body.clone()),
        },
        [] => {}
        _ => out.push(body.clone()),
    }
}

/// The procedure that a body is one call of: its name and place.
fn called(program: &Program, body: &Block) -> Option<(String, Option<crate::ir::PlaceId>)> {
    match &body[..] {
        [only] => match &only.kind {
            StmtKind::Call { proc, .. } => {
                let proc = program.proc(*proc);
                Some((proc.name.clone(), proc.place))
            }
            _ => None,
        },
        _ => None,
    }
}

/// How often a procedure is called, and where it is called first.
type Calls = HashMap<ProcId, (u32, usize)>;

fn calls(program: &Program) -> Calls {
    let mut calls = Calls::new();
    for (index, proc) in program.procs.iter().enumerate() {
        crate::ir::walk::each(&proc.body, &mut |stmt| {
            if let StmtKind::Call { proc, .. } = &stmt.kind {
                calls.entry(*proc).or_insert((0, index)).0 += 1;
            }
        });
    }
    calls
}

/// When a body is one call of something that is called nowhere else, that something's body takes its place.
fn inline_only(
    program: &mut Program,
    calls: &Calls,
    event: usize,
    body: &mut Block,
    locals: &mut Vec<String>,
) {
    let [only] = &body[..] else { return };
    let StmtKind::Call { proc, args, .. } = &only.kind else { return };
    let (callee, plain) = (*proc, args.is_empty());
    if !plain || calls.get(&callee) != Some(&(1, event)) {
        return;
    }
    let empty =
        |proc: &Proc| Proc { name: String::new(), locals: Vec::new(), body: Vec::new(), ..proc.clone() };
    let rest = empty(&program.procs[callee.index()]);
    let taken = std::mem::replace(&mut program.procs[callee.index()], rest);
    *body = taken.body;
    *locals = taken.locals;
}

/// A name that is not taken; then it is.
fn fresh(names: &mut HashSet<String>, name: &str) -> String {
    let numbered = (2..).map(|number| format!("{name}#{number}"));
    let free = std::iter::once(name.to_owned()).chain(numbered).find(|name| !names.contains(name));
    let free = free.unwrap_or_else(|| name.to_owned());
    names.insert(free.clone());
    free
}

/// An actor on a cooperative executor handles one message after the other even where it suspends: a lock around it says so.
pub(crate) fn one_at_a_time(program: &mut Program, actors: &BTreeMap<ProcId, String>) {
    let suspending = suspending(program);
    let mut locks: BTreeMap<&str, LockId> = BTreeMap::new();
    for (id, name) in actors {
        if !suspending.contains(id) {
            continue;
        }
        let lock = *locks.entry(name).or_insert_with(|| {
            program.locks.push(Lock { name: name.clone() });
            LockId(program.locks.len() as u32 - 1)
        });
        let body = &mut program.procs[id.index()].body;
        // Labels are given anew afterwards.
        let stmt = |kind| Stmt { label: Label(0), place: None, basis: None, kind };
        body.insert(0, stmt(StmtKind::Acquire(lock, Mode::Exclusive)));
        body.push(stmt(StmtKind::Release(lock)));
    }
}

/// Procedures that give a cooperative executor back somewhere.
fn suspending(program: &Program) -> BTreeSet<ProcId> {
    doing(program, By::Calls, |stmt| matches!(stmt.kind, StmtKind::Yield | StmtKind::Await(_)))
}
