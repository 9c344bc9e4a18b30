//! The static filter: what it answers needs no solver, and enumeration agrees with it.

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use robust_analyzer::compare::{self, Property};
use robust_analyzer::filter::Filter;
use robust_analyzer::ir::text;
use robust_analyzer::limits::Allowance;
use robust_analyzer::semantics::Machine;
use robust_analyzer::semantics::oracle::{Answer, Limits};
use robust_analyzer::semantics::random::{self, Shape};

const LIMITS: Limits = Limits { states: 5_000, tasks: 12, calls: 16, ..Limits::DEFAULT };

/// What the filter says is not violated: nothing that it removes is a violation.
fn never_removes_a_violation(property: Property, shape: Shape, cases: u32) {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    };
    let filtered = std::cell::Cell::new(0);
    let programs = prop::collection::vec(any::<u8>(), 40..160);
    let result = TestRunner::new(config).run(&programs, |bytes| {
        let program = random::program(&bytes, shape);
        let machine = Machine::new(&program).expect("random programs are valid");
        let filter = Filter::new(&machine, &mut Allowance::unlimited()).expect("no limits");
        let removes = match property {
            Property::Determinism(_) => {
                program.events().next().is_some_and(|e| !filter.may_be_nondeterministic(e))
            }
            Property::Serializability(_) => {
                filter.groups(&mut Allowance::unlimited()).expect("no limits").is_empty()
            }
        };
        if removes {
            filtered.set(filtered.get() + 1);
            prop_assert_ne!(compare::enumerate(&machine, property, LIMITS), Answer::Violated, "{}", program);
        }
        Ok(())
    });
    if let Err(e) = result {
        panic!("{property:?}: {e}");
    }
    println!("{property:?}, {shape:?}: {} of {cases} filtered", filtered.get());
    assert!(filtered.get() > cases / 50);
}

#[test]
fn removes_no_violation_of_determinism() {
    never_removes_a_violation(Property::Determinism(1), Shape::WIDE, 1000);
    never_removes_a_violation(Property::Determinism(1), Shape::DEEP, 500);
}

#[test]
fn removes_no_violation_of_serializability() {
    never_removes_a_violation(Property::Serializability(2), Shape::PAIR, 1000);
    never_removes_a_violation(Property::Serializability(2), Shape::SELF, 500);
    never_removes_a_violation(Property::Serializability(3), Shape::THREE, 250);
}

/// Whether the event set of a program has to be looked at.
fn is_open(source: &str) -> bool {
    let program = text::parse(source, "filter.rob").unwrap_or_else(|e| panic!("{e}"));
    let machine = Machine::new(&program).expect("valid");
    let mut allowance = Allowance::unlimited();
    let filter = Filter::new(&machine, &mut allowance).expect("no limits");
    !filter.groups(&mut allowance).expect("no limits").is_empty()
}

#[test]
fn one_section_of_a_lock_cannot_be_torn() {
    assert!(!is_open("lock l; var x; event e on any { acquire l; read x; write x; release l; }"));
    assert!(is_open(
        "lock l; var x; event e on any { acquire l; read x; release l; acquire l; write x; release l; }"
    ));
}

/// Two sections of which each run has one; in a loop, a run may have both.
#[test]
fn sections_on_different_sides_of_a_branch_are_not_torn() {
    let sides = "if * { acquire l; read x; release l; } else { acquire l; write x; release l; }";
    assert!(!is_open(&format!("lock l; var x; event e on any {{ {sides} }}")));
    assert!(is_open(&format!("lock l; var x; event e on any {{ loop 2 {{ {sides} }} }}")));
    assert!(is_open(&format!("lock l; var x; event e on any {{ {sides} {sides} }}")));
    assert!(is_open(&format!(
        "lock l; var x; event e on any {{ async[any] t(); async[any] t(); }} task t() on any {{ {sides} }}"
    )));
    assert!(!is_open(&format!(
        "lock l; var x; event e on any {{ if * {{ async[any] t(); }} }} task t() on any {{ {sides} }}"
    )));
}
