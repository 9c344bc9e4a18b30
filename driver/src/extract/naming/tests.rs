//! Pass C is the oracle for names.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// Compares with what pass C said of the crates in the store `ROBUST_PRINTS`; their sources are below folders in
/// `ROBUST_SOURCES`. Where there is a file `KEY.expanded`, it is what rustc made of the crate's macros.
#[test]
#[ignore = "needs prints of real crates"]
fn names_are_those_of_pass_c() {
    let store = PathBuf::from(std::env::var_os("ROBUST_PRINTS").expect("a folder"));
    let sources = PathBuf::from(std::env::var_os("ROBUST_SOURCES").expect("a folder"));
    let mut roots: Vec<PathBuf> =
        fs::read_dir(&sources).unwrap().map(|entry| entry.unwrap().path()).collect();
    roots.sort();
    let mut prints: Vec<PathBuf> = fs::read_dir(&store).unwrap().map(|entry| entry.unwrap().path()).collect();
    prints.retain(|path| path.extension().is_some_and(|extension| extension == "mir"));
    prints.sort();
    let (mut told, mut good, mut bad) = (0, 0, 0);
    let mut reasons: BTreeMap<String, String> = BTreeMap::new();
    for path in &prints {
        let key = path.file_stem().unwrap().to_string_lossy().into_owned();
        let print = fs::read_to_string(path).unwrap();
        let Ok(dep_info) = fs::read_to_string(store.join(format!("../../debug/deps/{key}.d"))) else {
            continue;
        };
        let files = source_files(&dep_info);
        let whole = |root: &&PathBuf| {
            let base = root.file_name().unwrap().to_string_lossy().replace('-', "_");
            let name = key.split('-').next().unwrap();
            files.iter().all(|file| root.join(file).is_file())
                && (base.starts_with(name) || name.starts_with("mini"))
        };
        let Some(root) = roots.iter().find(whole) else {
            println!("{key}: no sources");
            continue;
        };
        std::env::set_current_dir(root).unwrap();
        let start = std::time::Instant::now();
        let expanded = fs::read_to_string(path.with_extension("expanded")).ok();
        let bodies = mir_text::announced(&print).expect("headers");
        let by_source = names(&bodies, &files, None);
        match by_source
            .or_else(|reason| expanded.map_or(Err(reason), |text| names(&bodies, &files, Some(&text))))
        {
            Err(reason) => _ = reasons.insert(key, reason),
            Ok(text) => {
                told += 1;
                let took = start.elapsed();
                let listed = fs::read_to_string(path.with_extension("names")).unwrap();
                let listed: Vec<&str> = listed.lines().filter(|line| line.starts_with("fn ")).collect();
                let ours: Vec<&str> = text.lines().collect();
                assert_eq!(ours.len(), listed.len(), "{key}");
                let mut shown = 0;
                for (ours, theirs) in ours.iter().zip(listed) {
                    let ours = mir_text::fn_header(ours).unwrap_or_else(|| panic!("{key}: {ours}"));
                    // What others give out under another name gets the usual one later; impls that macros write have the
                    // lifetimes of the type's declaration.
                    let same =
                        |name: &str| name.replace(" as __Deref>", " as Deref>").replace("<'_>>::", "<'a>>::");
                    let theirs = mir_text::fn_header(theirs).unwrap();
                    let (ours, theirs) = ((same(ours.0), ours.1), (same(theirs.0), theirs.1));
                    if ours == theirs {
                        good += 1;
                        continue;
                    }
                    bad += 1;
                    shown += 1;
                    if shown <= 6 {
                        println!("{key}: {} instead of {}", ours.0, theirs.0);
                    }
                }
                println!("{key}: {took:?}, {shown} other names");
            }
        }
    }
    for (key, reason) in &reasons {
        println!("{key}: {reason}");
    }
    println!("{told} told, {} not; {good} names the same, {bad} others", reasons.len());
    assert!(Path::new(&store).is_dir() && bad == 0);
}

#[test]
fn what_is_derived_in_a_module_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file.to_string_lossy().into_owned()
    };
    let root = write("main.rs", "mod a;\n#[derive(Clone, Debug)]\nstruct S;\n");
    write("a/mod.rs", "pub(crate) mod b;\n");
    write("a/b.rs", "#[derive(\n    std::fmt::Debug,\n)]\nstruct T;\n");
    assert!(!looks_derived(&root));
    write("a/b.rs", "#[derive(Debug, serde::Serialize)]\nstruct T;\n");
    assert!(looks_derived(&root));
}
