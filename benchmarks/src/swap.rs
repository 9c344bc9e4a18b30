//! Published crates whose tests are watched: whether they end as they do unwatched, and whether what was decided before is ever violated.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use crate::published::{Release, fetch};

/// The crates.
const CRATES: [(&str, &str); 3] =
    [("mini-redis", "0.4.1"), ("bore-cli", "0.6.0"), ("tokio-cron-scheduler", "0.15.1")];

/// Where.
#[derive(clap::Args)]
pub struct Args {
    /// The tool, built beforehand
    #[arg(long, default_value = "target/release/cargo-robust")]
    tool: PathBuf,
    /// Where sources are copied to and built
    #[arg(long, default_value = "target/swap")]
    folder: PathBuf,
    /// Only crates whose name has this in it
    filter: Option<String>,
}

/// How tests ended, by name and how; tests of one name are several.
type Ended = BTreeMap<(String, String), usize>;

/// Prints a line for each crate; fails where tests end otherwise, or what was decided was not so.
pub fn main(args: &Args) -> ExitCode {
    crate::exit(all(args))
}

fn all(args: &Args) -> Result<bool, String> {
    let absolute = |path: &Path| std::path::absolute(path).map_err(|error| error.to_string());
    let (tool, folder) = (absolute(&args.tool)?, absolute(&args.folder)?);
    let wanted = |name: &str| args.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()));
    let release = |(name, version): &(&str, &str)| Release {
        name: (*name).to_owned(),
        version: (*version).to_owned(),
        features: Vec::new(),
    };
    let crates: Vec<Release> = CRATES.iter().filter(|(name, _)| wanted(name)).map(release).collect();
    let mut as_without = true;
    for (krate, root) in crates.iter().zip(fetch(&folder, &crates)) {
        let root = root?;
        let mut plain = Command::new("cargo");
        plain.args(["test", "--no-fail-fast", "--target-dir"]).arg(folder.join("plain")).current_dir(&root);
        let plain = output(&mut plain)?;
        let mut watched = Command::new(&tool);
        watched.args(["robust", "monitor", "--quiet", "--all-sites", "--target-dir"]);
        watched.arg(folder.join("watched")).args(["--", "test", "--no-fail-fast"]).current_dir(&root);
        let watched = output(&mut watched)?;
        let (before, after) = (ended(&plain), ended(&watched));
        let said = String::from_utf8_lossy(&watched.stderr).into_owned();
        let about = |what: &str| {
            said.lines().filter(|line| line.starts_with("robust: ") && line.contains(what)).count()
        };
        let refuted = about("it was decided that");
        let passed: usize = before.iter().filter(|((_, how), _)| how == "ok").map(|(_, count)| count).sum();
        println!(
            "{:22} {:8} {} tests, {passed} pass; watched: {}; {refuted} of what was decided refuted",
            krate.name,
            krate.version,
            before.values().sum::<usize>(),
            if before == after { "the same" } else { "others" },
        );
        said.lines().filter(|line| is_told(line)).for_each(|line| println!("  {line}"));
        let keys = before.keys().chain(after.keys());
        let differ = |key: &&(String, String)| before.get(*key) != after.get(*key);
        keys.filter(differ).for_each(|(test, how)| println!("  differs: {test}: {how}"));
        if before.is_empty() {
            println!("  {}", String::from_utf8_lossy(&plain.stderr));
        }
        as_without &= before == after && !before.is_empty() && refuted == 0;
    }
    Ok(as_without)
}

/// Whether a line is of the summary.
fn is_told(line: &str) -> bool {
    line.starts_with("robust: ") && !line.contains(" violated: ")
}

fn output(command: &mut Command) -> Result<Output, String> {
    command.output().map_err(|error| error.to_string())
}

/// How tests ended, in the words of cargo.
fn ended(output: &Output) -> Ended {
    let mut all = Ended::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((test, how)) = line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... ")) else {
            continue;
        };
        *all.entry((test.to_owned(), how.to_owned())).or_default() += 1;
    }
    all
}
