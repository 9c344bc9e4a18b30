//! Understanding a call of rustc.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::extract::store::key_of;

/// A call of rustc that compiles a crate of the user's own.
#[derive(Default)]
pub(super) struct Call {
    pub name: String,
    extra: String,
    pub root_file: String,
    /// The keys of the crates it uses.
    pub uses: Vec<String>,
    /// The arguments that say which other crates there are, and for which target.
    pub linked: Vec<String>,
    /// The arguments without those about output and diagnostics.
    pub args: Vec<OsString>,
    /// The arguments about output and diagnostics, but for what to emit.
    outward: Vec<OsString>,
    emit: String,
    out_dir: PathBuf,
    /// Whether it is made for other crates to use.
    library: bool,
    /// Whether it runs while others are compiled, and is no part of the program.
    aside: bool,
    /// Whether cargo wants the next compilation to go on from this one.
    incremental: bool,
    /// Whether cargo itself says how bad a lint may be.
    capped: bool,
}

/// Lints that are errors are warnings.
const NO_LINT_STOPS: &str = "--cap-lints=warn";

impl Call {
    /// Understands the arguments; none when this call is a question, or when the crate is not the user's own.
    pub fn read(args: &[OsString]) -> Option<Call> {
        let expanded = expand(args)?;
        let mut call = Call::default();
        let mut capped = false;
        let mut test = false;
        let mut rest = expanded.into_iter();
        while let Some(arg) = rest.next() {
            let text = arg.to_str().unwrap_or("").to_owned();
            // `--flag value` and `--flag=value` are both in use; so are `-C x=y` and `-Cx=y`.
            let (flag, mut value) = match text.split_once('=') {
                Some((flag, value)) if text.starts_with("--") => {
                    (flag.to_owned(), Some(OsString::from(value)))
                }
                _ if text.starts_with("-C") && text.len() > 2 => {
                    ("-C".to_owned(), Some(OsString::from(&text[2..])))
                }
                _ => (text.clone(), None),
            };
            let joined = value.is_some();
            if value.is_none() && takes_value(&flag) {
                value = rest.next();
            }
            let shown = value.as_deref().and_then(OsStr::to_str).unwrap_or("").to_owned();
            if matches!(flag.as_str(), "--extern" | "-L" | "--target" | "--sysroot") {
                call.linked.extend([flag.clone(), shown.clone()]);
            }
            match flag.as_str() {
                "--emit" | "--out-dir" | "--error-format" | "--json" | "--diagnostic-width"
                | "--cap-lints" | "-o" => {
                    capped |= flag == "--cap-lints";
                    match flag.as_str() {
                        "--emit" if call.emit.is_empty() => call.emit = shown,
                        "--emit" => {}
                        _ => {
                            if flag == "--out-dir" {
                                call.out_dir = value.clone().unwrap_or_default().into();
                            }
                            call.outward.push(arg);
                            call.outward.extend(value.filter(|_| !joined));
                        }
                    }
                    continue;
                }
                "--crate-name" => call.name.clone_from(&shown),
                "--crate-type" => {
                    call.aside |= shown.contains("proc-macro");
                    call.library |= shown.split(',').any(|kind| matches!(kind, "lib" | "rlib" | "dylib"));
                }
                "--test" => test = true,
                "--extern" => {
                    call.uses.extend(shown.split_once('=').and_then(|(_, file)| key_of(Path::new(file))))
                }
                "-C" | "--codegen" => {
                    if shown.starts_with("incremental=") {
                        call.incremental = true;
                        continue;
                    }
                    if let Some(extra) = shown.strip_prefix("extra-filename=") {
                        call.extra = extra.to_owned();
                    }
                }
                _ if !text.starts_with('-') && (text.ends_with(".rs") || call.root_file.is_empty()) => {
                    call.root_file = arg.to_string_lossy().into_owned();
                }
                _ => {}
            }
            call.args.push(arg);
            if !joined && let Some(value) = value {
                call.args.push(value);
            }
        }
        if !is_by_cargo(args) {
            return None;
        }
        // Cargo names files of the workspace from its root on, and caps the lints of what comes from elsewhere but a path.
        if capped && Path::new(&call.root_file).is_absolute() {
            return None;
        }
        if !capped {
            call.outward.push(NO_LINT_STOPS.into());
        }
        call.capped = capped;
        call.library &= !test;
        call.aside |= call.name.starts_with("build_script_");
        let compiles = !call.name.is_empty() && call.name != "___" && !call.root_file.is_empty();
        compiles.then_some(call)
    }

    /// What cargo asked for, but that no lint is an error. A lint says that code could be better, not that it does not mean
    /// anything, and which of them are errors from the start changes with the compiler.
    pub fn without_lint_errors(&self, mut asked: Vec<OsString>) -> Vec<OsString> {
        if !self.capped {
            asked.push(NO_LINT_STOPS.into());
        }
        asked
    }

    pub fn key(&self) -> String {
        format!("{}{}", self.name, self.extra)
    }

    /// The arguments of the plain call, for a call that also emits the MIR into a file.
    pub fn with_mir(&self, file: &Path) -> Vec<OsString> {
        let mut emit = OsString::from(format!("--emit={},mir=", self.emit));
        emit.push(file);
        self.args.iter().chain(&self.outward).cloned().chain([emit]).collect()
    }

    /// True when the crate is part of the program: no build script or procedural macro, and nothing that code has to be generated
    /// for, as those do of the crates they use.
    pub fn is_of_program(&self) -> bool {
        !self.aside && self.emit.split(',').all(|kind| matches!(kind, "dep-info" | "metadata"))
    }

    /// True for a crate made for other crates to use, whose metadata have to be complete.
    pub fn is_library(&self) -> bool {
        self.library
    }

    /// True when cargo wants the next compilation to go on from this one.
    pub fn is_incremental(&self) -> bool {
        self.incremental
    }

    /// What rustc may have written that cargo looks for.
    pub fn outputs(&self) -> Vec<PathBuf> {
        use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};
        let key = self.key();
        let library = ["rmeta", "rlib"].map(|kind| format!("lib{key}.{kind}"));
        let programs = [format!("{DLL_PREFIX}{key}{DLL_SUFFIX}"), format!("{key}{EXE_SUFFIX}")];
        library.into_iter().chain(programs).map(|name| self.out_dir.join(name)).collect()
    }

    /// Where rustc lists the crate's source files.
    pub fn dep_info(&self) -> PathBuf {
        self.out_dir.join(format!("{}.d", self.key()))
    }
}

/// The arguments without what else the user's flags have rustc emit. It goes nowhere, is at odds with a check, for which dependencies
/// have no code, and may lead astray what cargo reads.
pub(super) fn asked_by_cargo(args: &[OsString]) -> Vec<OsString> {
    if !is_by_cargo(args) {
        return args.to_vec();
    }
    let mut kept = Vec::with_capacity(args.len());
    let mut asked = false;
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let apart = arg == "--emit";
        if apart || arg.to_string_lossy().starts_with("--emit=") {
            let value = if apart { rest.next() } else { None };
            // Cargo's own is the first.
            if !std::mem::replace(&mut asked, true) {
                kept.extend([arg].into_iter().chain(value).cloned());
            }
            continue;
        }
        kept.push(arg.clone());
    }
    kept
}

/// Whether cargo gave these arguments to compile something. A build script that tries what the compiler can do calls it as it likes.
fn is_by_cargo(args: &[OsString]) -> bool {
    let Some(args) = expand(args) else { return false };
    let extra = |arg: &OsString| arg.to_str().is_some_and(|text| text.contains("extra-filename="));
    args.iter().any(extra) && args.iter().any(|arg| arg == "--error-format=json")
}

fn takes_value(flag: &str) -> bool {
    matches!(
        flag,
        "--crate-name"
            | "--crate-type"
            | "--edition"
            | "--emit"
            | "--out-dir"
            | "--error-format"
            | "--json"
            | "--diagnostic-width"
            | "--cap-lints"
            | "--cfg"
            | "--check-cfg"
            | "--extern"
            | "--target"
            | "--sysroot"
            | "--codegen"
            | "--print"
            | "--explain"
            | "--remap-path-prefix"
            | "--color"
            | "--warn"
            | "--allow"
            | "--deny"
            | "--forbid"
            | "--force-warn"
            | "--env-set"
            | "-C"
            | "-L"
            | "-l"
            | "-o"
            | "-A"
            | "-W"
            | "-D"
            | "-F"
            | "-Z"
    )
}

/// Reads `@file` arguments, which cargo uses when a command line gets too long: one argument per line.
fn expand(args: &[OsString]) -> Option<Vec<OsString>> {
    let mut all = Vec::with_capacity(args.len());
    for arg in args {
        match arg.to_str().and_then(|text| text.strip_prefix('@')) {
            Some(path) => all.extend(fs::read_to_string(path).ok()?.lines().map(OsString::from)),
            None => all.push(arg.clone()),
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn os(args: &[&str]) -> Vec<OsString> {
        args.iter().map(OsString::from).collect()
    }

    #[test]
    fn outputs_and_diagnostics_are_left_out() {
        let call = Call::read(&os(&[
            "--crate-name",
            "a_b",
            "--edition=2021",
            "src/lib.rs",
            "--error-format=json",
            "--json=artifacts",
            "--crate-type",
            "lib",
            "--emit=dep-info,metadata",
            "-C",
            "extra-filename=-12ab",
            "-Cincremental=/x",
            "-C",
            "incremental=/x",
            "--out-dir",
            "/o p",
            "-L",
            "dependency=/d",
            "--extern",
            "noprelude:t=/d/libt-34cd.rmeta",
            "-C",
            "metadata=0a",
            "--cap-lints",
            "warn",
        ]))
        .unwrap();
        assert_eq!(call.key(), "a_b-12ab");
        assert_eq!(call.root_file, "src/lib.rs");
        assert_eq!(call.uses, ["t-34cd"]);
        assert_eq!(call.linked, ["-L", "dependency=/d", "--extern", "noprelude:t=/d/libt-34cd.rmeta"]);
        let expected = os(&[
            "--crate-name",
            "a_b",
            "--edition=2021",
            "src/lib.rs",
            "--crate-type",
            "lib",
            "-C",
            "extra-filename=-12ab",
            "-L",
            "dependency=/d",
            "--extern",
            "noprelude:t=/d/libt-34cd.rmeta",
            "-C",
            "metadata=0a",
        ]);
        assert_eq!(call.args, expected);
        let mut single = expected;
        single.extend(os(&[
            "--error-format=json",
            "--json=artifacts",
            "--out-dir",
            "/o p",
            "--cap-lints",
            "warn",
        ]));
        single.extend(os(&["--emit=dep-info,metadata,mir=/s/mir"]));
        assert_eq!(call.with_mir(Path::new("/s/mir")), single);
        assert!(call.is_library() && call.is_of_program() && call.is_incremental());
        assert_eq!(call.dep_info(), Path::new("/o p/a_b-12ab.d"));
    }

    #[test]
    fn questions_scripts_and_macros_get_no_passes() {
        assert!(Call::read(&os(&["-vV"])).is_none());
        assert!(Call::read(&os(&["-", "--crate-name", "___", "--print=cfg"])).is_none());
        let by_cargo = ["--error-format=json", "-C", "extra-filename=-12ab"];
        let call = |args: &[&str]| Call::read(&os(&[args, &by_cargo].concat()));
        assert!(call(&["--crate-name", "m", "src/lib.rs"]).is_some());
        assert!(Call::read(&os(&["--crate-name", "m", "src/lib.rs", "--emit=metadata"])).is_none());
        let aside = |args: &[&str]| call(args).is_some_and(|call| !call.is_of_program());
        assert!(aside(&["--crate-name", "build_script_build", "build.rs"]));
        assert!(aside(&["--crate-name", "m", "src/lib.rs", "--crate-type", "proc-macro"]));
        assert!(aside(&["--crate-name", "m", "src/lib.rs", "--emit=dep-info,metadata,link"]));
        assert!(call(&["--crate-name", "serde", "/r/src/lib.rs", "--cap-lints", "allow"]).is_none());
    }

    #[test]
    fn what_else_the_users_flags_emit_is_left_out() {
        let by_cargo = ["--crate-name", "m", "src/lib.rs", "--error-format=json", "--emit=dep-info,metadata"];
        let by_cargo = [&by_cargo[..], &["-C", "extra-filename=-12ab"]].concat();
        for more in [&["--emit=asm"][..], &["--emit", "mir,obj=x"], &["--emit=dep-info=/x", "--emit", "link"]]
        {
            let args = os(&[&by_cargo, more, &["--cfg", "a"]].concat());
            assert_eq!(asked_by_cargo(&args), os(&[&by_cargo[..], &["--cfg", "a"]].concat()));
            assert!(Call::read(&args).unwrap().is_of_program());
        }
        let printing = os(&[&by_cargo[..], &["--print=link-args"]].concat());
        assert!(Call::read(&printing).unwrap().is_of_program());
        let questions = os(&["--crate-name", "___", "--emit=asm", "--emit=mir"]);
        assert_eq!(asked_by_cargo(&questions), questions);
    }
}
