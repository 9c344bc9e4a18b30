//! Throwaway.
use robust_analyzer::{check::*, ir::*};
fn main() {
    for f in std::env::args().skip(1) {
        let p = text::parse(&std::fs::read_to_string(&f).unwrap(), &f).unwrap_or_else(|e| panic!("{e}"));
        let n: u32 = std::env::var("EVENTS").ok().and_then(|u| u.parse().ok()).unwrap_or(3);
        let t = std::time::Instant::now();
        let o = check(&p, &Options { events: n, jobs: 1, ..Options::default() });
        println!("{f} {:?} {:?}\n   {:?} {:?}", o.determinism.values().next(), o.serializability, o.statistics, t.elapsed());
    }
}
