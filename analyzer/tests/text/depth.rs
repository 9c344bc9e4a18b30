//! Deep and long programs: an error, never a stack overflow, and no long wait.

use std::time::{Duration, Instant};

use robust_analyzer::ir::*;
use robust_analyzer::semantics::Machine;

fn within(statement: &str) -> String {
    format!("var x; var n: int 0..2; event e on any {{ {statement} }}")
}

/// Texts that nest something so often, by what they nest.
fn nested(times: usize) -> Vec<(&'static str, String)> {
    let repeat = |s: &str| s.repeat(times);
    vec![
        ("parentheses", within(&format!("assume {}true{};", repeat("("), repeat(")")))),
        ("negations", within(&format!("assume {}true;", repeat("!")))),
        ("if", within(&format!("{}write x;{}", repeat("if * { "), repeat(" }")))),
        ("else", within(&format!("{}write x;{}", repeat("if * { } else { "), repeat(" }")))),
        ("else if", within(&format!("if * {{ }} {}", repeat("else if * { } ")))),
        ("while", within(&format!("{}write x;{}", repeat("while * { "), repeat(" }")))),
        ("loop", within(&format!("{}write x;{}", repeat("loop 1 { "), repeat(" }")))),
        (
            "blocks of one",
            within(&format!(
                "{}assume {}true{};{}",
                "if * {".repeat(times / 2),
                "(".repeat(times / 2),
                ")".repeat(times / 2),
                "}".repeat(times / 2)
            )),
        ),
    ]
}

fn long(times: usize) -> Vec<(&'static str, String)> {
    let row = |op: &str, operand: &str| vec![operand; times].join(op);
    vec![
        ("+", within(&format!("n := {};", row(" + ", "1")))),
        ("&&", within(&format!("assume {};", row(" && ", "true")))),
        ("||", within(&format!("assume {};", row(" || ", "*")))),
    ]
}

#[test]
fn deep_texts_are_refused() {
    for (what, source) in nested(10_000).into_iter().chain(nested(1_000_000)) {
        let error = text::parse(&source, "deep.rob").expect_err(what);
        assert!(error.message.starts_with("nested more than"), "{what}: {error}");
        assert!((error.line, error.column) > (1, 1), "{what}: {error}");
    }
    for (what, source) in long(10_000).into_iter().chain(long(1_000_000)) {
        let error = text::parse(&source, "long.rob").expect_err(what);
        assert!(error.message.ends_with("operators in a row"), "{what}: {error}");
    }
    // Brackets that never close are no different.
    for open in ["(", "{", "if * {", "!", "loop 2 {"] {
        text::parse(&within(&open.repeat(100_000)), "open.rob").expect_err(open);
    }
}

/// Rows in the first operand of rows: few are open at a time, and the tree is as deep as all of them are long.
#[test]
fn rows_in_rows_are_refused() {
    let rows = |levels: usize, row: usize| {
        let row = format!("{})", " + 1".repeat(row));
        within(&format!("n := {}1{};", "(".repeat(levels), row.repeat(levels)))
    };
    let error = text::parse(&rows(300, 3_900), "rows.rob").expect_err("a million operators deep");
    assert!(error.message.starts_with("nested more than") && error.column > 1, "{error}");
    let program = text::parse(&rows(300, 13), "rows.rob").unwrap_or_else(|e| panic!("{e}"));
    assert!(Machine::new(&program).is_ok());
}

/// What is not refused can be worked with, on the stack that threads have by default.
#[test]
fn texts_that_are_deep_but_not_refused_are_programs() {
    for (what, source) in nested(390).into_iter().chain(long(4_000)) {
        let program = text::parse(&source, "deep.rob").unwrap_or_else(|e| panic!("{what}: {e}"));
        let printed = program.to_string();
        assert_eq!(text::parse(&printed, "deep.rob").unwrap().to_string(), printed, "{what}");
        assert!(Machine::new(&program).is_ok(), "{what}");
    }
}

#[test]
fn long_programs_are_read_in_linear_time() {
    let time = |statements: usize| {
        let source = within(&"write x;\n call p(); ".repeat(statements)) + "proc p() { read x; }";
        let started = Instant::now();
        let program = text::parse(&source, "long.rob").unwrap();
        assert_eq!(program.statements().len(), 2 * statements + 1);
        started.elapsed()
    };
    time(1_000);
    let (short, long) = (time(10_000), time(80_000));
    assert!(long < short * 32 + Duration::from_millis(500), "{short:?} {long:?}");
}

/// Many names of each kind, on one line: reading them takes time in proportion, whatever there are many of.
#[test]
fn names_are_found_without_looking_at_all_of_them() {
    let many = |count: usize, each: &dyn Fn(usize) -> String| (0..count).map(each).collect::<String>();
    let kinds: [(&str, &dyn Fn(usize) -> String); 6] = [
        ("procedures", &|i| format!("proc p{i}() {{ write x; }} ")),
        ("variables", &|i| format!("var x{i}; event e{i} on any {{ read x{i}; }} ")),
        ("locks", &|i| format!("lock l{i}; event e{i} on any {{ acquire l{i}; }} ")),
        ("executors", &|i| format!("executor u{i}; event e{i} on u{i} {{ }} ")),
        ("classes", &|i| format!("event e{i} on any {{ update x by c{i}; }} ")),
        ("locals, in letters of two bytes", &|i| format!("`ä{i}` := *; b := `ä{i}`; ")),
    ];
    for (what, each) in kinds {
        let time = |count: usize| {
            let names = many(count, each);
            let source = match what.starts_with("locals") {
                true => within(&names),
                false => format!("var x; {names}"),
            };
            let started = Instant::now();
            let program = text::parse(&source, "many.rob").unwrap_or_else(|e| panic!("{what}: {e}"));
            assert!(Machine::new(&program).is_ok(), "{what}");
            started.elapsed()
        };
        time(1_000);
        let (short, long) = (time(4_000), time(64_000));
        assert!(long < short * 64 + Duration::from_millis(500), "{what}: {short:?} {long:?}");
    }
}
