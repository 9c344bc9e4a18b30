//! What was decided before is not watched, unless somebody asks whether it is so.

use std::path::Path;

use robust_analyzer::cor::{self, print};

use super::here;
use crate::atoms::Event;
use crate::report::{Watch, Where};
use crate::table::{self, Sites};
use crate::task::Task;

/// What is told of a task that panics, and whose result is lost, started at a place of which this is known.
fn told(known: &str, all: bool) -> Vec<String> {
    let text = "property A: forall x: task. G !panicked(x); property B: forall x: task. G !lost(x);";
    let checked = cor::read(text, "test.cor").expect("it makes sense");
    let place = here();
    let sites = Sites::read(&format!("{place}\t\tf\t{known}\n"));
    let folder = std::env::temp_dir().join(format!("robust-decided-{}-{known}-{all}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let to = Where { folder: Some(folder.clone()), all };
    let tables = print::watched(&checked).tables();
    let watch: &'static Watch = Box::leak(Box::new(Watch::new(table::read(&tables, None), sites, to)));
    let task = Task::of(watch, place, 0);
    for event in [Event::Resume, Event::Panicked, Event::Lost] {
        task.happens(event);
    }
    let file = Path::new(&folder).join(format!("{}.violations", std::process::id()));
    let written = std::fs::read_to_string(file).unwrap_or_default();
    let _ = std::fs::remove_dir_all(folder);
    let parts = |line: &str| {
        let parts: Vec<&str> = line.split('\t').collect();
        format!("{} {}", parts[0], parts[4])
    };
    written.lines().map(parts).collect()
}

#[test]
fn what_was_decided_is_not_watched() {
    assert_eq!(told("00", false), ["A false", "B false"]);
    assert_eq!(told("10", false), ["B false"]);
    assert_eq!(told("11", false), [""; 0]);
}

#[test]
fn whoever_asks_hears_where_it_is_not_so() {
    assert_eq!(told("10", true), ["A true", "B false"]);
}
