//! What the tool is made of, as a digest: results are kept under it, so none outlives the code that it came from.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Next to this package while the tool is worked on. Where it is installed from a registry, versions say as much.
const SOURCES: [&str; 7] = [
    "src",
    "../analyzer/src",
    "../models",
    "../monitor/src",
    "../monitor/stand-ins",
    "../runtime/src",
    "../Cargo.lock",
];

fn main() -> io::Result<()> {
    let home = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let sources: Vec<PathBuf> = SOURCES.iter().map(|source| home.join(source)).collect();
    for source in sources.iter().filter(|source| source.exists()) {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=SOURCES_DIGEST={:016x}", digest(&sources)?);
    Ok(())
}

/// Stands for what is in files and folders, and for what they are called: times and places mean nothing.
pub(crate) fn digest(sources: &[PathBuf]) -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    for source in sources.iter().filter(|source| source.exists()) {
        add(source, &mut hasher)?;
    }
    Ok(hasher.finish())
}

fn add(path: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    path.file_name().hash(hasher);
    if !path.is_dir() {
        fs::read(path)?.hash(hasher);
        return Ok(());
    }
    let mut below = fs::read_dir(path)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    below.sort();
    below.len().hash(hasher);
    below.iter().try_for_each(|path| add(path, hasher))
}
