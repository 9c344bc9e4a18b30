//! The user's word on events, and the paper's motivating programs with it.

use tempfile::TempDir;

use super::{Run, folder, robust, run, write};

/// A reader of news and a launcher's icons (the second and third of the paper's motivating programs), a download that can be
/// cancelled, and a job that may be started twice.
const SOURCE: &str = r#"
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

#[derive(Default)]
pub struct Reader {
    headline: Mutex<String>,
    list: Mutex<Vec<String>>,
    shown: AtomicBool,
    details: Mutex<String>,
}

impl Reader {
    pub fn search(self: Arc<Self>, word: String) {
        *self.headline.lock().unwrap() = format!("News on {word}");
        thread::spawn(move || {
            *self.list.lock().unwrap() = vec![word];
            self.shown.store(true, SeqCst);
        });
    }

    pub fn open(self: Arc<Self>, index: usize) {
        let headline = self.headline.lock().unwrap().clone();
        let title = self.list.lock().unwrap()[index].clone();
        *self.details.lock().unwrap() = headline + &title;
    }
}

#[derive(Default)]
pub struct Icons {
    adapter: Mutex<Vec<String>>,
    list: Mutex<Vec<String>>,
}

impl Icons {
    // robust: event(ui, once)
    pub fn pick(self: Arc<Self>, pack: String) {
        let worker = self.clone();
        thread::spawn(move || *worker.adapter.lock().unwrap() = vec![pack]);
        thread::spawn(move || {
            thread::sleep(Duration::from_secs(1));
            let rows = self.adapter.lock().unwrap().clone();
            *self.list.lock().unwrap() = rows;
        });
    }

    pub fn pick_in_order(self: Arc<Self>, pack: String) {
        thread::spawn(move || {
            *self.adapter.lock().unwrap() = vec![pack];
            let rows = self.adapter.lock().unwrap().clone();
            *self.list.lock().unwrap() = rows;
        });
    }
}

#[derive(Default)]
pub struct Load {
    held: Mutex<u32>,
    cancelled: AtomicBool,
    bytes: Mutex<u32>,
}

impl Load {
    pub fn start(self: Arc<Self>, number: u32) {
        *self.held.lock().unwrap() = number;
        thread::spawn(move || {
            if !self.cancelled.load(SeqCst) {
                *self.bytes.lock().unwrap() = number;
            }
        });
    }

    pub fn start_late(self: Arc<Self>, number: u32) {
        *self.held.lock().unwrap() = number;
        thread::spawn(move || {
            if self.cancelled.load(SeqCst) {
                *self.bytes.lock().unwrap() = number;
            }
        });
    }

    pub fn cancel(self: Arc<Self>) -> u32 {
        let held = *self.held.lock().unwrap();
        self.cancelled.store(true, SeqCst);
        held
    }
}

static STATE: AtomicU8 = AtomicU8::new(0);
static LAST: AtomicU8 = AtomicU8::new(0);

pub fn begin_job() {
    STATE.store(1, SeqCst);
    thread::spawn(|| {
        if STATE.load(SeqCst) == 1 {
            STATE.store(2, SeqCst);
        }
    });
}

pub fn first() {
    STATE.store(1, SeqCst);
    LAST.store(1, SeqCst);
}

pub fn second() {
    STATE.store(2, SeqCst);
    LAST.store(2, SeqCst);
}
"#;

const MANIFEST: &str = "[package]\nname = \"told\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";

struct Crate(TempDir);

impl Crate {
    fn new() -> Crate {
        // Without the comment, unless a test is about it.
        let source = SOURCE.replace("    // robust: event(ui, once)\n", "");
        Crate(folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", &source)]))
    }

    /// What the tool says when these are the events: each a function, and more about it.
    fn with(&self, events: &[(&str, &str)]) -> Run {
        let event = |(function, more): &(&str, &str)| {
            format!("[[event]]\nfunction = \"{function}\"\non = \"ui\"\n{more}\n")
        };
        let text = format!("events = \"named\"\n{}", events.iter().map(event).collect::<String>());
        write(self.0.path(), "robust.toml", &text);
        run(robust().current_dir(&self.0))
    }
}

#[test]
fn details_that_wait_for_the_list_are_robust() {
    let krate = Crate::new();
    let search = ("Reader::search", "once = true");
    let guarded = krate.with(&[search, ("Reader::open", "when = \"shown\"")]);
    assert_eq!(guarded.code, 0, "{}{}", guarded.out, guarded.err);
    let unguarded = krate.with(&[search, ("Reader::open", "")]);
    assert_eq!(unguarded.code, 100, "{}{}", unguarded.out, unguarded.err);
    assert!(unguarded.out.contains("self.list"), "{}", unguarded.out);
    // What comes after the handler does not come after what the handler started.
    let after = krate.with(&[search, ("Reader::open", "after = \"Reader::search\"")]);
    assert_eq!(after.code, 100, "{}{}", after.out, after.err);
}

#[test]
fn icons_are_shown_before_they_are_loaded() {
    let krate = Crate::new();
    let picked = krate.with(&[("Icons::pick", "once = true")]);
    assert_eq!(picked.code, 100, "{}{}", picked.out, picked.err);
    assert!(picked.out.contains("order") && picked.out.contains("self.adapter"), "{}", picked.out);
    let in_order = krate.with(&[("Icons::pick_in_order", "once = true")]);
    assert_eq!(in_order.code, 0, "{}{}", in_order.out, in_order.err);
}

#[test]
fn comments_say_the_same() {
    let krate =
        folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", SOURCE), ("robust.toml", "events = \"named\"\n")]);
    let events = run(robust().current_dir(&krate).args(["events", "-q"]));
    assert_eq!(events.out.lines().count(), 1, "{}{}", events.out, events.err);
    assert!(events.out.starts_with("Icons::pick on main, once: a comment says so"), "{}", events.out);
}

#[test]
fn a_flag_to_stop_is_meant() {
    let krate = Crate::new();
    let meant = krate.with(&[("Load::start", "once = true"), ("Load::cancel", "once = true")]);
    assert_eq!(meant.code, 0, "{}{}", meant.out, meant.err);
    assert!(meant.out.contains("is a flag that"), "{}", meant.out);
    let late = krate.with(&[("Load::start_late", "once = true"), ("Load::cancel", "once = true")]);
    assert_eq!(late.code, 100, "{}{}", late.out, late.err);
}

#[test]
fn an_overlap_without_effect_is_noted() {
    let krate = Crate::new();
    let same = krate.with(&[("begin_job", "")]);
    assert_eq!(same.code, 0, "{}{}", same.out, same.err);
    assert!(same.out.contains("they end in a state in which they can also end"), "{}", same.out);
    let text = "events = \"named\"\n[[event]]\nfunction = \"first\"\n[[event]]\nfunction = \"second\"\n";
    write(krate.0.path(), "robust.toml", text);
    let other = run(robust().current_dir(&krate.0));
    assert_eq!(other.code, 100, "{}{}", other.out, other.err);
}

#[test]
fn what_cannot_be_heard_is_said() {
    let krate = Crate::new();
    let run = krate.with(&[("Reader::serach", ""), ("Reader::open", "when = \"headline\"")]);
    let missed =
        "there is no function `Reader::serach`; did you mean `Reader::search`?\n  --> robust.toml:3:12";
    assert!(run.out.contains(missed), "{}{}", run.out, run.err);
    assert!(run.out.contains("no event changes a variable `headline`\n  --> robust.toml:9:8"), "{}", run.out);
}

#[test]
fn a_function_of_one_executable_is_not_missed_in_the_other() {
    let manifest = "[package]\nname = \"two\"\nedition = \"2024\"\n[workspace]\n";
    let (server, client) = ("fn main() { handle() }\nfn handle() {}\n", "fn main() {}\n");
    let told = "[[event]]\nfunction = \"handle\"\n[[event]]\nfunction = \"absent\"\n";
    let files = [
        ("Cargo.toml", manifest),
        ("src/bin/server.rs", server),
        ("src/bin/client.rs", client),
        ("robust.toml", told),
    ];
    let folder = folder(&files);
    let run = run(robust().current_dir(&folder).arg("--verbose"));
    let missing = |name: &str| run.out.contains(&format!("there is no function `{name}`"));
    assert!(missing("absent") && !missing("handle"), "{}", run.out);
}
