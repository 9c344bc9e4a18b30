//! From the store's files to crates.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use robust_analyzer::limits::Deadline;
use robust_analyzer::mir::{self, BodyKind, Crate, NotAnalysed, Origin, Span};
use robust_analyzer::pool;

use super::ahead::Ahead;
use super::aliases::Aliases;
use super::cargo::{Project, Unit};
use super::identity::{self, Pairs, Unresolved};
use super::store::Manifest;
use super::visibility::{self, LookedAt};
use super::{ExtractError, Progress, constants};
use robust_analyzer::mir::text::{self as mir_text, Entry, Print};

/// A crate that was read; what is known from its source alone is not marked yet.
pub(super) struct ReadCrate {
    krate: Crate,
    /// How many bytes rustc had printed.
    bytes: u64,
    /// Whether there was no time for all of it.
    late: bool,
}

/// What was read.
#[derive(Default)]
pub(super) struct Read {
    pub crates: Vec<Arc<Crate>>,
    /// The source files that were looked at, for each crate.
    pub sources: Vec<LookedAt>,
    /// How many bytes rustc had printed.
    pub bytes: u64,
    /// The crates that there was not time enough for.
    pub late: Vec<bool>,
}

/// Reads all units, side by side, as far as there is time; those that others may call get that marked. Some were read `ahead`.
pub(super) fn crates(
    project: &Project,
    units: &[(&Unit, bool)],
    aliases: &Aliases,
    ahead: &Ahead,
    deadline: Deadline,
    progress: &mut dyn Progress,
) -> Result<Read, ExtractError> {
    let work = |(): &mut (), &(unit, called): &(&Unit, bool)| {
        let mut read =
            ahead.take(unit).map_or_else(|| read(project, unit, aliases, &|| deadline.is_over()), Ok)?;
        let first = unit.manifest.as_ref().map_or("", |manifest| &manifest.root_file);
        let sources = visibility::mark(&mut read.krate, (&project.root, first), called);
        mir::complete_captures(&mut read.krate);
        mir::thread_jumps(&mut read.krate);
        Ok((read, sources))
    };
    let mut all = Read::default();
    let mut failed = None;
    let take = |result: Result<(ReadCrate, LookedAt), ExtractError>| {
        match result {
            Ok((ReadCrate { krate, bytes, late }, sources)) => {
                all.late.push(late);
                all.bytes += bytes;
                all.crates.push(Arc::new(krate));
                all.sources.push(sources);
                progress.parsed(&all.crates[all.crates.len() - 1].name, all.crates.len(), units.len());
            }
            Err(error) => failed = Some(error),
        }
        if failed.is_none() && progress.cancelled() {
            failed = Some(ExtractError::Interrupted);
        }
        if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    pool::in_parallel(0, units.iter(), || (), work, take);
    failed.map_or(Ok(all), Err)
}

/// Reads what was printed of a unit, until it is `late`.
pub(super) fn read(
    project: &Project,
    unit: &Unit,
    aliases: &Aliases,
    late: &dyn Fn() -> bool,
) -> Result<ReadCrate, ExtractError> {
    let mut krate = Crate {
        name: unit.name.as_str().into(),
        kind: unit.kind.as_str().into(),
        package: unit.package.as_str().into(),
        rustc: project.rustc_text.as_str().into(),
        bodies: Vec::new(),
        constants: Vec::new(),
        not_analysed: Vec::new(),
        fields: Vec::new(),
        variants: Vec::new(),
        traits: Vec::new(),
        renamed: BTreeSet::new(),
    };
    let whole = |reason: String, detail: Option<String>| NotAnalysed {
        name: format!("crate {}", unit.name),
        reason,
        detail,
        span: Span::default(),
    };
    let Some(manifest) = &unit.manifest else {
        krate.not_analysed.push(whole("the passes left no output".to_owned(), None));
        return Ok(ReadCrate { krate, bytes: 0, late: false });
    };
    let files = project.store.files(&unit.key);
    if let Some(error) = &manifest.bodies.error {
        disk_full(error, project)?;
        krate.not_analysed.push(whole("rustc did not print its MIR".to_owned(), Some(error.clone())));
        return Ok(ReadCrate { krate, bytes: 0, late: false });
    }
    let bodies = text(&files.bodies)?;
    let coroutines = text(&files.coroutines)?;
    let names = if manifest.names.error.is_none() { text(&files.names)? } else { String::new() };
    // Outputs are replaced between the removal of one manifest and the arrival of the next.
    if files.read_manifest().is_none_or(|now| now.digest != manifest.digest) {
        return Err(ExtractError::CompiledMeanwhile(unit.name.clone()));
    }
    let mut size = bodies.len() + coroutines.len();
    let printed = || [Cow::Borrowed(&*bodies), Cow::Borrowed(&*coroutines)];
    let others = identity::other_names(project, &files, manifest, printed, aliases.items(), late);
    let others = others.unwrap_or_else(|Unresolved { names, reason }| {
        let unknown = format!("what {names} names of other crates mean is not known");
        krate.not_analysed.push(whole(unknown, Some(reason)));
        Vec::new()
    });
    let aliases = &aliases.for_crate(&bodies, &used(manifest), others);
    let mut replace = |text| aliases.replace(text, &mut krate.renamed);
    let Print { mut entries, constants } = Print::read(&replace(&bodies), &replace(&coroutines), late);
    krate.constants = constants;
    if let Some(error) = &manifest.names.error {
        disk_full(error, project)?;
        let mut missing =
            whole("rustc did not print names; definition paths stand in for them".to_owned(), None);
        missing.detail = Some(error.clone());
        krate.not_analysed.push(missing);
    } else {
        size += names.len();
        if let Err(missing) =
            mir_text::names::join(&mut entries, &aliases.replace(&names, &mut krate.renamed))
        {
            krate.not_analysed.push(missing);
        }
    }
    let mut unread = 0_usize;
    for entry in entries {
        match entry {
            Entry::Body(mut body) => {
                if body.path.segments.is_empty() {
                    body.path = mir_text::path(&body.def);
                }
                if body.origin == Origin::Transformed && matches!(body.kind, BodyKind::Coroutine { .. }) {
                    krate.not_analysed.push(NotAnalysed {
                        name: body.name.to_string(),
                        reason: "rustc printed this async body only as a state machine, without its points of waiting"
                            .to_owned(),
                        detail: None,
                        span: body.span.clone(),
                    });
                }
                krate.bodies.push(body);
            }
            Entry::Failed(missing) => krate.not_analysed.push(missing),
            Entry::Unread(_) => unread += 1,
        }
    }
    constants::put_in(&mut krate);
    if unread > 0 {
        krate.not_analysed.push(whole(format!("timeout: {unread} of its functions were not read"), None));
    }
    Ok(ReadCrate { krate, bytes: u64::try_from(size).unwrap_or(u64::MAX), late: unread > 0 })
}

/// What names of other crates mean in a unit; none when that is not known.
pub(super) fn other_names(
    project: &Project,
    unit: &Unit,
    aliases: &Aliases,
    late: &dyn Fn() -> bool,
) -> Option<Pairs> {
    let (manifest, files) = (unit.manifest.as_ref()?, project.store.files(&unit.key));
    let printed =
        || [&files.bodies, &files.coroutines].map(|path| Cow::Owned(text(path).unwrap_or_default()));
    identity::other_names(project, &files, manifest, printed, aliases.items(), late).ok()
}

/// A pass that failed for want of room is no property of the crate.
fn disk_full(error: &str, project: &Project) -> Result<(), ExtractError> {
    if error.contains("No space left on device")
        || error.contains("StorageFull")
        || error.contains("os error 28")
    {
        return Err(ExtractError::DiskFull(project.store.folder().into()));
    }
    Ok(())
}

/// A file as text. rustc prints UTF-8; a file name that is not costs some characters, not the crate.
fn text(path: &Path) -> Result<String, ExtractError> {
    let bytes = fs::read(path).map_err(|error| ExtractError::io(path, error))?;
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// The names of the crates that a crate uses, as it calls them.
fn used(manifest: &Manifest) -> BTreeSet<String> {
    let standard = ["std", "core", "alloc"].map(str::to_owned);
    // `--extern` is given a name, maybe behind options and a colon, and a file.
    let named = manifest.linked.iter().filter_map(|arg| Some(arg.split_once('=')?.0));
    let named = named.map(|name| name.rsplit(':').next().unwrap_or(name).to_owned());
    standard.into_iter().chain(named).collect()
}
