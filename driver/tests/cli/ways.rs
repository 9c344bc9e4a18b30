//! How a handler comes to an access: the calls are named, and what the compiler wrote is shown where it is called.

use serde_json::Value;

use super::{folder, robust, run};

const MANIFEST: &str = "[package]\nname = \"ways\"\nedition = \"2024\"\n[workspace]\n";

/// A finding that denies, and the report for people.
fn report(source: &str) -> (Value, String) {
    let folder = folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", source)]);
    let json = run(robust().current_dir(&folder).args(["--format", "json"]));
    let report: Value = serde_json::from_str(&json.out).unwrap_or_else(|_| panic!("{}", json.err));
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["level"] == "deny").cloned();
    let human = run(robust().current_dir(&folder)).out;
    (found.unwrap_or_else(|| panic!("{human}")), human)
}

#[test]
fn the_calls_that_lead_to_an_access_are_named() {
    let (finding, human) = report(
        "use std::sync::Mutex;
pub struct Tank { litres: Mutex<u32> }
fn level(tank: &Tank) -> u32 { *tank.litres.lock().unwrap() }
fn set(tank: &Tank, litres: u32) { *tank.litres.lock().unwrap() = litres; }
fn change(tank: &Tank, by: u32) {
    let old = level(tank);
    set(tank, old + by);
}
impl Tank {
    pub fn fill(&self, by: u32) {
        change(self, by);
    }
}
",
    );
    assert!(
        human.contains("step 13 is in `set`, called from `change` (lib.rs:7), reached from `Tank::fill`"),
        "{human}"
    );
    assert!(human.contains("step 3 is in `level`, reached from `Tank::fill`"), "{human}");
    assert!(
        human.contains("`self.litres`"),
        "nothing constructs it, but the source names the field: {human}"
    );
    let steps = finding["steps"].as_array().unwrap();
    let last = steps.iter().find(|step| step["role"] == "too-late").unwrap();
    let functions: Vec<_> =
        last["stack"].as_array().unwrap().iter().map(|frame| &frame["function"]).collect();
    assert_eq!(functions, ["set", "change", "Tank::fill"]);
}

#[test]
fn what_a_derive_made_is_shown_where_it_is_called() {
    let (finding, human) = report(
        "use std::sync::Mutex;
#[derive(Clone)]
pub struct Mix {
    red: Vec<u8>,
    blue: Vec<u8>,
}
pub struct Palette { mix: Mutex<Mix> }
impl Palette {
    pub fn set(&self, red: Vec<u8>) {
        let sum = red.len();
        self.mix.lock().unwrap().red = red;
        self.mix.lock().unwrap().blue = vec![sum as u8];
    }
    pub fn shown(&self) -> Mix {
        self.mix.lock().unwrap().clone()
    }
}
",
    );
    let steps = finding["steps"].as_array().unwrap().iter().filter(|step| step["role"] != "step");
    let lines: Vec<u64> = steps.filter_map(|step| step["place"]["line"].as_u64()).collect();
    assert!(lines.contains(&15) && lines.iter().all(|line| *line > 8), "{lines:?}: {human}");
}
