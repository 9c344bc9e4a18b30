//! One compilation that does what cargo asked for and emits the MIR as well.
//!
//! `--emit=metadata,mir` alone would also collect what code there is to generate, for which the bodies of dependencies are
//! missing in a check. `-Zno-codegen` leaves that out for programs. For libraries it is done for the list of generic functions
//! that others may link to, unless the crate counts as compiler support, which has no such list; that is all this
//! attribute changes as long as no code is generated.
//!
//! Whatever goes wrong, the crate is compiled once more, exactly as cargo asked, and that is what cargo sees.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde::Deserialize;
use wait_timeout::ChildExt;

use super::call::Call;
use super::{STABLE_ENV, pass};

/// Lints that only a compilation has that goes as far as final MIR.
const LATE_LINTS: [&str; 2] = ["arithmetic_overflow", "unconditional_panic"];

/// The compilation under way.
pub(super) struct Single {
    child: Child,
    said: PathBuf,
}

impl Single {
    /// Starts `plain`, a command without arguments, on the call. It goes on from what is in the folder `incremental`, if there is one.
    pub fn start(
        mut plain: Command,
        call: &Call,
        scratch: &Path,
        incremental: Option<&Path>,
    ) -> io::Result<Single> {
        plain.args(call.with_mir(&scratch.join(pass::Kind::Bodies.file())));
        plain.env("RUSTC_BOOTSTRAP", "1");
        pass::print_bodies(&mut plain, scratch);
        plain.arg("-Zno-codegen");
        if let Some(folder) = incremental {
            let mut option = OsString::from("-Cincremental=");
            option.push(folder);
            plain.arg(option);
        }
        plain.args(LATE_LINTS.map(|lint| format!("-A{lint}")));
        if call.is_library() {
            plain.args(["-Zcrate-attr=allow(internal_features)", "-Zcrate-attr=feature(compiler_builtins)"]);
            plain.arg("-Zcrate-attr=compiler_builtins");
        }
        if std::env::var_os(STABLE_ENV).is_some() {
            // A source that needs a nightly compiler must not find one.
            plain.arg("-Zallow-features=compiler_builtins");
        }
        let said = scratch.join("single.stderr");
        let child = plain.stdin(Stdio::null()).stderr(File::create(&said)?).spawn()?;
        Ok(Single { child, said })
    }

    /// Whether it went well, once it is over; waits so long for that.
    pub fn wait(&mut self, at_most: Duration) -> io::Result<Option<bool>> {
        Ok(self.child.wait_timeout(at_most)?.map(|status| status.success()))
    }

    /// What rustc said, but for what cargo did not ask for; none when it may have said it in other words than in a plain
    /// compilation, which shortens paths. With it, whether it only said which files it wrote.
    pub fn said(&self) -> Option<(Vec<u8>, bool)> {
        let said = fs::read(&self.said).ok()?;
        let mut all = Vec::with_capacity(said.len());
        let mut quiet = true;
        for line in said.split_inclusive(|byte| *byte == b'\n') {
            let message: Message = serde_json::from_slice(line).ok()?;
            if message.says_path() {
                return None;
            }
            quiet &= message.emit.is_some();
            if message.emit.as_deref() != Some("mir") {
                all.extend_from_slice(line);
            }
        }
        Some((all, quiet))
    }
}

/// What nobody waits for any more is stopped.
impl Drop for Single {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A line of what rustc said: an artifact, or a diagnostic or part of one.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Message {
    emit: Option<String>,
    code: Option<Code>,
    message: String,
    spans: Vec<Labelled>,
    children: Vec<Message>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Labelled {
    label: Option<String>,
    suggested_replacement: Option<String>,
}

impl Message {
    fn says_path(&self) -> bool {
        // These are said as the source has them.
        if self.code.as_ref().is_some_and(|code| code.code == "unused_imports") {
            return false;
        }
        let labels = self.spans.iter().flat_map(|span| [&span.label, &span.suggested_replacement]);
        self.message.contains("::")
            || labels.flatten().any(|label| label.contains("::"))
            || self.children.iter().any(Message::says_path)
    }
}
