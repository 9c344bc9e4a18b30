//! Every program below `tests/rob` gets the verdict that its `// expect:` lines ask for, and every finding names lines that
//! they allow; where violations are listed, those are found, and no others.

use std::path::{Path, PathBuf};

use robust_analyzer::check::{self, Options};
use robust_analyzer::expect::Expected;
use robust_analyzer::ir::text;

/// What is not as a file says.
fn differences(path: &Path) -> Result<Vec<String>, String> {
    let source = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let program = text::parse(&source, &name).map_err(|e| e.to_string())?;
    Ok(Expected::read(&source)?.differences(&check::check(&program, &Options::default())))
}

#[test]
fn programs_get_the_expected_verdicts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/rob");
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["paper", "esop17", "levels", "holds", "violated", "regressions"] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else { continue };
        files
            .extend(entries.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "rob")));
    }
    files.sort();
    assert!(files.len() > 40, "the programs are there");
    let wrong: Vec<String> = files
        .iter()
        .flat_map(|file| {
            let wrong = differences(file).unwrap_or_else(|error| vec![error]);
            wrong.into_iter().map(|w| format!("{}: {w}", file.display()))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The expectations tell outcomes apart: what one program comes to is not what another one says.
#[test]
fn expectations_tell_outcomes_apart() {
    let program = |line: &str| format!("// expect: determinism e violated\n{line}\n{TORN_ORDER}");
    let judge = |source: &str| {
        let outcome = check::check(&text::parse(source, "e.rob").expect("it parses"), &Options::default());
        Expected::read(source).expect("something is expected").differences(&outcome)
    };
    assert_eq!(judge(&program("// expect: violation pivot 5 first, root 6 second")), [""; 0]);
    let elsewhere = judge(&program("// expect: violation pivot 5 first, root 7 second"));
    assert_eq!(elsewhere.len(), 2, "one is not found, one is not listed: {elsewhere:?}");
    assert_eq!(judge(&program("// expect: violation pivot 5 second, root 6 second")).len(), 2);
    assert_eq!(judge(&program("// expect: pivot 6")), ["pivot 5"]);
    assert_eq!(judge(&program("// expect: serializability violated")).len(), 1);
    assert!(Expected::read(TORN_ORDER).is_err(), "a file that expects nothing is no test");
    assert!(Expected::read("// expect: some thing unheard of").is_err());
}

const TORN_ORDER: &str = "var x;
event once e on main { async[any] first(); async[any] second(); }
task first on any { write x; }
task second on any { read x; }
";
