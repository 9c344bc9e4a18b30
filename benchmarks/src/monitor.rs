//! What watching costs: programs that do little but start tasks, as they are and watched, in turn.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// How often, and where.
#[derive(clap::Args)]
pub struct Args {
    /// The tool, built beforehand
    #[arg(long, default_value = "target/release/cargo-robust")]
    tool: PathBuf,
    /// Where programs are built
    #[arg(long, default_value = "target/monitor")]
    folder: PathBuf,
    /// Runs of each, one as it is and one watched in turn; the median of their ratios is taken
    #[arg(long, default_value_t = 10)]
    runs: usize,
    /// Only workloads whose name has this in it
    filter: Option<String>,
}

/// What is looked at.
#[derive(Clone, Copy)]
enum Quantity {
    /// Time on the clock: the ratio.
    Clock,
    /// Time of the processor: the ratio.
    Processor,
    /// Time of the processor for each of so many events that are watched, in nanoseconds.
    Event(u32),
    /// Memory for each of so many tasks, in bytes.
    Memory(u32),
}

/// What is run, what of it is looked at, and how much of that there may be.
struct Row {
    name: &'static str,
    workload: &'static str,
    quantity: Quantity,
    bound: f64,
    /// What the paper has (RV 2022, Tables 1 and 2), on two phones.
    paper: &'static str,
}

const ROWS: [Row; 6] = [
    Row {
        name: "1 task sleeps 1 s",
        workload: "one",
        quantity: Quantity::Clock,
        bound: 1.005,
        paper: "1.016, 1.005",
    },
    Row {
        name: "1000 tasks sleep 1 s",
        workload: "sleeping",
        quantity: Quantity::Clock,
        bound: 1.05,
        paper: "1.564, 2.445",
    },
    Row {
        name: "1000 tasks work 100 us in ten pieces",
        workload: "working",
        quantity: Quantity::Processor,
        bound: 1.1,
        paper: "",
    },
    Row {
        name: "1000 tasks only yield, 100 times each",
        workload: "yielding",
        quantity: Quantity::Processor,
        bound: 4.0,
        paper: "",
    },
    // Each poll makes a task go on and wait, or end; each task is started and waited for.
    Row {
        name: "an event of these, ns",
        workload: "yielding",
        quantity: Quantity::Event(1000 * (101 * 2 + 2)),
        bound: 250.0,
        paper: "",
    },
    Row {
        name: "one of 100,000 tasks at once, bytes",
        workload: "living",
        quantity: Quantity::Memory(100_000),
        bound: 250.0,
        paper: "",
    },
];

/// What a program says of itself.
#[derive(Clone, Copy)]
struct Measured {
    clock: f64,
    processor: f64,
    memory: f64,
}

/// Prints the table; fails where there is more than there may be.
pub fn main(args: &Args) -> ExitCode {
    crate::exit(table(args))
}

fn table(args: &Args) -> Result<bool, String> {
    let absolute = |path: &Path| std::path::absolute(path).map_err(|error| error.to_string());
    let (tool, folder) = (absolute(&args.tool)?, absolute(&args.folder)?);
    println!("{:38} {:>9} {:>17} {:>7}  the paper's ratios", "", "median", "least to most", "bound");
    let mut within = true;
    let mut known: Vec<(&str, Vec<[Measured; 2]>)> = Vec::new();
    for row in &ROWS {
        if args.filter.as_ref().is_some_and(|filter| !row.name.contains(filter.as_str())) {
            continue;
        }
        let pairs = match known.iter().find(|(workload, _)| *workload == row.workload) {
            Some((_, pairs)) => pairs.clone(),
            None => {
                let pairs = pairs(&tool, &folder, row.workload, args.runs)?;
                known.push((row.workload, pairs.clone()));
                pairs
            }
        };
        let mut values: Vec<f64> = pairs.iter().map(|pair| row.quantity.of(pair)).collect();
        values.sort_by(f64::total_cmp);
        let (Some(least), Some(most)) = (values.first(), values.last()) else { continue };
        let median = values[values.len() / 2];
        within &= median <= row.bound;
        let over = if median <= row.bound { "" } else { "  over" };
        println!(
            "{:38} {median:>9.3} {:>17} {:>7}  {}{over}",
            row.name,
            format!("{least:.3} to {most:.3}"),
            row.bound,
            row.paper
        );
    }
    Ok(within)
}

impl Quantity {
    /// Of a run as it is, and of one that is watched.
    fn of(self, [plain, watched]: &[Measured; 2]) -> f64 {
        match self {
            Quantity::Clock => watched.clock / plain.clock,
            Quantity::Processor => watched.processor / plain.processor,
            Quantity::Event(count) => (watched.processor - plain.processor) / f64::from(count),
            Quantity::Memory(count) => (watched.memory - plain.memory) / f64::from(count),
        }
    }
}

/// Runs a workload as it is and watched, in turn.
fn pairs(tool: &Path, folder: &Path, workload: &str, runs: usize) -> Result<Vec<[Measured; 2]>, String> {
    let plain = || {
        let mut command = Command::new("cargo");
        command.args(["run", "--release", "--quiet", "--target-dir"]).arg(folder.join("plain"));
        command
    };
    let watched = || {
        let mut command = Command::new(tool);
        command.args(["robust", "monitor", "--quiet", "--target-dir"]).arg(folder.join("watched"));
        command.args(["--", "run", "--release", "--quiet"]);
        command
    };
    // What is built, and read for the first time, is not measured.
    measure(plain(), workload)?;
    measure(watched(), workload)?;
    (0..runs).map(|_| Ok([measure(plain(), workload)?, measure(watched(), workload)?])).collect()
}

fn measure(mut command: Command, workload: &str) -> Result<Measured, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("apps/tasks");
    let output = command.args(["--", workload]).current_dir(root).output();
    let output = output.map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match (output.status.success(), &numbers[..]) {
        (true, &[clock, processor, memory]) => Ok(Measured { clock, processor, memory }),
        _ => Err(format!("{workload}: {said}{}", String::from_utf8_lossy(&output.stderr))),
    }
}
