//! Throwaway.
use robust_analyzer::{ir::*, reach::{self, *, circuit::Node}, semantics::Machine, translate::*};
use z3::ast::Bool;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let p = text::parse(&std::fs::read_to_string(&args[1]).unwrap(), "f").unwrap_or_else(|e| panic!("{e}"));
    let m = Machine::new(&p).unwrap();
    let t = std::time::Instant::now();
    let tr = if args[2] == "det" { detseq(&m.program, p.events().next().unwrap(), Precision::Coarse) } else { robseq(&m.program, args[2].parse().unwrap(), Precision::Coarse) };
    let types = tr.types(&m.types).unwrap();
    eprintln!("translated {:?}", t.elapsed());
    let run = reach::run(&tr.program, &types, tr.entry, tr.error, Bounds { unroll: 2, nodes: usize::MAX });
    let goal = *run.goals.last().unwrap();
    eprintln!("nodes {} {:?}", run.circuit.nodes().len(), t.elapsed());
    let nodes = run.circuit.nodes();
    let mut needed = vec![false; nodes.len()];
    needed[goal.node()] = true;
    for n in (0..nodes.len()).rev() { if let (true, Node::And(a, b)) = (needed[n], nodes[n]) { needed[a.node()] = true; needed[b.node()] = true; } }
    eprintln!("in the cone {}", needed.iter().filter(|n| **n).count());
    let t = std::time::Instant::now();
    if args[3] == "cnf" {
        let v = |l: Lit| if l.is_negated() { -(l.node() as i64 + 1) } else { l.node() as i64 + 1 };
        let mut out = String::new(); let mut k = 2;
        out += &format!("1 0\n{} 0\n", v(goal));
        for n in 0..nodes.len() { if needed[n] { if let Node::And(a, b) = nodes[n] { let o = n as i64 + 1; k += 3; out += &format!("-{o} {} 0\n-{o} {} 0\n{o} {} {} 0\n", v(a), v(b), -v(a), -v(b)); } } }
        std::fs::write(&args[4], format!("p cnf {} {k}\n{out}", nodes.len())).unwrap();
        return;
    }
    let s = z3::Solver::new_for_logic("QF_FD").unwrap();
    let mut names: Vec<Option<Bool>> = vec![None; nodes.len()];
    let lit = |names: &Vec<Option<Bool>>, l: Lit| { let b = names[l.node()].clone().unwrap_or_else(|| Bool::from_bool(true)); if l.is_negated() { b.not() } else { b } };
    for n in 1..nodes.len() { if needed[n] {
        match (nodes[n], &args[3][..]) {
            (Node::And(a, b), "dag") => { let e = Bool::and(&[&lit(&names, a), &lit(&names, b)]); names[n] = Some(e); }
            (Node::And(a, b), "iff") => { let o = Bool::new_const(n as u32); s.assert(o.eq(Bool::and(&[&lit(&names, a), &lit(&names, b)]))); names[n] = Some(o); }
            (Node::And(a, b), _) => { let o = Bool::new_const(n as u32); let (a, b) = (lit(&names, a), lit(&names, b));
                s.assert(Bool::or(&[&o.not(), &a])); s.assert(Bool::or(&[&o.not(), &b])); s.assert(Bool::or(&[&o, &a.not(), &b.not()])); names[n] = Some(o); }
            _ => names[n] = Some(Bool::new_const(n as u32)),
        }
    } }
    eprintln!("asserted {:?}", t.elapsed());
    if args[3] == "assume" { eprintln!("{:?} {:?}", s.check_assumptions(&[lit(&names, goal)]), t.elapsed()); } else { s.assert(lit(&names, goal)); eprintln!("{:?} {:?}", s.check(), t.elapsed()); }
}
