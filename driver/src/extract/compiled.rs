//! What crates were compiled from, and build scripts were run with, and whether it is still there.
//!
//! Cargo compares times: it takes a source with an older time than the last compilation, another checkout of a package in the same
//! target directory, or a link that leads elsewhere since, for what it compiled. So each compilation of what is the user's
//! own notes which files it read, with a digest of each; what does not fit is compiled again, whatever cargo thinks of it.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cargo_metadata::{Artifact, BuildScript, PackageId, TargetKind};
use serde::{Deserialize, Serialize};

use super::cargo::{Project, package_name};
use super::naming;
use super::store::key_of;
use crate::inputs::{Aspect, Digests, Input};
use crate::whole;

/// What a crate was compiled from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Compiled {
    /// Stands for the compiler, with what the user put around it.
    compiler: String,
    package: Package,
    /// The files. One without a digest may have been another when the compiler read it.
    files: Vec<Input>,
    /// The files without which cargo compiles it again.
    outputs: Vec<PathBuf>,
}

/// Whose crate or build script it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Package {
    pub name: String,
    pub folder: PathBuf,
    /// The root of the workspace it was compiled for.
    pub root: PathBuf,
}

impl Package {
    /// Whether it is a member of another checkout of a project's workspace. To cargo, both are one.
    fn is_of_other_checkout(&self, project: &Project) -> bool {
        let Ok(place) = self.folder.strip_prefix(&self.root) else { return false };
        let here = project.root.join(place);
        let same = |package: &cargo_metadata::Package| {
            *package.name == *self.name
                && package.manifest_path.parent().is_some_and(|folder| folder == *here)
        };
        self.root != project.root && project.metadata.packages.iter().any(same)
    }

    /// Whether what is compiled for the one is what is compiled for the other. The root is where paths are relative to, but for packages
    /// outside of it: two workspaces may have such a one in common.
    fn is_compiled_as(&self, other: &Package) -> bool {
        let is_outside = |package: &Package| !package.folder.starts_with(&package.root);
        (&self.name, &self.folder) == (&other.name, &other.folder)
            && (self.root == other.root || is_outside(self) && is_outside(other))
    }
}

/// What a build script was run with.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Run {
    /// When it ended.
    time: SystemTime,
    package: Package,
    inputs: Vec<Input>,
    /// The file without which cargo runs it again.
    said: PathBuf,
}

impl Run {
    /// Whether what it depends on is there. Of what is too much to be read, cargo's word is taken.
    fn holds(&self, digests: &mut Digests) -> bool {
        self.inputs.iter().all(|input| input.digest.is_none() || digests.hold(input))
    }
}

/// Removes what cargo might take for fresh and was made from something else, so that nothing is compiled with it.
pub(super) fn forget_outdated(project: &Project) -> io::Result<()> {
    let mut digests = Digests::new(project.results());
    for entry in fs::read_dir(project.store.folder())?.flatten() {
        let path = entry.path();
        let read = || fs::read(&path).unwrap_or_default();
        let outdated = match path.extension().and_then(|extension| extension.to_str()) {
            Some("inputs") => serde_json::from_slice(&read()).ok().and_then(|compiled: Compiled| {
                let holds = compiled.files.iter().all(|file| digests.hold(file));
                (!holds || compiled.package.is_of_other_checkout(project)).then_some(compiled.outputs)
            }),
            Some("run") => serde_json::from_slice(&read()).ok().and_then(|run: Run| {
                let holds = run.holds(&mut digests);
                (!holds || run.package.is_of_other_checkout(project)).then_some(vec![run.said])
            }),
            _ => None,
        };
        if let Some(outdated) = outdated {
            outdated.iter().chain([&path]).try_for_each(|file| remove(file))?;
        }
    }
    Ok(())
}

/// Removes a file that may be there.
pub(super) fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

impl Compiled {
    /// What rustc says that it read. `since` is when it began.
    pub fn new(
        compiler: String,
        package: Package,
        outputs: Vec<PathBuf>,
        dep_info: &Path,
        since: SystemTime,
    ) -> io::Result<Compiled> {
        let here = std::env::current_dir()?;
        let listed = fs::read(dep_info)?;
        let listed = String::from_utf8_lossy(&listed);
        let mut digests = Digests::default();
        let files = naming::listed_files(&listed).map(|file| {
            let path = here.join(file);
            let state = digests.state(&path, Aspect::Content);
            let was_read = state.exists && state.unchanged_since(since);
            let digest = state.digest.clone().filter(|_| was_read);
            Input { path, aspect: Aspect::Content, digest }
        });
        Ok(Compiled { compiler, package, files: files.collect(), outputs })
    }
}

/// Looks at what cargo built, and at what it took for built.
pub(super) struct Inspection<'p> {
    project: &'p Project,
    digests: Digests,
    /// When cargo began, as the file system has it.
    start: SystemTime,
    /// Where the user's own packages are.
    packages: HashMap<PackageId, Package>,
    scripts: Vec<BuildScript>,
    /// What everything was made from; none when that cannot be told.
    inputs: Option<Vec<Input>>,
    outdated: Vec<PathBuf>,
    /// What cargo took for built.
    fresh: Vec<PathBuf>,
}

/// What everything was made from, if that can be told, and results that do not belong to what is there now.
pub(super) struct Inspected {
    pub inputs: Option<Vec<Input>>,
    pub outdated: Vec<PathBuf>,
}

impl Inspection<'_> {
    pub fn new(project: &Project) -> io::Result<Inspection<'_>> {
        let scratch = project.store.scratch()?;
        let start = fs::metadata(scratch.path())?.modified()?;
        Ok(Inspection {
            project,
            digests: Digests::new(project.results()),
            start,
            packages: HashMap::new(),
            scripts: Vec::new(),
            inputs: Some(Vec::new()),
            outdated: Vec::new(),
            fresh: Vec::new(),
        })
    }

    /// Looks at a crate of the user's own. Tells whether it fits what is there now.
    pub fn artifact(&mut self, artifact: &Artifact) -> bool {
        let package = Package {
            name: package_name(&artifact.package_id, &artifact.target.name),
            folder: artifact.manifest_path.parent().map(Into::into).unwrap_or_default(),
            root: self.project.root.clone(),
        };
        if self.packages.insert(artifact.package_id.clone(), package.clone()).is_none() {
            self.package(&package.folder);
        }
        let key = artifact_key(artifact);
        let compiled = key.and_then(|key| self.project.store.files(&key).read_compiled());
        let fits = !artifact.fresh || compiled.as_ref().is_some_and(|compiled| self.fits(compiled, &package));
        self.note(compiled.map(|compiled| compiled.files));
        match (fits, artifact.fresh) {
            (false, _) => self.outdated.extend(outputs(artifact)),
            (true, true) => self.fresh.extend(outputs(artifact)),
            (true, false) => {}
        }
        fits
    }

    /// Looks at a package: elsewhere than in the workspace it has files that nobody else looks at.
    fn package(&mut self, package: &Path) {
        if package.starts_with(&self.project.root) {
            return;
        }
        // Settings may come from a workspace that it belongs to.
        let manifests = package.ancestors().map(|folder| (folder.join("Cargo.toml"), Aspect::Content));
        let all: Vec<_> = manifests.chain([(package.to_owned(), Aspect::Names)]).collect();
        let left_alone = |digests: &mut Digests, path: PathBuf, aspect| {
            let then = digests.state(&path, aspect).unchanged_since(self.start);
            then.then(|| digests.input(path, aspect))
        };
        let inputs = all.into_iter().map(|(path, aspect)| left_alone(&mut self.digests, path, aspect));
        let inputs = inputs.collect();
        self.note(inputs);
    }

    /// Notes that a build script of the user's own was run, now or before.
    pub fn script(&mut self, script: BuildScript) {
        self.scripts.push(script);
    }

    /// What came out. Where cargo `failed`, that may be because somebody else found outdated, and removed, what cargo had taken for built:
    /// another run in the same target directory.
    pub fn finish(mut self, failed: bool) -> Inspected {
        if failed {
            self.outdated.extend(std::mem::take(&mut self.fresh).into_iter().filter(|file| !file.exists()));
        }
        for script in std::mem::take(&mut self.scripts) {
            if let Some(package) = self.packages.get(&script.package_id).cloned() {
                self.run(script.out_dir.as_std_path(), package);
            }
        }
        Inspected { inputs: self.inputs, outdated: self.outdated }
    }

    fn fits(&mut self, compiled: &Compiled, package: &Package) -> bool {
        compiled.package.is_compiled_as(package)
            && compiled.compiler == self.project.compiler
            && compiled.files.iter().all(|file| self.digests.hold(file))
    }

    fn note(&mut self, inputs: Option<Vec<Input>>) {
        let inputs = inputs.filter(|inputs| inputs.iter().all(|input| input.digest.is_some()));
        match (&mut self.inputs, inputs) {
            (Some(all), Some(inputs)) => all.extend(inputs),
            (all, _) => *all = None,
        }
    }

    /// Looks at a run of a build script, by what it left beside its folder for outputs.
    fn run(&mut self, out_dir: &Path, package: Package) {
        let Some(folder) = out_dir.parent() else { return self.note(None) };
        let said = folder.join("output");
        let time = fs::metadata(&said).and_then(|data| data.modified());
        let (Ok(text), Ok(time)) = (fs::read(&said), time) else { return self.note(None) };
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let file = self.project.store.folder().join(format!("{name}.run"));
        let known: Option<Run> = fs::read(&file).ok().and_then(|run| serde_json::from_slice(&run).ok());
        match known {
            Some(run) if run.time == time => {
                if run.package != package || !run.holds(&mut self.digests) {
                    self.outdated.push(said);
                }
                self.note(Some(run.inputs));
            }
            _ if time < self.start => {
                self.outdated.push(said);
                self.note(None);
            }
            _ => {
                let inputs = script_inputs(&String::from_utf8_lossy(&text), &package.folder);
                let inputs: Vec<Input> =
                    inputs.into_iter().map(|(path, aspect)| self.digests.input(path, aspect)).collect();
                // What is not there is a way to say that the script is to be run each time.
                let left_alone = |input: &Input| {
                    let state = self.digests.state(&input.path, input.aspect);
                    state.exists && state.unchanged_since(self.start)
                };
                let sure = inputs.iter().all(left_alone);
                let run = Run { time, package, inputs, said };
                let written = serde_json::to_string(&run).is_ok_and(|run| whole::write(&file, &run).is_ok());
                self.note((sure && written).then_some(run.inputs));
            }
        }
    }
}

/// The name under which the wrapper noted what an artifact was compiled from.
fn artifact_key(artifact: &Artifact) -> Option<String> {
    let file = artifact.filenames.first()?.as_std_path();
    if !artifact.target.kind.contains(&TargetKind::CustomBuild) {
        return key_of(file);
    }
    // `build/package-0123456789abcdef/build-script-build`
    let folder = file.parent()?.file_name()?.to_str()?;
    let (_, hash) = folder.rsplit_once('-')?;
    Some(format!("{}-{hash}", artifact.target.name.replace('-', "_")))
}

/// The files without which cargo makes an artifact again.
fn outputs(artifact: &Artifact) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = artifact.filenames.iter().map(|file| file.clone().into()).collect();
    if artifact.target.kind.contains(&TargetKind::CustomBuild) {
        let folder = files.first().and_then(|file| file.parent()).map(Path::to_owned);
        let named = folder.zip(artifact_key(artifact)).map(|(folder, key)| folder.join(key));
        let named = named.map(|file| file.with_extension(std::env::consts::EXE_EXTENSION));
        files.extend(named);
    }
    files
}

/// What a build script depends on: what it says, or else all of its package.
fn script_inputs(said: &str, package: &Path) -> Vec<(PathBuf, Aspect)> {
    let lines =
        || said.lines().filter_map(|line| line.strip_prefix("cargo::").or(line.strip_prefix("cargo:")));
    if !lines().any(|line| line.starts_with("rerun-if-")) {
        return vec![(package.to_owned(), Aspect::Package)];
    }
    let named = lines().filter_map(|line| line.strip_prefix("rerun-if-changed="));
    named.map(|path| (package.join(path.trim()), Aspect::Content)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_script_says_what_it_depends_on() {
        let package = Path::new("/p");
        let inputs = |said: &str| script_inputs(said, package);
        assert_eq!(inputs("cargo:rustc-cfg=a\n"), [("/p".into(), Aspect::Package)]);
        assert_eq!(inputs("cargo::rerun-if-env-changed=A\n"), []);
        let named = inputs("cargo::rerun-if-changed=a.txt\ncargo:rerun-if-changed=/b\nother\n");
        assert_eq!(named, [("/p/a.txt".into(), Aspect::Content), ("/b".into(), Aspect::Content)]);
    }
}
