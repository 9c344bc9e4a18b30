// solana-keygen (agave), PR #9292: `grind` asks in one step whether a pattern still wants keys and subtracts in another; two grinders (main is one of them) that find the last wanted key both subtract, the counter wraps to u64::MAX, too many keys are written and the search never ends.
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

struct GrindMatch {
    starts: String,
    count: AtomicU64,
}

struct Grinder {
    matches: Vec<GrindMatch>,
    attempts: AtomicU64,
    found: AtomicU64,
    done: AtomicBool,
}

struct Keypair {
    seed: u64,
}

impl Keypair {
    fn next(state: &mut u64) -> Self {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        Keypair { seed: *state }
    }

    fn pubkey(&self) -> String {
        format!("{:x}", self.seed ^ (self.seed >> 29))
    }
}

fn parse_args(args: impl Iterator<Item = String>) -> Vec<GrindMatch> {
    // every argument is PREFIX:COUNT
    args.filter_map(|arg| {
        let (starts, count) = arg.split_once(':')?;
        let count = count.parse().ok()?;
        Some(GrindMatch { starts: starts.to_string(), count: AtomicU64::new(count) })
    })
    .collect()
}

fn grind(grinder: &Grinder, worker: u64) {
    let mut state = worker.wrapping_mul(0x9e3779b97f4a7c15);
    while !grinder.done.load(Ordering::Relaxed) {
        let attempts = grinder.attempts.fetch_add(1, Ordering::Relaxed);
        if attempts > 0 && attempts % 1_000_000 == 0 {
            println!("searched {} keypairs, {} matches found", attempts, grinder.found.load(Ordering::Relaxed));
        }
        let keypair = Keypair::next(&mut state);
        let pubkey = keypair.pubkey();
        let mut all_found = true;
        for wanted in &grinder.matches {
            if wanted.count.load(Ordering::Relaxed) == 0 { //~
                continue;
            }
            if pubkey.starts_with(&wanted.starts) {
                wanted.count.fetch_sub(1, Ordering::Relaxed); //~
                grinder.found.fetch_add(1, Ordering::Relaxed);
                println!("Wrote keypair to {}.json", pubkey);
            }
            if wanted.count.load(Ordering::Relaxed) > 0 {
                all_found = false;
            }
        }
        if all_found {
            grinder.done.store(true, Ordering::Relaxed);
        }
    }
}

fn main() {
    let grinder = Grinder {
        matches: parse_args(std::env::args().skip(1)),
        attempts: AtomicU64::new(0),
        found: AtomicU64::new(0),
        done: AtomicBool::new(false),
    };
    let threads = thread::available_parallelism().map_or(1, |n| n.get() as u64);
    println!("Searching with {} threads for {} patterns", threads, grinder.matches.len());
    thread::scope(|scope| {
        for worker in 1..threads {
            let grinder = &grinder;
            scope.spawn(move || grind(grinder, worker));
        }
        grind(&grinder, 0);
    });
    println!("{} keypairs written", grinder.found.load(Ordering::Relaxed));
}
