//! What a case depends on, and what not.

use super::*;
use crate::finding;
use crate::ir::text;
use crate::limits::Allowance;

fn cases(source: &str) -> Vec<(Case, Origin)> {
    let program = text::parse(source, "test.rob").unwrap();
    let machine = Machine::new(&program).unwrap();
    let flags = finding::flags(&machine.program);
    let feeders = Feeders::new(&machine.program, &mut Allowance::unlimited());
    let cut = |event| {
        let question = Question::Serializability(vec![event]);
        Case::cut(&question, &machine, &flags, &feeders, &Options::default())
    };
    program.events().map(cut).collect()
}

const EVENT: &str = "var x; lock l; event e on any { acquire l; read x; release l; async[any] t(); write x; } \
    task t() on any { update x by add; }";

#[test]
fn what_a_question_is_not_about_does_not_matter() {
    let alone = cases(EVENT);
    let more =
        format!("executor e2; var y; lock k;\n\nevent f on e2 {{ acquire k; update y by other; }} {EVENT}");
    let among_others = cases(&more);
    assert_eq!(alone[0].0.key(), among_others[1].0.key());
    assert_ne!(alone[0].1, among_others[1].1, "but the places differ");
}

#[test]
fn names_do_not_matter() {
    let others = EVENT.replace(" x", " seen").replace(" l;", " guard;").replace("t()", "later()");
    let (case, origin) = cases(EVENT).remove(0);
    let (other, its_origin) = cases(&others.replace("event e", "event g")).remove(0);
    assert_eq!(case.key(), other.key());
    assert_ne!(origin, its_origin, "but they are put back");
}

#[test]
fn names_and_places_are_put_back() {
    let find = |source: &str| {
        let (case, origin) = cases(source).remove(0);
        let mut findings = case.answer(std::time::Duration::from_secs(60)).findings;
        assert!(!findings.is_empty());
        findings.iter_mut().for_each(|finding| origin.restore(finding));
        serde_json::to_string(&findings).unwrap()
    };
    let found = find("var `seen[..]`; event look on any { read `seen[..]`; write `seen[..]`; }");
    assert!(found.contains("`look` reads `seen[..]` and later writes it"), "{found}");
    assert!(!found.contains(BEGIN) && !found.contains(END), "{found}");
    let moved = find("var y;\nvar `seen[..]`;\nevent look on any { read `seen[..]`; write `seen[..]`; }");
    assert_ne!(found, moved);
}

#[test]
fn what_others_do_to_its_flags_matters() {
    let program = |other: &str| {
        format!(
            "var stop; event e on any {{ read stop; update stop by raise; }} event f on any {{ {other} }}"
        )
    };
    let flag = |other: &str| cases(&program(other))[0].0.flags.clone();
    assert_eq!(flag("update stop by raise;"), [Some(true)]);
    assert_eq!(flag("write stop;"), [None]);
}

#[test]
fn what_bounds_the_search_matters() {
    let program = text::parse(EVENT, "test.rob").unwrap();
    let machine = Machine::new(&program).unwrap();
    let event = program.events().next().unwrap();
    let feeders = Feeders::new(&machine.program, &mut Allowance::unlimited());
    let question = Question::Determinism(event);
    let key = |options: Options| Case::cut(&question, &machine, &[], &feeders, &options).0.key();
    let options = Options::default;
    let plain = key(options());
    assert_ne!(plain, key(Options { events: 2, ..options() }));
    assert_ne!(plain, key(Options { unroll: 2, ..options() }));
    assert_ne!(plain, key(Options { findings: 2, ..options() }));
    assert_ne!(plain, key(Options { memory: 2, ..options() }));
}

#[test]
fn what_a_question_is_about_matters() {
    let key = |source: &str| cases(source)[0].0.key();
    for (old, new) in [("read x", "write x"), ("event e on any", "event e on main")] {
        assert_ne!(key(EVENT), key(&EVENT.replace(old, new)), "{old} -> {new}");
    }
}
