use super::*;
use crate::gate::tests::finding;

/// On which lines a finding is allowed, and the remarks.
fn lines(text: &str) -> (Vec<u32>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.rs"), text).unwrap();
    let sources = Sources::new(folder.path());
    let mut suppressions = Suppressions::read(&BTreeSet::from(["a.rs".to_owned()]), &sources);
    let count = text.lines().count() as u32;
    let allowed = (1..=count)
        .filter(|&line| suppressions.allow(&finding(Class::CheckThenAct, line, ""), &sources))
        .collect();
    (allowed, suppressions.notices().into_iter().map(|notice| notice.message).collect())
}

#[test]
fn a_comment_behind_code_is_about_its_line() {
    let (allowed, notices) = lines(
        "static A: u8 = 1;\nstatic B: u8 = 2; // robust: allow(check-then-act): fine\nstatic C: u8 = 3;\n",
    );
    assert_eq!((allowed, notices), (vec![2], vec![]));
}

#[test]
fn a_comment_above_is_about_the_next_line_of_code() {
    let text =
        "// robust: allow(order, check-then-act): fine\n// more\n\nstatic A: u8 = 1;\nstatic B: u8 = 1;\n";
    let (allowed, notices) = lines(text);
    assert_eq!(allowed, [4]);
    let said = "unused suppression: there is no `order` finding here, but one of `check-then-act`";
    assert_eq!(notices, [said]);
}

#[test]
fn a_comment_above_a_function_is_about_all_of_it() {
    let text = "struct S;\nimpl S {\n    // robust: allow(check-then-act): fine\n    #[inline]\n    /// Doc\n    pub fn f(\n        &self,\n    ) {\n        let _ = 1;\n    }\n    fn g() {}\n}\n";
    assert_eq!(lines(text), ((4..=10).collect(), vec![]));
}

#[test]
fn text_that_is_no_comment_is_none() {
    let text = "static A: &str = \"// robust: allow(check-then-act): fine\";\n/// // robust: allow(check-then-act): x\nstatic B: u8 = 1;\n";
    assert_eq!(lines(text), (vec![], vec![]));
}

#[test]
fn a_reason_and_a_known_class_are_needed() {
    for text in [
        "// robust: allow(check-then-act)\nstatic A: u8 = 1;\n",
        "// robust: allow(check-then-act): \nstatic A: u8 = 1;\n",
        "// robust: allow(check_then_act): fine\nstatic A: u8 = 1;\n",
        "// robust: allow check-then-act: fine\nstatic A: u8 = 1;\n",
    ] {
        let (allowed, notices) = lines(text);
        assert!(allowed.is_empty(), "{text}");
        assert!(notices[0].starts_with("this comment has no effect"), "{notices:?}");
    }
}

#[test]
fn a_comment_at_the_end_is_about_nothing() {
    let (allowed, notices) = lines("static A: u8 = 1;\n// robust: allow(check-then-act): fine\n");
    // Its own line has no code, so no finding can be there.
    assert_eq!(allowed, [2]);
    assert!(notices.is_empty());
}

/// Whether a finding of two operations out of place, in the second and third line, is allowed.
fn both_are_allowed(text: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.rs"), text).unwrap();
    let sources = Sources::new(folder.path());
    let mut suppressions = Suppressions::read(&BTreeSet::from(["a.rs".to_owned()]), &sources);
    let mut two = finding(Class::BlockingInAsync, 2, "");
    two.property = Property::Confinement { root: "f".into() };
    two.steps.extend(finding(Class::BlockingInAsync, 3, "").steps);
    two.steps.iter_mut().for_each(|step| step.role = Role::Offence);
    let mut start = finding(Class::BlockingInAsync, 1, "").steps;
    start.iter_mut().for_each(|step| step.role = Role::Start);
    two.steps.extend(start);
    suppressions.allow(&two, &sources)
}

#[test]
fn one_of_several_operations_does_not_allow_the_others() {
    let comment = "// robust: allow(blocking-in-async): fine";
    assert!(!both_are_allowed("fn f() {\n    one();\n    two();\n}\n"));
    assert!(!both_are_allowed(&format!("fn f() {{\n    one(); {comment}\n    two();\n}}\n")));
    assert!(!both_are_allowed(&format!("fn f() {{\n    one();\n    two(); {comment}\n}}\n")));
    assert!(both_are_allowed(&format!("fn f() {{\n    one(); {comment}\n    two(); {comment}\n}}\n")));
    assert!(both_are_allowed(&format!("fn f() {{ {comment}\n    one();\n    two();\n}}\n")));
}
