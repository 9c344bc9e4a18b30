//! From a cargo project to MIR as data.
//!
//! [`extract`], or [`Prepared`] and [`Built`] one after the other, runs `cargo check` with this executable as
//! `RUSTC_WRAPPER`. The [`wrapper`] has the MIR of each crate of the workspace, and each that it takes by path, printed as it is
//! compiled; that is read here. The compiler is the user's own, of any version from [`MINIMUM_RUSTC`] on.
//!
//! Two prints make a crate: *pass B* (`-Zunpretty=mir`, or `--emit=mir` of the compilation that cargo asked for, which is the
//! same text) has the bodies, *pass C* (`-Zunpretty=stable-mir`, or what `naming` reads off the source) their names.
//!
//! The seam towards the rest is [`Extraction`]: whoever can produce [`mir::Crate`] another way, through `rustc_public` in
//! process for instance, replaces this module and nothing else.

mod ahead;
mod aliases;
pub(crate) mod cargo;
mod compiled;
pub(crate) mod config;
mod constants;
mod error;
mod hidden;
mod identity;
mod naming;
mod options;
mod progress;
mod read;
mod store;
mod visibility;
pub mod wrapper;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use robust_analyzer::limits::Deadline;
use robust_analyzer::{mir, pool};
use robust_models::Models;
use sha2::{Digest, Sha256};

use crate::inputs::{Aspect, Digests, Input, hex};

pub use error::ExtractError;
pub use options::CargoOptions;
pub use progress::{Progress, Stage};
pub use visibility::LookedAt;

/// The oldest compiler whose MIR this tool reads.
pub const MINIMUM_RUSTC: semver::Version = semver::Version::new(1, 95, 0);

/// The newest version of rustc that the tests run with; the page about platforms says the same.
pub const TESTED_RUSTC: semver::Version = semver::Version::new(1, 95, 0);

/// Of the time that is left behind cargo, so much is for reading.
const READING: f64 = 0.5;

/// Whether a compiler is newer than those that the tests run with: it may print MIR in another way.
pub fn is_untested(rustc: &semver::Version) -> bool {
    (rustc.major, rustc.minor) > (TESTED_RUSTC.major, TESTED_RUSTC.minor)
}

/// What was extracted.
#[derive(Clone, Debug)]
pub struct Extraction {
    /// The crates of the workspace that took part, libraries first, the same order in every run. A crate whose passes
    /// failed is here without bodies, but with the reason in [`mir::Crate::not_analysed`].
    pub crates: Vec<Arc<mir::Crate>>,
    /// The source files that were looked at, for each crate.
    pub sources: Vec<LookedAt>,
    /// Whether there was not time enough to read all of it, for each crate.
    pub late: Vec<bool>,
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
        let crates = self.crates.iter().map(|krate| &**krate);
        crates.flat_map(|krate| krate.not_analysed.iter().map(move |missing| (krate, missing)))
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
    /// The crates' plain compilation, or the one that prints bodies as well, summed up.
    pub plain: Duration,
    /// Pass B, which prints bodies, summed up; nothing where it was not needed.
    pub bodies: Duration,
    /// Pass C, which prints names, or reading them off the source, summed up.
    pub names: Duration,
    /// Reading the prints, on the clock.
    pub parse: Duration,
    /// How many bytes were read.
    pub parsed_bytes: u64,
}

/// Builds the selected crates and returns their MIR.
pub fn extract(options: &CargoOptions, progress: &mut dyn Progress) -> Result<Extraction, ExtractError> {
    Prepared::new(options, progress)?.build(options, Duration::MAX, progress)?.read_all(progress)
}

/// A workspace and a toolchain that were looked at; nothing is compiled yet.
pub struct Prepared {
    project: cargo::Project,
    timings: Timings,
}

impl Prepared {
    /// Looks at workspace and toolchain.
    pub fn new(options: &CargoOptions, progress: &mut dyn Progress) -> Result<Prepared, ExtractError> {
        progress.stage(Stage::Prepare);
        let start = Instant::now();
        let project = cargo::Project::find(options)?;
        Ok(Prepared { project, timings: Timings { prepare: start.elapsed(), ..Timings::default() } })
    }

    /// What cargo says of the workspace.
    pub fn metadata(&self) -> &cargo_metadata::Metadata {
        &self.project.metadata
    }

    /// The directory for everything that is built.
    pub fn target_dir(&self) -> &Path {
        &self.project.target_dir
    }

    /// Builds the selected crates. Behind that, so much time is left for all else.
    pub fn build(
        self,
        options: &CargoOptions,
        left: Duration,
        progress: &mut dyn Progress,
    ) -> Result<Built, ExtractError> {
        let Prepared { project, mut timings } = self;
        progress.stage(Stage::Cargo);
        let start = Instant::now();
        let models = Models::built_in();
        let items = identity::items(options.modelled.iter().map(String::as_str).chain(models.paths()));
        let aliases = options.aliases.iter().cloned().chain(models.aliases());
        let aliases = aliases::Aliases::new(aliases.collect(), items);
        let ahead = ahead::Ahead::default();
        let mut check = || {
            let _end = ahead.until_dropped();
            let checked = project.check(options, progress, &ahead);
            timings.cargo = start.elapsed();
            let deadline = Deadline::of_run(left);
            ahead.limit(deadline.part(READING));
            (checked, deadline)
        };
        let (checked, deadline) = match pool::pool(1) {
            Some(pool) => pool.in_place_scope(|scope| {
                scope.spawn(|_| ahead.work(&project, &aliases));
                check()
            }),
            // Everything is read later.
            None => check(),
        };
        let cargo::Checked { mut units, inputs, .. } = checked?;
        let described = |name: &String| models.is_known_crate(name) || options.described.contains(name);
        units.retain(|unit| unit.member || !described(&unit.name));
        for manifest in units.iter().filter(|unit| !unit.fresh).filter_map(|unit| unit.manifest.as_ref()) {
            timings.plain += Duration::from_millis(manifest.plain_ms);
            timings.bodies += Duration::from_millis(manifest.bodies.ms);
            timings.names += Duration::from_millis(manifest.names.ms);
        }
        let others = OnceLock::new();
        Ok(Built { project, units, inputs, aliases, others, ahead, deadline, timings })
    }
}

/// Crates that were built; what rustc printed of them is not read yet.
pub struct Built {
    project: cargo::Project,
    units: Vec<cargo::Unit>,
    /// What all that is the user's own was built from; none when that cannot be told.
    inputs: Option<Vec<Input>>,
    /// Other names of items, and the names to use.
    aliases: aliases::Aliases,
    /// For each crate, what names of others mean in it; none where that is not known. Found out when it is asked for.
    others: OnceLock<Vec<Option<identity::Pairs>>>,
    /// What was read already.
    ahead: ahead::Ahead,
    deadline: Deadline,
    timings: Timings,
}

/// A crate that was built.
#[derive(Clone, Debug, Default)]
pub struct BuiltCrate {
    /// Its name.
    pub name: String,
    /// Cargo's kind of target: `lib`, `bin`, `lib test`, …
    pub kind: String,
    /// A name that no other crate has: `name-hash`.
    pub key: String,
    /// The keys of the crates that it uses, directly or not; none when that is not known.
    pub uses: Option<BTreeSet<String>>,
}

impl BuiltCrate {
    /// Whether it is made for others to call.
    pub fn is_library(&self) -> bool {
        mir::is_library(&self.kind)
    }
}

impl Built {
    /// The crates, libraries first, the same order in every run.
    pub fn crates(&self) -> Vec<BuiltCrate> {
        let crate_of = |unit: &cargo::Unit| BuiltCrate {
            name: unit.name.clone(),
            kind: unit.kind.clone(),
            key: unit.key.clone(),
            uses: unit.uses.clone(),
        };
        self.units.iter().map(crate_of).collect()
    }

    /// The workspace's root.
    pub fn root(&self) -> &Path {
        &self.project.root
    }

    /// The compiler's version.
    pub fn rustc(&self) -> &semver::Version {
        &self.project.rustc
    }

    /// When all has to be over: the clock stands still while cargo compiles.
    pub fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// Where the time went so far.
    pub fn timings(&self) -> Timings {
        self.timings
    }

    /// What everything was built from, compilers included, but for what cargo reads itself; none when that cannot be told.
    pub fn inputs(&self) -> Option<Vec<Input>> {
        let mut inputs = self.inputs.clone()?;
        let mut compilers = BTreeSet::new();
        for unit in &self.units {
            compilers.insert(unit.manifest.as_ref().filter(|known| known.rustc.is_absolute())?.rustc.clone());
        }
        let mut digests = Digests::default();
        inputs.extend(compilers.into_iter().map(|compiler| digests.input(compiler, Aspect::Program)));
        inputs.extend(self.project.wrapper().map(|wrapper| digests.input(wrapper, Aspect::Content)));
        Some(inputs)
    }

    /// Whether the compilers had nothing to say.
    pub fn is_quiet(&self) -> bool {
        self.units.iter().all(|unit| unit.manifest.as_ref().is_some_and(|manifest| manifest.quiet))
    }

    /// Stands for some crates, all that rustc printed of them, the names it is read with and the compiler: the same again means
    /// the same, but for what is read off the source ([`Extraction::sources`]). None when some crate's passes failed, or it is not known
    /// what names of other crates mean in it.
    pub fn digest(&self, crates: &[usize]) -> Option<String> {
        let mut hash = Sha256::new();
        hash.update(&self.project.rustc_text);
        hash.update(format!("{:?}", self.aliases.pairs()));
        for (unit, others) in crates.iter().map(|&index| (&self.units[index], &self.others()[index])) {
            let printed = unit.manifest.as_ref()?.digest.as_ref()?;
            let cargo::Unit { key, name, kind, package, .. } = unit;
            hash.update(format!("\0{key}\0{name}\0{kind}\0{package}\0{printed}{:?}", others.as_ref()?));
        }
        Some(hex(hash))
    }

    fn others(&self) -> &[Option<identity::Pairs>] {
        self.others.get_or_init(|| {
            let mut all = Vec::new();
            let deadline = self.deadline.part(READING);
            let find = |(): &mut (), unit| {
                read::other_names(&self.project, unit, &self.aliases, &|| deadline.is_over())
            };
            let take = |others| {
                all.push(others);
                ControlFlow::Continue(())
            };
            pool::in_parallel(0, self.units.iter(), || (), find, take);
            all
        })
    }

    /// Reads what rustc printed of all crates; others may call the libraries.
    pub fn read_all(self, progress: &mut dyn Progress) -> Result<Extraction, ExtractError> {
        let all: Vec<_> = self.crates().iter().map(BuiltCrate::is_library).enumerate().collect();
        self.read(&all, progress)
    }

    /// Reads what rustc printed of some crates. Those that come with `true` may be called by others than executables: of them it matters
    /// which functions are public.
    pub fn read(
        self,
        crates: &[(usize, bool)],
        progress: &mut dyn Progress,
    ) -> Result<Extraction, ExtractError> {
        let Built { project, units, aliases, ahead, deadline, mut timings, .. } = self;
        let units: Vec<_> = crates.iter().map(|&(index, called)| (&units[index], called)).collect();
        progress.stage(Stage::Parse);
        let start = Instant::now();
        let read = read::crates(&project, &units, &aliases, &ahead, deadline.part(READING), progress)?;
        timings.parse = start.elapsed();
        timings.parsed_bytes = read.bytes;
        let (root, rustc) = (project.root, project.rustc);
        Ok(Extraction { crates: read.crates, root, rustc, sources: read.sources, late: read.late, timings })
    }
}
