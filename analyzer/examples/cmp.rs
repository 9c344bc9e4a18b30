use robust_analyzer::{
    ir::*,
    reach,
    semantics::{
        oracle::{self, Answer, Limits},
        random, *,
    },
    translate::{self, Mutation},
};
use std::time::{Duration, Instant};
fn raw(t: &translate::Translated, unroll: u32, base: &Types) -> bool {
    let mut types = validate(&t.program).unwrap_or_else(|e| panic!("{e:?}\n{}", t.program));
    types.any_int = base.any_int;
    types.width = base.width.max(types.width);
    let run = reach::run(&t.program, &types, t.entry, t.error, unroll);
    match reach::solve(&run.circuit, run.goal, Duration::from_secs(20)) {
        reach::Answer::Reachable(_) => true,
        reach::Answer::Unreachable => false,
        reach::Answer::Unknown(w) => panic!("{w}"),
    }
}
fn main() {
    let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let ev: u32 = std::env::args().nth(2).unwrap().parse().unwrap();
    let seed0: u64 = std::env::args().nth(3).map_or(0, |s| s.parse().unwrap());
    let (mut viol, mut dis, mut big) = (0, 0, 0);
    let (mut to, mut tt) = (Duration::ZERO, Duration::ZERO);
    for seed in seed0..seed0 + n {
        let mut x = seed.wrapping_mul(0x9E3779B97F4A7C15) ^ 0xD1B54A32D192ED03;
        let bytes: Vec<u8> = (0..120)
            .map(|_| {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                (x >> 24) as u8
            })
            .collect();
        let shape = if ev == 0 {
            random::Shape { events: 1, tasks: 3, statements: 4 }
        } else {
            random::Shape { events: 2, tasks: 1, statements: 3 }
        };
        let p = random::program(&bytes, shape);
        let m = match Machine::new(&p) {
            Ok(m) => m,
            Err(e) => panic!("{e:?}\n{p}"),
        };
        let lim = Limits { states: 40_000, tasks: 12 };
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
        let t = if ev == 0 {
            translate::seq(translate::detstr(&p, ProcId(0), Mutation::None))
        } else {
            translate::seq(translate::robstr(&p, ev, Mutation::None))
        };
        let r = raw(&t, 3, &m.types);
        tt += t0.elapsed();
        if o == Answer::Violated {
            viol += 1
        }
        if (o == Answer::Violated) != r {
            dis += 1;
            if dis <= 3 || p.to_string().len() < 600 {
                println!("seed {seed}: oracle {o:?} reduction {r}\n{p}");
            }
        }
    }
    println!(
        "programs {n} violated {viol} too large {big} disagreements {dis} oracle {to:?} reduction {tt:?}"
    );
}
