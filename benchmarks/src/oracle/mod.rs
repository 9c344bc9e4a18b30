//! Random programs, the reduction and the oracle: how many, how often they agree, how long each takes.

mod shrink;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use robust_analyzer::compare::{Agreement, Comparison, Property, compare};
use robust_analyzer::ir::Program;
use robust_analyzer::semantics::oracle::Limits;
use robust_analyzer::semantics::random::{self, Shape};

/// What to compare, and on how many programs.
#[derive(clap::Args)]
pub struct Args {
    /// Only series whose names contain this text
    #[arg(value_name = "FILTER", default_value = "")]
    filter: String,
    /// Random programs for each property and shape
    #[arg(long, default_value_t = 1000, value_name = "N")]
    programs: u64,
    /// Number of the first program
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
    /// Only serializability with this many event instances; 0 for only determinism
    #[arg(long, value_name = "K")]
    events: Option<u32>,
    /// Greatest number of states to enumerate; programs with more are left out
    #[arg(long, default_value_t = 30_000, value_name = "N")]
    states: usize,
    /// Threads; 0 for one per processor
    #[arg(long, default_value_t = 0, value_name = "N")]
    jobs: usize,
    /// Write programs on which there is no agreement to this folder, made small
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// A property, and what programs it is tried on.
struct Series {
    name: &'static str,
    property: Property,
    shape: Shape,
}

const SERIES: &[Series] = &[
    Series { name: "determinism, many tasks", property: Property::Determinism(1), shape: Shape::WIDE },
    Series { name: "determinism, long tasks", property: Property::Determinism(1), shape: Shape::DEEP },
    Series { name: "determinism, two events", property: Property::Determinism(2), shape: Shape::PAIR },
    Series { name: "determinism, three events", property: Property::Determinism(2), shape: Shape::THREE },
    Series {
        name: "serializability, 2 instances",
        property: Property::Serializability(2),
        shape: Shape::PAIR,
    },
    Series { name: "the same, one event", property: Property::Serializability(2), shape: Shape::SELF },
    Series {
        name: "serializability, 3 instances",
        property: Property::Serializability(3),
        shape: Shape::PAIR,
    },
    Series { name: "the same, three events", property: Property::Serializability(3), shape: Shape::THREE },
];

/// Counts and times of one series.
#[derive(Clone, Copy, Default)]
struct Tally {
    programs: u64,
    violated: u64,
    too_large: u64,
    lost: u64,
    spurious: u64,
    unknown: u64,
    dropped: u64,
    guarded: u64,
    inexact: u64,
    oracle: Duration,
    reduction: Duration,
}

impl Tally {
    fn add(&mut self, comparison: Comparison) {
        self.programs += 1;
        match comparison.agreement {
            Agreement::Violated => self.violated += 1,
            Agreement::Holds => {}
            Agreement::Lost => (self.lost, self.violated) = (self.lost + 1, self.violated + 1),
            Agreement::Spurious => self.spurious += 1,
            Agreement::Dropped => self.dropped += 1,
            Agreement::BehindGuards => self.guarded += 1,
            Agreement::Nondeterministic => {
                (self.inexact, self.violated) = (self.inexact + 1, self.violated + 1)
            }
            Agreement::Unknown => self.unknown += 1,
            // Enumerations that were given up are not compared, in time neither.
            Agreement::TooLarge => {
                self.too_large += 1;
                return;
            }
        }
        self.oracle += comparison.oracle;
        self.reduction += comparison.reduction;
    }

    fn print(&self, name: &str) {
        let ratio = self.oracle.as_secs_f64() / self.reduction.as_secs_f64().max(1e-9);
        println!(
            "{name:30} {:>9} {:>9} {:>9} {:>5} {:>9} {:>8} {:>8} {:>8} {:>8} {:>9.1} {:>10.1} {:>6.2}",
            self.programs,
            self.violated,
            self.too_large,
            self.lost,
            self.spurious,
            self.unknown,
            self.dropped,
            self.guarded,
            self.inexact,
            self.oracle.as_secs_f64(),
            self.reduction.as_secs_f64(),
            ratio,
        );
    }
}

/// Compares, prints the counts, and fails when a violation was lost, or made up.
pub fn main(args: &Args) -> ExitCode {
    let of_size = |s: &&Series| match (args.events, s.property) {
        (None, _) => true,
        (Some(events), Property::Serializability(own)) => events == own,
        (Some(events), Property::Determinism(_)) => events == 0,
    };
    let wanted = |s: &&Series| s.name.contains(&args.filter) && of_size(s);
    let mut series: Vec<&Series> = SERIES.iter().filter(wanted).collect();
    let more;
    if let (Some(events), true) = (args.events, series.is_empty()) {
        let property = Property::Serializability(events);
        more = Series { name: "serializability", property, shape: Shape::PAIR };
        series.push(&more);
    }
    println!(
        "{:30} {:>9} {:>9} {:>9} {:>5} {:>9} {:>8} {:>8} {:>8} {:>8} {:>9} {:>10} {:>6}",
        "",
        "programs",
        "violated",
        "too large",
        "lost",
        "spurious",
        "unknown",
        "dropped",
        "guarded",
        "inexact",
        "oracle s",
        "reduced s",
        "ratio"
    );
    let started = Instant::now();
    let tallies: Vec<Tally> = series
        .iter()
        .map(|s| {
            let tally = run(s, args);
            tally.print(s.name);
            tally
        })
        .collect();
    let sum = |f: fn(&Tally) -> u64| tallies.iter().map(f).sum::<u64>();
    let (lost, spurious, unknown) = (sum(|t| t.lost), sum(|t| t.spurious), sum(|t| t.unknown));
    println!(
        "{} programs, {} violated, {} too large, {} disagreements ({lost} lost, {spurious} spurious), {unknown} unknown, \
         {:.0} s",
        sum(|t| t.programs),
        sum(|t| t.violated),
        sum(|t| t.too_large),
        lost + spurious,
        started.elapsed().as_secs_f64(),
    );
    if lost + spurious == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(series: &Series, args: &Args) -> Tally {
    let jobs = match args.jobs {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
        jobs => jobs,
    };
    let (next, tally) = (AtomicU64::new(args.seed), Mutex::new(Tally::default()));
    let limits = Limits { states: args.states, ..Limits::default() };
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= args.seed.saturating_add(args.programs) {
                return;
            }
            let program = random::program(&random::bytes(seed), series.shape);
            let comparison = compare(&program, series.property, limits);
            let agrees =
                !matches!(comparison.agreement, Agreement::Lost | Agreement::Spurious | Agreement::Unknown);
            if !agrees {
                report(series, args.keep.as_deref(), seed, program, comparison.agreement, limits);
            }
            tally.lock().expect("no thread panics").add(comparison);
        }
    };
    std::thread::scope(|scope| (0..jobs).for_each(|_| drop(scope.spawn(work))));
    tally.into_inner().expect("no thread panics")
}

/// Prints a program on which reduction and oracle do not agree, as small as it gets.
fn report(
    series: &Series,
    keep: Option<&Path>,
    seed: u64,
    program: Program,
    agreement: Agreement,
    limits: Limits,
) {
    let property = series.property;
    let same = |p: &Program| compare(p, property, limits).agreement == agreement;
    let small = shrink::shrink(program, same);
    let text = format!("// {property:?}, {agreement:?}: seed {seed} of \"{}\".\n\n{small}", series.name);
    println!("{text}");
    let kind = match property {
        Property::Determinism(_) => "determinism".to_string(),
        Property::Serializability(n) => format!("serializability-{n}"),
    };
    if let Some(dir) = keep {
        let path = dir.join(format!("{kind}-{}-{seed}.rob", series.shape.statements));
        if let Err(e) = std::fs::create_dir_all(dir).and_then(|()| std::fs::write(&path, text)) {
            complain(path.display(), e);
        }
    }
}

fn complain(what: impl Display, why: impl Display) {
    eprintln!("{what}: {why}");
}
