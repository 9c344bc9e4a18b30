//! Throwaway.
use robust_analyzer::check::{self, Options, Verdict};
use robust_analyzer::ir::*;
use robust_analyzer::semantics::oracle::{self, Answer, Limits};
use robust_analyzer::semantics::{Machine, random};
use std::time::{Duration, Instant};
fn main() {
    let arg = |i: usize| std::env::args().nth(i).map_or(0, |s| s.parse::<u64>().unwrap());
    let (n, ev, seed0, kind) = (arg(1), arg(2) as u32, arg(3), arg(4));
    let (mut viol, mut dis, mut big, mut spur, mut unknown) = (0, 0, 0, 0, 0);
    let (mut to, mut tc) = (Duration::ZERO, Duration::ZERO);
    for seed in seed0..seed0 + n {
        let mut x = seed.wrapping_mul(0x9E3779B97F4A7C15) ^ 0xD1B54A32D192ED03;
        let bytes: Vec<u8> = (0..160)
            .map(|_| {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                (x >> 24) as u8
            })
            .collect();
        let shape = match kind {
            0 => random::Shape { events: 1, tasks: 3, statements: 4 },
            1 => random::Shape { events: 2, tasks: 1, statements: 3 },
            2 => random::Shape { events: 1, tasks: 2, statements: 6 },
            _ => random::Shape { events: 2, tasks: 0, statements: 6 },
        };
        let p = random::program(&bytes, shape);
        let m = Machine::new(&p).unwrap();
        let lim = Limits { states: 60_000, tasks: 12 };
        let t0 = Instant::now();
        let o = if ev == 0 {
            oracle::determinism(&m, ProcId(0), lim)
        } else {
            oracle::serializability(&m, ev, lim)
        };
        to += t0.elapsed();
        if o == Answer::TooLarge {
            big += 1;
            continue;
        }
        let t0 = Instant::now();
        let mut q = p.clone();
        if ev == 0 {
            for e in p.events().skip(1) {
                q.procs[e.index()].kind = ProcKind::Proc;
            }
        }
        let out = check::check(&q, &Options { events: ev.max(1), unroll: 3, ..Options::default() });
        tc += t0.elapsed();
        let v = if ev == 0 { out.determinism["e0"].clone() } else { out.serializability.clone() };
        if o == Answer::Violated {
            viol += 1
        }
        if out.statistics.not_replayed > 0 {
            spur += 1;
        }
        if matches!(v, Verdict::Unknown { .. }) {
            unknown += 1
        }
        if (v == Verdict::Violated) != (o == Answer::Violated) {
            dis += 1;
            println!("seed {seed}: oracle {o:?} check {v:?} not replayed {}", out.statistics.not_replayed);
            if dis < 3 {
                println!("{p}")
            }
        } else if out.statistics.not_replayed > 1 {
            println!("seed {seed}: {o:?} not replayed {} {v:?}", out.statistics.not_replayed);
        }
    }
    println!(
        "programs {n} violated {viol} too large {big} disagreements {dis} unknown {unknown} with spurious {spur} oracle {to:?} check {tc:?}"
    );
}
