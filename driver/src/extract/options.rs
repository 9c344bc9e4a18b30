//! What cargo is asked to build, in cargo's own words.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;

/// Package, target, feature and compilation options, with the names and meanings cargo gives them.
#[derive(Args, Clone, Debug, Default)]
#[command(mut_arg("exclude", |arg| arg.requires("workspace")))]
pub struct CargoOptions {
    /// The workspace.
    #[command(flatten, next_help_heading = "Package Selection")]
    pub manifest: clap_cargo::Manifest,
    /// The packages.
    #[command(flatten, next_help_heading = "Package Selection")]
    pub workspace: clap_cargo::Workspace,

    /// Analyse only this package's library
    #[arg(long, help_heading = "Target Selection")]
    pub lib: bool,
    /// Analyse all binaries
    #[arg(long, help_heading = "Target Selection")]
    pub bins: bool,
    /// Analyse only the specified binary
    #[arg(long, value_name = "NAME", help_heading = "Target Selection")]
    pub bin: Vec<String>,
    /// Analyse all examples
    #[arg(long, help_heading = "Target Selection")]
    pub examples: bool,
    /// Analyse only the specified example
    #[arg(long, value_name = "NAME", help_heading = "Target Selection")]
    pub example: Vec<String>,
    /// Analyse all targets that have `test = true` set
    #[arg(long, help_heading = "Target Selection")]
    pub tests: bool,
    /// Analyse only the specified test target
    #[arg(long, value_name = "NAME", help_heading = "Target Selection")]
    pub test: Vec<String>,
    /// Analyse all targets
    #[arg(long, help_heading = "Target Selection")]
    pub all_targets: bool,

    /// Their features.
    #[command(flatten, next_help_heading = "Feature Selection")]
    pub features: clap_cargo::Features,

    /// Compile in release mode, with optimizations
    #[arg(short = 'r', long, conflicts_with = "profile", help_heading = "Compilation Options")]
    pub release: bool,
    /// Compile with the specified profile
    #[arg(long, value_name = "PROFILE-NAME", help_heading = "Compilation Options")]
    pub profile: Option<String>,
    /// Compile for the target triple
    #[arg(long, value_name = "TRIPLE", help_heading = "Compilation Options")]
    pub target: Option<String>,
    /// Directory for everything this tool builds [default: `robust` in cargo's target directory]
    #[arg(long, value_name = "DIRECTORY", help_heading = "Compilation Options")]
    pub target_dir: Option<PathBuf>,
    /// The rustup toolchain to compile with [default: the one in force]; `cargo +NAME robust` works, too
    #[arg(long, value_name = "NAME", help_heading = "Compilation Options")]
    pub toolchain: Option<String>,
    /// Number of parallel jobs
    #[arg(
        short = 'j',
        long,
        value_name = "N",
        help_heading = "Compilation Options",
        allow_hyphen_values = true
    )]
    pub jobs: Option<String>,

    /// Assert that `Cargo.lock` will remain unchanged
    #[arg(long, help_heading = "Manifest Options")]
    pub locked: bool,
    /// Run without accessing the network
    #[arg(long, help_heading = "Manifest Options")]
    pub offline: bool,
    /// Equivalent to specifying both --locked and --offline
    #[arg(long, help_heading = "Manifest Options")]
    pub frozen: bool,

    // Not on the command line here: set from this tool's own options of that name.
    #[arg(skip)]
    #[allow(missing_docs)]
    pub quiet: bool,
    #[arg(skip)]
    #[allow(missing_docs)]
    pub color: Option<&'static str>,

    // Not on the command line: whether the compiler's messages are passed on as they are rather than shown by cargo.
    #[arg(skip)]
    #[allow(missing_docs)]
    pub messages: bool,

    // Not on the command line: the executable that cargo runs as the wrapper, one that calls `wrapper::run_as_wrapper`.
    // Ourselves unless set; tests are not, so they name the one that cargo built for them.
    #[arg(skip)]
    #[allow(missing_docs)]
    pub wrapper: Option<PathBuf>,
    // Not on the command line either: other names of items, and the names to use, beside those of the models we ship.
    #[arg(skip)]
    #[allow(missing_docs)]
    pub aliases: Vec<(String, String)>,
    // Nor this: crates that models describe, beside those that the models we ship do. Their own code is not read, unless they are
    // members of the workspace.
    #[arg(skip)]
    #[allow(missing_docs)]
    pub described: Vec<String>,
    /// Paths that the user's models speak of.
    #[arg(skip)]
    pub modelled: Vec<String>,
    // Nor this: compile each crate once for cargo, once for the bodies and once for the names, even if once would do. For tests.
    #[arg(skip)]
    #[allow(missing_docs)]
    pub passes: bool,
}

impl CargoOptions {
    /// The same options for the workspace or package of that `Cargo.toml`.
    #[must_use]
    pub fn of(mut self, manifest: &Path) -> CargoOptions {
        self.manifest.manifest_path = Some(manifest.to_owned());
        self
    }

    /// The arguments for `cargo check`, but for the target directory and the toolchain, which are not passed as given.
    pub(super) fn check_args(&self) -> Vec<OsString> {
        let mut args = Vec::new();
        let mut value = |name: &str, value: OsString| {
            args.push(OsString::from(name));
            args.push(value);
        };
        if let Some(path) = &self.manifest.manifest_path {
            value("--manifest-path", path.into());
        }
        for (name, texts) in [
            ("--package", &self.workspace.package),
            ("--exclude", &self.workspace.exclude),
            ("--bin", &self.bin),
            ("--example", &self.example),
            ("--test", &self.test),
            ("--features", &self.features.features),
        ] {
            for text in texts {
                value(name, text.into());
            }
        }
        if let Some(when) = self.color {
            value("--color", when.into());
        }
        for (name, text) in [("--profile", &self.profile), ("--target", &self.target), ("--jobs", &self.jobs)]
        {
            if let Some(text) = text {
                value(name, text.into());
            }
        }
        for (name, on) in [
            ("--quiet", self.quiet),
            ("--workspace", self.workspace.workspace || self.workspace.all),
            ("--lib", self.lib),
            ("--bins", self.bins),
            ("--examples", self.examples),
            ("--tests", self.tests),
            ("--all-targets", self.all_targets),
            ("--all-features", self.features.all_features),
            ("--no-default-features", self.features.no_default_features),
            ("--release", self.release),
            ("--locked", self.locked),
            ("--offline", self.offline),
            ("--frozen", self.frozen),
        ] {
            if on {
                args.push(name.into());
            }
        }
        args
    }
}
