//! The process that runs scenarios.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Code of a place.
#[derive(Clone, Copy, Debug)]
pub struct CodeRange {
    /// Its first address.
    pub low: u64,
    /// The address behind it.
    pub high: u64,
    /// The place's number.
    pub place: u32,
}

/// Calls before, in parallel lanes, and after.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scenario {
    /// One after the other, by one thread.
    pub before: Vec<Call>,
    /// Side by side.
    pub lanes: Vec<Vec<Call>>,
    /// One after the other, by one thread.
    pub after: Vec<Call>,
}

/// A call of an operation, with what its arguments are made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// The operation's number.
    pub op: usize,
    /// What its arguments are made of.
    pub numbers: Vec<u64>,
}

/// A step that a lane has to come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The lane's number.
    pub lane: usize,
    /// The place's number.
    pub place: u32,
}

/// The place of a gate that stands for a lane as a whole.
pub const WHOLE: u32 = u32::MAX;

/// How the lanes are interleaved.
#[derive(Clone, Debug)]
pub enum Strategy {
    /// They come to the gates in this order.
    Gates(Vec<Gate>),
    /// Whole calls, one after the other, each of the lane named.
    Order(Vec<usize>),
    /// At these points the lane named goes on.
    Switches(Vec<(u64, usize)>),
    /// At each point another lane goes on, so many times in a thousand.
    Random {
        /// What chance is made of.
        seed: u64,
        /// How often.
        often: u64,
    },
}

/// What a run is made with, apart from the scenario and the strategy.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Times, random numbers: runs of one noise are alike.
    pub noise: u64,
    /// Whether threads that are no lanes go first.
    pub background_first: bool,
    /// Whether every atomic operation is a point.
    pub every: bool,
    /// What the order of threads that are no lanes is made of; 0: they take turns.
    pub shuffle: u64,
}

impl Default for Setting {
    fn default() -> Setting {
        Setting { noise: 0, background_first: true, every: false, shuffle: 0 }
    }
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum End {
    #[default]
    /// Nobody said.
    Unknown,
    /// All calls ended.
    Done,
    /// Nobody could go on.
    Stuck,
    /// Nobody got any further.
    Livelock,
    /// The object could not be made.
    Unmade,
    /// The process ended by this signal.
    Died(i32),
    /// It was more than is driven.
    Other(String),
}

/// Why a lane did not come to a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It ended before.
    Ended,
    /// It waited for somebody who was held.
    Waits,
    /// It went round in circles while somebody was held.
    Spins,
}

/// A call as it was seen.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The operation's number.
    pub op: usize,
    /// -1 before the lanes, -2 after them.
    pub part: i32,
    /// When it began.
    pub begin: u64,
    /// 0: it did not end.
    pub end: u64,
    /// Its arguments, as they are shown.
    pub arguments: String,
    /// What it returned, as it is shown.
    pub result: String,
}

/// What was seen of a run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// The gate that nobody came to, and why.
    pub diverged: Option<(usize, Why)>,
    /// Atomic operations.
    pub points: u64,
    /// Points of the strategy.
    pub user_points: u64,
    /// How often another lane went on.
    pub switches: u64,
    /// How often a lane had to wait.
    pub blocked: u64,
    /// How often a lane went round in circles.
    pub spun: u64,
    /// Waits of lanes that have an end of their own.
    pub timed: u64,
    /// The calls.
    pub calls: Vec<Seen>,
    /// After the lanes, and after the calls after them.
    pub states: Vec<String>,
    /// Which lane came to which place, in order; and how many calls had begun or ended.
    pub events: Vec<(usize, u32, u64)>,
}

/// A harness that runs.
pub struct Worker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// How many there were.
    pub runs: u64,
    /// Whether the lanes' calls are a whole program, which ends when one of them does.
    pub program: bool,
}

impl Worker {
    /// Starts a harness, in a folder of its own.
    pub fn start(harness: &Path, scheduler: &Path, folder: &Path) -> std::io::Result<Worker> {
        let mut command = Command::new(harness);
        command.env("LD_PRELOAD", scheduler).env("ROBUST_CHANNEL", "1").current_dir(folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // What the terminal sends to a group is not sent to what it starts; it ends when we do.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let missing = || std::io::Error::other("no channel to the harness");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        Ok(Worker { child, input, output, runs: 0, program: false })
    }

    /// Says which code belongs to which place, for the runs to come.
    pub fn places(&mut self, ranges: &[CodeRange]) -> std::io::Result<()> {
        let mut text = "forget\n".to_owned();
        for range in ranges {
            let _ = writeln!(text, "range {} {} {}", range.low, range.high, range.place);
        }
        self.input.write_all(text.as_bytes())
    }

    /// Runs a scenario.
    pub fn run(
        &mut self,
        scenario: &Scenario,
        strategy: &Strategy,
        setting: Setting,
    ) -> std::io::Result<Run> {
        self.runs += 1;
        let mut text = String::new();
        let _ = writeln!(
            text,
            "program {}\nshuffle {}\nnoise {}\nbackground {}\nevery {}\nseed {}",
            u8::from(self.program),
            setting.shuffle,
            setting.noise,
            u8::from(setting.background_first),
            u8::from(setting.every),
            match strategy {
                Strategy::Random { seed, .. } => *seed,
                _ => 1,
            }
        );
        match strategy {
            Strategy::Gates(gates) => {
                text.push_str("gates\n");
                for gate in gates {
                    let _ = writeln!(text, "gate {} {}", gate.lane, gate.place);
                }
            }
            Strategy::Order(order) => {
                let order: Vec<String> = order.iter().map(ToString::to_string).collect();
                let _ = writeln!(text, "order {}", order.join(" "));
            }
            Strategy::Switches(switches) => {
                let all: Vec<String> = switches.iter().map(|(at, lane)| format!("{at} {lane}")).collect();
                let _ = writeln!(text, "switches {}", all.join(" "));
            }
            Strategy::Random { often, .. } => {
                let _ = writeln!(text, "random {often}");
            }
        }
        let mut calls = |part: &str, calls: &[Call]| {
            for call in calls {
                let numbers: Vec<String> = call.numbers.iter().map(ToString::to_string).collect();
                let _ = writeln!(text, "call {part} {} {}", call.op, numbers.join(" "));
            }
        };
        calls("before", &scenario.before);
        for (lane, own) in scenario.lanes.iter().enumerate() {
            calls(&lane.to_string(), own);
        }
        calls("after", &scenario.after);
        text.push_str("run\n");
        self.input.write_all(text.as_bytes())?;
        self.input.flush()?;
        self.answer()
    }

    fn answer(&mut self) -> std::io::Result<Run> {
        let mut run = Run::default();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(std::io::Error::other("the harness ended"));
            }
            let line = line.trim_end_matches('\n');
            if line == "." {
                return Ok(run);
            }
            let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
            let number = |at: usize| {
                rest.split(' ').nth(at).and_then(|word| word.parse::<i64>().ok()).unwrap_or_default()
            };
            match what {
                "end" => run.end = end(rest),
                "died" => run.end = End::Died(number(0) as i32),
                "diverged" => {
                    let why = match rest.split(' ').nth(1) {
                        Some("waits") => Why::Waits,
                        Some("spins") => Why::Spins,
                        _ => Why::Ended,
                    };
                    run.diverged = Some((number(0) as usize, why));
                }
                "count" => {
                    [run.points, run.user_points, run.switches] = [0, 1, 2].map(|at| number(at) as u64);
                    [run.blocked, run.spun, run.timed] = [4, 5, 6].map(|at| number(at) as u64);
                }
                "call" => run.calls.push(Seen {
                    part: number(0) as i32,
                    op: number(1) as usize,
                    begin: number(2) as u64,
                    end: number(3) as u64,
                    ..Seen::default()
                }),
                "args" => run
                    .calls
                    .iter_mut()
                    .next_back()
                    .into_iter()
                    .for_each(|call| call.arguments = unescaped(rest)),
                "result" => run
                    .calls
                    .iter_mut()
                    .next_back()
                    .into_iter()
                    .for_each(|call| call.result = unescaped(rest)),
                "state" => run.states.push(unescaped(rest)),
                "event" => run.events.push((number(0) as usize, number(1) as u32, number(2) as u64)),
                _ => {}
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Whatever it runs ends with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn end(how: &str) -> End {
    match how {
        "done" => End::Done,
        "stuck" => End::Stuck,
        "livelock" => End::Livelock,
        "unmade" => End::Unmade,
        other => End::Other(other.to_owned()),
    }
}

/// A text on one line.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

/// The text again.
pub fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        match (letter, letter == '\\') {
            (_, true) => match rest.next() {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some(other) => out.push(other),
                None => {}
            },
            (letter, false) => out.push(letter),
        }
    }
    out
}
