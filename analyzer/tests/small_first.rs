//! What is small is asked before what is large, and what it finds stands when the rest is unknown.

use std::collections::BTreeSet;

use robust_analyzer::check::{self, Options, Verdict};
use robust_analyzer::finding::{Finding, Level};
use robust_analyzer::ir::text;

/// Six events that all have to do with each other; together they are a large question. `update` is what the first one does.
fn program(update: &str) -> String {
    let vars: String = (0..8).map(|i| format!("var v{i}; lock l{i};\n")).collect();
    let busy = |event: usize| {
        let sections = (0..8).map(|i| format!("acquire l{i}; read v{i}; write v{i}; release l{i}; "));
        format!("event busy{event} on any {{ {} }}\n", sections.collect::<String>())
    };
    let all: String = (0..5).map(busy).collect();
    format!(
        "var x; lock m;\n{vars}event small on any {{ {update} acquire l0; write v0; release l0; }}\n{all}"
    )
}

fn outcome(update: &str, memory: u32) -> check::Outcome {
    let program = text::parse(&program(update), "test.rob").unwrap();
    check::check(&program, &Options { memory, jobs: 1, ..Options::default() })
}

#[test]
fn a_violation_in_a_part_is_found_though_the_whole_is_too_large() {
    let outcome = outcome("read x; write x;", 30);
    assert_eq!(outcome.serializability, Verdict::Violated);
    assert!(outcome.findings.iter().any(|finding| finding.variable == "x"), "{:?}", outcome.findings);
    assert_eq!(outcome.statistics.limited, 1, "the rest is not known");
}

/// Two of six events have to do with each other in a way of their own, once in few words, once with all the rest around it.
#[test]
fn so_is_one_that_takes_two_events_or_is_about_one_variable() {
    let pair = "event first on any { read x; REST read x; } event second on any { write x; REST }";
    let sections = (0..8).map(|i| format!("acquire l{i}; read v{i}; write v{i}; release l{i}; "));
    let busy: String = sections.collect();
    let all = program("");
    for rest in ["acquire l0; write v0; release l0;", &busy] {
        for (events, found) in [(pair.to_owned(), true), (pair.replacen("read x;", "", 1), false)] {
            let text = format!("{all}{}", events.replace("REST", rest));
            let program = text::parse(&text, "test.rob").unwrap();
            let outcome = check::check(&program, &Options { memory: 30, jobs: 1, ..Options::default() });
            let torn = |finding: &Finding| finding.message.contains("`first` reads `x` twice");
            assert_eq!(outcome.findings.iter().any(torn), found, "{text}");
            assert!(outcome.statistics.limited + outcome.statistics.unknown > 0, "the rest is not known");
        }
    }
}

/// With some memory more, the first attempt at the whole finds as many violations as are wanted. What the pairs have stands all the same.
#[test]
fn what_little_memory_finds_more_memory_finds() {
    let rest = "acquire l0; write v0; release l0;";
    let pair =
        format!("event first on any {{ read x; {rest} read x; }} event second on any {{ write x; {rest} }}");
    let program = text::parse(&(program("") + &pair), "test.rob").unwrap();
    let denied = |memory| -> BTreeSet<String> {
        let outcome = check::check(&program, &Options { memory, jobs: 1, ..Options::default() });
        let denied = outcome.findings.into_iter().filter(|finding| finding.level == Level::Deny);
        denied.map(|finding| finding.message).collect()
    };
    let (little, more) = (denied(30), denied(40));
    assert!(little.len() > 1, "{little:?}");
    assert_eq!(little.difference(&more).next(), None);
}

/// A question that fits only into all of the memory, and a violation that takes two rounds of a loop.
const LARGE: &str = r"
    executor ui;
    executor actor exclusive;
    lock l;
    lock m;
    var text;
    var flag: bool = false;
    var count: int 0..4611686018427387903 = 0;
    var other;

    event e0 on actor {
        write flag;
        acquire m;
        h0 := async[ui] t0();
        release m;
        join h0;
        async[ui] t0();
    }

    task t0() on ui {
        acquire m;
        loop 2 {
            acquire l;
            b0 := call helper(count + 1 == 32769);
            write text;
            release l;
            update count by add;
            call helper(count < 4611686018427387903);
        }
        release m;
    }

    proc helper(b) {
        n1 := 0;
        while n1 < 1 {
            write text;
            n1 := n1 + 1;
        }
        return count < 4611686018427387903;
    }
";

#[test]
fn with_all_of_the_memory_loops_are_unrolled_as_before() {
    let program = text::parse(LARGE, "it").unwrap();
    // With two, even the first attempt comes to an end, without any round.
    for events in [2, 3] {
        let outcome = check::check(&program, &Options { events, ..Options::default() });
        assert_eq!(outcome.serializability, Verdict::Violated, "{events} instances");
    }
}
