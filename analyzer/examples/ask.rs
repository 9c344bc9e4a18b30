//! Throwaway.
use robust_analyzer::{check::*, filter::Filter, ir::*, semantics::{*, oracle::*}};
fn main() {
    let quiet = std::env::var_os("QUIET").is_some();
    for f in std::env::args().skip(1) {
        let p = match text::parse(&std::fs::read_to_string(&f).unwrap(), &f) { Ok(p) => p, Err(e) => { println!("{f}: PARSE {e}"); continue } };
        let m = Machine::new(&p).unwrap();
        let filter = Filter::new(&m);
        let limits = Limits { states: 2_000_000, ..Limits::default() };
        let w = |v: &Verdict| match v { Verdict::Violated => "Violated", Verdict::Holds{..} => "Holds", _ => "Unknown" };
        let t = std::time::Instant::now();
        let unroll = std::env::var("UNROLL").ok().and_then(|u| u.parse().ok()).unwrap_or(Options::default().unroll);
        let o = check(&p, &Options { unroll, ..Options::default() });
        let took = t.elapsed();
        for e in p.events() {
            let name = &p.proc(e).name;
            let a = format!("{:?}", oracle::determinism(&m, e, limits));
            let v = w(&o.determinism[name]);
            let flag = if a != v && a != "TooLarge" { "  <<<<<" } else { "" };
            if !quiet || !flag.is_empty() { println!("{f} det {name}: oracle {a} check {:?} filter {}{flag}", o.determinism[name], filter.may_be_nondeterministic(e)); }
        }
        for n in [2, 3] {
            let a = format!("{:?}", oracle::serializability(&m, n, limits));
            let b = check(&p, &Options { events: n, ..Options::default() }).serializability;
            let flag = if a != w(&b) && a != "TooLarge" { "  <<<<<" } else { "" };
            if !quiet || !flag.is_empty() { println!("{f} ser {n}: oracle {a} check {b:?}{flag}"); }
        }
        if !quiet { println!("{:?} {took:?}", o.statistics); }
    }
}
