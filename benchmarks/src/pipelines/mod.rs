//! Random pipelines of streams that really run: on which threads their closures are called, and where the tool says that they may be.

mod random;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

/// Which tool to run, on how many.
#[derive(clap::Args)]
pub struct Args {
    /// The tool, built beforehand
    #[arg(long, default_value = "target/release/cargo-robust")]
    tool: PathBuf,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many programs
    #[arg(long, default_value_t = 25)]
    programs: u64,
    /// How many pipelines a program has
    #[arg(long, default_value_t = 40)]
    pipelines: usize,
}

/// By line: places.
type Places = BTreeMap<u32, BTreeSet<String>>;

/// Compares what was seen with what was said; fails when something was seen that was not said.
pub fn main(args: &Args) -> ExitCode {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut closures, mut single, mut seen_places, mut said_places, mut wrong) = (0, 0, 0, 0, 0);
    for seed in args.seed..args.seed + args.programs {
        let source = random::program(seed, args.pipelines);
        let both = write(home, folder.path(), &source)
            .and_then(|()| Some((observed(folder.path())?, said(&args.tool, folder.path())?)));
        let Some((observed, said)) = both else { return ExitCode::FAILURE };
        let nowhere = BTreeSet::new();
        for (line, seen) in &observed {
            // A closure of several lines begins in front of its probe.
            let said = said.get(line).or_else(|| said.get(&(line - 1))).unwrap_or(&nowhere);
            closures += 1;
            seen_places += seen.len();
            said_places += said.len();
            single += usize::from(said.len() == 1);
            if !seen.is_subset(said) {
                wrong += 1;
                let text = source.lines().nth(*line as usize - 1).unwrap_or_default();
                println!("seed {seed}, line {line}: seen on {seen:?}, said to be on {said:?}: {text}");
            }
        }
    }
    println!(
        "{} pipelines: {closures} closures were called, {wrong} of them where they cannot be; {single} have one place\n\
         places: {seen_places} seen, {said_places} said",
        args.programs * args.pipelines as u64
    );
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes the crate.
fn write(home: &Path, folder: &Path, source: &str) -> Option<()> {
    let window = home.join("pipelines/window");
    let manifest = format!(
        "[package]\nname = \"pipelines\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         gtk4 = {{ path = {window:?} }}\nrxrust = \"=1.0.0-rc.6\"\ntokio = {{ version = \"1\", features = [\"rt-multi-thread\", \"time\"] }}\n\n[workspace]\n"
    );
    let ui = std::fs::read_to_string(home.join("confine/ui.rs")).ok()?;
    std::fs::create_dir_all(folder.join("src")).ok()?;
    let files = [
        ("Cargo.toml", manifest.as_str()),
        ("src/main.rs", source),
        ("src/probe.rs", random::PROBE),
        ("src/ui.rs", &ui),
    ];
    files.iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text)).ok()
}

/// Where closures are called when the crate runs.
fn observed(folder: &Path) -> Option<Places> {
    let output = Command::new("cargo").args(["run", "--quiet"]).current_dir(folder).output().ok()?;
    let text = text_of(&output)?;
    let mut places = Places::new();
    for (line, thread) in text.lines().filter_map(|line| line.split_once(' ')) {
        let place = match thread {
            name if name.starts_with("tokio-") => "tokio::worker",
            name => name,
        };
        places.entry(line.parse().ok()?).or_default().insert(place.to_owned());
    }
    Some(places)
}

/// Where the tool says that they may be.
fn said(tool: &Path, folder: &Path) -> Option<Places> {
    let output = Command::new(tool)
        .args(["dump", "--stage", "places", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .output()
        .ok()?;
    let text = text_of(&output)?;
    let mut places = Places::new();
    for line in text.lines().filter(|line| line.contains("{closure#")) {
        // `name (src/main.rs:12:5) on ui, thread: needs(ui)`
        let Some((_, rest)) = line.split_once("(src/main.rs:") else { continue };
        let Some((place, on)) = rest.split_once(") on ") else { continue };
        let on = on.split_once(": ").map_or(on, |(on, _)| on);
        let number = place.split(':').next().and_then(|number| number.parse().ok())?;
        places.entry(number).or_default().extend(on.split(", ").map(str::to_owned));
    }
    Some(places)
}

fn text_of(output: &Output) -> Option<String> {
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    String::from_utf8(output.stdout.clone()).ok()
}
