//! Throwaway.
use robust_analyzer::{
    check::*,
    compare::*,
    ir::*,
    semantics::{oracle::*, *},
};
fn main() {
    for f in std::env::args().skip(1) {
        let p = text::parse(&std::fs::read_to_string(&f).unwrap(), &f).unwrap_or_else(|e| panic!("{e}"));
        let m = Machine::new(&p).unwrap();
        for e in p.events() {
            println!("{f} det {} oracle {:?}", p.proc(e).name, oracle::determinism(&m, e, Limits::default()));
        }
        for n in [2, 3] {
            println!(
                "{f} ser {n} oracle {:?} reduce {}",
                oracle::serializability(&m, n, Limits::default()),
                reduce(&m, Property::Serializability(n), 3, robust_analyzer::translate::Mutation::None)
            );
        }
        let o = check(&p, &Options::default());
        println!("{:?} {:?} {:?}", o.determinism, o.serializability, o.statistics);
    }
}
