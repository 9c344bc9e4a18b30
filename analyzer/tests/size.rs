//! Translations grow as the specification says: linearly with the program. Measured in statements and expression nodes.

use robust_analyzer::ir::*;
use robust_analyzer::translate::{self, Mutation, Precision, Start};

/// Statements and expression nodes.
fn size(program: &Program) -> usize {
    program.statements().into_iter().map(|s| 1 + parts(&s.kind)).sum()
}

fn parts(kind: &StmtKind) -> usize {
    match kind {
        StmtKind::SetVar(_, e)
        | StmtKind::SetLocal(_, e)
        | StmtKind::Assume(e)
        | StmtKind::Return(Some(e))
        | StmtKind::If(e, ..)
        | StmtKind::While(e, _) => nodes(e),
        StmtKind::Async { args, .. } | StmtKind::Defer { args, .. } | StmtKind::Call { args, .. } => {
            args.iter().map(nodes).sum()
        }
        _ => 0,
    }
}

fn nodes(e: &Expr) -> usize {
    1 + match e {
        Expr::Not(a) => nodes(a),
        Expr::Binary(_, a, b) => nodes(a) + nodes(b),
        Expr::Const(_) | Expr::Local(_) | Expr::Var(_) | Expr::Any => 0,
    }
}

/// One event that starts `tasks` tasks, every third of which it joins; each uses the same variables and locks.
fn program(tasks: usize) -> Program {
    let mut source = String::from(
        "executor ui; lock l; lock m; var text; var flag: bool; var count: int 0..3;\nevent e on ui {\n",
    );
    for t in 0..tasks {
        let on = ["any", "ui", "main"][t % 3];
        source += &match t % 3 {
            0 => format!("h{t} := async[{on}] t{t}(); await h{t};\n"),
            _ => format!("async[{on}] t{t}();\n"),
        };
    }
    source += "}\n";
    for t in 0..tasks {
        let on = ["any", "ui", "main"][t % 3];
        source += &format!(
            "task t{t}() on {on} {{\n acquire l; read text; acquire shared m; count := count + 1; release m; release l;\n \
             if flag {{ write text; }} else {{ update count by add; }}\n loop 2 {{ flag := !flag; yield; }}\n}}\n"
        );
    }
    text::parse(&source, "size.rob").unwrap_or_else(|e| panic!("{e}"))
}

/// One task that starts another so often, and joins none.
fn starts(times: usize) -> Program {
    let source = format!(
        "executor ui; var x;\nevent e on ui {{\n{}}}\ntask t() on ui {{ write x; }}",
        "async[ui] t();\n".repeat(times)
    );
    text::parse(&source, "size.rob").unwrap_or_else(|e| panic!("{e}"))
}

/// That what grows from `n[0]` over `n[1]` to `n[2]` grows no more than by a straight line through the first two.
fn assert_linear(what: &str, sizes: [(usize, usize); 3]) {
    let [(n0, s0), (n1, s1), (n2, s2)] = sizes.map(|(n, s)| (n as f64, s as f64));
    let slope = (s1 - s0) / (n1 - n0);
    let expected = s1 + slope * (n2 - n1);
    println!("{what}: {sizes:?}, {slope:.1} for one more");
    assert!(s2 <= 1.02 * expected, "{what}: {s2} instead of {expected}");
}

fn measure(make: fn(usize) -> Program, translate: impl Fn(&Program) -> Program) -> [(usize, usize); 3] {
    [10, 50, 200].map(|n| (n, size(&translate(&make(n)))))
}

#[test]
fn translations_are_linear_in_the_program() {
    for make in [program, starts] {
        assert_linear("program", measure(make, Program::clone));
        for precision in [Precision::Coarse, Precision::Fine] {
            let detstr =
                |p: &Program| translate::detstr(p, ProcId(0), Start::After(0), precision, Mutation::None);
            let robstr = |p: &Program| translate::robstr(p, 3, precision, Mutation::None);
            assert_linear("detstr", measure(make, |p| detstr(p).program));
            assert_linear("robstr", measure(make, |p| robstr(p).program));
            assert_linear("detseq", measure(make, |p| translate::seq(detstr(p)).program));
            assert_linear("robseq", measure(make, |p| translate::seq(robstr(p)).program));
        }
    }
}

/// The paper's `seq` is quadratic in the number of spawns, since it passes the list on in variables. Here the list is a
/// statement of the language, and one call of [`translate::seq`] adds a bounded number of statements per task.
#[test]
fn seq_adds_a_bounded_amount_to_each_task() {
    for n in [10, 50, 200] {
        let detstr =
            translate::detstr(&program(n), ProcId(0), Start::After(0), Precision::Coarse, Mutation::None);
        let (before, returned) = (size(&detstr.program), detstr.returned.len());
        let after = size(&translate::seq(detstr).program);
        // For each task: `run deferred`, and each flag saved and restored, in two nodes each.
        let allowed = (n + 1) * (1 + 4 * returned);
        assert!(after - before <= allowed, "{n} tasks: {before} to {after}, {allowed} allowed");
    }
}

/// Nothing depends on how many event instances are looked at but the bound of a loop.
#[test]
fn the_number_of_instances_does_not_count() {
    let program = program(20);
    let robseq = |events| size(&translate::robseq(&program, events, Precision::Coarse).program);
    assert_eq!(robseq(2), robseq(30));
}

/// What is taken once for each variable or lock is taken for each of them: with all of them growing, the product.
#[test]
fn auxiliary_state_is_the_product_of_locks_and_accesses() {
    let program = |n: usize| {
        let mut source: String = (0..n).map(|i| format!("var x{i};\nlock l{i};\n")).collect();
        let body: String = (0..n).map(|i| format!("acquire l{i}; write x{i}; release l{i};\n")).collect();
        source += &format!("event e on any {{ async[any] t(); {body} }}\ntask t() on any {{ {body} }}");
        text::parse(&source, "size.rob").unwrap_or_else(|e| panic!("{e}"))
    };
    let grown = |n| {
        size(&translate::detseq(&program(n), ProcId(0), Start::After(0), Precision::Coarse).program) as f64
    };
    let (small, large) = (grown(10), grown(40));
    println!("10 variables and locks: {small}, 40: {large}");
    assert!(large <= small * 16.0 * 1.05);
}
