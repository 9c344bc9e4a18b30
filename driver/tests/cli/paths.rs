//! Which crates are looked at, from where, and by which names they know the same things.

use serde_json::Value;
use tempfile::TempDir;

use super::{folder, robust, run};

const MANIFEST: &str = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";

/// The lines of the accesses of denied findings.
fn denied(folder: &TempDir) -> Vec<u64> {
    let run = run(robust().current_dir(folder).args(["--format", "json"]));
    let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}", run.err));
    let findings = report["findings"].as_array().unwrap().iter().filter(|finding| finding["level"] == "deny");
    let steps = findings.flat_map(|finding| finding["steps"].as_array().unwrap());
    let mut lines: Vec<u64> = steps
        .filter(|step| step["role"] != "step")
        .filter_map(|step| step["place"]["line"].as_u64())
        .collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

#[test]
fn a_crate_without_std() {
    let text = "#![no_std]\nextern crate alloc as heap;\nuse core::sync::atomic::{AtomicU32, Ordering::SeqCst};\nuse heap::sync::Arc;\n\
        pub struct Level(Arc<AtomicU32>);\nimpl Level {\n    pub fn triple(&self) {\n        let old = self.0.load(SeqCst);\n\
        \x20       self.0.store(old * 3, SeqCst);\n    }\n}\n";
    let buggy = folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", text)]);
    assert_eq!(denied(&buggy), [8, 9]);
    let once = text
        .replace("let old = self.0.load(SeqCst);\n", "\n")
        .replace("self.0.store(old * 3, SeqCst)", "self.0.fetch_add(3, SeqCst)");
    assert_eq!(denied(&folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", &once)])), [0; 0]);
}

/// A module of one's own that is called as a crate is.
#[test]
fn a_module_called_core() {
    let text = "use std::sync::Mutex;\npub mod core { pub mod cell {\n    #[derive(Default)]\n    pub struct Cell(pub u32);\n\
        \x20   impl Cell { pub fn set(&mut self, to: u32) { self.0 = to; }\n    pub fn get(&self) -> u32 { self.0 } }\n} }\n\
        pub struct Stock(Mutex<core::cell::Cell>);\nimpl Stock {\n    pub fn take(&self) {\n        let left = self.0.lock().unwrap().get();\n\
        \x20       self.0.lock().unwrap().set(left - 1);\n    }\n}\n";
    assert_eq!(denied(&folder(&[("Cargo.toml", MANIFEST), ("src/lib.rs", text)])), [5, 6]);
}

/// The facade's names are shorter, so they are what the compiler prints, for the one who says `std`, too.
#[test]
fn items_that_another_crate_gives_out() {
    let facade = "pub use std::sync::Mutex as Shut;\npub use std::sync::Arc;\npub use std::sync::atomic as atom;\npub use std::thread::spawn as start;\n\
        pub struct Own<T>(pub T);\nimpl<T: Copy> Own<T> { pub fn lock(&self) -> T { self.0 } }\n";
    let main = "use facade::{atom::{AtomicU8, Ordering::SeqCst}, start, Arc, Shut};\nuse std::net::TcpListener;\n\
        struct Desk { tickets: Shut<u32>, open: AtomicU8 }\nfn main() {\n    let desk = Arc::new(Desk { tickets: Shut::new(0), open: AtomicU8::new(0) });\n\
        \x20   let listener = TcpListener::bind(\"127.0.0.1:0\").unwrap();\n    loop {\n        let _caller = listener.accept();\n        let desk = desk.clone();\n\
        \x20       start(move || {\n            let next = *desk.tickets.lock().unwrap();\n            *desk.tickets.lock().unwrap() = next * 2;\n\
        \x20           let open = desk.open.load(SeqCst);\n            desk.open.store(open * 2, SeqCst);\n        });\n    }\n}\n";
    let manifest = format!("{MANIFEST}[dependencies]\nfacade = {{ path = \"facade\" }}\n");
    let own = MANIFEST.replace("small", "facade");
    let files = |main: &str| {
        folder(&[
            ("Cargo.toml", &manifest),
            ("src/main.rs", main),
            ("facade/Cargo.toml", &own),
            ("facade/src/lib.rs", facade),
        ])
    };
    assert_eq!(denied(&files(main)), [11, 12, 13, 14]);
    let fixed = main
        .replace(
            "let next = *desk.tickets.lock().unwrap();\n",
            "let mut next = desk.tickets.lock().unwrap();\n",
        )
        .replace("*desk.tickets.lock().unwrap() = next * 2", "*next *= 2")
        .replace("let open = desk.open.load(SeqCst);\n", "\n")
        .replace("desk.open.store(open * 2, SeqCst)", "desk.open.fetch_add(2, SeqCst)");
    assert_eq!(denied(&files(&fixed)), [0; 0]);
}

#[test]
fn libraries_for_other_languages() {
    let text = "use std::sync::Mutex;\nstatic FUEL: Mutex<u32> = Mutex::new(7);\n#[no_mangle]\nextern \"C\" fn burn() {\n    let fuel = *FUEL.lock().unwrap();\n\
        \x20   *FUEL.lock().unwrap() = fuel / 2;\n}\n";
    for kinds in ["\"cdylib\"", "\"staticlib\"", "\"dylib\"", "\"rlib\", \"cdylib\""] {
        let manifest = format!("{MANIFEST}[lib]\ncrate-type = [{kinds}]\n");
        assert_eq!(denied(&folder(&[("Cargo.toml", &manifest), ("src/lib.rs", text)])), [5, 6], "{kinds}");
    }
    let manifest = format!("{MANIFEST}[lib]\ncrate-type = [\"cdylib\"]\n");
    let public = text.replace("#[no_mangle]\nextern \"C\" fn", "\npub fn");
    assert_eq!(denied(&folder(&[("Cargo.toml", &manifest), ("src/lib.rs", &public)])), [5, 6]);
    let private = text.replace("#[no_mangle]\nextern \"C\" fn", "\n#[allow(dead_code)] extern \"C\" fn");
    assert_eq!(
        denied(&folder(&[("Cargo.toml", &manifest), ("src/lib.rs", &private)])),
        [0; 0],
        "nobody calls it"
    );
}

/// What callers drop has a part that only the crate can name.
#[test]
fn parts_that_callers_of_any_library_drop() {
    let text = "use std::sync::Mutex;\nstatic OPEN: Mutex<u32> = Mutex::new(7);\nstruct Seal;\nimpl Drop for Seal {\n    fn drop(&mut self) {\n\
        \x20       let open = *OPEN.lock().unwrap();\n        *OPEN.lock().unwrap() = open / 2;\n    }\n}\n\
        pub struct Letter { seal: Seal, pub pages: u32 }\nimpl Letter {\n    pub fn new(pages: u32) -> Letter { Letter { seal: Seal, pages } }\n    pub fn pages(&self) -> u32 { self.pages } }\n";
    let fixed = text
        .replace("let open = *OPEN.lock().unwrap();\n", "let mut open = OPEN.lock().unwrap();\n")
        .replace("*OPEN.lock().unwrap() = open / 2", "*open /= 2");
    for kind in ["rlib", "cdylib", "staticlib"] {
        let manifest = format!("{MANIFEST}[lib]\ncrate-type = [\"{kind}\"]\n");
        let lines = |text: &str| denied(&folder(&[("Cargo.toml", &manifest), ("src/lib.rs", text)]));
        assert_eq!(lines(text), [6, 7], "{kind}");
        assert_eq!(lines(&fixed), [0; 0], "{kind}");
    }
}

/// A pointer with another language's calling convention is called by code of that language.
#[test]
fn functions_that_foreign_code_is_given() {
    let text = "use std::sync::atomic::{AtomicU32, Ordering::SeqCst};\nstatic TICKS: AtomicU32 = AtomicU32::new(0);\nextern \"C\" fn tick() {\n    let old = TICKS.load(SeqCst);\n\
        \x20   TICKS.store(old ^ 5, SeqCst);\n}\nunsafe extern \"C\" { fn atexit(call: extern \"C\" fn()) -> i32; }\nfn main() {\n    unsafe { atexit(tick) };\n}\n";
    assert_eq!(denied(&folder(&[("Cargo.toml", MANIFEST), ("src/main.rs", text)])), [4, 5]);
    let unused = text.replace("unsafe { atexit(tick) };", "tick();");
    assert_eq!(denied(&folder(&[("Cargo.toml", MANIFEST), ("src/main.rs", &unused)])), [0; 0]);
}
