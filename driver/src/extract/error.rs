//! Why nothing could be extracted.

use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use super::MINIMUM_RUSTC;

/// A failure of the extraction as a whole. What fails for one crate or one body only is recorded as not analysed.
#[derive(Debug, Error, Diagnostic)]
#[non_exhaustive]
pub enum ExtractError {
    /// No manifest was found.
    #[error("could not find `Cargo.toml` in `{}` or any parent directory", .0.display())]
    #[diagnostic(
        code(robust::no_manifest),
        help("run `cargo robust` in the directory of a crate, or name one with `--manifest-path PATH`")
    )]
    NoManifest(PathBuf),

    /// The manifest given does not exist.
    #[error("manifest path `{}` does not exist", .0.display())]
    #[diagnostic(code(robust::no_manifest), help("`--manifest-path` names a `Cargo.toml` file"))]
    ManifestMissing(PathBuf),

    /// `cargo metadata` refused.
    #[error("cargo could not read the workspace: {0}")]
    #[diagnostic(code(robust::metadata), help("`cargo metadata --no-deps` shows the same error"))]
    Metadata(String),

    /// The user's code does not compile; cargo has shown why.
    #[error("the source does not compile")]
    #[diagnostic(
        code(robust::compile),
        help("the compiler's errors are above; `cargo check` shows them, too")
    )]
    Compile,

    /// Cargo stopped before it compiled anything; it has shown why.
    #[error("cargo stopped with {0}")]
    #[diagnostic(code(robust::cargo), help("cargo's message is above"))]
    Cargo(String),

    /// A program that has to be there is not.
    #[error("could not run `{program}`")]
    #[diagnostic(
        code(robust::no_program),
        help("cargo and rustc {MINIMUM_RUSTC} or newer are needed: https://rustup.rs installs them")
    )]
    NoProgram {
        /// The program.
        program: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },

    /// The compiler lacks what is needed to print MIR the way this tool reads it.
    #[error("rustc {found} is too old")]
    #[diagnostic(
        code(robust::old_toolchain),
        help(
            "rustc {MINIMUM_RUSTC} or newer is needed: `rustup update`, or choose one with `cargo +NAME robust`"
        )
    )]
    OldToolchain {
        /// The version found.
        found: semver::Version,
    },

    /// rustup does not have the toolchain.
    #[error("toolchain `{name}` cannot be used: {message}")]
    #[diagnostic(
        code(robust::unknown_toolchain),
        help("`rustup toolchain list` shows what is there, `rustup toolchain install {name}` installs it")
    )]
    UnknownToolchain {
        /// Its name.
        name: String,
        /// What rustup (or cargo) said.
        message: String,
    },

    /// rustc runs, but its version is not to be understood.
    #[error("`rustc -vV` did not name a version: {0}")]
    #[diagnostic(code(robust::odd_rustc), help("is `RUSTC` set to something that is not rustc?"))]
    OddRustc(String),

    /// The output folder cannot be written.
    #[error("cannot write to `{}`", path.display())]
    #[diagnostic(
        code(robust::not_writable),
        help(
            "choose another directory with `--target-dir DIRECTORY`, or make this one writable; without that, a run can only repeat the last one when nothing has changed"
        )
    )]
    NotWritable {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },

    /// No room left.
    #[error("no space left on the disk of `{}`", .0.display())]
    #[diagnostic(
        code(robust::disk_full),
        help(
            "MIR takes 10 to 100 MB per application: make room, or choose another disk with `--target-dir DIRECTORY`"
        )
    )]
    DiskFull(PathBuf),

    /// Cargo keeps results that do not belong to what is there.
    #[error("cargo does not compile anew what has changed, in `{}`", .0.display())]
    #[diagnostic(code(robust::outdated), help("remove that directory and run it again"))]
    Outdated(PathBuf),

    /// Another run compiled a crate while this one read it.
    #[error("another run compiled `{0}` while this one read what its compiler had printed")]
    #[diagnostic(code(robust::compiled_meanwhile), help("run it again"))]
    CompiledMeanwhile(String),

    /// Reading or writing failed in another way.
    #[error("cannot read or write `{}`", path.display())]
    #[diagnostic(code(robust::io))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },

    /// The user stopped it.
    #[error("interrupted")]
    #[diagnostic(code(robust::interrupted))]
    Interrupted,
}

impl ExtractError {
    /// The output folder could not be made or written to.
    pub(super) fn output(path: &Path, source: io::Error) -> Self {
        match ExtractError::io(path, source) {
            ExtractError::Io { path, source } => ExtractError::NotWritable { path, source },
            other => other,
        }
    }

    /// An error of the file system, as specific as it can be told.
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ExtractError::DiskFull(path.into()),
            _ => ExtractError::Io { path: path.into(), source },
        }
    }
}
