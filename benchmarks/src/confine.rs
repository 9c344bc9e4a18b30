//! Runs the tool on what runs where it should not (streams, and bugs of the past), and on the repaired twins, and prints what it says
//! by kind.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::corpus::crates;

/// Which tool to run, on what.
#[derive(clap::Args)]
pub struct Args {
    /// The tool, built beforehand
    #[arg(long, default_value = "target/release/cargo-robust")]
    tool: PathBuf,
    /// Only applications whose name has this in it
    filter: Option<String>,
}

/// File and line.
type Place = (String, u64);

/// What is known of the fixtures of an application.
#[derive(serde::Deserialize)]
struct Expected {
    /// By kind, how many there are.
    kinds: BTreeMap<String, usize>,
}

/// Prints the table; fails when the tool does not run, or when marks are not those that are expected.
pub fn main(args: &Args) -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("confine");
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let (mut twins, mut silent) = (0, 0);
    for folder in crates(&root) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if args.filter.as_ref().is_some_and(|filter| !name.contains(filter.as_str())) {
            continue;
        }
        let marked = marks(&folder.join("buggy"));
        let counted = marked.values().fold(BTreeMap::new(), |mut counted: BTreeMap<String, usize>, kind| {
            *counted.entry(kind.clone()).or_default() += 1;
            counted
        });
        let expected = std::fs::read_to_string(folder.join("expect.toml")).unwrap_or_default();
        if toml::from_str::<Expected>(&expected).map(|expected| expected.kinds).ok().as_ref()
            != Some(&counted)
        {
            eprintln!("{name}: marks and expect.toml differ: {counted:?}");
            return ExitCode::FAILURE;
        }
        let Some([buggy, fixed]) = ["buggy", "fixed"]
            .map(|twin| denied(&args.tool, &folder.join(twin), &format!("{name}/{twin}/")))
            .into_iter()
            .collect::<Option<Vec<_>>>()
            .and_then(|both| <[BTreeSet<Place>; 2]>::try_from(both).ok())
        else {
            return ExitCode::FAILURE;
        };
        let found = marked.keys().filter(|place| buggy.contains(place)).count();
        let elsewhere = buggy.iter().filter(|place| !marked.contains_key(place)).count();
        println!(
            "{name:16} {found:2} of {:2} found, {elsewhere} elsewhere; twin: {} finding(s)",
            marked.len(),
            fixed.len()
        );
        for (place, kind) in &marked {
            let (all, right) = kinds.entry(kind.clone()).or_default();
            *all += 1;
            *right += usize::from(buggy.contains(place));
        }
        twins += 1;
        silent += usize::from(fixed.is_empty());
    }
    println!();
    for (kind, (all, right)) in &kinds {
        println!("{kind}: {right} of {all}");
    }
    let all = kinds.values().fold((0, 0), |(all, right), kind| (all + kind.0, right + kind.1));
    println!("found at the marked line: {} of {}; twins silent: {silent} of {twins}", all.1, all.0);
    ExitCode::SUCCESS
}

/// The lines of a crate in this folder of the workspace that do something where it must not be done.
fn denied(tool: &Path, folder: &Path, within: &str) -> Option<BTreeSet<Place>> {
    let output = Command::new(tool)
        .args(["--format", "json", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .output()
        .map_err(|error| eprintln!("{}: {error}", tool.display()))
        .ok()?;
    let Ok(report) = serde_json::from_slice::<serde_json::Value>(&output.stdout) else {
        eprintln!("{}: {}", folder.display(), String::from_utf8_lossy(&output.stderr));
        return None;
    };
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    let confined = findings
        .iter()
        .filter(|finding| finding["level"] == "deny" && finding["property"].get("confinement").is_some());
    let steps = confined.flat_map(|finding| finding["steps"].as_array().cloned().unwrap_or_default());
    let offences = steps.filter(|step| step["role"] == "out-of-place");
    let place = |step: serde_json::Value| {
        let file = step["place"]["file"].as_str()?;
        Some((file.strip_prefix(within).unwrap_or(file).to_owned(), step["place"]["line"].as_u64()?))
    };
    Some(offences.filter_map(place).collect())
}

/// The lines that are marked, with their kinds. A mark says more where it is known that nothing is found.
fn marks(folder: &Path) -> BTreeMap<Place, String> {
    let mut marks = BTreeMap::new();
    for within in ["src", "src/bin"] {
        for file in std::fs::read_dir(folder.join(within)).into_iter().flatten().flatten() {
            let name = format!("{within}/{}", file.file_name().to_string_lossy());
            let text = std::fs::read_to_string(file.path()).unwrap_or_default();
            for (number, line) in (1..).zip(text.lines()) {
                let kind = line.split_once("//~ OFFENCE ").and_then(|(_, said)| said.split(' ').next());
                marks.extend(kind.map(|kind| ((name.clone(), number), kind.to_owned())));
            }
        }
    }
    marks
}
