//! Throwaway.
use robust_analyzer::check::{self, Options};
fn main() {
    let f = std::env::args().nth(1).unwrap();
    let p = robust_analyzer::ir::text::parse(&std::fs::read_to_string(&f).unwrap(), &f)
        .unwrap_or_else(|e| panic!("{e}"));
    let t = std::time::Instant::now();
    let o = check::check(&p, &Options::default());
    println!("{:?} {:?} findings {} {:?}", t.elapsed(), o.serializability, o.findings.len(), o.statistics);
}
