//! Changes of a truth value that all give it the same value commute: the order of two of them cannot be told.
//!
//! This comes after what is done before everything else became the initial state: a value that is only stored there is no change.

use std::collections::BTreeSet;

use crate::ir::walk::{each, each_mut};
use crate::ir::{Domain, Expr, LOWER, ProcKind, Program, RAISE, StmtKind, Value, VarId};

/// Makes the changes of such truth values updates of one class. Events that wait for a variable are about its one change; these
/// variables stay as they are.
pub(crate) fn raise(program: &mut Program) {
    for (var, value) in alike(program) {
        let class = program.class(if value { RAISE } else { LOWER });
        for proc in &mut program.procs {
            each_mut(&mut proc.body, &mut |stmt| {
                if matches!(stmt.kind, StmtKind::SetVar(changed, _) if changed == var) {
                    stmt.kind = StmtKind::Update(var, class);
                }
            });
        }
    }
}

/// The truth values to which only one value is ever given, with that value.
fn alike(program: &Program) -> Vec<(VarId, bool)> {
    let mut given: Vec<BTreeSet<Option<bool>>> = vec![BTreeSet::new(); program.vars.len()];
    for proc in &program.procs {
        if let ProcKind::Event { guard: Some(guard), .. } = proc.kind {
            given[guard.index()].insert(None);
        }
        each(&proc.body, &mut |stmt| {
            let (var, value) = match stmt.kind {
                // What is put somewhere is not all the same.
                StmtKind::SetVar(var, Expr::Const(Value::Bool(value))) => {
                    let same = !value || program.vars[var.index()].domain != Some(Domain::Presence);
                    (var, same.then_some(value))
                }
                StmtKind::SetVar(var, _) | StmtKind::Write(var) => (var, None),
                StmtKind::Update(var, class) => (var, program.left_by(class)),
                _ => return,
            };
            given[var.index()].insert(value);
        });
    }
    let one = |(index, given): (usize, BTreeSet<Option<bool>>)| match given.first() {
        Some(Some(value)) if given.len() == 1 => Some((VarId(index as u32), *value)),
        _ => None,
    };
    given.into_iter().enumerate().filter_map(one).collect()
}
