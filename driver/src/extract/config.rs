//! Cargo's configuration files, and what they and the environment say that this tool has to know.
//!
//! `include` is followed: <https://doc.rust-lang.org/cargo/reference/config.html#including-extra-configuration-files>.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// The files in force in a folder, those that have the last word first.
#[derive(Debug, Default)]
pub(crate) struct CargoConfig {
    files: Vec<ConfigFile>,
    /// The folder.
    here: PathBuf,
}

/// A file where cargo looks for configuration. It may be absent.
#[derive(Debug)]
struct ConfigFile {
    path: PathBuf,
    /// The folder that relative names of programs and folders start from.
    base: PathBuf,
    table: Table,
}

impl CargoConfig {
    /// The configuration in force in a folder: of all folders above it, and of cargo's own.
    pub fn read(here: &Path) -> CargoConfig {
        let mut config = CargoConfig { files: Vec::new(), here: here.to_owned() };
        let folders = here.ancestors().map(|folder| folder.join(".cargo"));
        for folder in folders.chain(home("CARGO_HOME", ".cargo")) {
            for name in ["config", "config.toml"] {
                config.add(folder.join(name), folder.parent().unwrap_or(&folder));
            }
        }
        config
    }

    /// The files, those that are not there among them.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| &*file.path)
    }

    /// The wrapper around the compiler that the user asked for.
    pub fn wrapper(&self) -> Option<PathBuf> {
        let named = self.value("RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER", "rustc-wrapper");
        let (name, base) = named.filter(|(name, _)| !name.is_empty())?;
        let is_bare = Path::new(&name).components().count() == 1;
        Some(if is_bare { name.into() } else { base.join(name) })
    }

    /// The target directory that the user asked for.
    pub fn target_dir(&self) -> Option<PathBuf> {
        let (folder, base) = self.value("CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR", "target-dir")?;
        Some(base.join(folder))
    }

    /// What `build.KEY` is, as one of two variables or a file says, with the folder that it starts from.
    fn value(&self, variable: &str, general: &str, key: &str) -> Option<(OsString, &Path)> {
        let said = std::env::var_os(variable).or_else(|| std::env::var_os(general));
        if let Some(said) = said {
            return Some((said, &self.here));
        }
        self.files.iter().find_map(|file| {
            let value = file.table.get("build")?.get(key)?.as_str()?;
            Some((value.into(), &*file.base))
        })
    }

    /// Adds a file, and behind it what it includes: of two included ones, the second has the last word.
    fn add(&mut self, path: PathBuf, base: &Path) {
        if self.files.iter().any(|file| file.path == path) {
            return;
        }
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        // What is no TOML is cargo's to refuse.
        let table: Table = toml::from_str(&text).unwrap_or_default();
        let folder = path.parent().unwrap_or(base).to_owned();
        let included: Vec<PathBuf> = included(&table).map(|name| folder.join(name)).collect();
        self.files.push(ConfigFile { path, base: base.to_owned(), table });
        for path in included.into_iter().rev() {
            let base = path.parent().and_then(Path::parent).unwrap_or(base).to_owned();
            self.add(path, &base);
        }
    }
}

/// The files that a configuration includes.
fn included(table: &Table) -> impl Iterator<Item = &str> {
    let all = match table.get("include") {
        Some(Value::Array(all)) => all.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    all.iter().filter_map(|one| one.as_str().or_else(|| one.get("path")?.as_str()))
}

/// A tool's own folder: the one that a variable names, or the usual one.
pub(crate) fn home(variable: &str, usual: &str) -> Option<PathBuf> {
    match std::env::var_os(variable) {
        Some(folder) => Some(PathBuf::from(folder)),
        None => Some(std::env::home_dir()?.join(usual)),
    }
}

/// Where a program is that is called by this name.
pub(crate) fn program(name: &OsStr) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 {
        return Some(path.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(path)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn included_files_have_less_to_say_than_those_that_include_them() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(
            "a/.cargo/config.toml",
            "include = [\"one.toml\", { path = \"../two.toml\" }]\n[build]\ntarget-dir = \"own\"\n",
        );
        write("a/.cargo/one.toml", "[build]\nrustc-wrapper = \"first\"\n");
        write(
            "a/two.toml",
            "include = \".cargo/config.toml\"\n[build]\nrustc-wrapper = \"./second\"\ntarget-dir = \"other\"\n",
        );
        let config = CargoConfig::read(&folder.path().join("a/b"));
        let file = |key: &str| {
            let found = config.files.iter().find_map(|file| file.table.get("build")?.get(key)?.as_str());
            found.map(str::to_owned)
        };
        assert_eq!(file("target-dir").as_deref(), Some("own"));
        assert_eq!(file("rustc-wrapper").as_deref(), Some("./second"));
        let files: Vec<&Path> = config.files().collect();
        for name in ["a/.cargo/config.toml", "a/.cargo/one.toml", "a/.cargo/../two.toml"] {
            assert!(files.contains(&&*folder.path().join(name)), "{name}: {files:?}");
        }
    }
}
