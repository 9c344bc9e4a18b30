use robust_analyzer::finding::{Property, Role, Step, StepKind};
use robust_analyzer::ir::SourcePlace;

use super::*;
use crate::report::NoticeKind;

/// A finding with one access, in this line of `a.rs`.
pub(super) fn finding(class: Class, line: u32, fingerprint: &str) -> Finding {
    let place = SourcePlace { file: "a.rs".into(), line, column: 1, end_line: line, end_column: 2 };
    Finding {
        class,
        level: Level::Deny,
        property: Property::Determinism { event: "e".into() },
        variable: "x".into(),
        message: "m".into(),
        lanes: Vec::new(),
        steps: vec![Step {
            lane: 0,
            kind: StepKind::Read,
            subject: "x".into(),
            text: "reads".into(),
            place: Some(place),
            role: Role::Pivot,
            conflicts_with: Vec::new(),
            stack: Vec::new(),
        }],
        assumption: String::new(),
        hint: String::new(),
        excuse: String::new(),
        fingerprint: fingerprint.into(),
        unit: "a".into(),
        alike: Default::default(),
    }
}

fn apply(gate: &Gate, findings: Vec<Finding>) -> Gated {
    let units = BTreeSet::from(["a".to_owned()]);
    gate.apply(findings, &Sources::new("/nowhere"), &BTreeSet::new(), &units)
}

const OLD: &str = "0123456789abcdef";
const NEW: &str = "fedcba9876543210";

#[test]
fn levels_decide_what_is_shown_and_in_which_order() {
    let gate = Gate {
        levels: Levels::from([(Class::Order, Level::Allow), (Class::TornRead, Level::Note)]),
        ..Gate::default()
    };
    let findings = vec![
        finding(Class::Order, 1, OLD),
        finding(Class::TornRead, 2, OLD),
        finding(Class::LostUpdate, 9, OLD),
        finding(Class::LostUpdate, 3, NEW),
    ];
    let gated = apply(&gate, findings);
    let shown: Vec<_> = gated.findings.iter().map(|f| (f.level, order(f).0.unwrap().1)).collect();
    assert_eq!(shown, [(Level::Deny, 3), (Level::Deny, 9), (Level::Note, 2)]);
    assert_eq!(gated.hidden, Hidden { allowed: 1, ..Hidden::default() });
}

#[test]
fn a_baseline_hides_what_it_knows_wherever_it_moved() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("known.json");
    Baseline::of(&[finding(Class::Order, 1, OLD)]).write(&file).unwrap();
    let gate = Gate { baseline: Some(Baseline::read(&file).unwrap()), ..Gate::default() };

    let gated = apply(&gate, vec![finding(Class::Order, 77, OLD), finding(Class::Order, 2, NEW)]);
    assert_eq!(gated.findings.len(), 1);
    assert_eq!(gated.findings[0].fingerprint, NEW);
    assert_eq!(gated.hidden.baseline, 1);
    assert!(gated.notices.is_empty());
}

#[test]
fn stale_entries_are_reported_for_what_was_analysed() {
    let elsewhere = Finding { unit: "b".into(), ..finding(Class::Order, 1, NEW) };
    let baseline = Baseline::of(&[finding(Class::Order, 1, OLD), elsewhere]);
    let gate = Gate { baseline: Some(baseline), ..Gate::default() };
    let gated = apply(&gate, Vec::new());
    let [notice] = &gated.notices[..] else { panic!("{:?}", gated.notices) };
    assert_eq!(notice.kind, NoticeKind::StaleBaseline);
    assert!(notice.message.contains(OLD), "{}", notice.message);
}

#[test]
fn a_baseline_is_the_same_whatever_the_order_of_findings() {
    let (a, b) = (finding(Class::Order, 1, OLD), finding(Class::TornRead, 2, NEW));
    assert_eq!(Baseline::of(&[a.clone(), b.clone()]), Baseline::of(&[b, a.clone(), a]));
}

#[test]
fn a_baseline_in_a_folder_that_is_not_there() {
    let result = Baseline::of(&[]).write(std::path::Path::new("/nowhere/known.json"));
    assert!(matches!(result, Err(BaselineError::Io { action: "write", .. })), "{result:?}");
}
