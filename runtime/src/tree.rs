//! A copy of the sources in which the harness is: links to the user's files, but for those that have something added at their end.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What is added to a file that has a module of the harness's in it.
pub fn module(number: usize, no_std: bool, file: &Path) -> String {
    let std = if no_std { "extern crate std; " } else { "" };
    format!(
        "#[doc(hidden)] #[allow(warnings)] mod __robust_{number} {{ {std}use super::*; include!({file:?}); }}"
    )
}

/// What is added to the root file.
pub fn root(no_std: bool, file: &Path) -> String {
    let std = if no_std { "extern crate std; " } else { "" };
    format!(
        "#[doc(hidden)] #[allow(warnings)] pub mod __robust {{ {std}include!({file:?}); }} fn main() {{ self::__robust::main() }}"
    )
}

/// Writes the copy of what is below `base`: files that are changed as they are given, by their path below it.
pub fn copy(base: &Path, folder: &Path, changed: &BTreeMap<PathBuf, String>) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    mirror(base, folder, Path::new(""), changed)
}

fn mirror(base: &Path, to: &Path, below: &Path, changed: &BTreeMap<PathBuf, String>) -> io::Result<()> {
    fs::create_dir_all(to.join(below))?;
    for entry in fs::read_dir(base.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if let Some(text) = changed.get(&path) {
            fs::write(to.join(&path), text)?;
        } else if changed.keys().any(|changed| changed.starts_with(&path)) {
            mirror(base, to, &path, changed)?;
        } else if entry.file_name() != ".git" && entry.file_name() != "target" {
            link(&entry.path(), &to.join(&path))?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
