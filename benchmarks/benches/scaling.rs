//! How the check scales, and against what: `cargo bench -p robust-benchmarks`. All numbers of a table are from one run.

mod peers;
mod plain;
mod programs;

use std::path::Path;
use std::time::{Duration, Instant};

use robust_analyzer::check::{self, Options, Outcome, Verdict};
use robust_analyzer::ir::{Program, text};
use robust_analyzer::semantics::Machine;
use robust_analyzer::semantics::oracle::{self, Answer, Limits};

/// For what is compared with: more states than this are not enumerated.
const STATES: usize = 400_000;
/// Interleavings are counted when there are no more states than this.
const COUNTED: usize = 1_000_000;

fn main() {
    // Whoever runs the tests does not want this.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    growth();
    comparison();
    stages();
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let result = run();
    (result, started.elapsed())
}

fn parse(source: &str) -> Program {
    text::parse(source, "generated.rob").unwrap_or_else(|e| panic!("{e}"))
}

fn checked(program: &Program) -> (Outcome, Duration) {
    timed(|| {
        check::check(program, &Options { jobs: 1, timeout: Duration::from_secs(60), ..Options::default() })
    })
}

/// The worst of all verdicts.
fn word(outcome: &Outcome) -> &'static str {
    let verdicts = || outcome.determinism.values().chain([&outcome.serializability]);
    if verdicts().any(|v| *v == Verdict::Violated) {
        "violated"
    } else if verdicts().any(|v| matches!(v, Verdict::Unknown { .. })) {
        "unknown"
    } else if verdicts().all(|v| *v == Verdict::Holds { bound: None }) {
        "proved"
    } else {
        "holds"
    }
}

fn growth() {
    println!("Growth. One event that starts N tasks; M events with two tasks each.");
    println!(
        "{:32} {:>6} {:>9} {:>9} {:>9} {:>8} {:>10}",
        "", "size", "verdict", "questions", "filtered", "s", "times"
    );
    for (name, make, sizes) in programs::FAMILIES {
        let mut last: Option<Duration> = None;
        for &size in *sizes {
            let (outcome, time) = checked(&parse(&make(size)));
            let times =
                last.map_or(String::new(), |l| format!("{:.1}", time.as_secs_f64() / l.as_secs_f64()));
            let s = outcome.statistics;
            println!(
                "{name:32} {size:>6} {:>9} {:>9} {:>9} {:>8.3} {times:>10}",
                word(&outcome),
                s.questions,
                s.filtered,
                time.as_secs_f64()
            );
            last = Some(time);
        }
    }
    println!("Greatest memory so far: {}\n", memory());
}

/// What the process needed at most, as Linux tells it.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.map_or("unknown".into(), |l| l.trim().to_string())
}

fn comparison() {
    println!(
        "The same scenarios by enumeration, and equivalent Rust programs by loom and shuttle (at most a minute each)."
    );
    println!(
        "{:7} {:>9} {:>9} {:>12} {:>9} {:>13} {:>10} {:>11} {:>13} {:>12}",
        "",
        "verdict",
        "check ms",
        "hashed ms",
        "runs",
        "plain ms",
        "loom ms",
        "shuttle ms",
        "hashed/check",
        "plain/check"
    );
    for guarded in [true, false] {
        let (mut loom, mut shuttle) = (peers::Tool::default(), peers::Tool::default());
        let mut plain_given_up = false;
        let mut ms_per_run = 0.0;
        for (events, tasks) in [(1, 1), (2, 1), (2, 2), (2, 3), (3, 3)] {
            let program = parse(&programs::scenario(events, tasks, guarded));
            // The first check in a process also pays for what every later one finds done.
            checked(&program);
            let (outcome, time) = checked(&program);
            let (answer, enumerated) = timed(|| enumerate(&program, events as u32));
            let mark = if answer == Answer::TooLarge { ">" } else { "" };
            let ms = |d: Duration| d.as_secs_f64() * 1000.0;
            let machine = Machine::new(&program).expect("generated programs are valid");
            let runs = plain::count(&machine, COUNTED);
            let plain = (!plain_given_up).then(|| plain::explore(&machine, peers::MOST));
            if let Some(plain) = plain {
                plain_given_up |= !plain.complete;
                ms_per_run = ms(plain.time) / plain.runs as f64;
            }
            let (mark_plain, ms_plain) = match plain {
                Some(plain) if plain.complete => ("", Some(ms(plain.time))),
                _ => ("~", runs.map(|runs| ms_per_run * runs)),
            };
            let shown = |number: Option<f64>| number.map_or("-".to_owned(), |number| format!("{number:.2e}"));
            println!(
                "{:7} {:>9} {:>9.2} {:>12} {:>9} {:>13} {:>10} {:>11} {:>13} {:>12}",
                format!("{events} x {tasks}"),
                word(&outcome),
                ms(time),
                format!("{mark}{:.1}", ms(enumerated)),
                shown(runs),
                format!("{mark_plain}{}", shown(ms_plain)),
                peers::loom(&mut loom, events, tasks, guarded),
                peers::shuttle(&mut shuttle, events, tasks, guarded),
                format!("{mark}{:.1}", ms(enumerated) / ms(time)),
                format!("{mark_plain}{}", shown(ms_plain.map(|plain| plain / ms(time)))),
            );
        }
    }
    println!(
        "hashed: every state once; plain: every interleaving, without the conflicts looked at; runs: how many there are. `>`: given up, \
         after {STATES} states or {} s; `~`: so many runs at the pace of those that were done in that time; `-`: not tried or not counted.\n",
        peers::MOST.as_secs()
    );
}

/// Determinism of all events, and serializability of so many instances.
fn enumerate(program: &Program, instances: u32) -> Answer {
    let machine = Machine::new(program).expect("generated programs are valid");
    let limits = Limits { states: STATES, tasks: 32, ..Limits::default() };
    let answers = program.events().map(|e| oracle::determinism(&machine, e, 0, limits));
    let all = answers.chain([oracle::serializability(&machine, instances.max(2), limits)]);
    let rank = |a: &Answer| match a {
        Answer::Violated => 2,
        Answer::TooLarge => 1,
        Answer::Holds => 0,
    };
    all.max_by_key(rank).expect("there is an answer")
}

fn stages() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/rob");
    let (mut parse_time, mut all) = (Duration::ZERO, Duration::ZERO);
    let (mut translate, mut solve, mut replay, mut programs) = (0, 0, 0, 0);
    let (mut questions, mut filtered, mut proved) = (0, 0, 0);
    for folder in ["esop17", "features", "holds", "paper", "violated"] {
        for entry in std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
            if entry.path().extension().is_none_or(|e| e != "rob") {
                continue;
            }
            let Ok(source) = std::fs::read_to_string(entry.path()) else { continue };
            let (program, time) = timed(|| parse(&source));
            parse_time += time;
            let (outcome, time) = checked(&program);
            all += time;
            let s = outcome.statistics;
            (translate, solve, replay) =
                (translate + s.translate_ms, solve + s.solve_ms, replay + s.replay_ms);
            (questions, filtered, proved) =
                (questions + s.questions, filtered + s.filtered, proved + s.proved);
            programs += 1;
        }
    }
    let share = |ms: f64| 100.0 * ms / (all + parse_time).as_secs_f64() / 1000.0;
    println!("Stages, over the {programs} programs of tests/rob, {:.1} s in all.", all.as_secs_f64());
    println!("{:>10} {:>10} {:>20} {:>10}", "parse", "translate", "circuit and solver", "replay");
    println!(
        "{:>9.1}% {:>9.1}% {:>19.1}% {:>9.1}%",
        share(parse_time.as_secs_f64() * 1000.0),
        share(translate as f64),
        share(solve as f64),
        share(replay as f64)
    );
    println!("{questions} questions: {filtered} answered by the filter, {proved} proved by the solver.");
}
