//! Arguments that nobody asks for.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::walk::{asked_by, each, each_mut, locals_in};
use crate::ir::{Expr, LocalId, ProcId, Program, StmtKind, Value};

/// A local of a procedure.
type Local = (ProcId, LocalId);

/// Callers pass a constant where the procedure does not go by what it is given, nor does what it calls.
pub(crate) fn unasked(program: &mut Program) {
    let asked = asked(program);
    let is_asked = |proc: ProcId, number: usize| asked.contains(&(proc, LocalId(number as u32)));
    for proc in &mut program.procs {
        each_mut(&mut proc.body, &mut |stmt| {
            if let StmtKind::Call { proc: called, args, .. } | StmtKind::Async { task: called, args, .. } =
                &mut stmt.kind
            {
                let unasked = args.iter_mut().enumerate().filter(|(number, _)| !is_asked(*called, *number));
                unasked.for_each(|(_, arg)| *arg = Expr::Const(Value::Bool(false)));
            }
        });
    }
}

/// The locals that something goes by.
fn asked(program: &Program) -> BTreeSet<Local> {
    let mut asked: BTreeSet<Local> = BTreeSet::new();
    // By parameter, the locals that are passed for it.
    let mut passed: BTreeMap<Local, BTreeSet<Local>> = BTreeMap::new();
    for (number, proc) in program.procs.iter().enumerate() {
        let id = ProcId(number as u32);
        let mut here = BTreeSet::new();
        each(&proc.body, &mut |stmt| match &stmt.kind {
            StmtKind::Call { proc: called, args, .. } | StmtKind::Async { task: called, args, .. } => {
                for (arg, number) in args.iter().zip(0..) {
                    let mut locals = BTreeSet::new();
                    locals_in(arg, &mut locals);
                    let for_it = passed.entry((*called, LocalId(number))).or_default();
                    for_it.extend(locals.into_iter().map(|local| (id, local)));
                }
            }
            _ => asked_by(stmt, &mut here),
        });
        asked.extend(here.into_iter().map(|local| (id, local)));
    }
    let mut work: Vec<Local> = asked.iter().copied().collect();
    while let Some(local) = work.pop() {
        let sources = passed.get(&local).into_iter().flatten();
        work.extend(sources.filter(|source| asked.insert(**source)));
    }
    asked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text::parse;

    #[test]
    fn what_is_only_passed_on_is_no_argument() {
        let mut program = parse(
            "var x: int 0..9 = 0; event e on any { t := 3; u := 4; call a(t, u); }
             proc a(p, q) { if * { call b(p, q); } }
             proc b(p, q) { x := q; if * { call a(p, q); } }",
            "test.rob",
        )
        .expect("valid");
        unasked(&mut program);
        let constants = |stmt: &&crate::ir::Stmt| match &stmt.kind {
            StmtKind::Call { args, .. } => {
                matches!(args[0], Expr::Const(_)) && matches!(args[1], Expr::Local(_))
            }
            _ => false,
        };
        assert_eq!(program.statements().into_iter().filter(constants).count(), 3, "{program}");
    }
}
