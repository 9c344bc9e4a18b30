//! Large questions are divided; the answer is that of the whole.

use robust_analyzer::check::{self, Options, Verdict};
use robust_analyzer::ir::{Program, text};

/// One event that starts tasks, some of which it waits for; each works on a variable of its group under a lock.
fn program(tasks: usize, joined: bool, unlocked: Option<usize>) -> Program {
    let vars = tasks / 4;
    let mut source = String::from("executor ui; lock g; lock l; var flag: bool;\n");
    source += &(0..vars).map(|v| format!("var x{v};\n")).collect::<String>();
    source += "event e on ui {\nacquire g;\n";
    for t in 0..tasks {
        let wait = if joined && unlocked != Some(t) { format!("join h{t};") } else { String::new() };
        source += &format!("h{t} := async[any] t{t}(); {wait}\n");
    }
    source += "release g;\n}\n";
    for t in 0..tasks {
        let v = t % vars;
        source += &format!(
            "task t{t}() on any {{ acquire l; read x{v}; if flag {{ read x{v}; }} write x{v}; release l; }}\n"
        );
    }
    text::parse(&source, "focus.rob").unwrap_or_else(|e| panic!("{e}"))
}

fn determinism(program: &Program) -> Verdict {
    let options = Options { events: 1, ..Options::default() };
    check::check(program, &options).determinism.remove("e").expect("the event has a verdict")
}

#[test]
fn tasks_that_are_waited_for_do_not_disturb() {
    assert_eq!(determinism(&program(12, true, None)), Verdict::Holds { bound: None });
}

#[test]
fn one_task_that_is_not_waited_for_does() {
    assert_eq!(determinism(&program(12, true, Some(5))), Verdict::Violated);
}

#[test]
fn tasks_that_nobody_waits_for_do() {
    assert_eq!(determinism(&program(40, false, None)), Verdict::Violated);
}

/// An event with many loops, each about variables with locks of their own, between a look at `x` and a change of it.
fn wide(locked: bool) -> Program {
    const MANY: usize = 24;
    let mut source = String::from("lock l; var x;\n");
    source += &(0..MANY).map(|v| format!("lock m{v}; var y{v};\n")).collect::<String>();
    source += "event e on any {\nacquire l; read x;\n";
    source += if locked { "" } else { "release l;\n" };
    for v in 0..MANY {
        let other = (v * 7 + 3) % MANY;
        source += &format!(
            "while * {{ acquire m{v}; write y{v}; release m{v}; acquire m{other}; write y{other}; release m{other}; }}\n"
        );
    }
    source += if locked { "" } else { "acquire l;\n" };
    source += "write x; release l;\n}\n";
    text::parse(&source, "wide.rob").unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn one_variable_is_looked_at_where_the_whole_is_too_large() {
    let about_x = |locked| {
        let options = Options { memory: 300, ..Options::default() };
        let outcome = check::check(&wide(locked), &options);
        outcome.findings.iter().filter(|finding| finding.variable == "x").count()
    };
    assert_eq!(about_x(false), 1);
    assert_eq!(about_x(true), 0);
}
