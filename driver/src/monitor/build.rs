//! Compiling what is put into programs, and putting it there.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::inputs::digest;

/// Kinds of stand-ins, each with less than the one before.
pub(super) const KINDS: [&str; 3] = ["", OLD, FUNCTIONS];

/// For older versions of a library.
pub(super) const OLD: &str = "-old";

/// With the library's own types.
pub(super) const FUNCTIONS: &str = "-functions";

/// A call of rustc by cargo.
pub(super) struct Call {
    pub args: Vec<String>,
}

/// A library that a crate uses and that there is a stand-in for.
pub(super) struct Library {
    /// Its name.
    pub name: String,
    /// The argument that names its file, by number.
    at: usize,
    /// What the crate calls it, with cargo's options in front.
    alias: String,
    file: PathBuf,
}

impl Call {
    pub fn new(args: Vec<String>) -> Call {
        Call { args }
    }

    /// The argument behind a flag.
    pub fn after(&self, flag: &str) -> Option<&str> {
        let at = self.args.iter().position(|arg| arg == flag)?;
        self.args.get(at + 1).map(String::as_str)
    }

    /// Whether it compiles code that runs in the program.
    pub fn is_of_program(&self) -> bool {
        let name = self.after("--crate-name").unwrap_or_default();
        let kind = self.after("--crate-type").unwrap_or_default();
        !name.is_empty() && name != "___" && !name.starts_with("build_script_") && kind != "proc-macro"
    }

    /// What tells it from other calls.
    pub fn key(&self) -> String {
        digest(self.args.join("\0").as_bytes())[..16].to_owned()
    }

    /// The arguments that whatever is linked with it has to have, too.
    fn shared(&self) -> Vec<String> {
        let mut out = Vec::new();
        let mut args = self.args.iter();
        while let Some(arg) = args.next() {
            let both = ["-L", "--target"].contains(&arg.as_str());
            let is_codegen = |text: &str| {
                ["panic=", "opt-level=", "debuginfo=", "target-cpu=", "target-feature="]
                    .iter()
                    .any(|name| text.starts_with(name))
            };
            if both {
                out.push(arg.clone());
                out.extend(args.next().cloned());
            } else if arg == "-C" {
                let Some(value) = args.next().filter(|value| is_codegen(value)) else { continue };
                out.extend([arg.clone(), value.clone()]);
            } else if arg.strip_prefix("-C").is_some_and(is_codegen) || arg.starts_with("--target=") {
                out.push(arg.clone());
            }
        }
        out
    }
}

/// What is put into programs.
pub(super) struct StandIns {
    pub rustc: PathBuf,
    pub folder: PathBuf,
}

impl StandIns {
    /// The libraries that a crate uses and that there are stand-ins for.
    pub fn libraries(&self, call: &Call) -> Vec<Library> {
        let pairs = call.args.iter().zip(call.args.iter().skip(1)).enumerate();
        pairs
            .filter(|(_, (flag, _))| *flag == "--extern")
            .filter_map(|(at, (_, value))| {
                let (alias, file) = value.split_once('=')?;
                let file = PathBuf::from(file);
                let stem = file.file_stem()?.to_str()?.strip_prefix("lib")?;
                let (name, _) = stem.rsplit_once('-')?;
                let there = self.folder.join("stand-ins").join(format!("{name}.rs")).is_file();
                there.then(|| Library {
                    name: name.to_owned(),
                    at: at + 1,
                    alias: alias.to_owned(),
                    file: file.clone(),
                })
            })
            .collect()
    }

    /// The call with stand-ins of a kind in the place of libraries.
    pub fn swap(&self, call: &Call, libraries: &[Library], kind: &str) -> Result<Vec<String>, String> {
        let mut args = call.args.clone();
        for library in libraries {
            let made = self.made(call, library, kind)?;
            args[library.at] = format!("{}={}", library.alias, made.display());
        }
        Ok(args)
    }

    /// The file of a stand-in; it is compiled unless it is there.
    fn made(&self, call: &Call, library: &Library, kind: &str) -> Result<PathBuf, String> {
        let shared = call.shared();
        // An `.rmeta` and its `.rlib` are the same library, and cargo names both after all that they depend on. Where else
        // libraries are looked for makes no difference.
        let stem = library.file.with_extension("");
        let codegen: Vec<&str> = shared.iter().map(String::as_str).filter(|arg| !arg.contains('/')).collect();
        let what = format!("{}\0{}\0{kind}", codegen.join("\0"), stem.display());
        let key = &digest(what.as_bytes())[..16];
        let name = format!("robust_{}", library.name);
        // Where cargo's libraries are, so whoever uses what is compiled with it finds it.
        let folder = library.file.parent().unwrap_or(Path::new("."));
        let file = folder.join(format!("lib{name}-{key}.rlib"));
        let io = |error: std::io::Error| error.to_string();
        let locks = self.folder.join("locks");
        fs::create_dir_all(&locks).map_err(io)?;
        // One at a time.
        let lock = File::create(locks.join(key)).map_err(io)?;
        lock.lock().map_err(io)?;
        let refused = locks.join(format!("{key}.refused"));
        if file.is_file() {
            return Ok(file);
        }
        if let Ok(why) = fs::read_to_string(&refused) {
            return Err(why);
        }
        let compiled = self.compiled(call, library, kind, (&shared, key, folder));
        if let Err(why) = &compiled {
            let _ = fs::write(&refused, why);
        }
        compiled.map(|()| file)
    }

    fn compiled(
        &self,
        call: &Call,
        library: &Library,
        kind: &str,
        (shared, key, folder): (&[String], &str, &Path),
    ) -> Result<(), String> {
        let name = format!("robust_{}", library.name);
        let mut command = self.command(shared, ("robust_monitor", key), folder);
        // It is not what anybody debugs.
        command.args(["-C", "opt-level=3"]).arg(self.folder.join("src").join("lib.rs"));
        self.compile(command, "the monitor")?;
        let monitor = folder.join(format!("librobust_monitor-{key}.rlib"));
        let mut command = self.command(shared, (&name, key), folder);
        // Older versions lack some of it.
        let (file_kind, lacks) = if kind == OLD { ("", true) } else { (kind, false) };
        command.arg(self.folder.join("stand-ins").join(format!("{}{file_kind}.rs", library.name)));
        if !lacks {
            command.args(["--cfg", "recent"]);
        }
        command.arg("--extern").arg(format!("real={}", library.file.display()));
        command.arg("--extern").arg(format!("robust_monitor={}", monitor.display()));
        let what = format!(
            "the stand-in for `{}`, for {}",
            library.name,
            call.after("--crate-name").unwrap_or_default()
        );
        self.compile(command, &what)
    }

    fn command(&self, shared: &[String], (name, key): (&str, &str), folder: &Path) -> Command {
        let mut command = Command::new(&self.rustc);
        command.args(shared).env_remove(super::wrapper::FOLDER_ENV);
        command.args([
            "--crate-name",
            name,
            "--crate-type",
            "rlib",
            "--edition",
            "2024",
            "--cap-lints",
            "allow",
        ]);
        command.arg("-C").arg(format!("metadata={key}")).arg("-C").arg(format!("extra-filename=-{key}"));
        command.arg("--out-dir").arg(folder);
        command
    }

    fn compile(&self, mut command: Command, what: &str) -> Result<(), String> {
        let output = command.output().map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let _ = fs::write(self.folder.join("last-error"), &said);
        let first = said.lines().find(|line| line.starts_with("error")).unwrap_or("").to_owned();
        Err(format!("{what} does not compile: {first}"))
    }
}
