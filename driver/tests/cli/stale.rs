//! What a verdict depends on changes in ways that cargo, or a look at times, does not notice.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tempfile::TempDir;

use super::{folder, robust, run, write};

const MANIFEST: &str = "[package]\nname = \"ledger\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

/// Two of these at once lose a deposit.
const RACY: &str = "use std::sync::Mutex;
static SUM: Mutex<u32> = Mutex::new(0);
pub fn deposit() { let sum = *SUM.lock().unwrap(); *SUM.lock().unwrap() = sum + 1; }
";
/// The same under one lock, in as many characters.
const FINE: &str = "use std::sync::Mutex;
static SUM: Mutex<u32> = Mutex::new(0);
pub fn deposit() { let mut sum = SUM.lock().unwrap(); let old = *sum; *sum = old+1;}
";

/// How many findings there are.
fn findings(folder: &Path) -> usize {
    findings_with(folder, |command| command)
}

fn findings_with(
    folder: &Path,
    with: impl Fn(&mut assert_cmd::Command) -> &mut assert_cmd::Command,
) -> usize {
    let report = report_with(folder, with);
    assert_ne!(report["summary"]["bodies"], 0);
    report["findings"].as_array().unwrap().len()
}

fn report_with(folder: &Path, with: impl Fn(&mut assert_cmd::Command) -> &mut assert_cmd::Command) -> Value {
    let run = run(with(robust().current_dir(folder).args(["--format", "json", "-q"])));
    assert!(matches!(run.code, 0 | 100), "{}", run.err);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(run.code, if report["findings"].as_array().unwrap().is_empty() { 0 } else { 100 });
    report
}

/// Whether a run took everything from the last one.
fn is_repeated(folder: &Path) -> bool {
    let report = report_with(folder, |command| command);
    let stages = report["summary"]["stages"].as_array().unwrap();
    stages.iter().all(|stage| stage["stage"] != "cargo" || stage["ms"] == 0)
}

fn set_time(path: &Path, time: SystemTime) {
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// Writes a file so that it seems to have been there for a day.
fn write_old(folder: &Path, name: &str, text: &str) {
    write(folder, name, text);
    set_time(&folder.join(name), SystemTime::now() - Duration::from_secs(24 * 60 * 60));
}

/// A workspace of one crate with an old source. Cargo has written `Cargo.lock`.
fn ledger(source: &str) -> TempDir {
    let folder = folder(&[("Cargo.toml", &format!("{MANIFEST}[workspace]\n"))]);
    write_old(folder.path(), "src/lib.rs", source);
    folder
}

#[test]
fn times_say_nothing() {
    assert_eq!(RACY.len(), FINE.len());
    let ledger = ledger(RACY);
    let ledger = ledger.path();
    assert_eq!((findings(ledger), findings(ledger)), (1, 1));
    let file = ledger.join("src/lib.rs");
    let time = fs::metadata(&file).unwrap().modified().unwrap();
    for (back, source, expected) in [(0, FINE, 0), (0, RACY, 1), (60 * 60, FINE, 0), (2 * 60 * 60, RACY, 1)] {
        write(ledger, "src/lib.rs", source);
        set_time(&file, time - Duration::from_secs(back));
        assert_eq!((findings(ledger), findings(ledger)), (expected, expected), "{back}: {source}");
    }
    // And the other way round: what is only touched is as it was.
    assert!(is_repeated(ledger));
    set_time(&file, SystemTime::now());
    assert!(is_repeated(ledger));
}

#[test]
fn checkouts_that_share_results_do_not_mix_them_up() {
    let private = RACY.replace("pub fn", "#[allow(dead_code)] fn");
    let checkouts = [RACY, FINE, &private].map(ledger);
    let shared = folder(&[]);
    for _ in 0..2 {
        for (checkout, expected) in checkouts.iter().zip([1, 0, 0]) {
            let found =
                findings_with(checkout.path(), |command| command.env("CARGO_TARGET_DIR", shared.path()));
            assert_eq!(found, expected);
            let chosen = shared.path().join("chosen");
            let found = findings_with(checkout.path(), |command| command.arg("--target-dir").arg(&chosen));
            assert_eq!(found, expected);
        }
    }
}

#[cfg(unix)]
#[test]
fn links_may_lead_elsewhere_the_next_time() {
    use std::os::unix::fs::symlink;
    let elsewhere = folder(&[]);
    write_old(elsewhere.path(), "racy/sum.rs", RACY);
    write_old(elsewhere.path(), "fine/sum.rs", FINE);
    let ledger = ledger("mod sum;\npub use sum::deposit;\npub mod more { pub mod sum; }\n");
    let (file, parent) = (ledger.path().join("src/sum.rs"), ledger.path().join("src/more"));
    let lead = |link: &Path, to: &str| {
        let _ = fs::remove_file(link);
        symlink(elsewhere.path().join(to), link).unwrap();
    };
    lead(&file, "fine/sum.rs");
    lead(&parent, "fine");
    assert_eq!(findings(ledger.path()), 0);
    for (link, to, back) in [(&file, "racy/sum.rs", "fine/sum.rs"), (&parent, "racy", "fine")] {
        lead(link, to);
        assert_eq!(findings(ledger.path()), 1);
        lead(link, back);
        assert_eq!(findings(ledger.path()), 0);
        assert!(findings(ledger.path()) == 0 && is_repeated(ledger.path()));
    }
}

#[test]
fn settings_that_are_included_count() {
    let source = "#[cfg(racy)] mod racy;\n#[cfg(racy)] pub use racy::*;\n#[cfg(not(racy))] mod fine;\n#[cfg(not(racy))] pub use fine::*;\n";
    let around = folder(&[
        ("inner/Cargo.toml", &format!("{MANIFEST}[lints.rust]\nunexpected_cfgs = \"allow\"\n[workspace]\n")),
        ("inner/src/lib.rs", source),
        ("inner/src/racy.rs", RACY),
        ("inner/src/fine.rs", FINE),
        (".cargo/config.toml", "include = [\"../shared/flags.toml\"]\n"),
        ("shared/flags.toml", "[build]\nrustflags = []\n"),
    ]);
    let inner = around.path().join("inner");
    assert_eq!((findings(&inner), findings(&inner)), (0, 0));
    assert!(is_repeated(&inner));
    write(around.path(), "shared/flags.toml", "[build]\nrustflags = [\"--cfg\", \"racy\"]\n");
    assert_eq!((findings(&inner), findings(&inner)), (1, 1));
    write(around.path(), "shared/flags.toml", "include = [\"off.toml\"]\n");
    write(around.path(), "shared/off.toml", "[build]\nrustflags = []\n");
    assert_eq!((findings(&inner), findings(&inner)), (0, 0));
}

#[test]
fn models_count_wherever_they_are() {
    let source = "use std::sync::Mutex;
static SUM: Mutex<u32> = Mutex::new(0);
fn deposit() { let sum = *SUM.lock().unwrap(); *SUM.lock().unwrap() = sum + 1; }
fn main() {
    let listener = std::net::TcpListener::bind(\"127.0.0.1:0\").unwrap();
    loop { let _client = listener.accept(); crew::send(deposit); }
}
";
    let model = |more: &str| {
        format!("library = \"crew\"\ncrates = [\"crew\"]\n[[fn]]\npath = \"crew::send\"\n{more}\n")
    };
    let around = folder(&[
        ("inner/Cargo.toml", &format!("{MANIFEST}[dependencies]\ncrew.path = \"../crew\"\n[workspace]\n")),
        ("inner/src/main.rs", source),
        ("inner/robust.toml", "models = [\"../models/crew.toml\"]\n"),
        ("models/crew.toml", &model("spawn = { task = 0, on = \"any\" }")),
        ("crew/Cargo.toml", &MANIFEST.replace("ledger", "crew")),
        ("crew/src/lib.rs", "pub fn send(work: fn()) { std::thread::spawn(work); }\n"),
    ]);
    let inner = around.path().join("inner");
    assert_eq!((findings(&inner), findings(&inner)), (1, 1));
    assert!(is_repeated(&inner));
    write(around.path(), "models/crew.toml", &model("access = []"));
    assert_eq!((findings(&inner), findings(&inner)), (0, 0));
    write(around.path(), "models/crew.toml", &model("spawn = { task = 0, on = \"any\" }"));
    assert_eq!(findings(&inner), 1);
}

#[test]
fn a_wrong_wrapper_is_forgotten() {
    let ledger = ledger(RACY);
    let with = |name: &str, value: &str| {
        run(robust().current_dir(&ledger).args(["--format", "json", "-q"]).env(name, value))
    };
    for wrong in ["/bin/false", "/bin/true", "/no/such/wrapper"] {
        for name in ["RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER"] {
            let wrong = with(name, wrong);
            assert_eq!(wrong.code, 101, "{}", wrong.out);
            assert_eq!(findings(ledger.path()), 1);
        }
    }
    // No wrapper, in cargo's words.
    assert_eq!(with("RUSTC_WRAPPER", "").code, 100);
    write(ledger.path(), ".cargo/config.toml", "[build]\nrustc-wrapper = \"/bin/false\"\n");
    assert_eq!(run(robust().current_dir(&ledger)).code, 101);
    fs::remove_file(ledger.path().join(".cargo/config.toml")).unwrap();
    assert_eq!(findings(ledger.path()), 1);
}

/// A program that asks a thing of a crate for a number and gives it another one. The crate gives out what `home` has.
fn with_facade(home: &str) -> TempDir {
    let main = "use std::{net::TcpListener, sync::Arc, thread};\nfn main() {\n    let tally = Arc::new(facade::Tally::new());\n\
        let listener = TcpListener::bind(\"127.0.0.1:0\").unwrap();\n    loop {\n        let _caller = listener.accept();\n\
        let tally = tally.clone();\n        thread::spawn(move || { let n = tally.get(); tally.set(n * 2); });\n    }\n}\n";
    let thing = |name: &str, get: &str, set: &str| {
        format!(
            "pub struct {name}(std::sync::Mutex<u32>);\nimpl {name} {{\n    pub fn new() -> Self {{ {name}(std::sync::Mutex::new(0)) }}\n\
             pub fn lock(&self) -> u32 {{ *self.0.lock().unwrap() }}\n\
             pub fn get(&self) -> u32 {{ {get} }}\n    pub fn set(&self, _to: u32) {{ {set} }}\n}}\n"
        )
    };
    let manifest = |name: &str, uses: &str| MANIFEST.replace("ledger", name) + "[dependencies]\n" + uses;
    let both = "loud = { path = \"../loud\" }\nmute = { path = \"../mute\" }\n";
    folder(&[
        ("Cargo.toml", &manifest("ledger", "facade = { path = \"facade\" }\n")),
        ("src/main.rs", main),
        ("facade/Cargo.toml", &manifest("facade", both)),
        ("facade/src/lib.rs", &format!("pub use {home} as Tally;\n")),
        ("loud/Cargo.toml", &manifest("loud", "")),
        ("loud/src/lib.rs", &thing("Told", "*self.0.lock().unwrap()", "*self.0.lock().unwrap() = _to")),
        ("mute/Cargo.toml", &manifest("mute", "")),
        ("mute/src/lib.rs", &thing("Mute", "0", "")),
    ])
}

/// What rustc prints of the program is the same, whatever the name means.
#[test]
fn what_a_name_means_counts() {
    let program = with_facade("loud::Told");
    let program = program.path();
    assert_eq!(findings(program), 1);
    for (home, expected) in [("mute::Mute", 0), ("loud::Told", 1)] {
        write(program, "facade/src/lib.rs", &format!("pub use {home} as Tally;\n"));
        assert_eq!(findings(program), expected, "{home}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_not_known_of_names_is_said() {
    use std::os::unix::fs::PermissionsExt;
    let program = with_facade("loud::Told");
    let compiler = program.path().join("compiler");
    let report = |asked: &str| -> Value {
        let script =
            format!("#!/bin/sh\ncase \"$*\" in *--crate-name=items*) {asked};; esac\nexec rustc \"$@\"\n");
        fs::write(&compiler, script).unwrap();
        fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).unwrap();
        let run =
            run(robust().current_dir(&program).args(["--format", "json", "-q"]).env("RUSTC", &compiler));
        serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}", run.err))
    };
    let unknown = |report: &Value| {
        let missing = report["summary"]["not_analysed"].as_array().unwrap();
        let reasons = missing.iter().filter_map(|missing| missing["reason"].as_str());
        reasons.filter(|reason| reason.contains("names of other crates mean is not known")).count()
    };
    for asked in ["exit 1", "echo 'Crate {}'; exit 0"] {
        let blind = report(asked);
        assert_eq!((unknown(&blind), &blind["complete"]), (1, &Value::Bool(false)), "{asked}: {blind}");
        assert_eq!(blind["findings"].as_array().unwrap().len(), 0);
    }
    // It is asked again.
    let seeing = report("");
    assert_eq!((unknown(&seeing), seeing["findings"].as_array().unwrap().len()), (0, 1), "{seeing}");
}

#[cfg(unix)]
#[test]
fn another_wrapper_makes_another_program() {
    use std::os::unix::fs::PermissionsExt;
    let source = format!(
        "#![allow(unexpected_cfgs)]\n#[cfg(racy)] mod a {{ {RACY} }}\n#[cfg(racy)] pub use a::*;\n#[cfg(not(racy))] mod b {{ {FINE} }}\n#[cfg(not(racy))] pub use b::*;\n"
    );
    let ledger = ledger(&source);
    let wrapper = ledger.path().join("wrap \u{fc}");
    let wrap = |more: &str| {
        fs::write(&wrapper, format!("#!/bin/sh\nexec \"$@\" {more}\n")).unwrap();
        fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    };
    wrap("");
    let found = || findings_with(ledger.path(), |command| command.env("RUSTC_WRAPPER", &wrapper));
    assert_eq!((found(), found()), (0, 0));
    wrap("--cfg racy");
    assert_eq!((found(), findings(ledger.path()), found()), (1, 0, 1));
}

#[cfg(unix)]
#[test]
fn a_crate_that_cannot_be_compiled_another_way_is_compiled_as_cargo_asks() {
    use std::os::unix::fs::PermissionsExt;
    let ledger = ledger(RACY);
    let wrapper = ledger.path().join("wrap");
    fs::write(&wrapper, "#!/bin/sh\ncase \"$*\" in *-Zno-codegen*) exit 1;; esac\nexec \"$@\"\n").unwrap();
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(findings_with(ledger.path(), |command| command.env("RUSTC_WRAPPER", &wrapper)), 1);
    let ways = |folder: &Path| -> Vec<Value> {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let manifests = files.filter(|path| path.extension().is_some_and(|end| end == "json"));
        manifests
            .map(|path| serde_json::from_slice::<Value>(&fs::read(path).unwrap()).unwrap()["way"].clone())
            .collect()
    };
    let versions = fs::read_dir(ledger.path().join("target/robust/mir")).unwrap();
    let taken: Vec<_> = versions.flat_map(|version| ways(&version.unwrap().path())).collect();
    assert_eq!(taken, ["Passes"]);
}

#[test]
fn what_else_flags_emit_is_no_obstacle() {
    let ledger = ledger(RACY);
    for flags in
        ["--emit=asm", "--emit mir", "--emit=link,obj", "--emit=dep-info=elsewhere.d", "--print=link-args"]
    {
        let found = findings_with(ledger.path(), |command| command.env("RUSTFLAGS", flags));
        assert_eq!(found, 1, "{flags}");
    }
    write(ledger.path(), ".cargo/config.toml", "[build]\nrustflags = [\"--emit=llvm-ir\"]\n");
    assert_eq!(findings(ledger.path()), 1);
    write(ledger.path(), "src/lib.rs", FINE);
    assert_eq!(findings(ledger.path()), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_cannot_be_written_to_can_be_read() {
    let noisy = format!("{RACY}fn unused() {{}}\n");
    let ledger = ledger(&noisy);
    write(ledger.path(), "build.rs", "fn main() { println!(\"cargo::rerun-if-changed=build.rs\"); }\n");
    let target = ledger.path().join("target");
    // A mount is read-only for everybody; permissions are nothing to who may do everything.
    let read_only = |with: &[&str]| {
        let script = "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\"";
        let mut command = assert_cmd::Command::new("unshare");
        command.args(["-rm", "sh", "-c", script]).arg(&target).arg(env!("CARGO_BIN_EXE_cargo-robust"));
        // The shell drops names with a hyphen, and so does `robust()`.
        for name in ["NO_COLOR", "CARGO_TERM_COLOR", "GITHUB_WORKSPACE", "RUST_BACKTRACE"] {
            command.env_remove(name);
        }
        run(command.current_dir(&ledger).args(["robust", "--format", "json", "-q"]).args(with))
    };
    fs::create_dir(&target).unwrap();
    if !read_only(&["--help"]).out.contains("cargo robust") {
        eprintln!("nothing can be mounted here");
        return;
    }
    assert_eq!((findings(ledger.path()), findings(ledger.path())), (1, 1));
    let report = |text: &str| {
        let mut report: Value = serde_json::from_str(text).unwrap();
        report["summary"]["stages"].take();
        report
    };
    let first = run(robust().current_dir(&ledger).args(["--format", "json", "-q"]));
    let again = read_only(&[]);
    assert!(again.err.is_empty(), "{}", again.err);
    assert_eq!((again.code, report(&again.out)), (100, report(&first.out)), "{}", again.err);
    write_old(ledger.path(), "src/lib.rs", &noisy.replace("sum + 1", "sum + 2"));
    let changed = read_only(&[]);
    assert!(changed.code == 101 && changed.err.contains("cannot write to"), "{}", changed.err);
}

/// A workspace in which everything that makes code takes part: a build script with a library, a procedural macro, a package elsewhere.
fn workshop() -> TempDir {
    let package = |name: &str, more: &str| format!("{}{more}", MANIFEST.replace("ledger", name));
    let around = folder(&[
        ("inner/Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"main\", \"steps\", \"texts\"]\n"),
        (
            "inner/main/Cargo.toml",
            &package(
                "main",
                "[dependencies]\nsteps.path = \"../steps\"\nnext.path = \"../../next\"\n[build-dependencies]\ntexts.path = \"../texts\"\n",
            ),
        ),
        ("inner/steps/Cargo.toml", &package("steps", "[lib]\nproc-macro = true\n")),
        ("inner/texts/Cargo.toml", &package("texts", "")),
        ("next/Cargo.toml", &package("next", "")),
    ]);
    let inner = "include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));\npub fn pay() { steps::make!() }\npub use next::deposit;\n";
    write_old(around.path(), "inner/main/src/lib.rs", inner);
    for (name, text) in PARTS {
        write_old(around.path(), name, &text.replace("TEXT", FINE));
    }
    write_old(around.path(), "inner/main/made.txt", FINE);
    around
}

/// What makes the parts of the program; TEXT stands for one.
const PARTS: [(&str, &str); 4] = [
    (
        "inner/main/build.rs",
        "fn main() {
    println!(\"cargo::rerun-if-changed=made.txt\");
    let text = |name: &str, text: &str| format!(\"pub mod {name} {{ {text} }}\\n\");
    let own = \"TEXT\";
    let made = std::fs::read_to_string(\"made.txt\").unwrap();
    let all = text(\"own\", own) + &text(\"listed\", &made) + &text(\"lent\", texts::LENT);
    std::fs::write(std::env::var(\"OUT_DIR\").unwrap() + \"/made.rs\", all).unwrap();
}
",
    ),
    ("inner/texts/src/lib.rs", "pub const LENT: &str = \"TEXT\";\n"),
    (
        "inner/steps/src/lib.rs",
        "#[proc_macro]\npub fn make(_: proc_macro::TokenStream) -> proc_macro::TokenStream {\n    \"{ TEXT deposit() }\".parse().unwrap()\n}\n",
    ),
    ("next/src/lib.rs", "TEXT"),
];

#[test]
fn what_makes_code_counts() {
    let workshop = workshop();
    let inner = workshop.path().join("inner");
    assert_eq!((findings(&inner), findings(&inner)), (0, 0));
    assert!(is_repeated(&inner));
    for (name, text) in PARTS.iter().chain(&[("inner/main/made.txt", "TEXT")]) {
        for (filling, expected) in [(RACY, 1), (FINE, 0)] {
            write_old(workshop.path(), name, &text.replace("TEXT", filling));
            assert_eq!(findings(&inner), expected, "{name}");
        }
    }
    // A file that no compiler has seen, and that is no part of any crate, makes no difference to anybody.
    write(workshop.path(), "inner/main/notes.txt", "");
    assert!(findings(&inner) == 0 && is_repeated(&inner));
    write(workshop.path(), "inner/main/notes.txt", "more");
    assert!(is_repeated(&inner));
    // A package elsewhere gets a build script.
    write_old(workshop.path(), "next/build.rs", "fn main() { println!(\"cargo::rustc-env=A=1\"); }");
    write_old(
        workshop.path(),
        "next/src/lib.rs",
        "#[cfg(any())] const A: &str = env!(\"A\");\nTEXT".replace("TEXT", RACY).as_str(),
    );
    assert_eq!((findings(&inner), findings(&inner)), (1, 1));
    assert!(is_repeated(&inner));
}

#[test]
fn a_script_that_says_nothing_depends_on_its_package() {
    let script = "fn main() {
    let out = std::env::var(\"OUT_DIR\").unwrap() + \"/made.rs\";
    std::fs::copy(\"parts/made.txt\", out).unwrap();
}
";
    let ledger = ledger("include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));\n");
    write_old(ledger.path(), "build.rs", script);
    write_old(ledger.path(), "parts/made.txt", FINE);
    assert_eq!((findings(ledger.path()), findings(ledger.path())), (0, 0));
    assert!(is_repeated(ledger.path()));
    write_old(ledger.path(), "parts/made.txt", RACY);
    assert_eq!((findings(ledger.path()), findings(ledger.path())), (1, 1));
}

#[test]
fn compilers_that_would_fail_for_what_is_outdated_do_not() {
    let package = |name: &str, more: &str| format!("{}{more}", MANIFEST.replace("ledger", name));
    let folder = folder(&[
        ("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"low\", \"high\"]\n"),
        ("low/Cargo.toml", &package("low", "")),
        ("high/Cargo.toml", &package("high", "[dependencies]\nlow.path = \"../low\"\n")),
        ("high/src/lib.rs", "pub use low::deposit;\n"),
    ]);
    let folder = folder.path();
    write_old(folder, "low/src/lib.rs", RACY);
    assert_eq!(findings(folder), 1);
    write_old(folder, "low/src/lib.rs", &FINE.replace("deposit", "pay"));
    write(folder, "high/src/lib.rs", "pub use low::pay;\n");
    let run = run(robust().current_dir(folder).args(["--format", "json", "-q"]));
    assert_eq!((run.code, &*run.err), (0, ""));
}

#[test]
fn surroundings_count() {
    let source = "mod chosen { include!(env!(\"WHICH\")); }\npub use chosen::*;\n";
    let feature = "#[cfg(feature = \"more\")]\npub mod more;\n#[cfg(debug_assertions)]\nmod checks;\n";
    let ledger = ledger(&format!("{source}{feature}"));
    let ledger = ledger.path();
    write(ledger, "Cargo.toml", &format!("{MANIFEST}[features]\nmore = []\n[workspace]\n"));
    let texts = [("racy.rs", RACY), ("fine.rs", FINE), ("more.rs", RACY), ("checks.rs", "")];
    texts.iter().for_each(|(name, text)| write_old(ledger, &format!("src/{name}"), text));
    let found =
        |which: &str, more: &[&str]| findings_with(ledger, |command| command.env("WHICH", which).args(more));
    for _ in 0..2 {
        assert_eq!((found("fine.rs", &[]), found("racy.rs", &[])), (0, 1));
        assert_eq!(
            (found("fine.rs", &["--features", "more"]), found("racy.rs", &["--all-features"])),
            (1, 2)
        );
        assert_eq!((found("fine.rs", &["--release"]), found("fine.rs", &[])), (0, 0));
    }
    write(ledger, "robust.toml", "[lints]\nlost-update = \"allow\"\n");
    let quiet = found("racy.rs", &[]);
    fs::remove_file(ledger.join("robust.toml")).unwrap();
    assert_eq!((quiet, found("racy.rs", &[])), (0, 1));
    let toolchain = std::env::var("RUSTUP_TOOLCHAIN").unwrap_or_default();
    write(ledger, "rust-toolchain.toml", "[toolchain]\nchannel = \"no-such-channel\"\n");
    let other = run(robust().current_dir(ledger).env("WHICH", "racy.rs").env_remove("RUSTUP_TOOLCHAIN"));
    assert!(!toolchain.is_empty() || other.code == 101, "{}", other.out);
}
