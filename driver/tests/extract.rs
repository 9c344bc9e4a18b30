//! The extraction on crates made up here, with the real cargo and rustc.

use std::fs;
use std::path::{Path, PathBuf};

use cargo_robust::extract::{CargoOptions, ExtractError, Extraction, Prepared, Progress, Stage, extract};
use robust_analyzer::mir::{BodyKind, Index, Origin};
use tempfile::TempDir;

const LIB: &str = "
use std::sync::Mutex;
pub static M: Mutex<u32> = Mutex::new(0);
pub fn bump() { *M.lock().unwrap() += 1; }
pub async fn wait() { other().await; bump() }
async fn other() {}
";

/// A crate with a library and a binary, in a folder with a space in its name.
fn project(lib: &str) -> (TempDir, CargoOptions) {
    let folder = tempfile::Builder::new().prefix("with space ").tempdir().unwrap();
    write(folder.path(), "Cargo.toml", "[package]\nname = \"two-parts\"\nedition = \"2024\"\n[workspace]\n");
    write(folder.path(), "src/lib.rs", lib);
    write(folder.path(), "src/main.rs", "fn main() { two_parts::bump() }");
    let options = options(folder.path());
    (folder, options)
}

fn options(folder: &Path) -> CargoOptions {
    let wrapper = Some(env!("CARGO_BIN_EXE_cargo-robust").into());
    CargoOptions { wrapper, offline: true, ..CargoOptions::default() }.of(&folder.join("Cargo.toml"))
}

fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn run(options: &CargoOptions) -> Extraction {
    extract(options, &mut ()).unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)))
}

fn store(folder: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    // There is one version of the format.
    let [versions] = &entries(&folder.join("target/robust/mir"))[..] else { panic!("one folder") };
    entries(versions)
}

#[test]
fn library_and_binary_are_read_and_found_fresh() {
    let (folder, options) = project(LIB);
    let first = run(&options);
    let names: Vec<(&str, &str)> = first.crates.iter().map(|krate| (&*krate.name, &*krate.kind)).collect();
    assert_eq!(names, [("two_parts", "lib"), ("two_parts", "bin")]);
    assert_eq!(first.not_analysed().count(), 0);
    assert_eq!(first.root, fs::canonicalize(folder.path()).unwrap());
    assert!(first.crates.iter().all(|krate| &*krate.package == "two-parts"));
    assert!(!first.timings.plain.is_zero());
    let index = Index::new(&first.crates[0]);
    let [wait] = index.def("wait::{closure#0}") else { panic!() };
    assert_eq!(wait.origin, Origin::BeforeTransform);
    assert!(matches!(wait.kind, BodyKind::Coroutine { .. }));
    assert_eq!(wait.span.line, 5);

    let second = run(&options);
    assert_eq!(second.crates, first.crates);
    assert!(second.timings.plain.is_zero(), "nothing is compiled again");
    assert!(store(folder.path()).iter().all(|path| !path.to_string_lossy().contains("partial-")));
}

#[test]
fn lost_outputs_are_made_again() {
    let (folder, options) = project(LIB);
    let first = run(&options);
    let lost = store(folder.path()).into_iter().find(|path| path.extension().is_some_and(|end| end == "mir"));
    fs::remove_file(lost.unwrap()).unwrap();
    assert_eq!(run(&options).crates, first.crates);
}

/// Two workspaces may have a package next door and a target directory in common. Without incremental compilation cargo takes what
/// it compiled for the one for the other, and so do we: what the one removes the other may be about to use.
#[test]
fn a_package_next_door_is_compiled_once_for_all() {
    /// Which crates were fresh.
    #[derive(Default)]
    struct Fresh(Vec<(String, bool)>);
    impl Progress for Fresh {
        fn checked(&mut self, name: &str, fresh: bool) {
            self.0.push((name.to_owned(), fresh));
        }
    }
    let folder = TempDir::new().unwrap();
    write(folder.path(), "next/Cargo.toml", "[package]\nname = \"next\"\nedition = \"2024\"\n");
    write(folder.path(), "next/src/lib.rs", LIB);
    for user in ["one", "two"] {
        let manifest = format!(
            "[package]\nname = \"{user}\"\nedition = \"2024\"\n[dependencies]\nnext = {{ path = \"../next\" }}\n\
             [profile.dev]\nincremental = false\n[workspace]\n"
        );
        write(folder.path(), &format!("{user}/Cargo.toml"), &manifest);
        write(folder.path(), &format!("{user}/src/lib.rs"), "pub fn f() { next::bump() }");
    }
    let run = |user: &str| {
        let target_dir = Some(folder.path().join("target"));
        let options = CargoOptions { target_dir, ..options(&folder.path().join(user)) };
        let mut fresh = Fresh::default();
        extract(&options, &mut fresh).unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)));
        fresh.0.contains(&("next".to_owned(), true))
    };
    assert_eq!(["one", "two", "one"].map(run), [false, true, true]);
}

#[test]
fn changes_are_seen() {
    let (folder, options) = project(LIB);
    run(&options);
    // Cargo goes by modification times.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    write(folder.path(), "src/lib.rs", &format!("{LIB}pub fn added() {{}}\n"));
    let second = run(&options);
    assert_eq!(Index::new(&second.crates[0]).def("added").len(), 1);
}

#[test]
fn the_users_target_directory_is_left_alone() {
    let (folder, options) = project(LIB);
    run(&options);
    let entries = fs::read_dir(folder.path().join("target")).unwrap();
    let names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["robust"]);
}

#[test]
fn selection_is_cargos() {
    let (folder, mut options) = project(LIB);
    write(folder.path(), "tests/it.rs", "#[test] fn t() { two_parts::bump() }");
    options.lib = true;
    assert_eq!(run(&options).crates.len(), 1);
    options.lib = false;
    options.tests = true;
    let kinds: Vec<String> = run(&options).crates.iter().map(|krate| krate.kind.to_string()).collect();
    for kind in ["lib", "lib test", "bin test", "test"] {
        assert!(kinds.iter().any(|other| other == kind), "{kind} in {kinds:?}");
    }
}

#[test]
fn crates_by_path_get_passes_and_build_scripts_do_not() {
    let (folder, _) = project(LIB);
    let path = folder.path();
    write(
        path,
        "Cargo.toml",
        "[package]\nname = \"two-parts\"\nedition = \"2024\"\n[dependencies]\nm = { path = \"m\" }\n[workspace]\nexclude = [\"m\"]\n",
    );
    write(path, "m/Cargo.toml", "[package]\nname = \"m\"\nedition = \"2024\"\n");
    write(path, "m/src/lib.rs", "pub fn f() {}");
    write(path, "build.rs", "fn main() {}");
    let names: Vec<String> = run(&options(path)).crates.iter().map(|krate| krate.name.to_string()).collect();
    assert_eq!(names, ["m", "two_parts", "two_parts"]);
}

#[test]
fn source_that_does_not_compile() {
    let (folder, options) = project("pub fn bump() -> u32 { \"\" }");
    assert!(matches!(extract(&options, &mut ()), Err(ExtractError::Compile)));
    assert!(store(folder.path()).is_empty(), "nothing half done is left");
}

#[test]
fn features_need_a_nightly_compiler() {
    let (_folder, options) = project(&format!("#![feature(never_type)]{LIB}"));
    assert!(matches!(extract(&options, &mut ()), Err(ExtractError::Compile)));
}

#[test]
fn no_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let result = extract(&options(folder.path()), &mut ());
    assert!(matches!(result, Err(ExtractError::ManifestMissing(_))), "{result:?}");
}

#[test]
fn broken_manifest_and_unknown_package() {
    let (folder, mut options) = project(LIB);
    options.workspace.package.push("nowhere".into());
    assert!(matches!(extract(&options, &mut ()), Err(ExtractError::Cargo(_))));
    write(folder.path(), "Cargo.toml", "[package\n");
    options.workspace.package.clear();
    assert!(matches!(extract(&options, &mut ()), Err(ExtractError::Metadata(_))));
}

#[test]
fn unknown_toolchain() {
    let (_folder, mut options) = project(LIB);
    options.toolchain = Some("no-such-toolchain".into());
    let result = extract(&options, &mut ());
    assert!(
        matches!(&result, Err(ExtractError::UnknownToolchain { name, .. }) if name == "no-such-toolchain"),
        "{result:?}"
    );
}

#[test]
fn target_directory_that_is_a_file() {
    let (folder, mut options) = project(LIB);
    write(folder.path(), "occupied", "");
    options.target_dir = Some(folder.path().join("occupied"));
    let result = extract(&options, &mut ());
    assert!(matches!(result, Err(ExtractError::NotWritable { .. })), "{result:?}");
}

#[test]
fn a_cancelled_run_stops() {
    struct Impatient(bool);
    impl Progress for Impatient {
        fn stage(&mut self, stage: Stage) {
            self.0 = stage == Stage::Cargo;
        }
        fn cancelled(&self) -> bool {
            self.0
        }
    }
    let (_folder, options) = project(LIB);
    let result = extract(&options, &mut Impatient(false));
    assert!(matches!(result, Err(ExtractError::Interrupted)), "{result:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn paths_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    write(&folder, "Cargo.toml", "[package]\nname = \"odd\"\nedition = \"2024\"\n[workspace]\n");
    write(&folder, "src/lib.rs", LIB);
    // Cargo itself may refuse; then it says so, and so do we.
    match extract(&options(&folder), &mut ()) {
        Ok(extraction) => assert_eq!(extraction.not_analysed().count(), 0),
        Err(error) => {
            assert!(matches!(error, ExtractError::Metadata(_) | ExtractError::Cargo(_)), "{error:?}")
        }
    }
}

#[test]
fn crates_next_door_are_read_too() {
    let folder = tempfile::tempdir().unwrap();
    let (app, next) = (folder.path().join("app"), folder.path().join("next"));
    write(&next, "Cargo.toml", "[package]\nname = \"next\"\nedition = \"2024\"\n[workspace]\n");
    write(&next, "src/lib.rs", LIB);
    let manifest = "[package]\nname = \"app\"\nedition = \"2024\"\n[dependencies]\nnext = { path = \"../next\" }\n[workspace]\n";
    write(&app, "Cargo.toml", manifest);
    write(&app, "src/main.rs", "fn main() { next::bump() }");
    let extraction = run(&options(&app));
    let names: Vec<&str> = extraction.crates.iter().map(|krate| &*krate.name).collect();
    assert_eq!(names, ["next", "app"]);
    let bump = Index::new(&extraction.crates[0]).def("bump")[0];
    assert!(
        bump.public && extraction.root.join(&*bump.span.file).ends_with("next/src/lib.rs"),
        "{}",
        bump.span.file
    );
}

/// What the source has to tell, and in which words: where impls are, what their types are called.
const NAMES: &str = r#"
use std::fmt::{self, Display as Shows};
use std::ops::{Add, Deref};
use std::sync::Arc;

pub mod shapes {
    #[derive(Clone, Debug, PartialEq)]
    pub struct Pair<'a, T, const N: usize> { pub all: [T; N], pub name: &'a str }
    #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
    pub enum Kind { One(u8), Two { of: u16 }, Three }
    pub struct With<T = u32>(pub T);
    pub trait Area { const SIDES: u8 = 4; fn area(&self) -> u32 { self.one() } fn one(&self) -> u32; }
    impl<T> super::Outer for With<T> { fn outer(&self) -> u32 { 7 } }
}
use shapes::{Area, Kind, Pair, With};

pub trait Outer { fn outer(&self) -> u32; }
impl<T: Clone, const N: usize> Area for Pair<'_, T, N> { fn one(&self) -> u32 { N as u32 } }
impl Area for Kind { const SIDES: u8 = 3; fn one(&self) -> u32 { (0..3).map(|x| x + 1).sum() } }
impl With<u32> { pub fn new() -> Self { With(1) } pub const TWO: u8 = 1 + Self::ONE; const ONE: u8 = 1; }
impl<T> Outer for [T] { fn outer(&self) -> u32 { self.len() as u32 } }
impl Outer for (Kind, u8) { fn outer(&self) -> u32 { 0 } }
impl Outer for dyn Fn(u8) -> u32 + Send { fn outer(&self) -> u32 { self(1) } }
impl<'a, I: Iterator<Item = u8>> From<&'a mut I> for Sum where I::Item: Copy { fn from(_: &'a mut I) -> Sum { Sum(0) } }
pub struct Sum(u32);
impl Shows for Sum { fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result { write!(to, "{}", self.0) } }
impl Add<Sum> for Sum { type Output = Sum; fn add(self, other: Sum) -> Sum { Sum(self.0 + other.0) } }
impl Add<u32> for Sum { type Output = Sum; fn add(self, other: u32) -> Sum { Sum(self.0 + other) } }
type Shared = Arc<Mutex<Sum>>;
type Few<T> = Pair<'static, T, 3>;
pub struct Holder(Shared);
impl From<Shared> for Holder { fn from(of: Shared) -> Holder { Holder(of) } }
impl From<Few<u8>> for Holder { fn from(_: Few<u8>) -> Holder { Holder(Arc::new(Mutex::new(Sum(3)))) } }
impl Deref for Holder { type Target = Shared; fn deref(&self) -> &Shared { &self.0 } }
unsafe impl Send for Holder {}
impl Drop for Holder {
    fn drop(&mut self) {
        struct Inner;
        impl Drop for Inner { fn drop(&mut self) { let _ = (|| 1)(); } }
        impl Outer for Inner { fn outer(&self) -> u32 { 0 } }
        let _inner = Inner;
    }
}
macro_rules! area { ($name:ident, $size:expr) => {
    pub struct $name;
    impl $crate::shapes::Area for $name { fn one(&self) -> u32 { $size } }
    impl $name { pub fn twice(&self) -> u32 { 2 * self.one() } }
} }
area!(Square, 4);
area!(Circle, 3);
macro_rules! pass { ($($item:item)*) => { $($item)* } }
pass! {
    #[derive(Debug, Clone)]
    pub struct Passed { pub inner: Option<Box<Passed>> }
    impl Passed { pub async fn wait(&self) -> u32 { std::future::ready(1).await } }
}
const _: () = { impl Outer for Passed { fn outer(&self) -> u32 { 9 } } };
pub static GLOBAL: Mutex<Option<Sum>> = Mutex::new(None);
thread_local! { static LOCAL: std::cell::Cell<u8> = const { std::cell::Cell::new(1) }; }
pub fn wrapped(all: Vec<u32>) -> Vec<With> { LOCAL.set(2); all.into_iter().map(With).collect() }
pub fn generic<T: Outer + ?Sized>(of: &T) -> u32 { fn inner() -> u32 { 1 } of.outer() + inner() }
"#;

/// Names that are not what they seem.
const RENAMED: &str = "
    pub mod job { pub trait Job { fn run(&self) -> u8; } pub trait Locked { fn run(&self) -> u8 { 1 } } pub struct Cron; }
    mod one { use crate::job::{Cron, Job}; impl Job for Cron { fn run(&self) -> u8 { 2 } } }
    mod two { use crate::job::{Cron, Locked as Job}; impl Job for Cron { fn run(&self) -> u8 { 3 } } }
    mod given { pub use crate::job::Job as Work; pub struct Other; }
    mod three { use super::given::{Other, Work}; impl Work for Other { fn run(&self) -> u8 { 4 } } }
    mod aliased { pub type Error = Box<u8>; pub struct E2; impl From<Error> for E2 { fn from(_: Error) -> E2 { E2 } } }
    mod prelude { pub use std::fmt::Error; }
    mod five { use super::prelude::Error; use super::job::Cron; impl From<Error> for Cron { fn from(_: Error) -> Cron { Cron } } }
    mod six { use super::aliased::{E2, Error}; pub struct W(pub Error); impl From<(Error, E2)> for W { fn from(it: (Error, E2)) -> W { W(it.0) } } }
    mod four { use super::*; use super::job::Job as Hidden; mod inner { use super::*; impl Hidden for M2 { fn run(&self) -> u8 { 5 } } pub struct M2; } }
";

/// All that is known of crates, with allocations numbered in order.
fn shown(extraction: &Extraction) -> String {
    let text: String = extraction.crates.iter().map(|krate| format!("{krate}")).collect();
    let mut seen: Vec<&str> = Vec::new();
    let mut parts = text.split("alloc");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_at(part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len()));
        let index = seen.iter().position(|other| *other == number).unwrap_or_else(|| {
            seen.push(number);
            seen.len() - 1
        });
        out.push_str(&format!("alloc#{index}{rest}"));
    }
    out
}

fn ways(folder: &Path) -> Vec<String> {
    let manifests =
        store(folder).into_iter().filter(|path| path.extension().is_some_and(|end| end == "json"));
    let read =
        |path: PathBuf| -> serde_json::Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    manifests.map(|path| read(path)["way"].as_str().unwrap().to_owned()).collect()
}

/// Extracts a crate as usual, which has to take this way for the library, and with passes: both must find the same.
fn both_ways(lib: &str, way: &str) {
    let (folder, options) = project(lib);
    let usual = run(&options);
    assert!(ways(folder.path()).iter().any(|taken| taken == way), "{:?}", ways(folder.path()));
    assert!(way == "Single" || ways(folder.path()).iter().any(|taken| taken == "Single"));
    let (other, options) = project(lib);
    let passes = run(&CargoOptions { passes: true, ..options });
    assert_eq!(ways(other.path()), ["Passes", "Passes"]);
    let (usual, passes) = (shown(&usual), shown(&passes));
    for (number, (ours, theirs)) in usual.lines().zip(passes.lines()).enumerate() {
        assert_eq!(ours, theirs, "line {number}");
    }
    assert_eq!(usual.lines().count(), passes.lines().count());
}

#[test]
fn one_compilation_tells_what_three_tell() {
    both_ways(&format!("{LIB}{NAMES}"), "Single");
    both_ways(&format!("{LIB}{RENAMED}"), "SingleAndNames");
    // These lints look at final MIR, so a plain check does not have them.
    both_ways(&format!("{LIB}pub fn over() -> u8 {{ let most: u8 = 255; most + [1][1] }}"), "Single");
}

#[test]
fn what_macros_write_is_told_by_the_expanded_source() {
    let made = "pub trait Made<T = u8> { const SIZE: u8; fn made() -> T; fn again(&self) -> u8 { 1 } }
        macro_rules! made { ($($name:ident $to:ty),*) => { $(
            pub struct $name<'a>(&'a $to);
            impl<'a> Made<$to> for $name<'a> {
                const SIZE: u8 = { fn inner() -> u8 { 3 } 1 };
                fn made() -> $to { struct Local; impl Drop for Local { fn drop(&mut self) {} } let _it = Local; [1, 2].into_iter().map(|x| x).sum() }
            }
            const _: () = { impl<'a> $name<'a> { pub async fn hidden(&self) -> $to { *self.0 } } };
        )* } }
        made!(One u16, Two u32);
        impl Made for One<'_> { const SIZE: u8 = 0; fn made() -> u8 { 0 } }";
    both_ways(&format!("{LIB}{made}"), "Single");
}

#[test]
fn names_that_the_source_does_not_tell_are_asked_for() {
    let twice = "pub struct All(u32);
        pub mod a { pub type It = u8; impl From<It> for super::All { fn from(_: It) -> Self { super::All(1) } } }
        pub mod b { pub type It = u16; impl From<It> for super::All { fn from(_: It) -> Self { super::All(2) } } }";
    both_ways(&format!("{LIB}{twice}"), "SingleAndNames");
}

#[test]
fn lints_that_are_errors_do_not_stop_the_analysis() {
    // One is an error from the start, others are where the crate says so.
    let lib = "#![deny(warnings)]\n#![forbid(unsafe_code, unstable_features)]";
    let unused = "pub fn at_once() { let _ = M.lock(); let unused = 1; }";
    both_ways(&format!("{lib}{LIB}{unused}"), "Single");
}

#[test]
fn build_scripts_learn_what_the_compiler_can_do() {
    let (folder, options) = project(LIB);
    let script = r##"
fn main() {
    std::fs::write("probe.rs", "#![feature(never_type)]").unwrap();
    let mut command = std::process::Command::new(std::env::var_os("RUSTC_WRAPPER").unwrap());
    command.arg(std::env::var_os("RUSTC").unwrap());
    command.args(["--crate-name=probe", "--crate-type=lib", "--emit=metadata", "--out-dir", "out", "probe.rs"]);
    assert!(!command.output().unwrap().status.success(), "a stable compiler has no features");
}"##;
    write(folder.path(), "build.rs", script);
    let stable = CargoOptions { toolchain: None, ..options };
    let extraction = run(&stable);
    assert!(extraction.rustc.pre.is_empty() && extraction.not_analysed().count() == 0);
}

#[test]
fn what_procedural_macros_use_is_built_for_them() {
    let (folder, options) = project("made::made!();");
    let path = folder.path();
    let manifest = "[package]\nname = \"two-parts\"\nedition = \"2024\"\n[workspace]\n
        [dependencies]\nmade.path = \"made\"\n[build-dependencies]\nused.path = \"used\"\n";
    write(path, "Cargo.toml", manifest);
    write(path, "src/main.rs", "fn main() {}");
    write(path, "build.rs", "fn main() { assert_eq!(used::answer::<u8>(), \"41\"); }");
    write(path, "used/Cargo.toml", "[package]\nname = \"used\"\nedition = \"2024\"\n");
    write(path, "used/src/lib.rs", "pub fn answer<T>() -> String { (40 + size_of::<T>()).to_string() }");
    let made = "[package]\nname = \"made\"\nedition = \"2024\"\n[lib]\nproc-macro = true\n
        [dependencies]\nused.path = \"../used\"\n";
    write(path, "made/Cargo.toml", made);
    let source = "#[proc_macro] pub fn made(_: proc_macro::TokenStream) -> proc_macro::TokenStream {
        format!(\"pub fn bump() -> u8 {{ {} }}\", used::answer::<u8>()).parse().unwrap() }";
    write(path, "made/src/lib.rs", source);
    let extraction = run(&options);
    let lib = extraction.crates.iter().find(|krate| &*krate.name == "two_parts").unwrap();
    assert_eq!(lib.bodies.len(), 1);
}

#[test]
fn warnings_are_those_of_a_plain_check() {
    let warned = "use std::collections::HashMap;
        pub fn a() { std::fs::remove_file(\"a\"); }
        pub fn b() { let unused = 1; std::thread::spawn(|| 2).join(); }";
    #[derive(Default)]
    struct Said(Vec<String>);
    impl Progress for Said {
        fn compiler_message(&mut self, message: &cargo_metadata::Message) {
            if let cargo_metadata::Message::CompilerMessage(said) = message {
                self.0.push(said.message.rendered.clone().unwrap_or_default());
            }
        }
    }
    let said = |passes| {
        let (_folder, options) = project(&format!("{LIB}{warned}"));
        let mut said = Said::default();
        extract(&CargoOptions { messages: true, passes, ..options }, &mut said).unwrap();
        said.0
    };
    let usual = said(false);
    assert!(usual.len() >= 4, "{usual:?}");
    assert_eq!(usual, said(true));
}

#[test]
fn going_on_from_the_last_compilation_changes_nothing() {
    let one = "pub struct A; impl A { pub async fn f(&self) -> u8 { other().await; 1 } }";
    let two = "pub struct B; impl B { pub async fn f(&self) -> &str { wait().await; \"b\" } }";
    let edits = [
        format!("{LIB}{one}\n{two}"),
        // Lines move, another string is the first.
        format!("pub fn first() -> &'static str {{ \"first\" }}\n{LIB}{one}\n{two}"),
        format!(
            "pub fn first() -> &'static str {{ \"first\" }}\n{LIB}{one}\n{}",
            two.replace("\"b\"", "\"c\"")
        ),
        // What comes next has another number now, but the same place.
        format!(
            "pub fn first() -> &'static str {{ \"first\" }}\n{LIB}{}\n{two}",
            one.replace("pub ", "//  ")
        ),
        format!(
            "pub fn first() -> &'static str {{ \"first\" }}\n{LIB}\n{}",
            two.replace("wait()", "other()")
        ),
        format!("{LIB}{one}\n{two}"),
    ];
    let (folder, options) = project(LIB);
    run(&options);
    let goes_on = || {
        store(folder.path())
            .iter()
            .filter(|path| path.extension().is_some_and(|end| end == "incremental"))
            .count()
    };
    assert_eq!(goes_on(), 0, "the first compilation is not slowed down");
    let mut saved = 0;
    let mut save = |text: &str| {
        write(folder.path(), "src/lib.rs", text);
        // Cargo goes by modification times.
        saved += 2;
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(saved);
        let file = fs::File::options().write(true).open(folder.path().join("src/lib.rs")).unwrap();
        file.set_modified(later).unwrap();
    };
    for (number, text) in edits.iter().enumerate() {
        if number == 2 {
            // What does not compile is nothing to go on from, and takes nothing away.
            save(&format!("{text}\nfn broken() -> u8 {{ \"\" }}"));
            assert!(matches!(extract(&options, &mut ()), Err(ExtractError::Compile)));
            assert_eq!(goes_on(), 2);
        }
        save(text);
        let target_dir = Some(folder.path().join(format!("scratch{number}")));
        let anew = run(&CargoOptions { target_dir, ..options.clone() });
        let edited = run(&options);
        assert!(!edited.timings.plain.is_zero());
        assert_eq!(shown(&edited), shown(&anew), "edit {number}");
        // Where it is not clear what is meant, all is done anew.
        assert!(goes_on() == if number == 3 { 1 } else { 2 }, "edit {number}: {}", goes_on());
    }
    assert!(store(folder.path()).iter().all(|path| !path.to_string_lossy().contains("partial-")));
}

#[test]
fn what_another_run_compiles_meanwhile_is_not_taken_for_ours() {
    let (folder, options) = project(LIB);
    // The second time nothing is read ahead.
    run(&options);
    let built =
        Prepared::new(&options, &mut ()).unwrap().build(&options, std::time::Duration::MAX, &mut ()).unwrap();
    let is_manifest = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
    let manifest = store(folder.path()).into_iter().find(is_manifest).unwrap();
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("\"digest\":\"", "\"digest\":\"0")).unwrap();
    let all: Vec<(usize, bool)> = (0..built.crates().len()).map(|index| (index, true)).collect();
    assert!(matches!(built.read(&all, &mut ()), Err(ExtractError::CompiledMeanwhile(_))));
    assert_eq!(run(&options).crates.len(), 2, "the next run takes what is there");
}
