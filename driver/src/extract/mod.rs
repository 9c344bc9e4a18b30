//! From a cargo project to MIR as data.
//!
//! [`extract`] runs `cargo check` with this executable as `RUSTC_WORKSPACE_WRAPPER`. The [`wrapper`] adds two passes to each
//! crate of the workspace, which print its MIR; here the print is read. The compiler is the user's own, of any
//! version from [`MINIMUM_RUSTC`] on.
//!
//! The seam towards the rest is [`Extraction`]: whoever can produce [`mir::Crate`] another way, through `rustc_public` in
//! process for instance, replaces this module and nothing else.

mod aliases;
mod cargo;
mod error;
mod names;
mod options;
mod parse;
mod progress;
mod read;
mod store;
mod visibility;
pub mod wrapper;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use robust_analyzer::mir;
use robust_models::Models;

pub use error::ExtractError;
pub use options::CargoOptions;
pub use progress::{Progress, Stage};

/// The oldest compiler whose MIR this tool reads.
pub const MINIMUM_RUSTC: semver::Version = semver::Version::new(1, 95, 0);

/// What was extracted.
#[derive(Clone, Debug)]
pub struct Extraction {
    /// The crates of the workspace that took part, in the order cargo finished them: dependencies first. A crate whose passes
    /// failed is here without bodies, but with the reason in [`mir::Crate::not_analysed`].
    pub crates: Vec<mir::Crate>,
    /// The workspace's root: relative file names in spans start here.
    pub root: PathBuf,
    /// The compiler's version.
    pub rustc: semver::Version,
    /// Where the time went.
    pub timings: Timings,
}

impl Extraction {
    /// All that could not be read, with the name of its crate.
    pub fn not_analysed(&self) -> impl Iterator<Item = (&mir::Crate, &mir::NotAnalysed)> {
        self.crates.iter().flat_map(|krate| krate.not_analysed.iter().map(move |missing| (krate, missing)))
    }
}

/// Where the time went. Sums over crates count only what this run compiled, not what was fresh; they overlap, since crates
/// and passes run side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// Toolchain and workspace.
    pub prepare: Duration,
    /// All of `cargo check` with the passes, on the clock.
    pub cargo: Duration,
    /// The crates' plain compilation, summed up.
    pub plain: Duration,
    /// Pass B, which prints bodies, summed up.
    pub bodies: Duration,
    /// Pass C, which prints names, summed up.
    pub names: Duration,
    /// Reading the prints, on the clock.
    pub parse: Duration,
    /// How many bytes were read.
    pub parsed_bytes: u64,
}

/// Builds the selected crates and returns their MIR.
pub fn extract(options: &CargoOptions, progress: &mut dyn Progress) -> Result<Extraction, ExtractError> {
    let mut timings = Timings::default();
    progress.stage(Stage::Prepare);
    let start = Instant::now();
    let project = cargo::Project::find(options)?;
    timings.prepare = start.elapsed();

    progress.stage(Stage::Cargo);
    let start = Instant::now();
    let units = project.check(options, progress)?;
    timings.cargo = start.elapsed();
    for manifest in units.iter().filter(|unit| !unit.fresh).filter_map(|unit| unit.manifest.as_ref()) {
        timings.plain += Duration::from_millis(manifest.plain_ms);
        timings.bodies += Duration::from_millis(manifest.bodies.ms);
        timings.names += Duration::from_millis(manifest.names.ms);
    }

    progress.stage(Stage::Parse);
    let start = Instant::now();
    let models = Models::built_in();
    let shipped = models.aliases().map(|(other, name)| (other.to_owned(), name.to_owned()));
    let aliases: Vec<_> = options.aliases.iter().cloned().chain(shipped).collect();
    let (crates, bytes) = read::crates(&project, units, &aliases::Aliases::new(&aliases), progress)?;
    timings.parse = start.elapsed();
    timings.parsed_bytes = bytes;
    Ok(Extraction { crates, root: project.root, rustc: project.rustc, timings })
}
