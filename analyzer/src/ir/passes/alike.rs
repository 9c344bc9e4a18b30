//! Procedures that do the same are one.
//!
//! A function that calls itself in each arm of a `match` is there once for each context, and what each of these calls, too: written out, their
//! number is multiplied at each call. Which of those that do the same is called makes no difference to anybody, and where each arm calls
//! one, the arms are the same then. Accesses are never taken for one another: each has its place, and what it is based on.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use crate::ir::passes::branches::branches;
use crate::ir::walk::{each_mut, has_var};
use crate::ir::{Block, ProcId, ProcKind, Program, StmtKind};
use crate::limits::Deadline;

/// Leaves one of each.
pub(crate) fn alike(program: &mut Program, deadline: Deadline) {
    loop {
        for proc in &mut program.procs {
            branches(&mut proc.body);
        }
        if deadline.is_over() || !merge(program) {
            return;
        }
    }
}

/// Has one procedure called in place of all that do the same. Whether there are any such.
fn merge(program: &mut Program) -> bool {
    let mut first: HashMap<String, ProcId> = HashMap::new();
    let mut instead: BTreeMap<ProcId, ProcId> = BTreeMap::new();
    for (number, proc) in program.procs.iter().enumerate() {
        let id = ProcId(number as u32);
        // What is empty, nobody calls.
        if proc.kind != ProcKind::Proc || proc.body.is_empty() {
            continue;
        }
        let text = format!("{} {} {}", proc.params, proc.locals.len(), text(&proc.body));
        let kept = *first.entry(text).or_insert(id);
        if kept != id {
            instead.insert(id, kept);
        }
    }
    let mut any = false;
    for proc in &mut program.procs {
        each_mut(&mut proc.body, &mut |stmt| {
            if let StmtKind::Call { proc, .. } = &mut stmt.kind
                && let Some(kept) = instead.get(proc)
            {
                *proc = *kept;
                any = true;
            }
        });
    }
    any
}

/// A block in words: the same for those that do the same.
fn text(block: &Block) -> String {
    let mut out = String::new();
    write_block(block, &mut out);
    out
}

fn write_block(block: &Block, out: &mut String) {
    for stmt in block {
        let accesses = match &stmt.kind {
            StmtKind::SetLocal(_, value)
            | StmtKind::Assume(value)
            | StmtKind::Return(Some(value))
            | StmtKind::If(value, ..)
            | StmtKind::While(value, _) => has_var(value),
            StmtKind::Call { args, .. } => args.iter().any(has_var),
            StmtKind::Return(None) | StmtKind::Loop(..) => false,
            _ => true,
        };
        if accesses {
            let _ = write!(out, "{:?}{:?}", stmt.place, stmt.basis);
        }
        let _ = match &stmt.kind {
            StmtKind::If(condition, yes, no) => {
                let _ = write!(out, "if {condition:?} {{");
                write_block(yes, out);
                out.push_str("} else {");
                write_block(no, out);
                write!(out, "}}")
            }
            StmtKind::While(condition, body) => {
                let _ = write!(out, "while {condition:?} {{");
                write_block(body, out);
                write!(out, "}}")
            }
            StmtKind::Loop(times, body) => {
                let _ = write!(out, "loop {times} {{");
                write_block(body, out);
                write!(out, "}}")
            }
            kind => write!(out, "{kind:?};"),
        };
    }
}
