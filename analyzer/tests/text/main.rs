//! The text form of programs: printing and parsing are inverse, errors say where, nothing panics.

mod canonical;
mod depth;
mod errors;

use canonical::canonical;
use proptest::prelude::*;
use robust_analyzer::ir::*;
use robust_analyzer::semantics::random::{self, Shape};
use robust_analyzer::translate::{self, Mutation, Precision, Start};

/// The example of section 8 of the specification.
const EXAMPLE: &str = "
executor ui;                       // `main` is predeclared; add `exclusive` for an actor
lock l;
var ready: bool = false;
var n: int 0..3 = 0;
var text;                          // no tracked value

event on_key on main { write text; h := async[any] send(); await h; read text; }
event once init on main { ready := true; }
event show on ui when ready { call draw(); }
task send() on any { acquire l; t := n; if t == 0 { n := 1; } release l; yield; update text by append; }
proc draw() { if * { read text; } else { loop 2 { write text; } } }
";

fn parse(source: &str) -> Program {
    text::parse(source, "test.rob").unwrap_or_else(|e| panic!("{e}\n{source}"))
}

/// Printed and parsed, a program is the same, and prints the same.
fn assert_round_trip(program: &Program) {
    let printed = program.to_string();
    let read = parse(&printed);
    assert_eq!(printed, read.to_string());
    let (there, back) = (canonical(program), canonical(&read));
    assert!(there == back, "{printed}\n{there:#?}\n{back:#?}");
}

fn shapes() -> impl Strategy<Value = Shape> {
    prop::sample::select(vec![Shape::WIDE, Shape::DEEP, Shape::PAIR, Shape::SELF, Shape::THREE])
}

fn programs() -> impl Strategy<Value = Program> {
    let bytes = prop::collection::vec(any::<u8>(), 0..240);
    (bytes, shapes()).prop_map(|(bytes, shape)| random::program(&bytes, shape))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_programs_round_trip(program in programs()) {
        assert_round_trip(&program);
    }

    #[test]
    fn flat_programs_round_trip(program in programs()) {
        assert_round_trip(&flatten(&program));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn translated_programs_round_trip(program in programs(), fine: bool) {
        let precision = if fine { Precision::Fine } else { Precision::Coarse };
        let detstr = translate::detstr(&program, ProcId(0), Start::After(0), precision, Mutation::None);
        let robstr = translate::robstr(&program, 2, precision, Mutation::None);
        assert_round_trip(&detstr.program);
        assert_round_trip(&robstr.program);
        assert_round_trip(&translate::seq(detstr).program);
        assert_round_trip(&translate::seq(robstr).program);
    }
}

#[test]
fn the_example_of_the_specification_is_a_program() {
    let program = parse(EXAMPLE);
    let names: Vec<&str> = program.procs.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["on_key", "init", "show", "send", "draw"]);
    assert_eq!(program.executors.len(), 2);
    assert_eq!(program.events().count(), 3);
    assert_round_trip(&program);
}

#[test]
fn names_that_are_no_identifiers_go_in_backquotes() {
    let source = "
executor `the UI` exclusive;
lock `self.lock`;
var `self.sessions`: bool = false;
var `while`;
var `größe`: int -2..2 = -1;

event `<Chat as Handler>::handle` on `the UI` when `self.sessions` {
    acquire `self.lock`;
    update `while` by `Vec::push`;
    `a handle` := async[`the UI`] `task #1`(`self.sessions`);
    join `a handle`;
    `größe` := `größe` + -1;
}

task `task #1`(`the flag`) on `the UI` {
    assume `the flag` == false;
}
";
    let program = parse(source);
    assert_eq!(program.vars[0].name, "self.sessions");
    assert_eq!(program.to_string().trim(), source.trim());
    assert_round_trip(&program);
}

#[test]
fn names_that_cannot_be_quoted_are_changed() {
    let mut program = parse("var x; event e on any { write x; }");
    for (name, printed) in [("a`b", "`a'b`"), ("a\nb", "`a'b`"), ("", "`'`"), ("a.b", "`a.b`"), ("_1", "_1")]
    {
        program.vars[0].name = name.into();
        let text = program.to_string();
        assert!(text.contains(&format!("write {printed};")), "{text}");
        parse(&text);
    }
}

#[test]
fn expressions_keep_their_shape() {
    for e in [
        "a && b || c && !d",
        "(a || b) && (c || d)",
        "a || (b || c)",
        "!(a && b)",
        "!!a",
        "(n + 1 < 2) == a",
        "n - (1 - n) - 1 == -1",
        "a == (b == c)",
        "(a == b) == c",
        "* || *",
        "n < *",
    ] {
        let locals: String = ["a", "b", "c", "d"].map(|v| format!("{v} := *; ")).concat();
        let source = format!("var n: int 0..2; event e on any {{ {locals}assume {e}; }}");
        let program = parse(&source);
        assert!(program.to_string().contains(&format!("assume {e};")), "{e}:\n{program}");
        assert_round_trip(&program);
    }
}

/// All integers that Rust's types of up to 64 bits have are numbers, and no others.
#[test]
fn numbers_are_those_of_rusts_integers() {
    let source = "
var wide: int -9223372036854775808..18446744073709551615 = 18446744073709551615;
var half: int -2147483648..2147483647 = -2147483648;

event e on any {
    n := wide + -9223372036854775808;
    if n < 18446744073709551615 {
        half := 4294967296;
    }
}
";
    let program = parse(source);
    assert_eq!(program.to_string().trim(), source.trim());
    assert_round_trip(&program);
    for outside in ["18446744073709551616", "-9223372036854775809", "340282366920938463463374607431768211456"]
    {
        text::parse(&source.replace("4294967296", outside), "test.rob").expect_err(outside);
    }
}

/// A byte order mark is no part of the text: places count from behind it.
#[test]
fn a_byte_order_mark_is_skipped() {
    let marked = parse(&format!("\u{feff}{EXAMPLE}"));
    assert_eq!(marked, parse(EXAMPLE));
    let error = text::parse("\u{feff}foo", "test.rob").expect_err("no declaration");
    assert_eq!((error.line, error.column), (1, 1));
    text::parse("var x; \u{feff}", "test.rob").expect_err("in the middle it is a character like others");
}

#[test]
fn places_are_those_of_the_statements() {
    let program = parse("var x;\nevent e on any {\n  if * { read x; }\n  `ö` := 1; write x;\n}");
    let places: Vec<_> = program
        .statements()
        .into_iter()
        .map(|s| {
            let p = &program.places[s.place.unwrap().index()];
            (p.line, p.column, p.end_line, p.end_column)
        })
        .collect();
    assert_eq!(places, [(3, 3, 3, 7), (3, 10, 3, 16), (4, 3, 4, 11), (4, 13, 4, 20)]);
}

/// What a text can be damaged with.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    ";",
    ":=",
    "`",
    "\"",
    "/*",
    "//",
    "\n",
    "é",
    "\u{0}",
    "99999999999999999999",
    "-",
    "*",
    "async[any]",
    "event",
    "task",
    "proc",
    "var",
    "lock",
    "on",
    "await",
    "if",
    "else",
    "x",
    "h",
    "t0",
    "flag",
    "..",
];

fn damage() -> impl Strategy<Value = (f64, usize, &'static str)> {
    (0.0..1.0, 0..12usize, prop::sample::select(PIECES))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_programs_are_read_or_refused(program in programs(), damages in prop::collection::vec(damage(), 1..4)) {
        let mut chars: Vec<char> = program.to_string().chars().collect();
        for (place, length, piece) in damages {
            let start = (place * chars.len() as f64) as usize;
            let end = (start + length).min(chars.len());
            chars.splice(start..end, piece.chars());
        }
        errors::read_or_refuse(&chars.into_iter().collect::<String>());
    }

    #[test]
    fn any_text_is_read_or_refused(source in "\\PC{0,80}") {
        errors::read_or_refuse(&source);
    }

    #[test]
    fn any_tokens_are_read_or_refused(tokens in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        errors::read_or_refuse(&format!("var x; event e on any {{ {}", tokens.join(" ")));
    }
}
