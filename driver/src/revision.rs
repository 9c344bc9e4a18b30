//! An earlier state of the project, checked out beside it: what `--diff` compares with.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::MetadataCommand;
use miette::Diagnostic;
use thiserror::Error;

use crate::extract::CargoOptions;

/// What git sets for hooks. It names the repository's own index and folder, which are not those of a second work tree.
const HOOK_VARIABLES: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
];

/// A revision of the repository that the project is in.
#[derive(Debug)]
pub struct Revision {
    name: String,
    commit: String,
    repository: PathBuf,
    project: Project,
}

/// A git work tree of its own at a revision; it is removed when the value is dropped.
///
/// It lies in the target directory, always in the same place unless another run is using that one, so that what cargo built
/// there before is of use.
#[derive(Debug)]
pub struct CheckedOut {
    tree: Tree,
    /// The project's manifest in the tree.
    manifest: PathBuf,
    target_dir: PathBuf,
    /// Held while the place is in use.
    _lock: File,
}

/// Where the work tree is, and of which repository.
#[derive(Clone, Debug)]
struct Tree {
    repository: PathBuf,
    folder: PathBuf,
}

/// Why there is nothing to compare with.
#[derive(Debug, Error, Diagnostic)]
pub enum RevisionError {
    /// Git does not run.
    #[error("could not run `git`")]
    #[diagnostic(code(robust::diff), help("`--diff` compares with a git revision: git has to be installed"))]
    NoGit(#[source] io::Error),
    /// There is no repository.
    #[error("`{}` is not in a git repository", .0.display())]
    #[diagnostic(
        code(robust::diff),
        help("`--diff` compares with a git revision; without git, `--baseline FILE` compares with a file")
    )]
    NoRepository(PathBuf),
    /// There is no such revision.
    #[error("there is no git revision `{0}`")]
    #[diagnostic(
        code(robust::diff),
        help(
            "name a branch, tag or commit; a shallow clone has only the newest commits: `git fetch --unshallow`"
        )
    )]
    Unknown(String),
    /// Git did not do what it was asked for.
    #[error("git could not check out `{revision}`: {message}")]
    #[diagnostic(code(robust::diff))]
    CheckOut {
        /// The revision.
        revision: String,
        /// What git said.
        message: String,
    },
    /// The project cannot be located; the analysis itself says why.
    #[error("there is no cargo project to compare")]
    #[diagnostic(code(robust::diff))]
    NoProject,
    /// The place for the work tree cannot be made.
    #[error("cannot write to `{}`", folder.display())]
    #[diagnostic(code(robust::diff), help("choose another directory with `--target-dir DIRECTORY`"))]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl Revision {
    /// Finds the revision of that name.
    ///
    /// # Errors
    /// There is no project, no repository, or no such revision in it.
    pub fn find(name: &str, options: &CargoOptions) -> Result<Revision, RevisionError> {
        let project = Project::find(options)?;
        let folder = project.manifest.parent().unwrap_or(Path::new("/"));
        let repository = match git(folder, ["rev-parse", "--show-toplevel"])? {
            Ok(path) => PathBuf::from(path),
            Err(_) => return Err(RevisionError::NoRepository(folder.into())),
        };
        let repository = repository.canonicalize().unwrap_or(repository);
        let commit = commit(&repository, name)?;
        Ok(Revision { name: name.to_owned(), commit, repository, project })
    }

    /// The name it was asked for by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Checks it out. `started` gets what removes it again, before there is anything to remove: for whoever has to end the
    /// program from elsewhere.
    ///
    /// # Errors
    /// The work tree cannot be made; nothing is left behind then.
    pub fn check_out(
        &self,
        started: impl FnOnce(Box<dyn FnOnce() + Send>),
    ) -> Result<CheckedOut, RevisionError> {
        let project = &self.project;
        let (lock, folder) = place(&project.target_dir)?;
        let manifest = project.manifest.strip_prefix(&self.repository);
        let manifest = folder.join(manifest.unwrap_or(Path::new("Cargo.toml")));
        let tree = Tree { repository: self.repository.clone(), folder };
        let for_others = tree.clone();
        started(Box::new(move || for_others.remove()));
        // What a run left behind that was killed.
        tree.remove();
        let checked_out = CheckedOut { tree, manifest, target_dir: project.target_dir.clone(), _lock: lock };
        checked_out
            .tree
            .fill(&self.commit)?
            .map_err(|message| RevisionError::CheckOut { revision: self.name.clone(), message })?;
        checked_out.tree.add_lock_file(&project.root);
        checked_out.tree.keep_apart(&checked_out.manifest);
        Ok(checked_out)
    }
}

impl CheckedOut {
    /// The options for the same analysis there; `None` when the project was not there yet.
    pub fn options(&self, now: &CargoOptions) -> Option<CargoOptions> {
        self.manifest.is_file().then(|| {
            // Dependencies built for one of the two serve both.
            let target_dir = Some(self.target_dir.clone());
            CargoOptions { target_dir, ..now.clone() }.of(&self.manifest)
        })
    }
}

impl Drop for CheckedOut {
    fn drop(&mut self) {
        self.tree.remove();
    }
}

impl Tree {
    fn fill(&self, commit: &str) -> Result<Result<(), String>, RevisionError> {
        // Hooks are for work trees that somebody works in.
        let args = ["-c", "core.hooksPath=/dev/null", "worktree", "add", "--quiet", "--detach", "--force"];
        let args = args.map(OsStr::new).into_iter().chain([self.folder.as_os_str(), OsStr::new(commit)]);
        Ok(git(&self.repository, args)?.map(drop))
    }

    /// A lock file that git does not know holds for both, so that the same dependencies are compared.
    fn add_lock_file(&self, root: &Path) {
        let Ok(relative) = root.strip_prefix(&self.repository) else { return };
        let there = self.folder.join(relative).join("Cargo.lock");
        if !there.exists() {
            // Without one, cargo makes one.
            let _ = fs::copy(root.join("Cargo.lock"), there);
        }
    }

    /// The tree lies below the project as it is now. A package that had no workspace then must not be taken for a member, gone
    /// astray, of the one it has now.
    fn keep_apart(&self, manifest: &Path) {
        let folders = manifest.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.folder));
        let read = |path: &Path| fs::read_to_string(path).ok()?.parse::<toml::Table>().ok();
        let has_root = folders
            .filter_map(|folder| read(&folder.join("Cargo.toml")))
            .any(|table| table.contains_key("workspace"));
        let names_root = read(manifest).is_none_or(|table| {
            let package = table.get("package").and_then(|package| package.as_table());
            package.is_some_and(|package| package.contains_key("workspace"))
        });
        if !has_root && !names_root {
            // Where this cannot be written, cargo says what is wrong.
            let appended = File::options().append(true).open(manifest);
            let _ = appended.and_then(|mut file| file.write_all(b"\n[workspace]\n"));
        }
    }

    fn remove(&self) {
        if self.folder.exists() {
            let args = ["worktree", "remove", "--force", "--force"].map(OsStr::new);
            let _ = git(&self.repository, args.into_iter().chain([self.folder.as_os_str()]));
            // What git does not know any more, or could not remove.
            let _ = fs::remove_dir_all(&self.folder);
        }
        let _ = git(&self.repository, ["worktree", "prune"]);
    }
}

/// What cargo says about the project as it is now.
#[derive(Debug)]
struct Project {
    manifest: PathBuf,
    root: PathBuf,
    target_dir: PathBuf,
}

impl Project {
    fn find(options: &CargoOptions) -> Result<Project, RevisionError> {
        let manifest = match &options.manifest.manifest_path {
            Some(path) => path.clone(),
            None => {
                let here = std::env::current_dir().map_err(|_| RevisionError::NoProject)?;
                let manifests = here.ancestors().map(|folder| folder.join("Cargo.toml"));
                manifests.into_iter().find(|path| path.is_file()).ok_or(RevisionError::NoProject)?
            }
        };
        let manifest = manifest.canonicalize().map_err(|_| RevisionError::NoProject)?;
        let metadata = MetadataCommand::new().manifest_path(&manifest).no_deps().exec();
        let metadata = metadata.map_err(|_| RevisionError::NoProject)?;
        let root = PathBuf::from(metadata.workspace_root);
        let target_dir = match &options.target_dir {
            Some(path) => std::path::absolute(path).map_err(|_| RevisionError::NoProject)?,
            None => metadata.target_directory.join("robust").into(),
        };
        Ok(Project { manifest, root: root.canonicalize().unwrap_or(root), target_dir })
    }
}

fn commit(repository: &Path, name: &str) -> Result<String, RevisionError> {
    let unknown = || RevisionError::Unknown(name.to_owned());
    if name.starts_with('-') {
        return Err(unknown());
    }
    git(repository, ["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")])?
        .map_err(|_| unknown())
}

/// The first place that no other run uses, and the lock that keeps it so.
fn place(target_dir: &Path) -> Result<(File, PathBuf), RevisionError> {
    let failed = |source| RevisionError::Folder { folder: target_dir.into(), source };
    fs::create_dir_all(target_dir).map_err(failed)?;
    let mut number = 0_u32;
    loop {
        let lock = File::create(target_dir.join(format!("revision-{number}.lock"))).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => return Ok((lock, target_dir.join(format!("revision-{number}")))),
            Err(fs::TryLockError::WouldBlock) => number += 1,
            Err(fs::TryLockError::Error(source)) => return Err(failed(source)),
        }
    }
}

/// Runs git; what it printed, or what it complained about.
fn git<S: AsRef<OsStr>>(
    folder: &Path,
    args: impl IntoIterator<Item = S>,
) -> Result<Result<String, String>, RevisionError> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(args).stdin(Stdio::null());
    for name in HOOK_VARIABLES {
        command.env_remove(name);
    }
    let output = command.output().map_err(RevisionError::NoGit)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    Ok(match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(text(&output.stderr)),
    })
}
