//! Runs a sequential program once for all its free choices.
//!
//! The state is one vector of cells (variables, locals, "the run is still possible", "the frame has not returned"). A branch
//! runs both sides, one after the other, from the same state, and merges the cells that either side changed. Path
//! conditions are therefore never enumerated: the size of the result is that of the unrolled program.

mod cells;
mod expr;

use std::time::Instant;

use super::circuit::{Circuit, Lit, Values};
use super::heads::Head;
use super::numbers::Bits;
use crate::ir::*;

/// The result of a run: the circuit, and what it says.
pub struct Run {
    /// The circuit over the free choices.
    pub circuit: Circuit,
    /// The run ended without a failed assumption, and the error flag is set: after one round of the entry's loop, after
    /// two, and so on; where it has no loop, one goal.
    pub goals: Vec<Lit>,
    /// The states at the head of the entry's loop: before the first round, after one, and so on.
    pub(super) heads: Vec<Head>,
    /// What happened, in order; each with the condition under which it did.
    pub log: Vec<Log>,
    /// The tasks that ran.
    pub frames: Vec<Frame>,
    /// The deferred calls.
    pub entries: Vec<Entry>,
    /// The variables whose first values are open, with these.
    firsts: Vec<(VarId, Val)>,
    /// The integers that were freely chosen; each with the condition under which it was.
    chosen: Vec<(Lit, Bits)>,
    /// Some loop, recursion or chain of tasks was cut at the bound, so that "unreachable" holds up to it only.
    pub truncated: bool,
    /// The circuit outgrew its bound, or its time was up; what it says is of no use then.
    pub too_large: bool,
}

/// How far a program is run.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Greatest number of iterations of a `while`, and of calls of one procedure that are under way at a time.
    pub unroll: u32,
    /// Greatest number of nodes of the circuit; and whatever else a run takes, no more of that than the nodes would take.
    pub nodes: usize,
    /// When to give up: building a circuit takes time, too.
    pub until: Option<Instant>,
    /// Bits of an integer: [`INTEGER_BITS`]. Fewer make the circuit wrong: for tests of the tests only.
    pub integer_bits: u32,
}

impl Bounds {
    /// So many iterations, and no other bound.
    pub fn unrolled(unroll: u32) -> Bounds {
        Bounds { unroll, nodes: usize::MAX, until: None, integer_bits: INTEGER_BITS }
    }
}

impl Run {
    /// The integers that are freely chosen in one run, in ascending order: all that the interpreter needs to choose from to
    /// do the same.
    pub fn chosen(&self, values: &Values) -> Vec<i128> {
        let chosen = self.chosen.iter().filter(|(guard, _)| values.get(*guard));
        let mut chosen: Vec<i128> = chosen.map(|(_, bits)| values.number(bits)).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    /// What the first value of a variable is made of; nothing if it is the same in all runs.
    pub(crate) fn first_bits(&self, var: VarId) -> Vec<Lit> {
        let of = |(_, first): &(VarId, Val)| match first {
            Val::Bool(first) => vec![*first],
            Val::Int(first) => first.clone(),
            Val::Handle(_) => Vec::new(),
        };
        self.firsts.iter().filter(|(x, _)| *x == var).flat_map(of).collect()
    }

    /// What the variables with open first values have at first, truth values as 0 and 1.
    pub fn firsts(&self, values: &Values) -> Vec<(VarId, i128)> {
        let value = |first: &Val| match first {
            Val::Bool(first) => i128::from(values.get(*first)),
            Val::Int(first) => values.number(first),
            Val::Handle(_) => 0,
        };
        self.firsts.iter().map(|(x, first)| (*x, value(first))).collect()
    }
}

/// A task that ran (or may have run): one call of a `task`.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// What it ran.
    pub proc: ProcId,
    /// The deferred call that it is.
    pub entry: usize,
}

/// A deferred call: one `defer` that was executed.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The task.
    pub proc: ProcId,
    /// The frame that deferred it; `None` for the driver.
    pub parent: Option<usize>,
}

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub struct Log {
    /// When it did.
    pub guard: Lit,
    /// In which task; `None` in the driver.
    pub frame: Option<usize>,
    /// The label of the statement.
    pub label: Label,
    /// Its place.
    pub place: Option<PlaceId>,
    /// What.
    pub what: Logged,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logged {
    /// A Boolean (or untracked) variable was set to this value.
    Set(VarId, Option<Lit>),
    /// An integer variable was set; to this value, if it is the same in all runs.
    SetNumber(VarId, Option<i128>),
    /// A statement of the original program that has no effect in a sequential one: an access without a tracked value, a lock
    /// operation, a yield.
    Statement,
    /// A join was reached, with a handle that is set or not.
    Joins(Lit),
    /// A local was set from a variable.
    Load(VarId),
    /// A call was deferred.
    Deferred(usize),
    /// A deferred call was made: the frame that runs it.
    Forced(usize),
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Val {
    Bool(Lit),
    Int(Bits),
    /// The deferred call that a handle stands for: at most one condition holds.
    Handle(Vec<(usize, Lit)>),
}

/// The cell that tells whether all assumptions held so far.
const OK: usize = 0;

struct Exec<'p> {
    program: &'p Program,
    types: &'p Types,
    entry: ProcId,
    error: VarId,
    goals: Vec<Lit>,
    heads: Vec<Head>,
    bounds: Bounds,
    circuit: Circuit,
    cells: Vec<Val>,
    /// Old values of cells that were changed, for taking back.
    journal: Vec<(usize, Val)>,
    /// Of how many parts all these values are made.
    parts: usize,
    /// The condition under which the current statement runs.
    path: Lit,
    /// Restrictions on free choices.
    restrictions: Lit,
    log: Vec<Log>,
    frames: Vec<Frame>,
    entries: Vec<Entry>,
    firsts: Vec<(VarId, Val)>,
    chosen: Vec<(Lit, Bits)>,
    /// By entry: its arguments, and the cell that tells whether it still waits.
    deferred: Vec<(Vec<Val>, usize)>,
    /// Entries on the running tasks' lists; the driver's first.
    lists: Vec<(Option<usize>, Vec<usize>)>,
    /// By procedure: how many calls of it are under way.
    depth: Vec<u32>,
    /// How many calls are under way of procedures that were under way by then: where several call one another, each of them nested as often as
    /// the bound allows would be far too many.
    again: u32,
    truncated: bool,
    /// How often there was an occasion to look at the clock, so as not to do so each time.
    ticks: u64,
    late: bool,
}

/// A procedure that is being run.
#[derive(Clone, Copy)]
struct Scope {
    proc: ProcId,
    /// The cell of its first local.
    first: usize,
    /// The cell that tells that it has not returned.
    live: usize,
    /// The cell of its result, if anyone asks for it.
    result: usize,
    wants_result: bool,
}

/// Runs `entry`.
pub fn run(program: &Program, types: &Types, entry: ProcId, error: VarId, bounds: Bounds) -> Run {
    let mut exec = Exec {
        program,
        types,
        entry,
        error,
        goals: Vec::new(),
        heads: Vec::new(),
        bounds,
        circuit: Circuit::new(bounds.integer_bits),
        cells: vec![Val::Bool(Lit::TRUE)],
        journal: Vec::new(),
        parts: 0,
        path: Lit::TRUE,
        restrictions: Lit::TRUE,
        log: Vec::new(),
        frames: Vec::new(),
        entries: Vec::new(),
        firsts: Vec::new(),
        chosen: Vec::new(),
        deferred: Vec::new(),
        lists: vec![(None, Vec::new())],
        depth: vec![0; program.procs.len()],
        again: 0,
        truncated: false,
        ticks: 0,
        late: false,
    };
    for (x, var) in program.vars.iter().enumerate() {
        let value = match (var.domain, var.init) {
            (Some(domain), _) if var.open => {
                let first = exec.any_of(domain);
                exec.firsts.push((VarId(x as u32), first.clone()));
                first
            }
            (_, Value::Bool(b)) => Val::Bool(Lit::constant(b)),
            (_, Value::Int(i)) => Val::Int(exec.circuit.number(i)),
        };
        exec.cells.push(value);
    }
    exec.call(entry, Vec::new(), false);
    if exec.goals.is_empty() {
        exec.goal();
    }
    Run {
        too_large: exec.is_too_large(),
        circuit: exec.circuit,
        goals: exec.goals,
        heads: exec.heads,
        log: exec.log,
        frames: exec.frames,
        entries: exec.entries,
        firsts: exec.firsts,
        chosen: exec.chosen,
        truncated: exec.truncated,
    }
}

impl<'p> Exec<'p> {
    fn block(&mut self, block: &'p [Stmt], scope: Scope) {
        for (i, s) in block.iter().enumerate() {
            if self.is_dead(&scope) {
                return;
            }
            if self.bool_cell(scope.live) != Lit::TRUE {
                return self.where_live(scope, |exec| exec.block(&block[i..], scope));
            }
            self.stmt(s, scope);
        }
    }

    /// Runs what follows a possible return.
    fn where_live(&mut self, scope: Scope, rest: impl FnOnce(&mut Self)) {
        let live = self.bool_cell(scope.live);
        self.branch(
            live,
            |exec| {
                exec.set(scope.live, Val::Bool(Lit::TRUE));
                rest(exec);
            },
            |_| {},
        );
    }

    fn stmt(&mut self, s: &'p Stmt, scope: Scope) {
        match &s.kind {
            StmtKind::Read(_) | StmtKind::Acquire(..) | StmtKind::Release(_) | StmtKind::Yield => {
                self.note(s, Logged::Statement);
            }
            StmtKind::Write(x) | StmtKind::Update(x, _) => {
                self.note(s, Logged::Statement);
                if let Some(domain) = self.program.vars[x.index()].domain {
                    let updated = match s.kind {
                        StmtKind::Update(_, class) => self.program.updated(domain, class),
                        _ => Updated::Any,
                    };
                    let value = match updated {
                        Updated::Same => return,
                        Updated::Present => {
                            let Val::Bool(there) = self.cells[1 + x.index()] else { return };
                            return self.assume(there);
                        }
                        Updated::Value(left) => Val::Bool(Lit::constant(left)),
                        Updated::Any => self.any_of(domain),
                    };
                    self.set(1 + x.index(), value);
                }
            }
            StmtKind::SetVar(x, e) => self.set_var(s, *x, e, scope),
            StmtKind::SetLocal(t, e) => {
                let ty = self.types.locals[scope.proc.index()][t.index()];
                let value = self.eval(e, scope, ty);
                self.set(scope.first + t.index(), value);
                if let Expr::Var(x) = e {
                    self.note(s, Logged::Load(*x));
                }
            }
            StmtKind::Assume(e) => {
                let e = self.condition(e, scope);
                self.assume(e);
            }
            StmtKind::Defer { task, args, handle } => {
                let args = self.args(*task, args, scope);
                let waits = self.alloc(Val::Bool(Lit::FALSE));
                self.set(waits, Val::Bool(Lit::TRUE));
                let entry = self.entries.len();
                let list = self.lists.last_mut().expect("the driver's list is always there");
                list.1.push(entry);
                self.entries.push(Entry { proc: *task, parent: list.0 });
                self.deferred.push((args, waits));
                if let Some(h) = handle {
                    self.set(scope.first + h.index(), Val::Handle(vec![(entry, Lit::TRUE)]));
                }
                self.note(s, Logged::Deferred(entry));
            }
            StmtKind::Force(h) => {
                let Val::Handle(calls) = self.cells[scope.first + h.index()].clone() else { return };
                let is_set = calls.iter().fold(Lit::FALSE, |any, (_, lit)| self.circuit.or(any, *lit));
                self.note(s, Logged::Joins(is_set));
                for (entry, lit) in calls {
                    self.branch(lit, |exec| exec.make(s, entry, true), |_| {});
                }
            }
            StmtKind::RunDeferred => {
                let list = self.lists.last().expect("as above").1.clone();
                list.into_iter().for_each(|entry| self.make(s, entry, false));
            }
            StmtKind::Call { proc, args, result } => {
                let args = self.args(*proc, args, scope);
                let value = self.call(*proc, args, result.is_some());
                if let (Some(t), Some(value)) = (result, value) {
                    self.set(scope.first + t.index(), value);
                }
            }
            StmtKind::Return(e) => {
                if let (Some(e), true) = (e, scope.wants_result) {
                    let value = self.eval(e, scope, self.types.results[scope.proc.index()]);
                    self.set(scope.result, value);
                }
                self.set(scope.live, Val::Bool(Lit::FALSE));
            }
            StmtKind::If(e, yes, no) => {
                let c = self.condition(e, scope);
                self.branch(c, |exec| exec.block(yes, scope), |exec| exec.block(no, scope));
            }
            StmtKind::While(e, body) => self.iterate(e, body, scope, self.bounds.unroll),
            StmtKind::Loop(k, body) => self.repeat(*k, body, scope),
            // Concurrent programs are not run.
            StmtKind::Async { .. } | StmtKind::Join(_) | StmtKind::Await(_) => {}
        }
    }

    fn set_var(&mut self, s: &Stmt, x: VarId, e: &Expr, scope: Scope) {
        let logged = match self.program.vars[x.index()].domain {
            None => Logged::Set(x, None),
            Some(Domain::Bool | Domain::Presence) => {
                let value = self.condition(e, scope);
                self.set(1 + x.index(), Val::Bool(value));
                Logged::Set(x, Some(value))
            }
            Some(domain @ (Domain::Int { lo, hi } | Domain::Variant { lo, hi })) => {
                // What is stored of any integer is any of the range.
                let value = match e {
                    Expr::Any => self.any_of(domain),
                    e => self.eval(e, scope, Type::Int),
                };
                let Val::Int(value) = value else { return };
                let value = self.circuit.wrap_into(&value, lo, hi);
                let number = self.circuit.as_number(&value);
                self.set(1 + x.index(), Val::Int(value));
                Logged::SetNumber(x, number)
            }
        };
        self.note(s, logged);
    }

    fn iterate(&mut self, e: &'p Expr, body: &'p [Stmt], scope: Scope, left: u32) {
        if self.is_dead(&scope) {
            return;
        }
        let c = self.condition(e, scope);
        let once = |exec: &mut Self| {
            if left == 0 {
                return exec.cut();
            }
            exec.block(body, scope);
            if exec.is_dead(&scope) {
                return;
            }
            exec.where_live(scope, |exec| exec.iterate(e, body, scope, left - 1));
        };
        self.branch(c, once, |_| {});
    }

    fn repeat(&mut self, left: u32, body: &'p [Stmt], scope: Scope) {
        if scope.proc == self.entry {
            self.head();
        }
        for _ in 0..left {
            self.look_at_the_clock();
            if self.is_dead(&scope) {
                return;
            }
            // A return leaves the loop: the block below runs only where there was none.
            self.block(body, scope);
            if scope.proc == self.entry {
                self.goal();
                self.head();
            }
        }
    }

    fn call(&mut self, proc: ProcId, args: Vec<Val>, wants_result: bool) -> Option<Val> {
        self.look_at_the_clock();
        if self.is_too_large() {
            return None;
        }
        if self.is_too_deep(proc) {
            self.cut();
            return None;
        }
        let again = u32::from(self.depth[proc.index()] > 0);
        self.depth[proc.index()] += 1;
        self.again += again;
        let code = self.program.proc(proc);
        let first = self.cells.len();
        let given = args.len();
        self.cells.extend(args);
        for ty in &self.types.locals[proc.index()][given..] {
            let nothing = match ty {
                Type::Bool => Val::Bool(Lit::FALSE),
                Type::Int => Val::Int(self.circuit.number(0)),
                Type::Handle => Val::Handle(Vec::new()),
            };
            self.cells.push(nothing);
        }
        let live = self.alloc(Val::Bool(Lit::TRUE));
        // Nothing returned where a value is asked for: any value.
        let unset = match wants_result {
            true => self.any(self.types.results[proc.index()]),
            false => Val::Bool(Lit::FALSE),
        };
        let result = self.alloc(unset);
        self.block(&code.body, Scope { proc, first, live, result, wants_result });
        self.depth[proc.index()] -= 1;
        self.again -= again;
        Some(self.cells[result].clone())
    }

    /// Whether a procedure is not to be called here once more.
    fn is_too_deep(&self, proc: ProcId) -> bool {
        self.depth[proc.index()] > 0 && self.again >= self.bounds.unroll
    }

    /// Makes a deferred call, if it still waits.
    fn make(&mut self, s: &'p Stmt, entry: usize, forced: bool) {
        let (args, waits) = self.deferred[entry].clone();
        let waiting = self.bool_cell(waits);
        let proc = self.entries[entry].proc;
        let run = |exec: &mut Self| {
            if exec.is_too_deep(proc) && !forced {
                // A task that does not begin is a possible run: nothing is lost but what lies behind the bound.
                exec.truncated = true;
                return;
            }
            exec.set(waits, Val::Bool(Lit::FALSE));
            let frame = exec.frames.len();
            exec.frames.push(Frame { proc, entry });
            if forced {
                exec.note(s, Logged::Forced(frame));
            }
            exec.lists.push((Some(frame), Vec::new()));
            exec.call(proc, args, false);
            exec.lists.pop();
        };
        self.branch(waiting, run, |_| {});
    }
}
