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

/// The root file of a program, whose own `main` has another name, as long as this one: places stay where they are. It is looked for
/// where it stands in a formatted file, at the beginning of a line; elsewhere it is not found, and the compiler says that there are two.
pub fn without_main(text: &str) -> String {
    let is_main = |line: &str| {
        let line = line.trim_start_matches("pub ").trim_start_matches("async ");
        line.starts_with("fn main(") || line.starts_with("fn main<")
    };
    let renamed = |line: &str| match is_main(line) {
        true => line.replacen("fn main", &format!("fn {PROGRAM}"), 1),
        false => line.to_owned(),
    };
    text.split_inclusive('\n').map(renamed).collect()
}

/// The name that a program's `main` has in the copy.
pub const PROGRAM: &str = "__mn";

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_its_main_under_another_name() {
        let text = "use a::main;\n#[x::main]\nasync fn main() {\n    fn main() {}\n}\n";
        assert_eq!(without_main(text), text.replace("async fn main", "async fn __mn"));
        assert_eq!(without_main("pub fn main<T>() {}"), "pub fn __mn<T>() {}");
        assert_eq!(without_main("fn mainly() {}"), "fn mainly() {}");
    }
}
