//! corLTL: files, and the monitors made of them.

use std::ops::Not;

use robust_analyzer::cor::check::Says;
use robust_analyzer::cor::formula::Formula;
use robust_analyzer::cor::monitor::{Monitor, Verdict};
use robust_analyzer::cor::{BUILT_IN, print, random, read, residual};

/// Monitors answer as the meaning of their formulas does, on words and at their end.
#[test]
fn monitors_mean_what_their_formulas_do() {
    let (formulas, words, states) = random::compare(2022, 2000, 3).unwrap_or_else(|wrong| panic!("{wrong}"));
    println!("{formulas} formulas, {words} words, at most {states} states");
}

/// No two states of a monitor can be told apart... by what comes after them.
#[test]
fn monitors_are_minimal() {
    let mut random = random::Random(7);
    for _ in 0..200 {
        let formula = random.formula(4);
        let monitor = Monitor::new(&formula, 2, 0).expect("a small monitor");
        let count = monitor.next.len();
        // Pairs that are told apart, until there are no more.
        let mut apart = vec![vec![false; count]; count];
        for _ in 0..=count {
            for a in 0..count {
                for b in 0..count {
                    let here = monitor.verdicts[a] != monitor.verdicts[b]
                        || monitor.closing[a] != monitor.closing[b];
                    let later = monitor.next[a]
                        .iter()
                        .zip(&monitor.next[b])
                        .any(|(x, y)| apart[usize::from(*x)][usize::from(*y)]);
                    apart[a][b] |= here || later;
                }
            }
        }
        let same = (0..count).flat_map(|a| (0..a).map(move |b| (a, b))).find(|(a, b)| !apart[*a][*b]);
        assert_eq!(same, None, "{formula:?}");
    }
}

#[test]
fn verdicts_come_early() {
    let (p, q) = (Formula::Atom(0), Formula::Atom(1));
    let monitor = |formula: &Formula| Monitor::new(formula, 2, 0).expect("a monitor");
    let always = monitor(&p.clone().always());
    assert_eq!(always.run(&[1, 1]), Verdict::Open);
    assert_eq!(always.run(&[1, 0]), Verdict::False);
    // Nothing can come that is and is not.
    let both = p.clone().and(q.clone()).finally().and(p.clone().not().always());
    assert_eq!(monitor(&both).run(&[]), Verdict::False);
    // What was so before.
    let after = q.clone().not().or(p.once()).always();
    assert_eq!(monitor(&after).run(&[0, 1]), Verdict::True);
    assert_eq!(monitor(&after).run(&[0, 0]), Verdict::Open);
    assert_eq!(monitor(&after).run(&[2]), Verdict::False);
}

#[test]
fn built_in_properties_have_small_monitors() {
    let checked =
        read(BUILT_IN, "lifecycle.cor").unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)));
    assert_eq!(checked.properties.len(), 7);
    for property in &checked.properties {
        let Says::Each(true, _, _, slice) = &property.says else { panic!("{property:?}") };
        assert!(slice.monitor.next.len() <= 4, "{}: {}", property.name, slice.monitor.next.len());
    }
    let watched = print::watched(&checked);
    assert_eq!(watched.left, []);
    assert_eq!(watched.tables().matches("\nproperty ").count(), 7);
}

/// The message of the error that a file gives.
fn message(source: &str) -> String {
    match read(source, "test.cor") {
        Ok(checked) => panic!("{}", print::summary(&checked)),
        Err(error) => error.message,
    }
}

fn of_task(formula: &str) -> String {
    message(&format!("property P: forall x: task. {formula};"))
}

#[test]
fn what_makes_no_sense_is_refused() {
    assert_eq!(of_task("G !panicked(y)"), "`y` is not bound");
    assert_eq!(of_task("G !panick(x)"), "nothing is called `panick`");
    assert_eq!(
        of_task("G F resume(x)"),
        "nothing that happens ever decides this: its monitor could only answer `?`"
    );
    assert_eq!(
        of_task("G (spawn(x) -> F returned(x))"),
        "nothing that happens ever decides this: its monitor could only answer `?`"
    );
    assert_eq!(of_task("O (F spawn(x))"), "what looks back cannot look ahead in turn");
    assert_eq!(of_task("G (spawn(x) | !spawn(x))"), "this always holds");
    assert_eq!(
        of_task("G (spawn(x) => F ended(x) within 1s)"),
        "`within` is about two steps: no temporal operators here"
    );
    assert_eq!(of_task("G (spawn(x) => ended(x) within 1h)"), "expected `ms`, `s` or `min`, found `h`");
    assert_eq!(of_task("forall y: task. G !panicked(y)"), "a quantifier cannot be within another one");
    assert_eq!(
        message("property P: forall x: task where panicked(x). G !lost(x);"),
        "`panicked` is not known from the beginning on"
    );
    assert_eq!(message("property P: forall x: task G;"), "expected `.`, found `G`");
    assert_eq!(message("property P: forall k: key. G !panicked(k);"), "`k` is no task");
    assert_eq!(message("state s(x) = enter \"f\"; "), "the state `s` has no end");
    assert_eq!(message("event spawn(x) = call \"f\"; "), "`spawn` is declared already");
    assert_eq!(message("property P: G ?;"), "`?` means nothing here");
    assert_eq!(message("nonsense"), "expected `property`, `event` or `state`, found `nonsense`");
    assert_eq!(message("property P: G hooked; property P: G hooked;"), "there are two properties `P`");
}

#[test]
fn hostile_files_are_refused() {
    let deep = format!("{}spawn(x){}", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(of_task(&deep), "formulas are nested at most 100 deep");
    assert_eq!(of_task(&"!".repeat(100_000)), "formulas are nested at most 100 deep");
    assert_eq!(of_task(&"X ".repeat(100_000)), "formulas are nested at most 100 deep");
    assert_eq!(
        message(&format!("property P: {}", "(".repeat(100_000))),
        "formulas are nested at most 100 deep"
    );
    let long = format!("G ({} spawn(x))", "spawn(x) & ".repeat(50_000));
    assert_eq!(of_task(&long), "a property has at most 250 operators");
    let long = format!("property P: {} G hooked;", "(forall x: task. G !panicked(x)) & ".repeat(50_000));
    assert_eq!(message(&long), "a property has at most 250 operators");
    let names =
        ["spawn", "resume", "suspend", "wake", "returned", "failed", "panicked", "cancelled", "joined"];
    let nine: Vec<String> = names.iter().map(|name| format!("{name}(x)")).collect();
    assert_eq!(of_task(&format!("G ({})", nine.join(" | "))), "this formula has more than 8 atoms");
    let nested: Vec<String> =
        (1..12).map(|n| format!("F (spawn(x) & {} resume(x))", "X ".repeat(n))).collect();
    let _ = message(&format!("property P: forall x: task. G ({});", nested.join(" & ")));
}

#[test]
fn users_have_events_of_their_own() {
    let source = r#"
        event taken(x, job) = call "app::take";
        state holds(x, conn) = enter "app::use_it" to leave "app::use_it";
        property Once: forall j: key. G (count(y: holds(y, j)) <= 1);
        property One: G (count(y: alive(y) & site(y, "app::search")) <= 1);
    "#;
    let checked = read(source, "own.cor").unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)));
    let left = print::watched(&checked).left;
    assert_eq!(left.len(), 1, "{left:?}");
}

/// Where a property holds of all words over some letters, no word over them violates it; else one does.
#[test]
fn what_holds_over_letters_is_never_violated() {
    let mut random = random::Random(7);
    let mut held = 0;
    for _ in 0..200 {
        let formula = random.formula(4);
        let monitor = Monitor::new(&formula, 2, 0b01).expect("a small monitor");
        let letters: Vec<u8> = (0..4).filter(|_| random.below(2) == 0).collect();
        let holds = monitor.holds_over(&letters);
        held += usize::from(holds && !letters.is_empty());
        if letters.is_empty() {
            continue;
        }
        let mut violated = false;
        for _ in 0..1000 {
            let length = 1 + random.below(12);
            let word: Vec<u8> =
                (0..length).map(|_| letters[random.below(letters.len() as u64) as usize]).collect();
            violated |= monitor.run(&word) == Verdict::False || !monitor.close(&word);
        }
        assert_eq!(violated, !holds, "{formula:?} over {letters:?}");
    }
    assert!((20..180).contains(&held), "{held}");
}

fn holds(source: &str, never: &[&str], always: &[&str]) -> bool {
    let checked = read(source, "test.cor").unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)));
    let known = |name: &str| match (never.contains(&name), always.contains(&name)) {
        (true, _) => residual::Known::Never,
        (_, true) => residual::Known::Always,
        _ => residual::Known::Open,
    };
    residual::holds(&checked.properties[0].says, &known)
}

#[test]
fn what_is_known_decides_properties() {
    let owner = "property P: forall x: task where owned(x). G (owner_gone(x) => ended(x) within 1s);";
    assert!(!holds(owner, &[], &[]));
    assert!(holds(owner, &["owned"], &[]));
    // A limit that never begins never passes.
    assert!(holds(owner, &["owner_gone"], &[]));
    assert!(holds(owner, &[], &["ended"]));
    let both = "property P: (forall x: task. G !failed(x)) & (forall x: task. G !lost(x));";
    assert!(!holds(both, &["failed"], &[]));
    assert!(holds(both, &["failed", "lost"], &[]));
    // Things happen one at a time.
    assert!(holds("property P: forall x: task. G !(failed(x) & lost(x));", &[], &[]));
    // What comes late, if it comes.
    assert!(!holds("property P: forall x: task. F (panicked(x) | returned(x));", &["panicked"], &[]));
    assert!(!holds("property P: G hooked;", &[], &["hooked"]));
}
