//! Gets the sources of published crates: cargo fetches them as dependencies of a generated package, and what it unpacked is
//! copied. What has no library is no dependency to cargo; it is vendored.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Release;

/// A folder with the crate's sources, for each crate, or why there is none; no crate twice. What cannot be depended on together,
/// because what one of them needs another one excludes, is fetched in parts.
pub fn fetch(folder: &Path, crates: &[Release]) -> Vec<Result<PathBuf, String>> {
    match fetch_together(folder, crates) {
        Ok(folders) => folders.into_iter().map(Ok).collect(),
        Err(error) if crates.len() <= 1 => crates.iter().map(|_| Err(error.clone())).collect(),
        Err(_) => {
            let (some, others) = crates.split_at(crates.len() / 2);
            [fetch(folder, some), fetch(folder, others)].concat()
        }
    }
}

fn fetch_together(folder: &Path, crates: &[Release]) -> Result<Vec<PathBuf>, String> {
    let package = folder.join("fetch");
    generate(&package, crates)?;
    let mut unpacked = unpacked(&package)?;
    let is_program = |krate: &&Release| !unpacked.contains_key(&(krate.name.clone(), krate.version.clone()));
    let programs: Vec<Release> = crates.iter().filter(is_program).cloned().collect();
    if !programs.is_empty() {
        let package = folder.join("programs");
        generate(&package, &programs)?;
        let vendored = vendor(&package)?;
        unpacked.extend(programs.iter().map(|Release { name, version, .. }| {
            ((name.clone(), version.clone()), vendored.join(format!("{name}-{version}")))
        }));
    }
    crates
        .iter()
        .map(|Release { name, version, .. }| {
            let from = unpacked
                .get(&(name.clone(), version.clone()))
                .ok_or_else(|| format!("{name} {version}: cargo did not fetch it"))?;
            let to = folder.join(format!("{name}-{version}"));
            if !to.exists() {
                copy(from, &to).map_err(|e| format!("{}: {e}", from.display()))?;
                // A library's lock file is its developers': users get what compiles with today's compiler.
                if !programs.iter().any(|program| program.name == *name && program.version == *version) {
                    let _ = fs::remove_file(to.join("Cargo.lock"));
                }
            }
            Ok(to)
        })
        .collect()
}

/// Writes a package that depends on the crates.
fn generate(package: &Path, crates: &[Release]) -> Result<(), String> {
    let mut manifest = String::from(
        "[package]\nname = \"published\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n",
    );
    for Release { name, version, .. } in crates {
        let _ = writeln!(manifest, "{name} = \"={version}\"");
    }
    write(&package.join("src/lib.rs"), "")?;
    write(&package.join("Cargo.toml"), &manifest)
}

/// A folder with all that the package depends on.
fn vendor(package: &Path) -> Result<PathBuf, String> {
    let to = package.join("vendor");
    let output = Command::new("cargo")
        .args(["vendor", "--versioned-dirs", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .arg(&to)
        .output()
        .map_err(|e| format!("cargo: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(to)
}

/// Where cargo unpacked the packages that the package depends on.
fn unpacked(package: &Path) -> Result<BTreeMap<(String, String), PathBuf>, String> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .args(["--filter-platform", &host()?])
        .output()
        .map_err(|e| format!("cargo: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
    let text = |package: &serde_json::Value, key: &str| package[key].as_str().unwrap_or_default().to_owned();
    let packages = metadata["packages"].as_array().into_iter().flatten();
    Ok(packages
        .filter_map(|package| {
            let manifest = PathBuf::from(text(package, "manifest_path"));
            Some(((text(package, "name"), text(package, "version")), manifest.parent()?.to_owned()))
        })
        .collect())
}

/// The compiler's own target.
fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|e| format!("rustc: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not say for which host it is".to_owned())
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(file, text))
        .map_err(|e| format!("{}: {e}", file.display()))
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?
        } else {
            fs::copy(entry.path(), &target).map(drop)?
        }
    }
    Ok(())
}

/// All Rust files below a folder.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}
