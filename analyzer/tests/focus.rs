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
