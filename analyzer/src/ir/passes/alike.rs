//! Procedures that do the same are one.
//!
//! A function that calls itself in each arm of a `match` is there once for each context, and what each of these calls, too: written out, their
//! number is multiplied at each call. Which of those that do the same is called makes no difference to anybody, and where each arm calls
//! one, the arms are the same then. This is for procedures that only call others: accesses, and where locks are taken, are never taken for one
//! another, for what is done twice in one place is a round of something.

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
        let Some(text) = text(&proc.body) else { continue };
        let text = format!("{} {} {text}", proc.params, proc.locals.len());
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

/// A block in words, the same for those that do the same; none if it does more than call and decide.
fn text(block: &Block) -> Option<String> {
    let mut out = String::new();
    write_block(block, &mut out).then_some(out)
}

fn write_block(block: &Block, out: &mut String) -> bool {
    block.iter().all(|stmt| match &stmt.kind {
        StmtKind::If(condition, yes, no) => {
            let _ = write!(out, "if {condition:?} {{");
            let one = write_block(yes, out);
            out.push_str("} else {");
            let both = one && write_block(no, out);
            out.push('}');
            both && !has_var(condition)
        }
        StmtKind::While(condition, body) => {
            let _ = write!(out, "while {condition:?} {{");
            let written = write_block(body, out);
            out.push('}');
            written && !has_var(condition)
        }
        StmtKind::Loop(times, body) => {
            let _ = write!(out, "loop {times} {{");
            let written = write_block(body, out);
            out.push('}');
            written
        }
        kind @ (StmtKind::SetLocal(_, value) | StmtKind::Assume(value) | StmtKind::Return(Some(value))) => {
            let _ = write!(out, "{kind:?};");
            !has_var(value)
        }
        kind @ StmtKind::Call { args, .. } => {
            let _ = write!(out, "{kind:?};");
            !args.iter().any(has_var)
        }
        kind @ StmtKind::Return(None) => write!(out, "{kind:?};").is_ok(),
        _ => false,
    })
}
