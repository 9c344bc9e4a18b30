//! What the tool costs: time in relation to `cargo check` of the same crates, and memory.

pub mod generate;
pub mod measure;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use measure::{Cost, Subject};

/// What to measure, and how often.
#[derive(clap::Args)]
pub struct Args {
    /// The tool, built beforehand
    #[arg(long, default_value = "target/release/cargo-robust")]
    tool: PathBuf,
    /// Where crates are put and built
    #[arg(long, default_value = "target/cost")]
    folder: PathBuf,
    /// Runs of which the median is taken
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Numbers of handlers for the table about scale
    #[arg(long, value_delimiter = ',', default_values_t = [10, 100, 1000, 10_000])]
    handlers: Vec<u32>,
    /// Only subjects whose name has this in it
    filter: Option<String>,
}

/// Prints both tables.
pub fn main(args: &Args) -> ExitCode {
    match tables(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn tables(args: &Args) -> Result<(), String> {
    let tool = std::path::absolute(&args.tool).map_err(|error| error.to_string())?;
    let folder = std::path::absolute(&args.folder).map_err(|error| error.to_string())?;
    let wanted = |name: &str| args.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()));
    println!(
        "Seconds on the clock (of the processor) for `cargo check` with built dependencies; the rest in relation to it.\n"
    );
    println!(
        "{:18} {:>7} {:>15} {:>15} {:>15} {:>15} {:>15} {:>15} {:>8}",
        "",
        "lines",
        "cargo check",
        "after an edit",
        "tool: cold",
        "unchanged",
        "the first edit",
        "the next",
        "MB"
    );
    for subject in subjects(&folder, wanted)? {
        print_costs(&subject, &subject.measure(&tool, args.runs)?);
    }
    println!(
        "\nSeconds by number of handlers, cold; extraction is cargo's part, the rest is the tool's own.\n"
    );
    println!(
        "{:18} {:>11} {:>11} {:>11} {:>11} {:>11} {:>8}",
        "", "cargo check", "extraction", "lowering", "questions", "all", "MB"
    );
    for &handlers in &args.handlers {
        let name = format!("handlers-{handlers}");
        if wanted(&name) {
            let root = folder.join(&name);
            generate::handlers(&root, handlers).map_err(|error| error.to_string())?;
            let (check, cold) = Subject::new(&name, root, "src/lib.rs", "").cold(&tool)?;
            let stages = |names: &[&str]| cold.stages(names);
            println!(
                "{name:18} {:>11.2} {:>11.2} {:>11.2} {:>11.2} {:>11.2} {:>8}",
                check.clock,
                stages(&["prepare", "cargo", "read"]),
                stages(&["lower"]),
                stages(&["translate", "solve", "replay"]),
                cold.cost.clock,
                cold.megabytes
            );
        }
    }
    Ok(())
}

/// What the first table is about.
fn subjects(folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<Subject>, String> {
    let say = |error: std::io::Error| error.to_string();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut subjects, apply) =
        (Vec::new(), "pub(crate) async fn apply(self, db: &Db, dst: &mut Connection) -> crate::Result<()> {");
    if wanted("mini-redis") {
        let root = generate::published(folder, "mini-redis", "0.4.1")?;
        subjects.push(Subject::new("mini-redis", root, "src/cmd/get.rs", apply));
    }
    if wanted("notes") {
        let root = folder.join("notes");
        generate::copy(&here.join("apps/notes"), &root).map_err(say)?;
        subjects.push(Subject::new("notes (axum)", root, "src/limits.rs", "pub fn reset(&self) {"));
    }
    if wanted("workspace") {
        let root = folder.join("workspace");
        generate::workspace(&root, 20, 5000).map_err(say)?;
        subjects.push(Subject::new("workspace", root, "part7/src/lib.rs", "pub fn refresh() {"));
    }
    Ok(subjects)
}

fn print_costs(subject: &Subject, costs: &measure::Costs) {
    let ratio = |cost: Cost| {
        format!("{:.2} ({:.2})", cost.clock / costs.check.clock, cost.processor / costs.check.processor)
    };
    println!(
        "{:18} {:>7} {:>15} {:>15} {:>15} {:>15} {:>15} {:>15} {:>8}",
        subject.name,
        subject.lines(),
        format!("{:.2} ({:.2})", costs.check.clock, costs.check.processor),
        ratio(costs.check_edited),
        ratio(costs.cold.cost),
        ratio(costs.unchanged.cost),
        ratio(costs.edited.cost),
        ratio(costs.edited_again.cost),
        costs.cold.megabytes
    );
}
