//! Procedures that do the same are one.
//!
//! A function that calls itself in each arm of a `match` is there once for each context, and what each of these calls, too: written out, their
//! number is multiplied at each call. Which of those that do the same is called makes no difference to anybody, and where each arm calls
//! one, the arms are the same then. This is for procedures that only call others: accesses, and where locks are taken, are never taken for one
//! another, for what is done twice in one place is a round of something.

use std::collections::{BTreeMap, HashMap};

use crate::ir::passes::branches::{alike as do_the_same, branches};
use crate::ir::walk::{each, each_mut, has_var};
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
    // By parameters, locals and whom they call.
    let mut known: HashMap<(usize, usize, Vec<ProcId>), Vec<ProcId>> = HashMap::new();
    let mut instead: BTreeMap<ProcId, ProcId> = BTreeMap::new();
    for (number, proc) in program.procs.iter().enumerate() {
        // What is empty, nobody calls.
        if proc.kind != ProcKind::Proc || proc.body.is_empty() {
            continue;
        }
        let Some(called) = called(&proc.body) else { continue };
        let kept = known.entry((proc.params, proc.locals.len(), called)).or_default();
        let id = ProcId(number as u32);
        match kept.iter().find(|kept| do_the_same(&program.proc(**kept).body, &proc.body)) {
            Some(kept) => drop(instead.insert(id, *kept)),
            None => kept.push(id),
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

/// Whom a block calls, in order; none if it does more than call and decide.
fn called(block: &Block) -> Option<Vec<ProcId>> {
    let (mut called, mut accesses) = (Vec::new(), false);
    each(block, &mut |stmt| {
        accesses |= match &stmt.kind {
            StmtKind::Call { proc, args, .. } => {
                called.push(*proc);
                args.iter().any(has_var)
            }
            StmtKind::If(value, ..)
            | StmtKind::While(value, _)
            | StmtKind::SetLocal(_, value)
            | StmtKind::Assume(value)
            | StmtKind::Return(Some(value)) => has_var(value),
            StmtKind::Return(None) | StmtKind::Loop(..) => false,
            _ => true,
        };
    });
    (!accesses).then_some(called)
}
