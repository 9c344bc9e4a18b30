//! A copy of the sources in which the harness is: links to the user's files, but for those that have something added at their end.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use robust_runtime::pieces::{ROOT, file_of};
use robust_runtime::tree;

use super::source::CrateSource;

/// The copy.
pub struct Shadow {
    /// Stands for the folder of the same name in the user's tree.
    pub folder: PathBuf,
    /// The root file in it.
    pub root_file: PathBuf,
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
        for module in modules {
            let of = &source.modules[module];
            let text = &source.files[of.file].1;
            let at = of.end.map(|end| offset(text, end.line, end.column));
            let own = tree::module(module, source.no_std, &file_of(parts, module));
            added.entry(of.file).or_default().push((at, own));
        }
        let root = tree::root(source.no_std, &file_of(parts, ROOT));
        added.entry(0).or_default().push((None, root));
        let mut changed = BTreeMap::new();
        for (file, mut pieces) in added {
            let (path, text) = &source.files[file];
            let below = path
                .strip_prefix(base)
                .map_err(|_| io::Error::other("a source file is outside of the workspace"))?;
            // As long as it was: places stay where they are.
            let mut text = if source.program && file == 0 { tree::without_main(text) } else { text.clone() };
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
        tree::copy(base, folder, &changed)?;
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
