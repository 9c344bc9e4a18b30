//! Errors: each with line and column, and a rendering that shows the place.

use miette::{GraphicalReportHandler, GraphicalTheme};
use robust_analyzer::ir::text::{self, ParseError};

/// Bad texts: what is wrong, and how it is written.
const BAD: &[(&str, &str)] = &[
    ("declaration expected", "var x;\nfoo bar;"),
    ("no semicolon", "var x\nvar y;"),
    ("character", "var x; §"),
    ("comment without end", "var x; /* and so\non"),
    ("name without end", "var `x;\nvar y;"),
    ("empty name", "var ``;"),
    ("keyword as name", "var while;"),
    ("number too large", "var n: int 0..18446744073709551616;"),
    ("number too small", "var n: int -9223372036854775809..0;"),
    ("number far too large", "var n: int 0..99999999999999999999999999999999999999999;"),
    ("empty range", "var n: int 3..1;"),
    ("initial value", "var n: int 0..3 = 4;"),
    ("initial bool", "var b: bool = 1;"),
    ("type", "var b: string;"),
    ("variable twice", "var x;\nvar x;"),
    ("lock twice", "lock l;\nlock l;"),
    ("executor twice", "executor ui;\nexecutor ui exclusive;"),
    ("procedure twice", "event e on any { }\ntask e() on any { }"),
    ("parameter twice", "task t(a, a) on any { }"),
    ("parameter named like a variable", "var a;\nproc p(a) { }"),
    ("event with parameters", "event e(a) on any { }"),
    ("executor unknown", "event e on ui { }"),
    ("guard unknown", "event e on any when ready { }"),
    ("guard without value", "var ready;\nevent e on any when ready { }"),
    ("guard is a number", "var n: int 0..1;\nevent e on any when n { }"),
    ("body without end", "event e on any { if * {"),
    ("brace too many", "event e on any { } }"),
    ("statement expected", "event e on any { 3; }"),
    ("statement without end", "var x;\nevent e on any { write x }"),
    ("keyword where a statement is expected", "event e on any { on; }"),
    ("variable unknown", "event e on any { write x; }"),
    ("lock unknown", "event e on any { acquire l; }"),
    ("local unknown", "event e on any { assume a; }"),
    ("handle unknown", "event e on any { join h; }"),
    ("local set by itself", "event e on any { a := a; }"),
    ("task unknown", "event e on any { async[any] t(); }"),
    ("task called", "task t() on any { }\nevent e on any { call t(); }"),
    ("procedure started", "proc p() { }\nevent e on any { async[any] p(); }"),
    ("event started", "event e on any { }\nevent f on any { async[any] e(); }"),
    ("task elsewhere", "executor ui;\ntask t() on ui { }\nevent e on any { async[any] t(); }"),
    ("call on an executor", "proc p() { }\nevent e on any { call[any] p(); }"),
    ("too few arguments", "proc p(a) { }\nevent e on any { call p(); }"),
    ("too many arguments", "proc p() { }\nevent e on any { call p(true); }"),
    ("arguments without end", "proc p(a) { }\nevent e on any { call p(true; }"),
    ("expression expected", "var b: bool;\nevent e on any { b := ; }"),
    ("parenthesis", "var b: bool;\nevent e on any { b := (true; }"),
    ("comparisons in a row", "var n: int 0..2;\nevent e on any { assume n == 1 == 2; }"),
    ("loop that runs less than never", "event e on any { loop -1 { } }"),
    ("loop that runs too often", "event e on any { loop 4294967296 { } }"),
    ("loop too large", "var x;\nevent e on any {\n    loop 1000 { loop 1000 { write x; } }\n}"),
    ("run what", "event e on any { run; }"),
    ("update by nothing", "var x;\nevent e on any { update x; }"),
    ("condition is a number", "var n: int 0..2;\nevent e on any {\n    if n { }\n}"),
    ("sum of truth values", "var b: bool;\nvar n: int 0..2;\nevent e on any { n := n + b; }"),
    ("number to a bool", "var b: bool;\nevent e on any { b := 1; }"),
    ("handle as condition", "task t() on any { }\nevent e on any { h := async[any] t(); if h { } }"),
    ("join of a number", "event e on any { n := 1; join n; }"),
    (
        "handle given to a task",
        "task t() on any { }\ntask u(h) on any { join h; }\nevent e on any {\n    h := \
      async[any] t();\n    async[any] u(h);\n}",
    ),
    (
        "handle given on to a task",
        "task t() on any { }\ntask u(h) on any { call wait(h); }\nproc wait(h) { join h; \
      }\nevent e on any { async[any] u(*); }",
    ),
    ("tabs and wide letters", "var x;\nevent `größe` on any {\n\twrite `größe`; write y;\n}"),
];

fn render(error: &ParseError) -> String {
    let mut out = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(120);
    handler.render_report(&mut out, error).expect("errors can be rendered");
    out
}

/// Whether the place is one of the text: on a line, or just behind it.
fn assert_within(error: &ParseError, source: &str) {
    let lines: Vec<&str> = source.split('\n').collect();
    let line =
        lines.get(error.line as usize - 1).unwrap_or_else(|| panic!("no line {}: {error}", error.line));
    assert!(error.column >= 1 && error.column as usize <= line.chars().count() + 1, "{error}\n{source}");
}

/// Parses a text that may be anything. What is read must print, and what is refused must say where.
pub fn read_or_refuse(source: &str) {
    match text::parse(source, "any.rob") {
        Ok(program) => {
            drop(text::parse(&program.to_string(), "any.rob").expect("printed programs are programs"))
        }
        Err(error) => {
            assert_within(&error, source);
            assert!(render(&error).contains(&format!("any.rob:{}:{}", error.line, error.column)));
        }
    }
}

#[test]
fn every_error_says_where() {
    let mut all = String::new();
    for (what, source) in BAD {
        let error = text::parse(source, "bad.rob").expect_err(what);
        assert_within(&error, source);
        let head = format!("bad.rob:{}:{}: {}", error.line, error.column, error.message);
        assert_eq!(error.to_string(), head);
        all.push_str(&format!("# {what}\n{}\n", render(&error)));
    }
    insta::assert_snapshot!(all);
}
