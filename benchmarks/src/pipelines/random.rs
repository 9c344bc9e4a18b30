//! Random pipelines, as Rust: each closure notes on which thread it is called.

use fastrand::Rng;

/// Operators in a row, at most.
const LONGEST: usize = 5;
/// Streams within streams.
const DEEPEST: u32 = 2;

/// What all programs begin with.
const HEAD: &str = "\
#![allow(unused)]
use std::convert::Infallible;
use std::time::Duration;

use rxrust::observer::Emitter;
use rxrust::prelude::*;

mod probe;
mod ui;

use probe::probe;
use ui::Ui;

type Stream = SharedBoxedObservable<'static, u32, u32>;

const SHORT: Duration = Duration::from_millis(1);

fn pushed() -> Stream {
    let subject = Shared::subject::<u32, u32>();
    let mut told = subject.clone();
    let tell = move || {
        std::thread::sleep(Duration::from_millis(3));
        told.next(1);
        told.complete();
    };
    std::thread::Builder::new().name(\"thread\".into()).spawn(tell).unwrap();
    subject.box_it()
}
";

/// What notes where it is called.
pub const PROBE: &str = "\
use std::collections::BTreeSet;
use std::sync::Mutex;

static SEEN: Mutex<BTreeSet<(u32, String)>> = Mutex::new(BTreeSet::new());

pub fn probe(line: u32) {
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    SEEN.lock().unwrap_or_else(|error| error.into_inner()).insert((line, name));
}

pub fn print() {
    for (line, name) in SEEN.lock().unwrap_or_else(|error| error.into_inner()).iter() {
        println!(\"{line} {name}\");
    }
}
";

/// A program with so many pipelines, the same for a seed everywhere and always.
pub fn program(seed: u64, pipelines: usize) -> String {
    let mut maker = Maker { rng: Rng::with_seed(seed), out: HEAD.to_owned() };
    for number in 0..pipelines {
        maker.line(&format!("\nfn pipeline{number}() {{\n    let stream: Stream = {{"));
        maker.pipeline(DEEPEST, LONGEST);
        maker.line(".box_it()\n};");
        maker.line("stream\n.on_error(|_| probe(line!()))\n.subscribe(|_| probe(line!()));\n}");
    }
    let calls: String = (0..pipelines).map(|number| format!("    pipeline{number}();\n")).collect();
    maker.line(&format!(
        "fn main() {{\n    let runtime = tokio::runtime::Runtime::new().unwrap();\n    let _entered = runtime.enter();\n{calls}    \
         std::thread::sleep(Duration::from_millis(500));\n    probe::print();\n    std::process::exit(0);\n}}"
    ));
    maker.out
}

struct Maker {
    rng: Rng,
    out: String,
}

impl Maker {
    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn one_of(&mut self, all: &[&'static str]) -> &'static str {
        all[self.rng.usize(0..all.len())]
    }

    fn scheduler(&mut self) -> &'static str {
        self.one_of(&["Ui", "SharedScheduler"])
    }

    fn pipeline(&mut self, depth: u32, longest: usize) {
        self.source();
        for _ in 0..self.rng.usize(0..=longest) {
            self.operator(depth);
        }
    }

    /// Where a stream begins.
    fn source(&mut self) {
        let kinds =
            ["of", "iter", "error", "create", "timer", "timer_with", "interval", "future", "pushed", "defer"];
        let fallible = ".map_err(|_: Infallible| 0u32)";
        match self.one_of(&kinds) {
            "of" => self.line(&format!("Shared::of(1u32){fallible}")),
            "iter" => self.line(&format!("Shared::from_iter(1u32..3){fallible}")),
            "error" => self.line("Shared::throw_err(1u32).map(|_: ()| 1u32)"),
            "create" => {
                let end = self.one_of(&["emitter.complete();", "emitter.error(2);"]);
                self.line("Shared::create(|emitter: &mut dyn Emitter<u32, u32>| {\nprobe(line!());");
                self.line(&format!("emitter.next(1);\n{end}\n}})"));
            }
            "timer" => self.line(&format!("Shared::timer(SHORT).map(|_| 1u32){fallible}")),
            "timer_with" => {
                let scheduler = self.scheduler();
                self.line(&format!("Shared::timer_with(SHORT, {scheduler}).map(|_| 1u32){fallible}"));
            }
            "interval" => self.line(&format!("Shared::interval(SHORT).take(2).map(|_| 1u32){fallible}")),
            "future" => {
                let result = self.one_of(&["Ok::<u32, u32>(1)", "Err::<u32, u32>(1)"]);
                self.line(&format!("Shared::from_future_result(async {{ {result} }})"));
            }
            "defer" => {
                self.line("Shared::defer(|| {\nprobe(line!());\n{");
                self.source();
                self.line(".box_it()\n}\n})");
            }
            _ => self.line("pushed()"),
        }
    }

    fn operator(&mut self, depth: u32) {
        let plain = [
            ".map(|x| { probe(line!()); x + 1 })",
            ".filter(|_| { probe(line!()); true })",
            ".tap(|_| probe(line!()))",
            ".scan(0u32, |sum, x| { probe(line!()); sum + x })",
            ".map_err(|error: u32| { probe(line!()); error })",
            ".on_complete(|| probe(line!()))",
            ".delay(SHORT)",
            ".delay_subscription(SHORT)",
            ".debounce(SHORT)",
            ".last()",
            ".take(1)",
            ".start_with(vec![1u32])",
            ".default_if_empty(3u32)",
            ".box_it()",
            ".buffer_time(SHORT)\n.map(|all: Vec<u32>| { probe(line!()); all.len() as u32 })",
            ".collect::<Vec<u32>>()\n.map(|all: Vec<u32>| { probe(line!()); all.len() as u32 })",
        ];
        let moves = ["observe_on", "subscribe_on", "delay_with"];
        let joins = ["merge", "zip", "sample", "take_until", "with_latest_from", "combine_latest"];
        let within = ["flat_map", "switch_map", "concat_map"];
        match self.rng.u8(0..10) {
            0..=3 => {
                let operator = self.one_of(&plain);
                self.line(operator);
            }
            4..=6 => {
                let (operator, scheduler) = (self.one_of(&moves), self.scheduler());
                let time = if operator == "delay_with" { "SHORT, " } else { "" };
                self.line(&format!(".{operator}({time}{scheduler})"));
            }
            _ if depth == 0 => self.line(".tap(|_| probe(line!()))"),
            7 | 8 => {
                let operator = self.one_of(&joins);
                // Types of streams within streams do not fit otherwise.
                self.line(&format!(".box_it()\n.{operator}({{"));
                self.pipeline(depth - 1, 2);
                self.line(".box_it()\n}");
                let closure = match operator {
                    "combine_latest" => ", |a: u32, b: u32| { probe(line!()); a + b })",
                    "zip" | "with_latest_from" => ")\n.map(|(a, b)| { probe(line!()); a + b })",
                    _ => ")",
                };
                self.line(closure);
            }
            _ => {
                let operator = self.one_of(&within);
                self.line(&format!(".box_it()\n.{operator}(|_| {{\nprobe(line!());"));
                self.pipeline(depth - 1, 2);
                self.line(".box_it()\n})\n.box_it()");
            }
        }
    }
}
