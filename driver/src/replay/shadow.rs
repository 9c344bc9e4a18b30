//! A copy of the sources in which the harness is: links to the user's files, but for those that have something added at their end.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::harness::ROOT;
use super::source::CrateSource;

/// The copy.
pub struct Shadow {
    /// Stands for the folder of the same name in the user's tree.
    pub folder: PathBuf,
    /// The root file in it.
    pub root_file: PathBuf,
}

/// Which file has the pieces of a module.
pub fn part_file(parts: &Path, module: usize) -> PathBuf {
    match module {
        ROOT => parts.join("root.rs"),
        _ => parts.join(format!("part{module}.rs")),
    }
}

impl Shadow {
    /// Writes the copy of what is below `base`, in which those modules include their parts.
    pub fn write(
        base: &Path,
        folder: &Path,
        parts: &Path,
        source: &CrateSource,
        modules: impl Iterator<Item = usize>,
    ) -> io::Result<Shadow> {
        let mut added: BTreeMap<usize, Vec<(Option<usize>, String)>> = BTreeMap::new();
        let std = if source.no_std { "extern crate std; " } else { "" };
        for module in modules {
            let of = &source.modules[module];
            let text = &source.files[of.file].1;
            let at = of.end.map(|end| offset(text, end.line, end.column));
            let file = part_file(parts, module);
            let own = format!(
                "#[doc(hidden)] #[allow(warnings)] mod __robust_{module} {{ {std}use super::*; include!({file:?}); }}"
            );
            added.entry(of.file).or_default().push((at, own));
        }
        let root = format!(
            "#[doc(hidden)] #[allow(warnings)] pub mod __robust {{ {std}include!({:?}); }} fn main() {{ self::__robust::main() }}",
            part_file(parts, ROOT)
        );
        added.entry(0).or_default().push((None, root));
        let mut changed = BTreeMap::new();
        for (file, mut pieces) in added {
            let (path, text) = &source.files[file];
            let below = path
                .strip_prefix(base)
                .map_err(|_| io::Error::other("a source file is outside of the workspace"))?;
            let mut text = text.clone();
            // From the end on, so that places before stay where they are.
            pieces.sort_by_key(|(at, _)| std::cmp::Reverse(at.unwrap_or(usize::MAX)));
            for (at, own) in pieces {
                match at {
                    Some(at) => text.insert_str(at, &format!(" {own} ")),
                    None => text.push_str(&format!("\n{own}\n")),
                }
            }
            changed.insert(below.to_owned(), text);
        }
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        mirror(base, folder, Path::new(""), &changed)?;
        let root = source.files[0].0.strip_prefix(base).unwrap_or(Path::new(""));
        Ok(Shadow { folder: folder.to_owned(), root_file: folder.join(root) })
    }
}

/// Byte offset of a place in a text.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let rest = &text[before..];
    before + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at)
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
